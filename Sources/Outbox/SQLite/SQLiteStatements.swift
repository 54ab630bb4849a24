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
  let begin: SQLiteStatement
  let commit: SQLiteStatement
  let rollback: SQLiteStatement
  let inserts: SQLiteInserts
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
    inserts = try SQLiteInserts(connection)
    begin = try connection.prepare("BEGIN IMMEDIATE")
    commit = try connection.prepare("COMMIT")
    rollback = try connection.prepare("ROLLBACK")
    updateSent = try connection.prepare(
      """
      UPDATE dragoman_deliveries SET \(RowChecksum.settingState("3")), attempts = $1, next_attempt_at = NULL,
        updated_at = $2, message_name = $3, claimed_by = NULL, cancel_asked = 0
      WHERE row = $4
      """)
    updateSettled = try connection.prepare(Self.settling)
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

  /// Outcomes without an error leave the columns of the last one alone.
  private static let settling = """
    UPDATE dragoman_deliveries SET
      \(RowChecksum.settingState("CASE WHEN cancel_asked = 1 AND $1 = 1 THEN 6 ELSE coalesce($2, state) END")),
      attempts = attempts + $3,
      next_attempt_at = CASE WHEN cancel_asked = 1 AND $1 = 1 THEN NULL
        WHEN $2 IS NULL THEN next_attempt_at ELSE $4 END,
      updated_at = CASE WHEN $2 IS NULL AND cancel_asked = 0 THEN updated_at ELSE $5 END,
      error_code = CASE WHEN $6 IS NULL OR $10 = 1 AND cancel_asked = 1 THEN error_code ELSE $6 END,
      error_status = CASE WHEN $6 IS NULL OR $10 = 1 AND cancel_asked = 1 THEN error_status ELSE $7 END,
      error_message = CASE WHEN $6 IS NULL OR $10 = 1 AND cancel_asked = 1 THEN error_message ELSE $8 END,
      error_apns_reason = CASE WHEN $6 IS NULL OR $10 = 1 AND cancel_asked = 1 THEN error_apns_reason ELSE $9 END,
      claimed_by = NULL, cancel_asked = 0
    WHERE row = $11 RETURNING state, attempts, error_code
    """

  /// Nil if there is no such delivery any more, or its state makes no sense.
  func settle(_ settlement: Settlement) throws(DatabaseError) -> SettledRow? {
    let delivery = settlement.claim.queued
    if settlement.state == .sent {
      let attempts = Int64(delivery.attempts) + 1
      try updateSent.bind(1, attempts)
      try updateSent.bind(2, settlement.at.milliseconds)
      try updateSent.bind(3, settlement.messageName)
      try updateSent.bind(4, delivery.row)
      try updateSent.run()
      inserts.nameBytes = min(settlement.messageName?.utf8.count ?? 0, 256)
      return updateSent.changedRows > 0 ? SettledRow(state: .sent, attempts: attempts) : nil
    }
    let row = updateSettled
    try row.bind(1, settlement.waitsAgain ? 1 : 0)
    try row.bind(2, settlement.state.map { Int64($0.rawValue) })
    try row.bind(3, settlement.countsAttempt ? 1 : 0)
    try row.bind(4, settlement.dueAt?.milliseconds)
    try row.bind(5, settlement.at.milliseconds)
    try row.bind(6, settlement.error?.code)
    try row.bind(7, settlement.error?.httpStatus.map(Int64.init))
    try row.bind(8, settlement.error?.message)
    try row.bind(9, settlement.error?.apnsReason)
    try row.bind(10, settlement.dropsErrorWhenCancelled ? 1 : 0)
    try row.bind(11, delivery.row)
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
    try updateCount.bind(1, app)
    try updateCount.bind(2, Int64(state))
    try updateCount.bind(3, Int64(delta))
    try updateCount.run()
  }

  func mark(_ name: StaticString, _ value: Int64) throws(DatabaseError) {
    try updateMark.bind(1, value)
    try updateMark.bind(text: 2, "\(name)")
    try updateMark.run()
  }

  func find(_ key: IdempotencyKey) throws(DatabaseError) -> StoredIdempotency? {
    try selectRecord.bind(1, key.owner)
    try selectRecord.bind(2, key.key.text)
    defer { selectRecord.reset() }
    return try selectRecord.step() ? StoredIdempotency(selectRecord.row, from: 0) : nil
  }

  /// Whether the key was free.
  func insert(_ record: IdempotencyRecord, now: Timestamp) throws(DatabaseError) -> Bool {
    try insertRecord.bind(1, record.key.owner)
    try insertRecord.bind(2, record.key.key.text)
    try insertRecord.bind(3, record.fingerprint)
    try insertRecord.bind(4, record.expiresAt.milliseconds)
    try insertRecord.bind(5, Int64(record.answer.status))
    try insertRecord.bind(6, record.answer.headerBytes)
    try insertRecord.bind(8, now.milliseconds)
    try insertRecord.run(binding: record.answer.body, at: 7)
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
        let key = DueKey(at: row.row.time(5), row: row.integer(0))
        // A damaged row never leads back to an earlier place.
        if row.isInteger(5) { next = max(next, key.next) }
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
    try statement.bind(1, app.id)
    try statement.bind(2, Int64(priority.rawValue))
    try statement.bind(3, at.milliseconds)
    try statement.bind(4, bound)
  }
}
