internal import Clock
import FCMMessage
import Telemetry

/// What the webhook reads.
extension PostgresReader {
  func webhookCursor() throws(PostgresError) -> Int64? {
    try connection.run("SELECT value FROM dragoman_marks WHERE name = 'webhook'").value
  }

  /// Everything in the feedback log after an event, in order. Outcomes of deliveries that were removed
  /// because of their age are omitted.
  func webhookEvents(after: Int64?, limit: Int) throws(PostgresError) -> WebhookPage {
    // One statement, so that both tables are read as they were at one moment: an event that is committed in
    // between must not be passed over.
    let rows = try connection.run(
      """
      SELECT * FROM (
        (SELECT f.id, NULL::bigint AS state, a.name, f.target_kind, f.target, f.code, f.notification, f.at,
          f.trace, f.activity, NULL::uuid AS delivery, NULL::bytea AS template, NULL::bytea AS client,
          NULL::bigint AS attempts, NULL::bytea AS message_name
        FROM dragoman_feedback AS f JOIN dragoman_apps AS a ON a.id = f.app
        WHERE f.id > $1 ORDER BY f.id LIMIT $2)
        UNION ALL
        (SELECT o.id, o.state, a.name, d.target_kind, d.target, o.code, n.id, o.at,
          n.trace, d.activity, d.id, n.template, n.client, o.attempts, d.message_name
        FROM (SELECT * FROM dragoman_outcomes WHERE id > $1 ORDER BY id LIMIT $2) AS o
          LEFT JOIN dragoman_deliveries AS d ON d.row = o.delivery
          LEFT JOIN dragoman_notifications AS n ON n.row = \(RowLayout.notificationRowSQL(of: "o.delivery"))
          LEFT JOIN dragoman_apps AS a ON a.id = d.app)) AS e
      ORDER BY id LIMIT $2
      """, [.integer(after ?? 0), .integer(Int64(limit) + 1)])
    let kept = rows.rows.prefix(limit)
    return WebhookPage(
      events: kept.compactMap(Self.event), next: kept.map { $0.integer(.id) }.last ?? after,
      hasMore: rows.count > limit)
  }

  /// Nil for what no version could have written, and for the outcome of a delivery that is gone.
  private static func event(_ row: PostgresRows.Row) -> WebhookEvent? {
    guard let target = Target(kind: row.integer(.targetKind), value: row.text(.target) ?? ""),
      let notification = row.uuid(.notification).map(NotificationID.init)
    else { return nil }
    let (app, code) = (row.text(.name) ?? "", row.text(.code))
    let trace = row.text(.trace).flatMap(TraceContext.init(stored:))
    if row.isNull(.state) {
      return .dead(
        FeedbackEvent(
          id: row.integer(.id), app: app, target: target, code: code ?? "", notification: notification,
          at: row.time(.at), trace: trace, activityToken: row.text(.activity)))
    }
    guard let outcome = DeliveryOutcome(rawValue: Int(row.integer(.state))),
      let delivery = row.uuid(.delivery)
    else { return nil }
    return .outcome(
      OutcomeEvent(
        id: row.integer(.id), outcome: outcome, app: app, template: row.text(.template) ?? "",
        client: row.text(.client), notification: notification, delivery: DeliveryID(delivery),
        target: target, activityToken: row.text(.activity), attempts: Int(row.integer(.attempts)),
        code: outcome == .sent ? nil : code,
        messageName: outcome == .sent ? row.text(.messageName) : nil, at: row.time(.at), trace: trace))
  }
}
