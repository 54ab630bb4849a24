internal import Clock
internal import Outbox

/// How far the wall clock was set back since the engine began: what waits on disk was given its time before that.
///
/// The queue's due times are read and written that much later than the wall clock says, so that a clock that is set
/// back delays nothing. A clock that is set forth again takes it back. What is left of it at a restart is lost.
struct ClockLag: Sendable {
  /// Less is drift, or a clock that is being slewed.
  private static let leastMilliseconds: Int64 = 1000

  private(set) var milliseconds: Int64 = 0
  private var last: Moment?

  /// Takes in a reading of the clocks; whether the lag has changed.
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

  /// The queue's time for one of the engine's.
  func inQueue(_ time: Timestamp) -> Timestamp { time.adding(milliseconds: milliseconds) }

  /// The engine's time for one of the queue's.
  func fromQueue(_ time: Timestamp) -> Timestamp { time.adding(milliseconds: -milliseconds) }

  func inQueue(_ record: OutcomeRecord) -> OutcomeRecord {
    let outcome: DeliveryOutcome =
      switch record.outcome {
      case .retry(let at, let error): .retry(at: inQueue(at), error: error)
      case .deferred(let until, let error): .deferred(until: inQueue(until), error: error)
      case .sent, .release, .failed, .expired: record.outcome
      }
    return OutcomeRecord(delivery: record.delivery, at: record.at, outcome: outcome)
  }
}
