internal import Clock

/// The writer's statements for pruning. Compiled once.
final class PruneStatements {
  /// A notification, as pruning sees it.
  struct Candidate {
    let row: Int64
    let createdAt: Timestamp
  }

  /// The final states of a notification's deliveries.
  struct Ending {
    /// By app and state; of one app, except in a damaged database.
    var counts: [Int64: [DeliveryState: Int]] = [:]
    var deliveries = 0
    /// When the last of them ended; nil while one has not.
    var endedAt: Timestamp? = Timestamp(milliseconds: .min)
  }

  private let connection: SQLiteConnection
  private let selectFirst: SQLiteStatement
  private let selectCandidates: SQLiteStatement
  private let selectEnding: SQLiteStatement
  private let selectTargets: SQLiteStatement
  private let deleteTarget: SQLiteStatement
  private let deleteID: SQLiteStatement
  private let deleteOfClient: SQLiteStatement
  private let deleteDeliveries: SQLiteStatement
  private let deleteNotification: SQLiteStatement
  private let deleteFeedback: SQLiteStatement
  private let deleteRecords: SQLiteStatement
  private let selectOldFeedback: SQLiteStatement
  private let selectOldOutcomes: SQLiteStatement
  private let deleteOutcomes: SQLiteStatement
  private let selectOldRecords: SQLiteStatement

  init(_ connection: SQLiteConnection) throws(SQLiteError) {
    self.connection = connection
    selectFirst = try connection.prepare("SELECT row FROM notifications ORDER BY row LIMIT 1")
    selectCandidates = try connection.prepare(
      "SELECT row, created_at FROM notifications WHERE row > ? ORDER BY row LIMIT ?")
    selectEnding = try connection.prepare(
      "SELECT app, state, updated_at FROM deliveries WHERE row BETWEEN ? AND ?")
    selectTargets = try connection.prepare(
      """
      SELECT row >> \(RowLayout.groupBits), \(SQLiteSchema.targetEnding("target")), row
      FROM deliveries WHERE row BETWEEN ? AND ?
      """)
    deleteTarget = try connection.prepare(
      "DELETE FROM delivery_targets WHERE section = ? AND ending = ? AND delivery = ?")
    deleteID = try connection.prepare(
      "DELETE FROM notification_ids WHERE id = (SELECT id FROM notifications WHERE row = ?1) AND row = ?1")
    deleteOfClient = try connection.prepare(
      """
      DELETE FROM client_notifications
      WHERE client = (SELECT client FROM notifications WHERE row = ?1) AND row = ?1
      """)
    deleteDeliveries = try connection.prepare("DELETE FROM deliveries WHERE row BETWEEN ? AND ?")
    deleteNotification = try connection.prepare("DELETE FROM notifications WHERE row = ?")
    selectOldFeedback = try connection.prepare("SELECT 1 FROM feedback WHERE at <= ? LIMIT 1")
    deleteFeedback = try connection.prepare(
      "DELETE FROM feedback WHERE id IN (SELECT id FROM feedback WHERE at <= ? ORDER BY at LIMIT ?)")
    // Their ids are in the order of time, but for a clock that was wrong: an index by time is not worth it.
    let oldest = "SELECT id, at FROM outcomes ORDER BY id LIMIT ?2"
    selectOldOutcomes = try connection.prepare("SELECT 1 FROM (\(oldest)) WHERE at <= ?1 LIMIT 1")
    deleteOutcomes = try connection.prepare(
      "DELETE FROM outcomes WHERE id IN (SELECT id FROM (\(oldest)) WHERE at <= ?1)")
    selectOldRecords = try connection.prepare("SELECT 1 FROM idempotency WHERE expires_at <= ? LIMIT 1")
    deleteRecords = try connection.prepare(
      """
      DELETE FROM idempotency WHERE row IN
        (SELECT row FROM idempotency WHERE expires_at <= ? ORDER BY expires_at LIMIT ?)
      """)
  }

  /// The row of the oldest notification.
  func firstRow() throws(SQLiteError) -> Int64? {
    defer { selectFirst.reset() }
    return try selectFirst.step() ? selectFirst.integer(0) : nil
  }

