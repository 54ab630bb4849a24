internal import Clock
import FCMMessage
import JSON
import Telemetry

/// The writer's statements for accepting, claiming and settling. Compiled once.
final class DeliveryStatements {
  let begin: SQLiteStatement
  let commit: SQLiteStatement
  let rollback: SQLiteStatement
  private let insertApp: SQLiteStatement
  private let insertNotification: SQLiteStatement
  private let updateSent: SQLiteStatement
  private let updateFailedAttempt: SQLiteStatement
  private let updateExpired: SQLiteStatement
  private let updateDeferred: SQLiteStatement
  private let updateCount: SQLiteStatement
  private let updateProbe: SQLiteStatement
  private let selectDueAt: SQLiteStatement
  private let selectDueAfter: SQLiteStatement
  private let selectUnlisted: SQLiteStatement
  private let countScheduled: SQLiteStatement

  /// What a claim reads.
  private static let columns = """
    SELECT d.row, d.id, d.target_kind, d.target, d.state, d.attempts, d.next_attempt_at,
      n.row, n.id, n.created_at, n.expires_at, n.ttl, n.message, d.expires_at, n.trace, n.client,
      n.checksum, d.checksum, d.activity, d.activity_event, d.activity_at, n.dictionary, m.bytes,
      m.copy
    FROM deliveries AS d
    """
  private static let notification = """
    LEFT JOIN notifications AS n ON n.row = \(RowLayout.notificationRowSQL(of: "d.row"))
      LEFT JOIN message_dictionaries AS m ON m.key = n.dictionary
    """

  init(_ connection: SQLiteConnection) throws(SQLiteError) {
    begin = try connection.prepare("BEGIN IMMEDIATE")
    commit = try connection.prepare("COMMIT")
    rollback = try connection.prepare("ROLLBACK")
    insertApp = try connection.prepare("INSERT INTO apps (id, name) VALUES (?, ?)")
    insertNotification = try connection.prepare(
      """
      INSERT INTO notifications
        (row, id, app, template, client, created_at, expires_at, priority, message, ttl, trace, checksum,
          dictionary)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      """)
    updateSent = try connection.prepare(
      """
      UPDATE deliveries SET state = 3, attempts = ?, next_attempt_at = NULL, updated_at = ?, message_name = ?
      WHERE row = ?
      """)
    updateFailedAttempt = try connection.prepare(
      """
      UPDATE deliveries SET state = ?, attempts = ?, next_attempt_at = ?, updated_at = ?,
        error_code = ?, error_status = ?, error_message = ?, error_apns_reason = ? WHERE row = ?
      """)
    updateExpired = try connection.prepare(
      "UPDATE deliveries SET state = 5, next_attempt_at = NULL, updated_at = ? WHERE row = ?")
    updateDeferred = try connection.prepare(
      "UPDATE deliveries SET state = 1, next_attempt_at = ?, updated_at = ? WHERE row = ?")
    updateCount = try connection.prepare(
      """
      INSERT INTO counts (app, state, deliveries) VALUES (?, ?, ?)
      ON CONFLICT DO UPDATE SET deliveries = deliveries + excluded.deliveries
      """)
    updateProbe = try connection.prepare("UPDATE probe SET writes = writes + 1")
    // Two statements for one keyset: SQLite searches an index for a row value by its first column only, which
    // would repeatedly read the many that are due at the same moment.
    let (columns, notification) = (Self.columns, Self.notification)
    let listed = """
      \(columns) INDEXED BY deliveries_waiting \(notification)
      WHERE d.app = ? AND d.priority = ? AND d.state < 3
        AND \(SQLiteSchema.isWhole(RowLayout.notificationRowSQL(of: "d.row")))
      """
    selectDueAt = try connection.prepare(
      "\(listed) AND d.next_attempt_at = ? AND d.row >= ? ORDER BY d.next_attempt_at, d.row LIMIT ?")
    selectDueAfter = try connection.prepare(
      "\(listed) AND d.next_attempt_at > ? ORDER BY d.next_attempt_at, d.row LIMIT ?")
    selectUnlisted = try connection.prepare(
      """
      \(columns) \(notification)
      WHERE d.row >= ? AND d.state = \(DeliveryState.unlisted) AND d.app = ? AND d.priority = ?
      """)
    countScheduled = try connection.prepare(
      """
      SELECT count(*) FROM deliveries AS d INDEXED BY deliveries_scheduled
      WHERE app = ? AND next_attempt_at > ? AND next_attempt_at <= ? AND state = 0
        AND \(SQLiteSchema.isWhole(RowLayout.notificationRowSQL(of: "d.row")))
      """)
  }

  func insert(app name: String, id: Int64) throws(SQLiteError) {
    try insertApp.bind(1, id)
    try insertApp.bind(2, name)
    try insertApp.run()
  }

