internal import Clock
import FCMMessage
import JSON
import Telemetry
import SQL

/// A page of events, and those that it omits because they cannot be read.
struct ReadEvents<Event: Sendable & Equatable> {
  let page: EventPage<Event>
  let unreadable: [Int64]
}

extension QueueReader {
  /// Feedback events that one call examines beyond its limit.
  private static var scannedEventsMax: Int { 2_000 }

  /// The events after one, in order and without outcomes. Those of one client are read by themselves, so that
  /// the end of a page says nothing about the others'.
  func feedback(
    after: Int64?, apps: [String]?, client: String?, limit: Int
  ) throws(DatabaseError) -> ReadEvents<FeedbackEvent> {
    let apps = apps.map { Set($0.map(ExactText.init)) }
    let scanned = limit + Self.scannedEventsMax
    var values: [SQLValue] = [.integer(after ?? 0), .integer(Int64(scanned))]
    if let client { values.append(.text(client)) }
    let rows = try connection.run(
      """
      SELECT f.id, a.name, f.target_kind, f.target, f.code, f.notification, f.at, f.trace, f.activity
      FROM dragoman_feedback AS f JOIN dragoman_apps AS a ON a.id = f.app
      WHERE f.id > $1 \(client == nil ? "" : "AND f.client = $3") ORDER BY f.id LIMIT $2
      """, values)
    var (events, unreadable): ([FeedbackEvent], [Int64]) = ([], [])
    var next = after
    for row in rows.rows {
      if events.count == limit {
        return ReadEvents(page: EventPage(events: events, next: next, hasMore: true), unreadable: unreadable)
      }
      next = row.integer(0)
      if let apps, !apps.contains(ExactText(row.text(1) ?? "")) { continue }
      if let event = FeedbackEvent(row) { events.append(event) } else { unreadable.append(row.integer(0)) }
    }
    return ReadEvents(
      page: EventPage(events: events, next: next, hasMore: rows.count == scanned), unreadable: unreadable)
  }

  /// The last event that the webhook's receiver has.
  func webhookCursor() throws(DatabaseError) -> Int64? {
    try connection.run("SELECT value FROM dragoman_marks WHERE name = 'webhook'").value
  }

  /// Everything in the feedback log after an event, in order. Outcomes of deliveries that were removed
  /// because of their age are omitted.
  func webhookEvents(after: Int64?, limit: Int) throws(DatabaseError) -> ReadEvents<WebhookEvent> {
    // One statement, so that both tables are read as they were at one moment: an event that is committed in
    // between must not be passed over.
    let rows = try connection.run(
      """
      SELECT * FROM (
        SELECT * FROM (SELECT f.id, a.name, f.target_kind, f.target, f.code, f.notification, f.at,
            f.trace, f.activity, CAST(NULL AS BIGINT) AS state, CAST(NULL AS UUID) AS delivery,
            CAST(NULL AS BYTEA) AS template, CAST(NULL AS BYTEA) AS client,
            CAST(NULL AS BIGINT) AS attempts, CAST(NULL AS BYTEA) AS message_name
          FROM dragoman_feedback AS f JOIN dragoman_apps AS a ON a.id = f.app
          WHERE f.id > $1 ORDER BY f.id LIMIT $2) AS dead
        UNION ALL
        SELECT o.id, a.name, d.target_kind, d.target, o.code, n.id, o.at,
          n.trace, d.activity, o.state, d.id, n.template, n.client, o.attempts, d.message_name
        FROM (SELECT * FROM dragoman_outcomes WHERE id > $1 ORDER BY id LIMIT $2) AS o
          LEFT JOIN dragoman_deliveries AS d ON d.row = o.delivery
          LEFT JOIN dragoman_notifications AS n ON n.row = \(RowLayout.notificationRowSQL(of: "o.delivery"))
          LEFT JOIN dragoman_apps AS a ON a.id = d.app) AS e
      ORDER BY id LIMIT $2
      """, [.integer(after ?? 0), .integer(Int64(limit) + 1)])
    let kept = rows.rows.prefix(limit)
    var (events, unreadable): ([WebhookEvent], [Int64]) = ([], [])
    for row in kept {
      if let event = WebhookEvent(row) {
        events.append(event)
      } else if row.isNull(9) || !row.isNull(10) {
        unreadable.append(row.integer(0))
      }
    }
    return ReadEvents(
      page: WebhookPage(
        events: events, next: kept.last?.integer(0) ?? after, hasMore: rows.count > limit),
      unreadable: unreadable)
  }
}

extension FeedbackEvent {
  /// Nil for what the gateway cannot have written.
  fileprivate init?(_ row: SQLRow) {
    guard let target = Target(kind: row.integer(2), value: row.text(3) ?? ""), let id = row.uuid(5) else {
      return nil
    }
    self.init(
      id: row.integer(0), app: row.text(1) ?? "", target: target, code: row.text(4) ?? "",
      notification: NotificationID(id), at: row.time(6),
      trace: row.text(7).flatMap(TraceContext.init(stored:)), activityToken: row.text(8))
  }
}

extension WebhookEvent {
  /// Nil for what the gateway cannot have written, and for the outcome of a delivery that is gone.
  fileprivate init?(_ row: SQLRow) {
    guard let event = FeedbackEvent(row) else { return nil }
    guard !row.isNull(9) else {
      self = .dead(event)
      return
    }
    guard let outcome = DeliveryOutcome(rawValue: Int(clamping: row.integer(9))), let delivery = row.uuid(10)
    else { return nil }
    self = .outcome(
      OutcomeEvent(
        id: event.id, outcome: outcome, app: event.app, template: row.text(11), client: row.text(12),
        notification: event.notification, delivery: DeliveryID(delivery), target: event.target,
        activityToken: event.activityToken, attempts: Int(clamping: row.integer(13)),
        code: outcome == .sent ? nil : row.text(4), messageName: outcome == .sent ? row.text(14) : nil,
        at: event.at, trace: event.trace))
  }
}
