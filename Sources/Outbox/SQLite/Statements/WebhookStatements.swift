internal import Clock
import FCMMessage
import Telemetry

/// Reads the feedback log with everything in it. Confined like its connection.
final class WebhookStatements {
  private let selectEvents: SQLiteStatement

  init(_ connection: SQLiteConnection) throws(SQLiteError) {
    // One statement, so that both tables are read as they were at one moment: an event that is committed in
    // between must not be passed over.
    selectEvents = try connection.prepare(
      """
      SELECT * FROM (
        SELECT f.id, NULL AS state, a.name, f.target_kind, f.target, f.code, f.notification, f.at, f.trace,
          f.activity, NULL AS delivery, NULL AS template, NULL AS client, NULL AS attempts, NULL AS name
        FROM feedback AS f CROSS JOIN apps AS a ON a.id = f.app WHERE f.id > ?1 ORDER BY f.id LIMIT ?2)
      UNION ALL SELECT * FROM (
        SELECT o.id, o.state, a.name, d.target_kind, d.target, o.code, n.id, o.at, n.trace,
          d.activity, d.id, n.template, n.client, o.attempts,
          \(StoredMessageNames.sql("d.message_name"))
        FROM outcomes AS o LEFT JOIN deliveries AS d ON d.row = o.delivery
          LEFT JOIN notifications AS n ON n.row = \(RowLayout.notificationRowSQL(of: "o.delivery"))
          LEFT JOIN apps AS a ON a.id = d.app
        WHERE o.id > ?1 ORDER BY o.id LIMIT ?2)
      ORDER BY 1 LIMIT ?2
      """)
  }

  /// The events after one, in order, and the unreadable events that the page omits. It also omits, and does
  /// not count as unreadable, outcomes of deliveries that were removed because of their age.
  func page(
    after: Int64?, limit: Int
  ) throws(SQLiteError) -> (page: WebhookPage, unreadable: [Int64]) {
    let row = selectEvents
    try row.bind(1, after ?? 0)
    try row.bind(2, limit + 1)
    defer { row.reset() }
    var events: [WebhookEvent] = []
    var unreadable: [Int64] = []
    var next = after
    var count = 0
    while try row.step() {
      if count == limit {
        return (WebhookPage(events: events, next: next, hasMore: true), unreadable)
      }
      count += 1
      next = row.integer(0)
      let isOutcome = !row.isNull(1)
      if isOutcome, row.isNull(10) { continue }
      guard let event = isOutcome ? Self.outcome(row) : Self.dead(row) else {
        unreadable.append(row.integer(0))
        continue
      }
      events.append(event)
    }
    return (WebhookPage(events: events, next: next, hasMore: false), unreadable)
  }

  private static func dead(_ row: SQLiteStatement) -> WebhookEvent? {
    guard let target = Target(kind: row.integer(3), value: row.text(4) ?? ""), let id = row.uuid(6) else {
      return nil
    }
    return .dead(
      FeedbackEvent(
        id: row.integer(0), app: row.text(2) ?? "", target: target, code: row.text(5) ?? "",
        notification: NotificationID(id), at: Timestamp(milliseconds: row.integer(7)), trace: trace(row),
        activityToken: row.text(9)))
  }

  private static func outcome(_ row: SQLiteStatement) -> WebhookEvent? {
    guard let outcome = DeliveryOutcome(rawValue: Int(row.integer(1))),
      let target = Target(kind: row.integer(3), value: row.text(4) ?? ""), let notification = row.uuid(6),
      let delivery = row.uuid(10)
    else { return nil }
    return .outcome(
      OutcomeEvent(
        id: row.integer(0), outcome: outcome, app: row.text(2) ?? "", template: row.text(11) ?? "",
        client: row.text(12), notification: NotificationID(notification), delivery: DeliveryID(delivery),
        target: target, activityToken: row.text(9), attempts: Int(row.integer(13)),
        code: outcome == .sent ? nil : row.text(5), messageName: outcome == .sent ? row.text(14) : nil,
        at: Timestamp(milliseconds: row.integer(7)), trace: trace(row)))
  }

  private static func trace(_ row: SQLiteStatement) -> TraceContext? {
    row.text(8).flatMap(TraceContext.init(stored:))
  }
}
