internal import Clock
import FCMMessage
import Telemetry

/// The writer's statements for cancelling, retrying, expiring, quarantine and marks. Compiled once.
final class ChangeStatements {
  /// Named values.
  enum Mark: String {
    /// The last feedback event that the webhook's receiver has.
    case webhook
    /// The least row that no notification has had.
    case nextRow = "next_row"
    /// The last notification that the indexes and the counts contain: see `Tail`.
    case indexed
  }

  /// A due delivery, as the search for expired ones reads it.
  struct Due {
    let key: DueKey
    let state: DeliveryState
    /// The client of its notification.
    let client: String?
    /// Nil for a record that cannot be read.
    let end: (id: DeliveryID, at: Timestamp)?
  }

  private let updateCancelled: SQLiteStatement
  private let updateRequeued: SQLiteStatement
  private let updateQuarantined: SQLiteStatement
  private let selectState: SQLiteStatement
  private let selectQueued: SQLiteStatement
  private let insertCancellation: SQLiteStatement
  private let deleteCancellation: SQLiteStatement
  private let selectCancellations: SQLiteStatement
  private let upsertMark: SQLiteStatement
  private let selectMark: SQLiteStatement
  private let selectDueAt: SQLiteStatement
  private let selectDueAfter: SQLiteStatement

  init(_ connection: SQLiteConnection) throws(SQLiteError) {
    updateCancelled = try connection.prepare(
      "UPDATE deliveries SET state = 6, next_attempt_at = NULL, updated_at = ? WHERE row = ?")
    updateRequeued = try connection.prepare(
      """
      UPDATE deliveries SET state = 1, attempts = 0, next_attempt_at = ?, updated_at = ?, expires_at = ?
      WHERE row = ?
      """)
    updateQuarantined = try connection.prepare(
      """
      UPDATE deliveries SET state = 4, next_attempt_at = NULL, updated_at = ?, error_code = 'INTERNAL',
        error_status = NULL, error_message = 'The queue''s record of this delivery is damaged.',
        error_apns_reason = NULL
      WHERE row = ?
      """)
    selectState = try connection.prepare(
      """
      SELECT d.app, d.state, n.client FROM deliveries AS d LEFT JOIN notifications AS n
        ON n.row = \(RowLayout.notificationRowSQL(of: "d.row"))
      WHERE d.row = ?
      """)
    selectQueued = try connection.prepare(
      """
      SELECT n.created_at, n.expires_at, n.ttl, n.priority, n.message, n.trace, n.checksum, n.dictionary,
        m.bytes, m.copy
      FROM notifications AS n LEFT JOIN message_dictionaries AS m ON m.key = n.dictionary WHERE n.row = ?
      """)
    insertCancellation = try connection.prepare(
      "INSERT OR IGNORE INTO cancellations (delivery, asked_at) VALUES (?, ?)")
    deleteCancellation = try connection.prepare("DELETE FROM cancellations WHERE delivery = ?")
    selectCancellations = try connection.prepare("SELECT delivery FROM cancellations")
    upsertMark = try connection.prepare(
      "INSERT INTO marks (name, value) VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value")
    selectMark = try connection.prepare("SELECT value FROM marks WHERE name = ?")
    // Two statements for one keyset, as in DeliveryStatements.
    let columns = """
      SELECT d.next_attempt_at, d.row, d.id, d.state, coalesce(d.expires_at, n.expires_at), n.client
      FROM deliveries AS d INDEXED BY deliveries_waiting LEFT JOIN notifications AS n
        ON n.row = \(RowLayout.notificationRowSQL(of: "d.row"))
      WHERE d.app = ? AND d.priority = ? AND d.state < 3
        AND \(SQLiteSchema.isWhole(RowLayout.notificationRowSQL(of: "d.row")))
      """
    selectDueAt = try connection.prepare(
      "\(columns) AND d.next_attempt_at = ? AND d.row >= ? ORDER BY d.next_attempt_at, d.row LIMIT ?")
    selectDueAfter = try connection.prepare(
      """
      \(columns) AND d.next_attempt_at > ? AND d.next_attempt_at <= ?
      ORDER BY d.next_attempt_at, d.row LIMIT ?
      """)
  }

  func markCancelled(_ row: Int64, at: Timestamp) throws(SQLiteError) {
    try updateCancelled.bind(1, at.milliseconds)
    try updateCancelled.bind(2, row)
    try updateCancelled.run()
  }

  func requeue(_ delivery: QueuedDelivery, at: Timestamp) throws(SQLiteError) {
    try updateRequeued.bind(1, delivery.dueAt.milliseconds)
    try updateRequeued.bind(2, at.milliseconds)
    try updateRequeued.bind(3, delivery.expiresAt.milliseconds)
    try updateRequeued.bind(4, delivery.row)
    try updateRequeued.run()
  }

