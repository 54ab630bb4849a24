internal import AppStrings
internal import Dispatch
internal import Glibc
internal import HTTPClient

/// Loads files on a thread of its own. That may take seconds of CPU time, or as long as a slow disk: on the
/// concurrency pool, which has a thread for each core, a shutdown and the metrics would wait for it.
enum Loading {
  /// The niceness of a thread in the background: a tenth of a busy core.
  static let backgroundNiceness: Int32 = 10

  /// In the background, requests have priority over it.
  static func run<Value: Sendable>(
    inBackground: Bool = false, _ load: @escaping @Sendable () -> Value
  ) async -> Value {
    await withCheckedContinuation { continuation in
      let isBegun =
        inBackground
        && DetachedThread.start(named: "dragoman.reload") {
          // Of this thread alone (Linux). A thread that may not be nice still loads.
          setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, backgroundNiceness)
          let value = ConcurrentReading.$isInBackground.withValue(true, operation: load)
          continuation.resume(returning: value)
        }
      // A queue of its own, which may have a thread beyond the cores, unlike the global ones.
      if !isBegun {
        DispatchQueue(label: "dragoman.loading").async { continuation.resume(returning: load()) }
      }
    }
  }
}
