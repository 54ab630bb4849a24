internal import Clock
import FCMMessage

/// The writer's statements for Live Activities. Compiled once.
final class ActivityStatements {
  /// A delivery to an activity that has not ended, as it is on disk.
  struct Open {
    let id: DeliveryID
    let place: ActivityOrder.Place
    let event: ActivityEvent
    let hasBegun: Bool
  }

  private let updateActivity: SQLiteStatement
  private let updateSuperseded: SQLiteStatement
  private let raiseEnd: SQLiteStatement
  private let selectLast: SQLiteStatement
  private let selectOpen: SQLiteStatement
  private let selectSentAfter: SQLiteStatement
  private let selectActivity: SQLiteStatement

  init(_ connection: SQLiteConnection) throws(SQLiteError) {
    updateActivity = try connection.prepare(
      "UPDATE deliveries SET activity = ?, activity_event = ?, activity_at = ? WHERE row = ?")
    updateSuperseded = try connection.prepare(
      """
      UPDATE deliveries SET state = 6, next_attempt_at = NULL, updated_at = ?, error_code = ?,
        error_status = NULL, error_message = ?, error_apns_reason = NULL
      WHERE row = ?
      """)
    raiseEnd = try connection.prepare(
      """
      UPDATE deliveries SET activity_at = (SELECT max(o.activity_at) FROM deliveries AS o
        INDEXED BY deliveries_by_activity WHERE o.app = deliveries.app AND o.activity = deliveries.activity
          AND NOT (o.state = 0 AND o.next_attempt_at > ?1))
      WHERE row = ?2 AND activity_event = 2
      """)
    selectLast = try connection.prepare(
      """
      SELECT activity_at FROM deliveries INDEXED BY deliveries_by_activity
      WHERE app = ? AND activity = ? AND NOT (state = 0 AND next_attempt_at > ?)
      ORDER BY activity_at DESC LIMIT 1
      """)
    selectOpen = try connection.prepare(
      """
      SELECT row, id, activity_event, activity_at, state = 1 OR next_attempt_at <= ?
      FROM deliveries INDEXED BY deliveries_of_open_activity
      WHERE app = ? AND activity = ? AND state < 3 AND activity_event > 0
        AND \(SQLiteSchema.isWhole(RowLayout.notificationRowSQL(of: "row")))
      """)
    selectSentAfter = try connection.prepare(
      """
      SELECT 1 FROM deliveries INDEXED BY deliveries_by_activity
      WHERE app = ?1 AND activity = ?2 AND activity_at >= ?3 AND (activity_at > ?3 OR row > ?4)
        AND state = 3 AND activity_event > 0
      LIMIT 1
      """)
    selectActivity = try connection.prepare(
      "SELECT activity, activity_event, activity_at FROM deliveries WHERE row = ?")
  }

  func write(_ activity: LiveActivity, of row: Int64) throws(SQLiteError) {
    try updateActivity.bind(1, activity.token)
    try updateActivity.bind(2, activity.event.stored)
    try updateActivity.bind(3, activity.at.milliseconds)
    try updateActivity.bind(4, row)
    try updateActivity.run()
  }

  func markSuperseded(_ row: Int64, at: Timestamp) throws(SQLiteError) {
    try updateSuperseded.bind(1, at.milliseconds)
    try updateSuperseded.bind(2, DeliveryError.superseded.code)
    try updateSuperseded.bind(3, DeliveryError.superseded.message)
    try updateSuperseded.bind(4, row)
    try updateSuperseded.run()
  }

  /// Gives an `end` that is queued again the time of the newest message of its activity: a phone ignores one
  /// that is older than what it shows.
  func raiseEnd(_ row: Int64, now: Timestamp) throws(SQLiteError) {
    try raiseEnd.bind(1, now.milliseconds)
    try raiseEnd.bind(2, row)
    try raiseEnd.run()
  }

  /// The latest time of the activity's messages, without those whose `send_at` lies ahead.
  func last(_ token: String, app: Int64, now: Timestamp) throws(SQLiteError) -> Timestamp? {
    try selectLast.bind(1, app)
    try selectLast.bind(2, token)
    try selectLast.bind(3, now.milliseconds)
    defer { selectLast.reset() }
    return try selectLast.step() ? Timestamp(milliseconds: selectLast.integer(0)) : nil
  }

  /// The updates and ends of an activity that have not ended themselves. O(their number), which is small:
  /// updates replace each other.
  func open(_ token: String, app: Int64, now: Timestamp) throws(SQLiteError) -> [Open] {
    let row = selectOpen
    try row.bind(1, now.milliseconds)
    try row.bind(2, app)
    try row.bind(3, token)
    var open: [Open] = []
    while try row.step() {
      guard let id = row.uuid(1), let event = ActivityEvent(stored: row.integer(2)) else { continue }
      open.append(
        Open(
          id: DeliveryID(id),
          place: .init(at: Timestamp(milliseconds: row.integer(3)), row: row.integer(0)), event: event,
          hasBegun: row.integer(4) != 0))
    }
    return open
  }

  /// Whether a newer update or end of the activity was sent.
  func hasSent(after place: ActivityOrder.Place, _ token: String, app: Int64) throws(SQLiteError) -> Bool {
    try selectSentAfter.bind(1, app)
    try selectSentAfter.bind(2, token)
    try selectSentAfter.bind(3, place.at.milliseconds)
    try selectSentAfter.bind(4, place.row)
    defer { selectSentAfter.reset() }
    return try selectSentAfter.step()
  }

  func activity(of row: Int64) throws(SQLiteError) -> LiveActivity? {
    try selectActivity.bind(1, row)
    defer { selectActivity.reset() }
    return try selectActivity.step() ? LiveActivity(selectActivity, from: 0) : nil
  }
}

extension LiveActivity {
  /// Reads `activity`, `activity_event` and `activity_at`, the first of which is at a column; nil for an
  /// ordinary message.
  init?(_ row: SQLiteStatement, from column: Int32) {
    guard !row.isNull(column), let token = row.text(column),
      let event = ActivityEvent(stored: row.integer(column + 1))
    else { return nil }
    self.init(token: token, event: event, at: Timestamp(milliseconds: row.integer(column + 2)))
  }
}
