internal import Clock
import FCMMessage

/// Reads notifications from PostgreSQL.
enum PostgresNotifications {
  /// A notification without its deliveries.
  struct Head {
    let row: Int64
    let id: NotificationID
    let appID: Int64
    let app: String
    let template: String
    let client: String?
    let createdAt: Timestamp
    let deliveryCount: Int

    /// Reads `columns`; nil for a record that no version could have written.
    init?(_ row: PostgresRows.Row) {
      guard let id = row.uuid(.id), RowLayout.notificationRows.contains(row.integer(.row)) else { return nil }
      self.row = row.integer(.row)
      self.id = NotificationID(id)
      appID = row.integer(.app)
      app = row.text(.name) ?? ""
      template = row.text(.template) ?? ""
      client = row.text(.client)
      createdAt = row.time(.createdAt)
      deliveryCount = Int(row.integer(.deliveries))
    }
  }

  static let columns = "n.row, n.id, n.app, a.name, n.template, n.client, n.created_at, n.deliveries"
  static let tables = "dragoman_notifications AS n JOIN dragoman_apps AS a ON a.id = n.app"

  static func head(
    _ id: NotificationID, in connection: PostgresConnection
  ) throws(PostgresError) -> Head? {
    try connection.run("SELECT \(columns) FROM \(tables) WHERE n.id = $1", [.uuid(id.uuid)]).first
      .flatMap(Head.init)
  }

  /// The whole notifications, each in one consistent state, with claimed deliveries shown as `sending`.
  static func stored(
    _ heads: [Head], now: Timestamp, in connection: PostgresConnection
  ) throws(PostgresError) -> [StoredNotification] {
    guard !heads.isEmpty else { return [] }
    let found = try connection.run(
      """
      SELECT d.row, d.id, d.target_kind, d.target, d.state, d.claimed_by, d.attempts, d.next_attempt_at,
        d.updated_at, d.message_name, d.error_code, d.error_status, d.error_message, d.error_apns_reason
      FROM unnest($1::bigint[]) AS n(row)
        JOIN dragoman_deliveries AS d ON d.row BETWEEN \(RowLayout.deliveryRowsSQL(of: "n.row"))
      ORDER BY d.row
      """, [.integers(heads.map(\.row))])
    var deliveries: [Int64: [StoredNotification.Delivery]] = [:]
    for row in found.rows {
      guard let delivery = delivery(row, now: now) else { continue }
      deliveries[RowLayout.notificationRow(of: row.integer(.row)), default: []].append(delivery)
    }
    return heads.map { head in
      StoredNotification(
        id: head.id, app: head.app, template: head.template, client: head.client, createdAt: head.createdAt,
        deliveries: deliveries[head.row] ?? [])
    }
  }

  private static func delivery(_ row: PostgresRows.Row, now: Timestamp) -> StoredNotification.Delivery? {
    guard let id = row.uuid(.id),
      let target = Target(kind: row.integer(.targetKind), value: row.text(.target) ?? ""),
      var state = DeliveryState(rawValue: Int(row.integer(.state)))
    else { return nil }
    let next = row.optionalInteger(.nextAttemptAt).map(Timestamp.init(milliseconds:))
    if !state.isFinal, !row.isNull(.claimedBy) {
      state = .sending
    } else if state == .scheduled, let next, next <= now {
      state = .queued
    }
    let error = row.text(.errorCode).map { code in
      DeliveryError(
        code: code, httpStatus: row.optionalInteger(.errorStatus).map(Int.init),
        message: row.text(.errorMessage) ?? "",
        apnsReason: row.text(.errorAPNsReason))
    }
    return StoredNotification.Delivery(
      id: DeliveryID(id), target: target, state: state, attempts: Int(row.integer(.attempts)),
      nextAttemptAt: next,
      messageName: row.text(.messageName), error: error, updatedAt: row.time(.updatedAt))
  }
}
