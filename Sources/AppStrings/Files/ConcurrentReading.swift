internal import Dispatch

/// Reads many files at once, unless others must not wait for it.
package enum ConcurrentReading {
  /// Whether the thread reads beside requests, with a lower priority than they have. Then it reads alone: the
  /// threads of the pool would take part with their own priority.
  @TaskLocal package static var isInBackground = false

  static func perform(iterations: Int, _ body: @Sendable (Int) -> Void) {
    guard !isInBackground else { return (0..<iterations).forEach(body) }
    DispatchQueue.concurrentPerform(iterations: iterations, execute: body)
  }
}
