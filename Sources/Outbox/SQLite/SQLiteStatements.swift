internal import Clock
import FCMMessage
import JSON
import Telemetry
import SQL

/// How the open transaction changes what is claimed, before memory knows.
struct ClaimChanges {
  let claims: Claims
  /// The rows that its claims have found, and the deliveries whose claims it has ended.
  var found: Set<Int64> = []
  var ended: Set<DeliveryID> = []

  init(claims: Claims) { self.claims = claims }

  /// Whether a waiting delivery can be claimed.
  func isFree(_ id: UUIDv7?, _ row: Int64) -> Bool {
    guard !found.contains(row) else { return false }
    guard let id = id.map(DeliveryID.init) else { return true }
    return claims[id] == nil || ended.contains(id)
  }

  mutating func clear() {
    if !found.isEmpty { found.removeAll(keepingCapacity: true) }
    if !ended.isEmpty { ended.removeAll(keepingCapacity: true) }
  }
}

/// The writer's statements that run for each message. Compiled once.
final class SQLiteStatements {
  private let notifications: SQLiteInsert
  private let deliveries: SQLiteInsert
  private let updateSent: SQLiteStatement
  private let updateSettled: SQLiteStatement
  private let updateCount: SQLiteStatement
  private let updateMark: SQLiteStatement
  private let selectRecord: SQLiteStatement
  private let insertRecord: SQLiteStatement
  private let selectDueAt: SQLiteStatement
  private let selectDueAfter: SQLiteStatement
  private let selectFirstAt: SQLiteStatement
  private let selectFirstAfter: SQLiteStatement

  init(_ connection: SQLiteConnection) throws(DatabaseError) {
    notifications = try SQLiteInsert(
      connection, SQLInsertion(into: "dragoman_notifications", NewRow.notificationColumns))
    deliveries = try SQLiteInsert(
      connection,
      SQLInsertion(into: "dragoman_deliveries", NewRow.deliveryColumns, zeros: NewRow.deliveryZeros))
    updateSent = try connection.prepare(
      """
      UPDATE dragoman_deliveries SET \(RowChecksum.settingState("3")), attempts = $1, next_attempt_at = NULL,
        updated_at = $2, message_name = $3, claimed_by = NULL, cancel_asked = 0,
        \(AttemptRecord.appending("$5"))
      WHERE row = $4
      """)
    updateSettled = try connection.prepare(
      """
      UPDATE dragoman_deliveries AS d SET \(Settlement.assignments(withErrors: true) { "$\($0 + 1)" })
      WHERE row = $\(Settlement.kinds.count + 1) RETURNING state, attempts, error_code
      """)
    updateCount = try connection.prepare(
      """
      INSERT INTO dragoman_counts (app, lease, state, deliveries) VALUES ($1, 0, $2, $3)
      ON CONFLICT DO UPDATE SET deliveries = deliveries + excluded.deliveries
      """)
    updateMark = try connection.prepare("UPDATE dragoman_marks SET value = $1 WHERE name = $2")
    selectRecord = try connection.prepare(
      "SELECT \(StoredIdempotency.columns) FROM dragoman_idempotency WHERE owner = $1 AND key = $2")
    insertRecord = try connection.prepare(
      """
      INSERT INTO dragoman_idempotency (owner, key, fingerprint, expires_at, status, headers, body)
      VALUES ($1, $2, $3, $4, $5, $6, $7)
      ON CONFLICT (owner, key) DO UPDATE SET fingerprint = excluded.fingerprint,
        expires_at = excluded.expires_at, status = excluded.status, headers = excluded.headers,
        body = excluded.body
      WHERE dragoman_idempotency.expires_at <= $8
      """)
    // Two statements for one keyset: SQLite searches an index for a row value by its first column only, which
    // would repeatedly read the many that are due at the same moment.
    let waiting = """
      FROM dragoman_deliveries AS d INDEXED BY dragoman_deliveries_waiting
        LEFT JOIN dragoman_notifications AS n ON n.row = \(RowLayout.notificationRowSQL(of: "d.row"))
      WHERE d.app = $1 AND d.priority = $2 AND d.state < 3 AND d.claimed_by IS NULL
        AND \(SQLDialect.sqlite.isComplete(RowLayout.notificationRowSQL(of: "d.row")))
      """
    let columns = "SELECT \(QueuedDelivery.columns), d.state, \(QueuedNotification.columns) \(waiting)"
    let order = "ORDER BY d.next_attempt_at, d.row"
    selectDueAt = try connection.prepare("\(columns) AND d.next_attempt_at = $3 AND d.row >= $4 \(order)")
    selectDueAfter = try connection.prepare(
      "\(columns) AND d.next_attempt_at > $3 AND d.next_attempt_at <= $4 \(order)")
    let first = "SELECT d.row, d.id, d.next_attempt_at \(waiting)"
    selectFirstAt = try connection.prepare("\(first) AND d.next_attempt_at = $3 AND d.row >= $4 \(order)")
    selectFirstAfter = try connection.prepare(
      "\(first) AND d.next_attempt_at > $3 AND d.next_attempt_at <= $4 \(order)")
  }

  func insert(_ rows: [NewRow], lease: Int64) throws(DatabaseError) {
    try notifications.insert(rows.count) { index, statement, after throws(DatabaseError) in
      try statement.bind(rows[index].notificationValues(), after: after)
    }
    var new: [(row: NewRow, position: Int)] = []
    new.reserveCapacity(rows.count)
    for row in rows { for position in row.notification.deliveries.indices { new.append((row, position)) } }
    try deliveries.insert(new.count) { index, statement, after throws(DatabaseError) in
      let (row, position) = new[index]
      try statement.bind(row.deliveryValues(position, lease: lease), after: after)
    }
  }

