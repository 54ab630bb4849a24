/// One reading of both clocks: the wall clock, in which due times and expiry are kept, and a monotonic one,
/// with which waits are measured, so that setting the wall clock neither ends nor prolongs a wait.
package struct Moment: Sendable, Equatable {
  package let wall: Timestamp
  /// Milliseconds of a clock that only goes forward; no fixed origin.
  package let ticks: Int64

  package init(wall: Timestamp, ticks: Int64) {
    self.wall = wall
    self.ticks = ticks
  }

  /// The tick at which the wall clock reads `time` unless it is set; not before now.
  package func ticks(at time: Timestamp) -> Int64 {
    let (left, overflow) = time.milliseconds.subtractingReportingOverflow(wall.milliseconds)
    if overflow { return time < wall ? ticks : .max }
    let (sum, sumOverflow) = ticks.addingReportingOverflow(max(0, left))
    return sumOverflow ? .max : sum
  }
}

extension Duration {
  /// Whole milliseconds, rounded towards zero and limited to what `Int64` can represent.
  package var wholeMilliseconds: Int64 {
    let (seconds, attoseconds) = components
    let (product, overflow) = seconds.multipliedReportingOverflow(by: 1000)
    if overflow { return seconds < 0 ? .min : .max }
    let (sum, sumOverflow) = product.addingReportingOverflow(attoseconds / 1_000_000_000_000_000)
    return sumOverflow ? (seconds < 0 ? .min : .max) : sum
  }
}
