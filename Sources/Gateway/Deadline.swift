internal import Clock
internal import Dispatch

/// Bounds the time of work that may hang.
enum Deadline {
  /// Performs `work`, and returns whether it ended within `limit`; later it continues on its own. The timer
  /// does not depend on the threads that `work` may block.
  static func keeps(_ limit: Duration, _ work: @escaping @Sendable () async -> Void) async -> Bool {
    let (ends, continuation) = AsyncStream.makeStream(of: Bool.self)
    Task {
      await work()
      continuation.yield(true)
    }
    let milliseconds = Int(saturating: limit / .milliseconds(1))
    DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(milliseconds)) {
      continuation.yield(false)
    }
    for await isInTime in ends { return isInTime }
    return false
  }
}
