internal import Clock
import FCMMessage

/// Reads notifications as they stand in PostgreSQL.
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

    /// Reads `columns`; nil for what no version could have written.
    init?(_ row: PostgresRows.Row) {
      guard let id = row.uuid(1), SQLiteSchema.rows.contains(row.integer(0)) else { return nil }
      self.row = row.integer(0)
      self.id = NotificationID(id)
      appID = row.integer(2)
      app = row.text(3) ?? ""
      template = row.text(4) ?? ""
      client = row.text(5)
      createdAt = row.time(6)
      deliveryCount = Int(row.integer(7))
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

  /// The whole notifications, each as one moment has it, with what is claimed shown as `sending`.
  static func stored(
    _ heads: [Head], now: Timestamp, in connection: PostgresConnection
  ) throws(PostgresError) -> [StoredNotification] {
    guard !heads.isEmpty else { return [] }
    let found = try connection.run(
      """
      SELECT d.row, d.id, d.target_kind, d.target, d.state, d.claimed_by, d.attempts, d.next_attempt_at,
        d.updated_at, d.message_name, d.error_code, d.error_status, d.error_message, d.error_apns_reason
      FROM unnest($1::bigint[]) AS n(row)
        JOIN dragoman_deliveries AS d ON d.row BETWEEN n.row << 12 AND (n.row << 12) + 4095
      ORDER BY d.row
      """, [.integers(heads.map(\.row))])
    var deliveries: [Int64: [StoredNotification.Delivery]] = [:]
    for row in found.rows {
      guard let delivery = delivery(row, now: now) else { continue }
      deliveries[row.integer(0) >> SQLiteSchema.deliveryBits, default: []].append(delivery)
    }
    return heads.map { head in
      StoredNotification(
        id: head.id, app: head.app, template: head.template, client: head.client, createdAt: head.createdAt,
        deliveries: deliveries[head.row] ?? [])
    }
  }

  private static func delivery(_ row: PostgresRows.Row, now: Timestamp) -> StoredNotification.Delivery? {
    guard let id = row.uuid(1), let target = Target(kind: row.integer(2), value: row.text(3) ?? ""),
      var state = DeliveryState(rawValue: Int(row.integer(4)))
    else { return nil }
    let next = row.optionalInteger(7).map(Timestamp.init(milliseconds:))
    if !state.isFinal, !row.isNull(5) {
      state = .sending
    } else if state == .scheduled, let next, next <= now {
      state = .queued
    }
    let error = row.text(10).map { code in
      DeliveryError(
        code: code, httpStatus: row.optionalInteger(11).map(Int.init), message: row.text(12) ?? "",
        apnsReason: row.text(13))
    }
    return StoredNotification.Delivery(
      id: DeliveryID(id), target: target, state: state, attempts: Int(row.integer(6)), nextAttemptAt: next,
      messageName: row.text(9), error: error, updatedAt: row.time(8))
  }
}
