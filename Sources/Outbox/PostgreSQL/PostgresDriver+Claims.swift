internal import Clock
import FCMMessage
import SQL

extension PostgresDriver {
  /// Claims unclaimed deliveries, skipping those that other transactions have locked.
  func claim(
    _ wants: [ClaimWant], of app: QueueApp, now: Timestamp
  ) throws(DatabaseError) -> (found: [[FoundDelivery]], nextDue: Timestamp?) {
    var batch = transactions.takePending()
    let places = wants.map { want in
      batch.add(
        Self.claiming,
        [
          .integer(app.id), .integer(Int64(want.priority.rawValue)), .time(now), .integer(Int64(want.limit)),
          .integer(lease),
        ])
    }
    let next = batch.add(Self.readingFirstDue, [.integer(app.id)])
    let answers = try connection.run(batch)
    let results = places.map { answers[$0] }
    let rows = Set(results.flatMap { $0.rows.map { RowLayout.notificationRow(of: $0.integer(0)) } })
    let notifications = try self.notifications(rows)
    var found: [[FoundDelivery]] = []
    for (want, result) in zip(wants, results) {
      var shared: [Int64: QueuedNotification] = [:]
      found.append(
        result.rows.map { delivery($0, app, want.priority, notifications, &shared) }.sorted {
          $0.key < $1.key
        })
    }
    return (found, answers[next].first?.optionalTime(0))
  }

  private static let claiming = """
    WITH due AS (
      SELECT d.row, d.state, d.checksum & 7 AS check FROM dragoman_deliveries AS d
      WHERE d.app = $1 AND d.priority = $2 AND d.state < 3 AND d.claimed_by IS NULL
        AND d.next_attempt_at <= $3 AND (d.activity IS NULL OR d.activity_event = 0 OR NOT EXISTS (
          SELECT 1 FROM dragoman_deliveries AS o
          WHERE o.app = d.app AND o.activity = d.activity AND o.state < 3 AND o.activity_event > 0
            AND (o.claimed_by IS NOT NULL
              OR o.activity_event = 2 AND (o.state = 1 OR o.next_attempt_at <= $3))
            AND (o.activity_at < d.activity_at OR o.activity_at = d.activity_at AND o.row < d.row)))
      ORDER BY d.next_attempt_at, d.row LIMIT $4 FOR UPDATE OF d SKIP LOCKED)
    UPDATE dragoman_deliveries AS d SET claimed_by = $5, state = 1, checksum = (d.checksum & -8) | 1
    FROM due WHERE d.row = due.row
    RETURNING \(QueuedDelivery.columns), due.state, due.check
    """

  private func notifications(_ rows: Set<Int64>) throws(DatabaseError) -> [Int64: SQLRow] {
    guard !rows.isEmpty else { return [:] }
    let found = try run(
      "SELECT \(QueuedNotification.columns) FROM dragoman_notifications AS n WHERE n.row = ANY ($1::bigint[])",
      [.integers(Array(rows))])
    return Dictionary(found.rows.map { ($0.integer(0), $0) }, uniquingKeysWith: { first, _ in first })
  }

  private func delivery(
    _ row: SQLRow, _ app: QueueApp, _ priority: DeliveryPriority, _ notifications: [Int64: SQLRow],
    _ shared: inout [Int64: QueuedNotification]
  ) -> FoundDelivery {
    let key = RowLayout.notificationRow(of: row.integer(0))
    let notification =
      shared[key] ?? notifications[key].flatMap { QueuedNotification($0, from: 0, app: app.name, priority) }
    shared[key] = notification
    let (state, check) = (
      row.integer(QueuedDelivery.columnCount), row.integer(QueuedDelivery.columnCount + 1)
    )
    guard let notification, state == check,
      let delivery = QueuedDelivery(row, state: .queued, as: .queued, notification)
    else { return .damaged(row.integer(0), becameDue: check == 0) }
    return .intact(delivery, becameDue: state == 0)
  }

  func release(_ deliveries: [QueuedDelivery], of app: QueueApp) {
    send(
      "UPDATE dragoman_deliveries SET claimed_by = NULL WHERE row = ANY ($1::bigint[])",
      [.integers(deliveries.map(\.row))])
  }

  func firstDue(_ app: QueueApp) throws(DatabaseError) -> Timestamp? {
    try run(Self.readingFirstDue, [.integer(app.id)]).first?.optionalTime(0)
  }

  private static let readingFirstDue: String = {
    let first = { (priority: DeliveryPriority) in
      """
      (SELECT next_attempt_at FROM dragoman_deliveries
        WHERE app = $1 AND priority = \(priority.rawValue) AND state < 3 AND claimed_by IS NULL
        ORDER BY next_attempt_at, row LIMIT 1)
      """
    }
    return "SELECT least(\(first(.high)), \(first(.normal)))"
  }()
}

extension FoundDelivery {
  /// The order in which they are sent; damaged ones first.
  fileprivate var key: DueKey {
    switch self {
    case .intact(let delivery, _): delivery.key
    case .damaged: .first
    }
  }
}