  /// Up to `limit` notifications after `row`, in the order of acceptance.
  func candidates(after row: Int64, limit: Int) throws(SQLiteError) -> [Candidate] {
    try selectCandidates.bind(1, row)
    try selectCandidates.bind(2, limit)
    var candidates: [Candidate] = []
    while try selectCandidates.step() {
      candidates.append(
        Candidate(
          row: selectCandidates.integer(0), createdAt: Timestamp(milliseconds: selectCandidates.integer(1))))
    }
    return candidates
  }

  func ending(of notification: Int64) throws(SQLiteError) -> Ending {
    let rows = RowLayout.deliveryRows(of: notification)
    try selectEnding.bind(1, rows.lowerBound)
    try selectEnding.bind(2, rows.upperBound)
    var ending = Ending()
    while try selectEnding.step() {
      ending.deliveries += 1
      guard let state = DeliveryState(stored: selectEnding.integer(1)), state.isFinal else {
        ending.endedAt = nil
        continue
      }
      ending.counts[selectEnding.integer(0), default: [:]][state, default: 0] += 1
      let at = Timestamp(milliseconds: selectEnding.integer(2))
      ending.endedAt = ending.endedAt.map { max($0, at) }
    }
    return ending
  }

  /// Removes a notification that is in the indexes, with its deliveries; returns how many these were.
  @discardableResult
  func delete(_ notification: Int64) throws(SQLiteError) -> Int {
    let rows = RowLayout.deliveryRows(of: notification)
    try selectTargets.bind(1, rows.lowerBound)
    try selectTargets.bind(2, rows.upperBound)
    // A failure must not leave it active: the log could not start over, and nothing be pruned any more.
    defer { selectTargets.reset() }
    while try selectTargets.step() {
      try deleteTarget.bind(1, selectTargets.integer(0))
      try deleteTarget.bind(2, selectTargets.text(1))
      try deleteTarget.bind(3, selectTargets.integer(2))
      try deleteTarget.run()
    }
    for statement in [deleteID, deleteOfClient] {
      try statement.bind(1, notification)
      try statement.run()
    }
    try deleteDeliveries.bind(1, rows.lowerBound)
    try deleteDeliveries.bind(2, rows.upperBound)
    try deleteDeliveries.run()
    let deliveries = connection.changedRows
    try deleteNotification.bind(1, notification)
    try deleteNotification.run()
    return deliveries
  }

  func hasFeedback(upTo end: Timestamp) throws(SQLiteError) -> Bool {
    try Self.hasRow(selectOldFeedback, end)
  }

  func hasRecords(upTo end: Timestamp) throws(SQLiteError) -> Bool {
    try Self.hasRow(selectOldRecords, end)
  }

  /// Whether there are any among the `limit` oldest outcomes.
  func hasOutcomes(upTo end: Timestamp, limit: Int) throws(SQLiteError) -> Bool {
    try selectOldOutcomes.bind(2, limit)
    return try Self.hasRow(selectOldOutcomes, end)
  }

  /// Removes those among the `limit` oldest outcomes; returns how many.
  func deleteOutcomes(upTo end: Timestamp, limit: Int) throws(SQLiteError) -> Int {
    try deleteOutcomes.bind(1, end.milliseconds)
    try deleteOutcomes.bind(2, limit)
    try deleteOutcomes.run()
    return connection.changedRows
  }

  /// Removes up to `limit` feedback events; returns how many.
  func deleteFeedback(upTo end: Timestamp, limit: Int) throws(SQLiteError) -> Int {
    try deleteFeedback.bind(1, end.milliseconds)
    try deleteFeedback.bind(2, limit)
    try deleteFeedback.run()
    return connection.changedRows
  }

  /// Removes up to `limit` idempotency records; returns how many.
  func deleteRecords(upTo end: Timestamp, limit: Int) throws(SQLiteError) -> Int {
    try deleteRecords.bind(1, end.milliseconds)
    try deleteRecords.bind(2, limit)
    try deleteRecords.run()
    return connection.changedRows
  }

  private static func hasRow(_ statement: SQLiteStatement, _ end: Timestamp) throws(SQLiteError) -> Bool {
    try statement.bind(1, end.milliseconds)
    defer { statement.reset() }
    return try statement.step()
  }
}
