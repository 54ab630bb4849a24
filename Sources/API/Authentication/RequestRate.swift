/// How many requests may come in how many seconds: `100/h` is a count of 100 in a window of 3,600.
package struct RequestRate: Sendable, Equatable {
  /// From one request an hour to a million a second. Waits and counts that follow from a rate fit into an
  /// `Int` within this range.
  package static let perSecondRange = (1.0 / 3600)...1_000_000.0

  package let requests: Double
  package let windowSeconds: Double

  /// Nil outside `perSecondRange`, and for a window that is not positive.
  package init?(requests: Double, windowSeconds: Double = 1) {
    guard windowSeconds > 0, Self.perSecondRange.contains(requests / windowSeconds) else { return nil }
    self.requests = requests
    self.windowSeconds = windowSeconds
  }

  /// A number of requests a second; the nearest one in the range.
  package init(perSecond count: Int) {
    requests = min(max(1, Double(count)), Self.perSecondRange.upperBound)
    windowSeconds = 1
  }

  package var perSecond: Double { requests / windowSeconds }
}
