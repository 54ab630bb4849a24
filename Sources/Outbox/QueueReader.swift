import FCMMessage

/// Reads single notifications on a connection of its own, so that reads never hold up writes. Confined to the
/// store's reading queue.
final class QueueReader {
  private let claims: Claims
  private let selectNotification: SQLiteStatement
  private let selectIDs: SQLiteStatement
  private let selectDeliveries: SQLiteStatement

  init(connection: SQLiteConnection, claims: Claims) throws(SQLiteFailure) {
    self.claims = claims
    try connection.execute("PRAGMA query_only = ON")
    selectNotification = try connection.prepare(
      """
      SELECT n.row, a.name, n.template, n.client, n.created_at
      FROM notifications AS n JOIN apps AS a ON a.id = n.app WHERE n.id = ?
      """)
    selectIDs = try connection.prepare("SELECT id FROM deliveries WHERE row BETWEEN ? AND ?")
    selectDeliveries = try connection.prepare(
      """
      SELECT id, target_kind, target, state, attempts, next_attempt_at, updated_at, message_name,
        error_code, error_status, error_message, error_apns_reason
      FROM deliveries WHERE row BETWEEN ? AND ? ORDER BY row
      """)
  }

  /// The notification as it stands on disk, with what is claimed shown as `sending`.
  func notification(_ id: NotificationID, now: Timestamp) throws(SQLiteFailure) -> StoredNotification? {
    guard let found = try head(id) else { return nil }
    let rows = Self.deliveryRows(of: found.row)
    // Claims first, states second, each by what is committed then: a delivery that is settled in between is
    // read as settled, and never as one that still waits.
    let claimed = try claimed(in: rows)
    return StoredNotification(
      id: id, app: found.app, template: found.template, client: found.client, createdAt: found.createdAt,
      deliveries: try deliveries(in: rows, claimed: claimed, now: now))
  }

  private struct Head {
    let row: Int64
    let app: String
    let template: String
    let client: String?
    let createdAt: Timestamp
  }

  private func head(_ id: NotificationID) throws(SQLiteFailure) -> Head? {
    try selectNotification.bind(1, id.uuid)
    // A statement that is not reset keeps its view of the database, and that of all others on the connection.
    defer { selectNotification.reset() }
    guard try selectNotification.step() else { return nil }
    return Head(
      row: selectNotification.integer(0), app: selectNotification.text(1) ?? "",
      template: selectNotification.text(2) ?? "", client: selectNotification.text(3),
      createdAt: Timestamp(milliseconds: selectNotification.integer(4)))
  }

  private static func deliveryRows(of notification: Int64) -> ClosedRange<Int64> {
    let first = notification << QueueSchema.deliveryBits
    return first...(first + Int64(QueueSchema.deliveriesMax) - 1)
  }

  private func claimed(in rows: ClosedRange<Int64>) throws(SQLiteFailure) -> Set<DeliveryID> {
    try selectIDs.bind(1, rows.lowerBound)
    try selectIDs.bind(2, rows.upperBound)
    var ids: [DeliveryID] = []
    while try selectIDs.step() { if let id = selectIDs.uuid(0) { ids.append(DeliveryID(id)) } }
    return claims.claimed(of: ids)
  }

  private func deliveries(
    in rows: ClosedRange<Int64>, claimed: Set<DeliveryID>, now: Timestamp
  ) throws(SQLiteFailure) -> [StoredNotification.Delivery] {
    let row = selectDeliveries
    try row.bind(1, rows.lowerBound)
    try row.bind(2, rows.upperBound)
    var deliveries: [StoredNotification.Delivery] = []
    while try row.step() {
      guard let id = row.uuid(0).map(DeliveryID.init),
        var state = DeliveryState(rawValue: Int(row.integer(3))),
        let target = Target(kind: row.integer(1), value: row.text(2) ?? "")
      else {
        row.reset()
        throw SQLiteFailure.damaged("a delivery that no version could have written")
      }
      let next = row.isNull(5) ? nil : Timestamp(milliseconds: row.integer(5))
      if !state.isFinal, claimed.contains(id) {
        state = .sending
      } else if state == .scheduled, let next, next <= now {
        state = .queued
      }
      let error = row.text(8).map { code in
        DeliveryError(
          code: code, httpStatus: row.isNull(9) ? nil : Int(row.integer(9)), message: row.text(10) ?? "",
          apnsReason: row.text(11))
      }
      deliveries.append(
        StoredNotification.Delivery(
          id: id, target: target, state: state, attempts: Int(row.integer(4)), nextAttemptAt: next,
          messageName: row.text(7), error: error, updatedAt: Timestamp(milliseconds: row.integer(6))))
    }
    return deliveries
  }
}
