internal import Dispatch

/// Loads files on a thread of its own. That may take seconds of CPU time, or as long as a slow disk: on the
/// concurrency pool, which has a thread for each core, a shutdown and the metrics would wait for it.
enum Loading {
  static func run<Value: Sendable>(_ load: @escaping @Sendable () -> Value) async -> Value {
    await withCheckedContinuation { continuation in
      // A queue of its own, which may have a thread beyond the cores, unlike the global ones.
      DispatchQueue(label: "dragoman.loading").async { continuation.resume(returning: load()) }
    }
  }
}
