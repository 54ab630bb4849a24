internal import Clock
import FCMMessage
import Telemetry

/// The feedback log: dead registrations in one table, outcomes in another, with numbers from one sequence.
extension PostgresWriter {
  /// Adds the transaction's events to the feedback log.
  ///
  /// A transaction that takes numbers locks their row until its COMMIT, so that events become visible in the
  /// order of their numbers and no reader skips one. It is the last statement before COMMIT, because others
  /// wait for it.
  func writeEvents(_ transaction: inout PostgresTransaction) throws(PostgresError) {
    let count = Int64(transaction.events.count)
    guard count > 0 else { return }
    let taken = try connection.run(
      "UPDATE dragoman_marks SET value = value + $1 WHERE name = 'feedback' RETURNING value",
      [.integer(count)])
    guard let last = taken.value else {
      throw PostgresError(message: "the feedback log has lost its numbers")
    }
    var dead: [(id: Int64, event: LoggedEvent.Dead)] = []
    var outcomes: [(id: Int64, event: LoggedEvent.Outcome)] = []
    for (number, event) in zip((last - count + 1)...last, transaction.events) {
      switch event {
      case .dead(let event): dead.append((number, event))
      case .outcome(let event): outcomes.append((number, event))
      }
    }
    try write(dead)
    try write(outcomes)
  }

  private func write(_ dead: [(id: Int64, event: LoggedEvent.Dead)]) throws(PostgresError) {
    guard !dead.isEmpty else { return }
    let events = dead.map(\.event)
    try connection.run(
      """
      INSERT INTO dragoman_feedback (id, app, target_kind, target, code, notification, at, trace, activity)
      SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bytea[], $5::bytea[], $6::uuid[],
        $7::bigint[], $8::bytea[], $9::bytea[])
      """,
      [
        .integers(dead.map(\.id)), .integers(events.map(\.app)),
        .integers(events.map { Int64($0.delivery.target.kind) }),
        .texts(events.map(\.delivery.target.value)), .texts(events.map(\.code)),
        .uuids(events.map(\.delivery.notification.id.uuid)), .integers(events.map(\.at.milliseconds)),
        .texts(events.map { $0.delivery.notification.trace?.stored }), .texts(events.map(\.activityToken)),
      ])
  }

  private func write(_ outcomes: [(id: Int64, event: LoggedEvent.Outcome)]) throws(PostgresError) {
    guard !outcomes.isEmpty else { return }
    let events = outcomes.map(\.event)
    try connection.run(
      """
      INSERT INTO dragoman_outcomes (id, delivery, state, attempts, code, at)
      SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bytea[], $6::bigint[])
      """,
      [
        .integers(outcomes.map(\.id)), .integers(events.map(\.delivery)),
        .integers(events.map { Int64($0.state.rawValue) }), .integers(events.map(\.attempts)),
        .texts(events.map(\.code)), .integers(events.map(\.at.milliseconds)),
      ])
  }
}
