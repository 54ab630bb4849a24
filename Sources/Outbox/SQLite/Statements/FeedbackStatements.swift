internal import Clock
import FCMMessage
import Telemetry

/// The writer's statements for the feedback log: dead registrations in one table, outcomes in another, with
/// numbers from one sequence. Compiled once.
final class FeedbackStatements {
  private let insertEvent: SQLiteStatement
  private let insertOutcome: SQLiteStatement
  private let deleteOutcomes: SQLiteStatement
  private let selectLast: SQLiteStatement

  init(_ connection: SQLiteConnection) throws(SQLiteError) {
    insertEvent = try connection.prepare(
      """
      INSERT INTO feedback (id, app, target_kind, target, code, notification, at, trace, activity)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
      """)
    insertOutcome = try connection.prepare(
      """
      INSERT INTO outcomes (id, delivery, state, attempts, code, at)
      SELECT ?, row, state, attempts, error_code, updated_at FROM deliveries WHERE row = ?
      """)
    deleteOutcomes = try connection.prepare("DELETE FROM outcomes WHERE id <= ?")
    selectLast = try connection.prepare(
      "SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name IN ('feedback', 'outcomes')")
  }

  func insert(
    _ id: Int64, _ delivery: QueuedDelivery, app: Int64, code: String, at: Timestamp, activityToken: String?
  ) throws(SQLiteError) {
    try insertEvent.bind(1, id)
    try insertEvent.bind(2, app)
    try insertEvent.bind(3, delivery.target.kind)
    try insertEvent.bind(4, delivery.target.value)
    try insertEvent.bind(5, code)
    try insertEvent.bind(6, delivery.notification.id.uuid)
    try insertEvent.bind(7, at.milliseconds)
    try insertEvent.bind(8, delivery.notification.trace?.stored)
    try insertEvent.bind(9, activityToken)
    try insertEvent.run()
  }

  /// Logs how a delivery has ended, as its row says.
  func insert(_ id: Int64, outcomeOf row: Int64) throws(SQLiteError) {
    try insertOutcome.bind(1, id)
    try insertOutcome.bind(2, row)
    try insertOutcome.run()
  }

  func removeOutcomes(upTo id: Int64) throws(SQLiteError) {
    try deleteOutcomes.bind(1, id)
    try deleteOutcomes.run()
  }

  /// The last number that was ever used; 0 if none was.
  func last() throws(SQLiteError) -> Int64 {
    defer { selectLast.reset() }
    return try selectLast.step() ? selectLast.integer(0) : 0
  }
}