  func quarantine(_ row: Int64, at: Timestamp) throws(SQLiteError) {
    try updateQuarantined.bind(1, at.milliseconds)
    try updateQuarantined.bind(2, row)
    try updateQuarantined.run()
  }

  /// What a delivery is counted under, whether it can be read or not; nil when the row is gone.
  func tally(
    of row: Int64
  ) throws(SQLiteError) -> (app: Int64, state: DeliveryState, client: String?)? {
    try selectState.bind(1, row)
    defer { selectState.reset() }
    guard try selectState.step() else { return nil }
    return (
      selectState.integer(0), DeliveryState(stored: selectState.integer(1)) ?? .queued,
      selectState.text(2)
    )
  }

  /// The part of a notification that its waiting deliveries share.
  func queued(_ head: NotificationStatements.Head) throws(SQLiteError) -> QueuedNotification {
    let row = selectQueued
    try row.bind(1, head.row)
    defer { row.reset() }
    var dictionaries: [Int64: [UInt8]] = [:]
    guard try row.step(), let priority = DeliveryPriority(rawValue: Int(row.integer(3))),
      let stored = row.message(4, dictionary: 7, &dictionaries),
      let message = SealedMessage(encoded: stored)
    else { throw SQLiteError.unreadable("a notification that no version could have written") }
    let end = Timestamp(milliseconds: row.integer(1))
    let ttl = row.isNull(2) ? head.createdAt.milliseconds(until: end) : row.integer(2)
    let checksum = RowChecksum.notification(
      row: head.row, head.id.uuid, createdAt: head.createdAt, ttlMilliseconds: ttl, message: stored)
    guard row.isNull(6) || row.integer(6) == checksum else {
      throw SQLiteError.unreadable("a notification whose checksum does not fit")
    }
    return QueuedNotification(
      id: head.id, app: head.app, client: head.client, createdAt: head.createdAt, ttlMilliseconds: ttl,
      priority: priority,
      message: message, trace: row.text(5).flatMap(TraceContext.init(stored:)))
  }

  /// Records that the cancellation of a claimed delivery was requested.
  func insertCancelRequest(_ row: Int64, at: Timestamp) throws(SQLiteError) {
    try insertCancellation.bind(1, row)
    try insertCancellation.bind(2, at.milliseconds)
    try insertCancellation.run()
  }

  func deleteCancelRequest(_ row: Int64) throws(SQLiteError) {
    try deleteCancellation.bind(1, row)
    try deleteCancellation.run()
  }

  /// All cancel requests: at most as many as deliveries can be claimed at a time.
  func cancelRequests() throws(SQLiteError) -> Set<Int64> {
    var rows: Set<Int64> = []
    while try selectCancellations.step() { rows.insert(selectCancellations.integer(0)) }
    return rows
  }

  func mark(_ mark: Mark) throws(SQLiteError) -> Int64? {
    try selectMark.bind(1, mark.rawValue)
    defer { selectMark.reset() }
    return try selectMark.step() ? selectMark.integer(0) : nil
  }

  func setMark(_ mark: Mark, to value: Int64) throws(SQLiteError) {
    try upsertMark.bind(1, mark.rawValue)
    try upsertMark.bind(2, value)
    try upsertMark.run()
  }

  /// Up to `limit` listed deliveries that are due at `end`, from `key` on, in order.
  func due(
    app: Int64, _ priority: DeliveryPriority, from key: DueKey, upTo end: Timestamp, limit: Int
  ) throws(SQLiteError) -> [Due] {
    var page: [Due] = []
    if key.at <= end {
      try selectDueAt.bind(1, app)
      try selectDueAt.bind(2, priority.rawValue)
      try selectDueAt.bind(3, key.at.milliseconds)
      try selectDueAt.bind(4, key.row)
      try selectDueAt.bind(5, limit)
      while try selectDueAt.step() { page.append(Self.due(selectDueAt)) }
    }
    guard page.count < limit else { return page }
    try selectDueAfter.bind(1, app)
    try selectDueAfter.bind(2, priority.rawValue)
    try selectDueAfter.bind(3, key.at.milliseconds)
    try selectDueAfter.bind(4, end.milliseconds)
    try selectDueAfter.bind(5, limit - page.count)
    while try selectDueAfter.step() { page.append(Self.due(selectDueAfter)) }
    return page
  }

  private static func due(_ row: SQLiteStatement) -> Due {
    let key = DueKey(at: Timestamp(milliseconds: row.integer(0)), row: row.integer(1))
    guard let id = row.uuid(2), let state = DeliveryState(stored: row.integer(3)), row.isInteger(4)
    else { return Due(key: key, state: .queued, client: nil, end: nil) }
    return Due(
      key: key, state: state, client: row.text(5),
      end: (DeliveryID(id), Timestamp(milliseconds: row.integer(4))))
  }
}