  func insert(
    _ notification: NewNotification, _ message: StoredMessage, app: Int64, row: Int64
  ) throws(SQLiteError) {
    try insertNotification.bind(1, row)
    try insertNotification.bind(2, notification.id.uuid)
    try insertNotification.bind(3, app)
    try insertNotification.bind(4, notification.template)
    try insertNotification.bind(5, notification.client)
    try insertNotification.bind(6, notification.createdAt.milliseconds)
    try insertNotification.bind(7, notification.expiresAt.milliseconds)
    try insertNotification.bind(8, notification.priority.rawValue)
    // Readers derive it from the times, unless there is a `send_at`.
    let ttl = notification.ttlMilliseconds
    let isDerived = ttl == notification.createdAt.milliseconds(until: notification.expiresAt)
    try insertNotification.bind(10, isDerived ? nil : Int(ttl))
    try insertNotification.bind(11, notification.trace?.stored)
    try insertNotification.bind(12, message.checksum)
    if let dictionary = message.dictionary {
      try insertNotification.bind(13, dictionary)
    } else {
      try insertNotification.bindNull(13)
    }
    try insertNotification.run(binding: message.bytes, at: 9)
  }

  func markSent(_ delivery: QueuedDelivery, at: Timestamp, name: StoredMessageName) throws(SQLiteError) {
    try updateSent.bind(1, delivery.attempts + 1)
    try updateSent.bind(2, at.milliseconds)
    switch name {
    case .whole(let name): try updateSent.bind(3, name)
    case .shortened(let bytes): try updateSent.bind(3, bytes)
    }
    try updateSent.bind(4, delivery.row)
    try updateSent.run()
  }

  func markExpired(_ row: Int64, at: Timestamp) throws(SQLiteError) {
    try updateExpired.bind(1, at.milliseconds)
    try updateExpired.bind(2, row)
    try updateExpired.run()
  }

  /// Records that a delivery is due again at `next`, with no attempt counted.
  func markDeferred(_ delivery: QueuedDelivery, until next: Timestamp, at: Timestamp) throws(SQLiteError) {
    try updateDeferred.bind(1, next.milliseconds)
    try updateDeferred.bind(2, at.milliseconds)
    try updateDeferred.bind(3, delivery.row)
    try updateDeferred.run()
  }

  /// Records `error`, and that the delivery is now in `state` after `attempts`; `next` is nil for a final
  /// one.
  func mark(
    _ delivery: QueuedDelivery, _ state: DeliveryState, attempts: Int, next: Timestamp?, at: Timestamp,
    error: DeliveryError
  ) throws(SQLiteError) {
    try updateFailedAttempt.bind(1, state.rawValue)
    try updateFailedAttempt.bind(2, attempts)
    if let next {
      try updateFailedAttempt.bind(3, next.milliseconds)
    } else {
      try updateFailedAttempt.bindNull(3)
    }
    try updateFailedAttempt.bind(4, at.milliseconds)
    try updateFailedAttempt.bind(5, error.code)
    try updateFailedAttempt.bind(6, error.httpStatus)
    try updateFailedAttempt.bind(7, error.message)
    try updateFailedAttempt.bind(8, error.apnsReason)
    try updateFailedAttempt.bind(9, delivery.row)
    try updateFailedAttempt.run()
  }

  func count(_ delta: Int, app: Int64, state: Int) throws(SQLiteError) {
    try updateCount.bind(1, app)
    try updateCount.bind(2, state)
    try updateCount.bind(3, delta)
    try updateCount.run()
  }

  /// Writes something, to find out whether the database can be written.
  func probe() throws(SQLiteError) { try updateProbe.run() }

  /// How many deliveries were scheduled for after `start`, up to `end`.
  func scheduled(app: Int64, after start: Timestamp, to end: Timestamp) throws(SQLiteError) -> Int {
    try countScheduled.bind(1, app)
    try countScheduled.bind(2, start.milliseconds)
    try countScheduled.bind(3, end.milliseconds)
    defer { countScheduled.reset() }
    return try countScheduled.step() ? Int(countScheduled.integer(0)) : 0
  }

  /// Up to `limit` listed deliveries from `key` on, in order, and among them those of the tail, which begins
  /// after `indexed`. O(limit · log n + tail).
  func waiting(
    _ app: AppQueue, _ priority: DeliveryPriority, from key: DueKey, limit: Int, indexed: Int64
  ) throws(SQLiteError) -> WaitingPage {
    var page = try listed(app, priority, from: key, limit: limit)
    try selectUnlisted.bind(1, RowLayout.deliveryRow(of: indexed + 1, position: 0))
    try selectUnlisted.bind(2, app.id)
    try selectUnlisted.bind(3, priority.rawValue)
    while try selectUnlisted.step() { page.merge(selectUnlisted) }
    page.sort()
    return page
  }

  private func listed(
    _ app: AppQueue, _ priority: DeliveryPriority, from key: DueKey, limit: Int
  ) throws(SQLiteError) -> WaitingPage {
    var page = WaitingPage(app: app.name, priority: priority, from: key)
    page.deliveries.reserveCapacity(limit)
    try selectDueAt.bind(1, app.id)
    try selectDueAt.bind(2, priority.rawValue)
    try selectDueAt.bind(3, key.at.milliseconds)
    try selectDueAt.bind(4, key.row)
    try selectDueAt.bind(5, limit)
    while try selectDueAt.step() { page.read(selectDueAt) }
    guard page.rowCount < limit else {
      page.isFull = true
      return page
    }
    try selectDueAfter.bind(1, app.id)
    try selectDueAfter.bind(2, priority.rawValue)
    try selectDueAfter.bind(3, key.at.milliseconds)
    try selectDueAfter.bind(4, limit - page.rowCount)
    while try selectDueAfter.step() { page.read(selectDueAfter) }
    page.isFull = page.rowCount >= limit
    return page
  }
}
