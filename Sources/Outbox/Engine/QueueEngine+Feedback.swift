internal import Clock
import FCMMessage
import Telemetry
import SQL

/// The feedback log: dead registrations in one table, outcomes in another, with numbers from one sequence.
extension QueueEngine {
  /// Adds the transaction's events to the feedback log.
  ///
  /// A transaction that takes numbers locks their row until its COMMIT, so that events become visible in the
  /// order of their numbers and no reader skips one. It comes last, because others wait for it.
  func writeEvents(_ transaction: inout QueueTransaction) throws(DatabaseError) {
    let count = Int64(transaction.events.count)
    guard count > 0 else { return }
    let taken = try driver.run(
      "UPDATE dragoman_marks SET value = value + $1 WHERE name = 'feedback' RETURNING value",
      [.integer(count)])
    guard let last = taken.value else {
      throw DatabaseError(message: "the feedback log has lost its numbers")
    }
    for (number, event) in zip((last - count + 1)...last, transaction.events) {
      switch event {
      case .dead(let event): try write(event, number)
      case .outcome(let event): try write(event, number)
      }
    }
  }

  private func write(_ event: LoggedEvent.Dead, _ number: Int64) throws(DatabaseError) {
    try driver.send(
      """
      INSERT INTO dragoman_feedback
        (id, app, target_kind, target, code, notification, at, trace, activity, client)
      VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
      """,
      [
        .integer(number), .integer(event.app), .integer(Int64(event.delivery.target.kind)),
        .text(event.delivery.target.value), .text(event.code),
        .uuid(event.delivery.notification.id.uuid), .time(event.at),
        .text(event.delivery.notification.trace?.stored), .text(event.activityToken),
        .text(event.delivery.notification.client),
      ])
  }

  private func write(_ event: LoggedEvent.Outcome, _ number: Int64) throws(DatabaseError) {
    try driver.send(
      """
      INSERT INTO dragoman_outcomes (id, delivery, state, attempts, code, at)
      VALUES ($1, $2, $3, $4, $5, $6)
      """,
      [
        .integer(number), .integer(event.delivery), .integer(Int64(event.state.rawValue)),
        .integer(event.attempts), .text(event.code), .time(event.at),
      ])
  }

  /// Stores the cursor if it is this gateway's turn; the cursor never moves back.
  func setWebhookCursor(_ event: Int64, _ transaction: inout QueueTransaction) throws(DatabaseError) {
    guard try driver.takeWebhookTurn() else {
      throw .operation(OutboxError(code: .turnLost, description: "another gateway notifies the webhook now"))
    }
    try driver.send(
      """
      INSERT INTO dragoman_marks (name, value) VALUES ('webhook', $1)
      ON CONFLICT (name) DO UPDATE SET value = excluded.value WHERE dragoman_marks.value < excluded.value
      """, [.integer(event)])
    try driver.send("DELETE FROM dragoman_outcomes WHERE id <= $1", [.integer(event)])
    transaction.hasChanged = true
  }

  /// The number of the last event of the feedback log, of all gateways.
  func lastEvent() throws(DatabaseError) -> Int64 {
    try driver.run("SELECT value FROM dragoman_marks WHERE name = 'feedback'").value ?? 0
  }
}
