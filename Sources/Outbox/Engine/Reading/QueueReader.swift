internal import Clock
import FCMMessage
import JSON
import SQL

/// A notification without its deliveries.
struct NotificationHead {
  static let columns = "n.row, n.id, n.app, a.name, n.template, n.client, n.created_at, n.deliveries"
  static let tables = "dragoman_notifications AS n JOIN dragoman_apps AS a ON a.id = n.app"

  let row: Int64
  let id: NotificationID
  let appID: Int64
  let app: String
  let template: String?
  let client: String?
  let createdAt: Timestamp
  let deliveryCount: Int

  /// Reads `columns`; nil for a record that the gateway cannot have written.
  init?(_ row: SQLRow) {
    guard let id = row.uuid(1), RowLayout.notificationRows.contains(row.integer(0)) else { return nil }
    self.row = row.integer(0)
    self.id = NotificationID(id)
    appID = row.integer(2)
    app = row.text(3) ?? ""
    template = row.text(4)
    client = row.text(5)
    createdAt = row.time(6)
    deliveryCount = Int(clamping: row.integer(7))
  }
}

/// Reads notifications and the feedback log. Confined like its connection.
struct QueueReader {
  let connection: any SQLConnection
  let claims: Claims

  var dialect: SQLDialect { connection.dialect }

  /// The notification with an id, unless it is being written in parts.
  func head(_ id: NotificationID) throws(DatabaseError) -> NotificationHead? {
    let found = try connection.run(
      """
      SELECT \(NotificationHead.columns) FROM \(NotificationHead.tables)
      WHERE n.id = $1 AND \(dialect.isComplete("n.row"))
      """, [.uuid(id.uuid)])
    guard let row = found.first else { return nil }
    guard let head = NotificationHead(row) else {
      throw .unreadable("a notification that the gateway cannot have written")
    }
    return head
  }

  /// The whole notification, with claimed deliveries shown as `sending`, as far as a transaction has come.
  func stored(
    _ head: NotificationHead, withContent: Bool = false, now: Timestamp,
    in transaction: QueueTransaction? = nil
  ) throws(DatabaseError) -> StoredNotification {
    let deliveries = try deliveries(of: [head], now: now, in: transaction)[head.row] ?? []
    guard deliveries.count == head.deliveryCount else {
      throw .unreadable("a delivery that the gateway cannot have written")
    }
    return head.stored(deliveries, withContent ? try content(of: head) : nil)
  }

  private func content(of head: NotificationHead) throws(DatabaseError) -> StoredNotification.Content {
    let found = try connection.run(
      "SELECT \(QueuedNotification.columns) FROM dragoman_notifications AS n WHERE n.row = $1",
      [.integer(head.row)])
    guard let row = found.first,
      let queued = QueuedNotification(row, from: 0, app: head.app, .normal)
    else { throw .unreadable("a message that the gateway cannot have written") }
    return (queued.message, queued.ttlMilliseconds)
  }

  /// The deliveries of notifications by their rows, without those that cannot be read. Each notification is
  /// in one consistent state.
  func deliveries(
    of heads: [NotificationHead], now: Timestamp, in transaction: QueueTransaction? = nil
  ) throws(DatabaseError) -> [Int64: [StoredNotification.Delivery]] {
    guard !heads.isEmpty else { return [:] }
    let rows = SQLValue.integers(heads.map(\.row))
    let tables = """
      dragoman_notifications AS n
        JOIN dragoman_deliveries AS d ON d.row BETWEEN \(RowLayout.deliveryRowsSQL(of: "n.row"))
      WHERE n.row IN \(dialect.elements("$1"))
      """
    let ended = transaction?.ended ?? []
    var claimed = Set(transaction?.claims.map(\.id) ?? [])
    if !dialect.storesClaims, !claims.isEmpty {
      // Claims first, states second: a delivery that is settled in between is read as settled, and never as
      // waiting.
      let ids = try connection.run("SELECT d.id FROM \(tables)", [rows])
      let known = claims.claimed(of: ids.rows.compactMap { $0.uuid(0).map(DeliveryID.init) })
      claimed.formUnion(known.subtracting(ended))
    }
    let found = try connection.run(
      """
      SELECT \(StoredDelivery.columns), d.state, d.claimed_by, d.attempts, d.next_attempt_at, d.updated_at,
        d.message_name, d.error_code, d.error_status, d.error_message, d.error_apns_reason,
        d.attempt_log, d.activity_at
      FROM \(tables) ORDER BY d.row
      """, [rows])
    var deliveries: [Int64: [StoredNotification.Delivery]] = [:]
    for row in found.rows {
      guard let delivery = delivery(row, claimed, ended, now) else { continue }
      deliveries[RowLayout.notificationRow(of: row.integer(0)), default: []].append(delivery)
    }
    return deliveries
  }

  /// Nil for a record that cannot be read.
  private func delivery(
    _ row: SQLRow, _ claimed: Set<DeliveryID>, _ ended: Set<DeliveryID>, _ now: Timestamp
  ) -> StoredNotification.Delivery? {
    guard let stored = StoredDelivery(row), var state = DeliveryState(stored: row.integer(7)),
      state == .failed || stored.isIntact(state)
    else { return nil }
    let next = row.optionalTime(10)
    let isClaimed = claimed.contains(stored.id) || !row.isNull(8) && !ended.contains(stored.id)
    state = state.shown(isClaimed: isClaimed, next: next, now: now)
    let error = row.text(13).map { code in
      DeliveryError(
        code: code, httpStatus: row.optionalInteger(14).flatMap { Int(exactly: $0) },
        message: row.text(15) ?? "", apnsReason: row.text(16))
    }
    return StoredNotification.Delivery(
      id: stored.id, target: stored.target, state: state, attempts: Int(clamping: row.integer(9)),
      nextAttemptAt: next, messageName: state == .sent ? row.text(12) : nil, error: error,
      updatedAt: row.time(11), expiresAt: stored.expiresAt, activityAt: row.optionalTime(18),
      attemptLog: row.text(17).map(AttemptRecord.all) ?? [])
  }

  func idempotent(
    _ key: IdempotencyKey, fingerprint: [UInt8], now: Timestamp
  ) throws(DatabaseError) -> EnqueueOutcome? {
    try connection.run(
      "SELECT \(StoredIdempotency.columns) FROM dragoman_idempotency WHERE owner = $1 AND key = $2",
      [.bytes(key.owner), .text(key.key.text)]
    ).first.flatMap { StoredIdempotency($0, from: 0).outcome(fingerprint: fingerprint, now: now) }
  }
}

extension DeliveryState {
  /// A stored state as the API shows it.
  func shown(isClaimed: Bool, next: Timestamp?, now: Timestamp) -> DeliveryState {
    if isClaimed, !isFinal { return .sending }
    return self == .scheduled && next.map { $0 <= now } ?? false ? .queued : self
  }
}

extension NotificationHead {
  func stored(
    _ deliveries: [StoredNotification.Delivery], _ content: StoredNotification.Content? = nil
  ) -> StoredNotification {
    StoredNotification(
      id: id, app: app, template: template, client: client, createdAt: createdAt, deliveries: deliveries,
      content: content)
  }
}