  /// Nil if there is no such delivery any more, or its state makes no sense.
  func settle(_ settlement: Settlement) throws(DatabaseError) -> SettledRow? {
    let delivery = settlement.claim.queued
    if settlement.state == .sent {
      let attempts = Int64(delivery.attempts) + 1
      try updateSent.bind([
        .integer(attempts), .time(settlement.at), .text(settlement.messageName), .integer(delivery.row),
        .bytes(settlement.attempt?.stored),
      ])
      try updateSent.run()
      return updateSent.changedRows > 0 ? SettledRow(state: .sent, attempts: attempts) : nil
    }
    let row = updateSettled
    try row.bind(settlement.values)
    try row.bind(Settlement.kinds.count + 1, delivery.row)
    defer { row.reset() }
    guard try row.step() else { return nil }
    let settled = DeliveryState(stored: row.integer(0)).map { state in
      SettledRow(state: state, attempts: row.integer(1), errorCode: row.text(2))
    }
    // The statement is over once all of its rows are read.
    _ = try row.step()
    return settled
  }

  func count(_ delta: Int, app: Int64, state: Int) throws(DatabaseError) {
    try updateCount.bind([.integer(app), .integer(Int64(state)), .integer(Int64(delta))])
    try updateCount.run()
  }

  func mark(_ name: StaticString, _ value: Int64) throws(DatabaseError) {
    try updateMark.bind(1, value)
    try updateMark.bind(text: 2, "\(name)")
    try updateMark.run()
  }

  func find(_ key: IdempotencyKey) throws(DatabaseError) -> StoredIdempotency? {
    try selectRecord.bind([.bytes(key.owner), .text(key.key.text)])
    defer { selectRecord.reset() }
    return try selectRecord.step() ? StoredIdempotency(selectRecord.row, from: 0) : nil
  }

  /// Whether the key was free.
  func insert(_ record: IdempotencyRecord, now: Timestamp) throws(DatabaseError) -> Bool {
    try insertRecord.bind([
      .bytes(record.key.owner), .text(record.key.key.text), .bytes(record.fingerprint),
      .time(record.expiresAt), .integer(Int64(record.answer.status)), .bytes(record.answer.headerBytes),
      .bytes(record.answer.body), .time(now),
    ])
    try insertRecord.run()
    return insertRecord.changedRows > 0
  }
}

// MARK: - What waits

extension SQLiteStatements {
  /// Due deliveries from a key on, in order, without those that are claimed; and where to continue.
  func due(
    _ app: QueueApp, _ want: ClaimWant, from start: DueKey, upTo now: Timestamp, _ changes: inout ClaimChanges
  ) throws(DatabaseError) -> (found: [FoundDelivery], next: DueKey) {
    var deliveries: [FoundDelivery] = []
    var next = start
    var notifications: [Int64: QueuedNotification] = [:]
    guard start.at <= now, want.limit > 0 else { return ([], start) }
    for (row, bound) in [(selectDueAt, start.row), (selectDueAfter, now.milliseconds)] {
      try bindWaiting(row, app, want.priority, start.at, bound)
      defer { row.reset() }
      while deliveries.count < want.limit, try row.step() {
        let key = DueKey(at: row.row.time(QueuedDelivery.dueColumn), row: row.integer(0))
        // A damaged row never leads to another place.
        if row.isInteger(QueuedDelivery.dueColumn) { next = max(next, key.next) }
        guard changes.isFree(row.uuid(1), key.row) else { continue }
        changes.found.insert(key.row)
        deliveries.append(delivery(row.row, app, want.priority, &notifications))
      }
      if deliveries.count == want.limit { break }
    }
    return (deliveries, next)
  }

  private func delivery(
    _ row: SQLRow, _ app: QueueApp, _ priority: DeliveryPriority,
    _ notifications: inout [Int64: QueuedNotification]
  ) -> FoundDelivery {
    let first = QueuedDelivery.columnCount + 1
    let key = row.integer(first)
    let notification =
      notifications[key] ?? QueuedNotification(row, from: first, app: app.name, priority)
    notifications[key] = notification
    guard let notification, let state = DeliveryState(stored: row.integer(first - 1)),
      let delivery = QueuedDelivery(row, state: state, as: state, notification)
    else { return .damaged(row.integer(0), becameDue: false) }
    return .intact(delivery, becameDue: false)
  }

  /// When the first delivery from a key on is due that is not claimed.
  func firstDue(
    _ app: QueueApp, _ priority: DeliveryPriority, from start: DueKey, _ changes: ClaimChanges
  ) throws(DatabaseError) -> Timestamp? {
    for (row, bound) in [(selectFirstAt, start.row), (selectFirstAfter, Int64.max)] {
      try bindWaiting(row, app, priority, start.at, bound)
      defer { row.reset() }
      while try row.step() {
        if changes.isFree(row.uuid(1), row.integer(0)) { return row.row.time(2) }
      }
    }
    return nil
  }

  private func bindWaiting(
    _ statement: SQLiteStatement, _ app: QueueApp, _ priority: DeliveryPriority, _ at: Timestamp,
    _ bound: Int64
  ) throws(DatabaseError) {
    try statement.bind([
      .integer(app.id), .integer(Int64(priority.rawValue)), .time(at), .integer(bound),
    ])
  }
}
