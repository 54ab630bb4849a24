package import Outbox

/// One reading of both clocks: the wall clock, which due times and expiry are kept in, and a steady one, which
/// waits are measured with, so that a wall clock that is set back or forth neither ends nor prolongs a pause.
package struct Moment: Sendable, Equatable {
  package let wall: Timestamp
  /// Milliseconds of a clock that only goes forward; no fixed origin.
  package let ticks: Int64

  package init(wall: Timestamp, ticks: Int64) {
    self.wall = wall
    self.ticks = ticks
  }

  /// The tick at which the wall clock will say `time` if nobody sets it; not before now.
  func ticks(at time: Timestamp) -> Int64 {
    let (left, overflow) = time.milliseconds.subtractingReportingOverflow(wall.milliseconds)
    if overflow { return time < wall ? ticks : .max }
    let (sum, sumOverflow) = ticks.addingReportingOverflow(max(0, left))
    return sumOverflow ? .max : sum
  }
}

/// Time as the delivery engine sees it; a test or a simulation puts its own in place.
package protocol DeliveryClock: Sendable {
  var now: Moment { get }

  /// Calls `fire` once, as soon as `now.ticks` is at least `ticks`, on any thread and never before this call has
  /// returned to a caller that holds no lock. Takes the place of the timer set before; nil only clears that one.
  func setTimer(at ticks: Int64?, fire: @escaping @Sendable () -> Void)
}

extension Duration {
  /// Whole milliseconds, rounded towards zero, held to what `Int64` can say.
  var wholeMilliseconds: Int64 {
    let (seconds, attoseconds) = components
    let (product, overflow) = seconds.multipliedReportingOverflow(by: 1000)
    if overflow { return seconds < 0 ? .min : .max }
    let (sum, sumOverflow) = product.addingReportingOverflow(attoseconds / 1_000_000_000_000_000)
    return sumOverflow ? (seconds < 0 ? .min : .max) : sum
  }
}
