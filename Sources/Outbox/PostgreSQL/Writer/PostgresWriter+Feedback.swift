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
    var dead = DeadEvents()
    var outcomes = Outcomes()
    for (number, event) in zip((last - count + 1)...last, transaction.events) {
      switch event {
      case .dead(let delivery, let app, let code, let activityToken, let at):
        dead.events.append((number, delivery, app, code, activityToken, at))
      case .outcome(let delivery, let state, let attempts, let code, let at):
        outcomes.events.append((number, delivery, state, attempts, code, at))
      }
    }
    try write(dead)
    try write(outcomes)
  }

  private struct DeadEvents {
    var events:
      [(
        id: Int64, delivery: QueuedDelivery, app: Int64, code: String, activityToken: String?, at: Timestamp
      )] = []
  }

  private struct Outcomes {
    var events:
      [(id: Int64, delivery: Int64, state: DeliveryState, attempts: Int64, code: String?, at: Timestamp)] = []
  }

  private func write(_ dead: DeadEvents) throws(PostgresError) {
    let events = dead.events
    guard !events.isEmpty else { return }
    try connection.run(
      """
      INSERT INTO dragoman_feedback (id, app, target_kind, target, code, notification, at, trace, activity)
      SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bytea[], $5::bytea[], $6::uuid[],
        $7::bigint[], $8::bytea[], $9::bytea[])
      """,
      [
        .integers(events.map(\.id)), .integers(events.map(\.app)),
        .integers(events.map { Int64($0.delivery.target.kind) }),
        .texts(events.map(\.delivery.target.value)), .texts(events.map(\.code)),
        .uuids(events.map(\.delivery.notification.id.uuid)), .integers(events.map(\.at.milliseconds)),
        .texts(events.map { $0.delivery.notification.trace?.stored }), .texts(events.map(\.activityToken)),
      ])
  }

  private func write(_ outcomes: Outcomes) throws(PostgresError) {
    let events = outcomes.events
    guard !events.isEmpty else { return }
    try connection.run(
      """
      INSERT INTO dragoman_outcomes (id, delivery, state, attempts, code, at)
      SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bytea[], $6::bigint[])
      """,
      [
        .integers(events.map(\.id)), .integers(events.map(\.delivery)),
        .integers(events.map { Int64($0.state.rawValue) }), .integers(events.map(\.attempts)),
        .texts(events.map(\.code)), .integers(events.map(\.at.milliseconds)),
      ])
  }
}
