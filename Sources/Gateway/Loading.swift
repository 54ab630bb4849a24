internal import AppStrings
internal import Clock
internal import Dispatch

/// Loads files on a thread of its own. That may take seconds of CPU time, or as long as a slow disk: on the
/// concurrency pool, which has a thread for each core, a shutdown and the metrics would wait for it.
enum Loading {
  /// In the background, requests have priority over it.
  static func run<Value: Sendable>(
    inBackground: Bool = false, _ load: @escaping @Sendable () -> Value
  ) async -> Value {
    await withCheckedContinuation { continuation in
      let isBegun =
        inBackground
        && DetachedThread.start(named: "dragoman.reload", niceness: DetachedThread.backgroundNiceness) {
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
