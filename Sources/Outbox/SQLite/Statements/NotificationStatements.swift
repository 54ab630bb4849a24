internal import Clock
import FCMMessage

/// Reads notifications from disk. Confined like its connection.
final class NotificationStatements {
  /// A notification without its deliveries.
  struct Head {
    let row: Int64
    let id: NotificationID
    let app: String
    let template: String
    let client: String?
    let createdAt: Timestamp

    /// The rows that its deliveries can have.
    var deliveryRows: ClosedRange<Int64> { RowLayout.deliveryRows(of: row) }
  }

  /// The part of a delivery that a change needs.
  struct Place {
    let row: Int64
    let app: Int64
    let id: DeliveryID
    /// As on disk.
    let state: DeliveryState
    let priority: DeliveryPriority
    let nextAttemptAt: Timestamp?
    let target: Target
    /// Whether its checksum fits.
    let isIntact: Bool
  }

  static let headColumns = "n.row, n.id, a.name, n.template, n.client, n.created_at"

  private let tail: Tail
  private let selectRow: SQLiteStatement
  private let selectHead: SQLiteStatement
  private let selectIDs: SQLiteStatement
  private let selectDeliveries: SQLiteStatement
  private let selectPlaces: SQLiteStatement

  init(_ connection: SQLiteConnection, tail: Tail) throws(SQLiteError) {
    self.tail = tail
    selectRow = try connection.prepare("SELECT row FROM notification_ids WHERE id = ?")
    selectHead = try connection.prepare(
      """
      SELECT \(Self.headColumns)
      FROM notifications AS n JOIN apps AS a ON a.id = n.app WHERE n.row = ? AND \(SQLiteSchema.isWhole("n.row"))
      """)
    selectIDs = try connection.prepare("SELECT id FROM deliveries WHERE row BETWEEN ? AND ?")
    selectDeliveries = try connection.prepare(
      """
      SELECT id, target_kind, target, state, attempts, next_attempt_at, updated_at,
        \(StoredMessageNames.sql("message_name")),
        error_code, error_status, error_message, error_apns_reason
      FROM deliveries WHERE row BETWEEN ? AND ? ORDER BY row
      """)
    selectPlaces = try connection.prepare(
      """
      SELECT row, id, state, priority, next_attempt_at, target_kind, target, app, checksum
      FROM deliveries WHERE row BETWEEN ? AND ? ORDER BY row
      """)
  }

  /// The row of the notification with an id.
  func row(of id: NotificationID) throws(SQLiteError) -> Int64? {
    // The tail first: what leaves it is in the index by then.
    if let row = tail[id] { return row }
    try selectRow.bind(1, id.uuid)
    // A statement that is not reset keeps its snapshot of the database, for all statements of the connection.
    defer { selectRow.reset() }
    return try selectRow.step() ? selectRow.integer(0) : nil
  }

  /// The notification with an id. `row` is given where an open transaction has just accepted it.
  func head(_ id: NotificationID, row: Int64? = nil) throws(SQLiteError) -> Head? {
    guard let row = if let row { row } else { try self.row(of: id) } else { return nil }
    try selectHead.bind(1, row)
    defer { selectHead.reset() }
    guard try selectHead.step() else { return nil }
    let head = try Self.head(selectHead)
    guard head.id == id else { throw SQLiteError.unreadable("a notification whose id is another one's") }
    return head
  }

  /// Reads `headColumns`.
  static func head(_ row: SQLiteStatement) throws(SQLiteError) -> Head {
    guard let id = row.uuid(1), RowLayout.notificationRows.contains(row.integer(0)) else {
      throw SQLiteError.unreadable("a notification that no version could have written")
    }
    return Head(
      row: row.integer(0), id: NotificationID(id), app: row.text(2) ?? "", template: row.text(3) ?? "",
      client: row.text(4), createdAt: Timestamp(milliseconds: row.integer(5)))
  }

  /// The whole notification. `claimed` returns which of some deliveries are claimed; these are shown as
  /// `sending`.
  func notification(
    _ head: Head, now: Timestamp, claimed: ([DeliveryID]) -> Set<DeliveryID>
  ) throws(SQLiteError) -> StoredNotification {
    // Claims first, states second: a delivery that is settled in between is read as settled, and never as
    // waiting.
    let claimed = claimed(try ids(in: head.deliveryRows))
    return StoredNotification(
      id: head.id, app: head.app, template: head.template, client: head.client, createdAt: head.createdAt,
      deliveries: try deliveries(in: head.deliveryRows, claimed: claimed, now: now))
  }

  /// The deliveries in `rows`, as they are on disk.
  func places(in rows: ClosedRange<Int64>) throws(SQLiteError) -> [Place] {
    let row = selectPlaces
    try row.bind(1, rows.lowerBound)
    try row.bind(2, rows.upperBound)
    defer { row.reset() }
    var places: [Place] = []
    while try row.step() {
      guard let id = row.uuid(1), let state = DeliveryState(stored: row.integer(2)),
        let priority = DeliveryPriority(rawValue: Int(row.integer(3))),
        let target = Target(kind: row.integer(5), value: row.text(6) ?? "")
      else { throw Self.unreadableDelivery }
      let checksum = RowChecksum.delivery(row: row.integer(0), id, to: target)
      places.append(
        Place(
          row: row.integer(0), app: row.integer(7), id: DeliveryID(id), state: state, priority: priority,
          nextAttemptAt: row.isNull(4) ? nil : Timestamp(milliseconds: row.integer(4)), target: target,
          isIntact: row.isNull(8) || row.integer(8) == checksum))
    }
    return places
  }

  private static var unreadableDelivery: SQLiteError {
    .unreadable("a delivery that no version could have written")
  }

  private func ids(in rows: ClosedRange<Int64>) throws(SQLiteError) -> [DeliveryID] {
    try selectIDs.bind(1, rows.lowerBound)
    try selectIDs.bind(2, rows.upperBound)
    var ids: [DeliveryID] = []
    while try selectIDs.step() { if let id = selectIDs.uuid(0) { ids.append(DeliveryID(id)) } }
    return ids
  }

  private func deliveries(
    in rows: ClosedRange<Int64>, claimed: Set<DeliveryID>, now: Timestamp
  ) throws(SQLiteError) -> [StoredNotification.Delivery] {
    let row = selectDeliveries
    try row.bind(1, rows.lowerBound)
    try row.bind(2, rows.upperBound)
    defer { row.reset() }
    var deliveries: [StoredNotification.Delivery] = []
    while try row.step() {
      guard let id = row.uuid(0).map(DeliveryID.init),
        var state = DeliveryState(stored: row.integer(3)),
        let target = Target(kind: row.integer(1), value: row.text(2) ?? "")
      else { throw Self.unreadableDelivery }
      let next = row.isNull(5) ? nil : Timestamp(milliseconds: row.integer(5))
      if !state.isFinal, claimed.contains(id) {
        state = .sending
      } else if state == .scheduled, let next, next <= now {
        state = .queued
      }
      deliveries.append(
        StoredNotification.Delivery(
          id: id, target: target, state: state, attempts: Int(row.integer(4)), nextAttemptAt: next,
          messageName: row.text(7), error: Self.error(row),
          updatedAt: Timestamp(milliseconds: row.integer(6))))
    }
    return deliveries
  }

  private static func error(_ row: SQLiteStatement) -> DeliveryError? {
    row.text(8).map { code in
      DeliveryError(
        code: code, httpStatus: row.isNull(9) ? nil : Int(row.integer(9)), message: row.text(10) ?? "",
        apnsReason: row.text(11))
    }
  }
}
