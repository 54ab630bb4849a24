internal import Clock
internal import Outbox

/// How far the wall clock was set back since the engine began; due times on disk were written before that.
///
/// Due times in the queue are read and written later than the wall clock by this lag, so that a clock that is
/// set back delays nothing. Setting the clock forward again reduces the lag. A restart forgets it.
struct ClockLag: Sendable {
  /// A smaller step is drift, or a clock that is being slewed.
  private static let leastMilliseconds: Int64 = 1000

  private(set) var milliseconds: Int64 = 0
  private var last: Moment?

  /// Compares a reading of the clocks with the last one; whether the lag has changed.
  mutating func note(_ now: Moment) -> Bool {
    defer { last = now }
    guard let last else { return false }
    let steady = last.wall.adding(milliseconds: now.ticks - last.ticks)
    let (setBack, overflow) = steady.milliseconds.subtractingReportingOverflow(now.wall.milliseconds)
    guard !overflow, setBack.magnitude >= Self.leastMilliseconds.magnitude else { return false }
    let (sum, isTooMuch) = milliseconds.addingReportingOverflow(setBack)
    guard !isTooMuch, max(0, sum) != milliseconds else { return false }
    milliseconds = max(0, sum)
    return true
  }

  /// The lag after a reading of the clocks.
  func noting(_ now: Moment) -> ClockLag {
    var lag = self
    _ = lag.note(now)
    return lag
  }

  /// The queue's time for one of the engine's.
  func inQueue(_ time: Timestamp) -> Timestamp { time.adding(milliseconds: milliseconds) }

  /// The engine's time for one of the queue's.
  func fromQueue(_ time: Timestamp) -> Timestamp { time.adding(milliseconds: -milliseconds) }

  /// The settlements with their due times in the queue's time.
  func inQueue(_ settlements: [Settlement]) -> [Settlement] {
    milliseconds == 0 ? settlements : settlements.map { $0.postponed(milliseconds: milliseconds) }
  }
}
