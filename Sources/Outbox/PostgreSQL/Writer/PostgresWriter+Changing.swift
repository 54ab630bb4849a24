internal import Clock
import FCMMessage
import JSON

extension PostgresWriter {
  /// Ends a notification's waiting deliveries, and records a cancel request for those that any replica has
  /// claimed.
  func cancel(
    _ id: NotificationID, now: Timestamp, _ transaction: inout PostgresTransaction
  ) throws(PostgresError) -> CancelOutcome {
    guard let head = try PostgresNotifications.head(id, in: connection) else { return .notFound }
    let rows = RowLayout.deliveryRows(of: head.row)
    let open = try connection.run(
      """
      SELECT row, id, state, claimed_by FROM dragoman_deliveries
      WHERE row BETWEEN $1 AND $2 AND state < 3 ORDER BY row FOR UPDATE
      """, [.integer(rows.lowerBound), .integer(rows.upperBound)])
    guard !open.isEmpty else { return .allFinal }
    let (waiting, recalled, inFlight) = sort(open.rows)
    transaction.hasChanged = true
    try connection.run(
      """
      UPDATE dragoman_deliveries SET state = 6, next_attempt_at = NULL, updated_at = $2, claimed_by = NULL
      WHERE row = ANY ($1::bigint[])
      """, [.integers((waiting + recalled).map { $0.integer(.row) }), .integer(now.milliseconds)])
    try connection.run(
      "UPDATE dragoman_deliveries SET cancel_asked = true WHERE row = ANY ($1::bigint[])",
      [.integers(inFlight.map { $0.integer(.row) })])
    for row in recalled { if let id = row.uuid(.id) { transaction.settled.insert(DeliveryID(id)) } }
    transaction.countClaimed(-recalled.count, head.appID)
    transaction.count(-recalled.count, head.appID, .queued, of: head.client)
    for row in waiting {
      let state = DeliveryState(rawValue: Int(row.integer(.state))) ?? .queued
      transaction.count(-1, head.appID, state, of: head.client)
    }
    let cancelled = waiting.count + recalled.count
    transaction.count(cancelled, head.appID, .cancelled)
    transaction.report.deliveries += cancelled
    if cancelled > 0 { transaction.report.cancelled[ExactText(head.app), default: 0] += cancelled }
    let stored = try PostgresNotifications.stored([head], now: now, in: connection)
    guard let notification = stored.first else { return .notFound }
    return .done(notification, cancelled: cancelled, inFlight: inFlight.count)
  }

  /// The open deliveries of a notification: unclaimed ones, this replica's whose requests will never leave,
  /// and those that are being sent, or that other replicas have.
  private func sort(
    _ open: some Sequence<PostgresRows.Row>
  ) -> (waiting: [PostgresRows.Row], recalled: [PostgresRows.Row], inFlight: [PostgresRows.Row]) {
    var (waiting, recalled, inFlight): ([PostgresRows.Row], [PostgresRows.Row], [PostgresRows.Row]) = (
      [], [], []
    )
    for row in open {
      let claim = row.uuid(.id).flatMap { memory.claims[DeliveryID($0)] }
      if row.isNull(.claimedBy) {
        waiting.append(row)
      } else if row.optionalInteger(.claimedBy) == memory.replica, claim?.departure.recall() == true {
        recalled.append(row)
      } else {
        inFlight.append(row)
      }
    }
    return (waiting, recalled, inFlight)
  }

  /// Queues failed and expired deliveries again, as if they had just been accepted.
  func retry(
    _ id: NotificationID, now: Timestamp, _ transaction: inout PostgresTransaction
  ) throws(PostgresError) -> Result<RetryOutcome, OutboxError> {
    // Locked, so that no other gateway prunes it meanwhile.
    let locked = try connection.run(
      "SELECT ttl FROM dragoman_notifications WHERE id = $1 FOR UPDATE", [.uuid(id.uuid)])
    guard let ttl = locked.value,
      let head = try PostgresNotifications.head(id, in: connection)
    else { return .success(.notFound) }
    let rows = RowLayout.deliveryRows(of: head.row)
    let dead = try connection.run(
      """
      SELECT row, state FROM dragoman_deliveries
      WHERE row BETWEEN $1 AND $2 AND state IN (4, 5) ORDER BY row FOR UPDATE
      """, [.integer(rows.lowerBound), .integer(rows.upperBound)])
    guard !dead.isEmpty else { return .success(.none) }
    let room = Room(try depth(), clients: try depths(of: [head.client]))
    if let full = full(adding: dead.count, of: head.client, room, transaction) { return .failure(full) }
    transaction.hasChanged = true
    try connection.run(
      """
      UPDATE dragoman_deliveries SET state = 1, attempts = 0, next_attempt_at = $2, updated_at = $2,
        expires_at = $3
      WHERE row = ANY ($1::bigint[])
      """,
      [
        .integers(dead.rows.map { $0.integer(.row) }), .integer(now.milliseconds),
        .integer(now.adding(milliseconds: ttl).milliseconds),
      ])
    try raiseEnds(among: dead.rows.map { $0.integer(.row) }, now: now)
    for row in dead.rows {
      transaction.count(-1, head.appID, DeliveryState(rawValue: Int(row.integer(.state))) ?? .failed)
    }
    transaction.count(dead.count, head.appID, .queued, of: head.client)
    transaction.report.deliveries += dead.count
    transaction.due.insert(ExactText(head.app))
    let stored = try PostgresNotifications.stored([head], now: now, in: connection)
    guard let notification = stored.first else { return .success(.notFound) }
    return .success(.done(notification, queued: dead.count))
  }

  /// Checks the next `limit` due deliveries of an app, and ends those that have expired.
  func expire(
    app name: String, now: Timestamp, limit: Int, _ transaction: inout PostgresTransaction
  ) throws(PostgresError) -> ExpirySweep {
    guard let app = try knownApp(name) else { return ExpirySweep(expired: 0, isComplete: true) }
    var next = memory.sweeps[ExactText(name)] ?? Sweep(priority: .high, key: .first)
    var left = max(1, limit)
    var expired = 0
    var isComplete = false
    while left > 0, !isComplete {
      let page = try due(of: app, from: next, upTo: now, limit: left)
      let over = page.rows.filter { $0.integer(.expiresAt) <= now.milliseconds }
      try markExpired(over, of: app, now: now, &transaction)
      expired += over.count
      if page.count >= left, let last = page.rows.reversed().first {
        next = Sweep(
          priority: next.priority, key: DueKey(at: last.time(.nextAttemptAt), row: last.integer(.row)).next)
      } else if next.priority == .high {
        next = Sweep(priority: .normal, key: .first)
      } else {
        isComplete = true
      }
      left -= page.count
    }
    transaction.sweeps[ExactText(name)] = isComplete ? .some(nil) : next
    return ExpirySweep(expired: expired, isComplete: isComplete)
  }

  /// Due, unclaimed deliveries in order, without those that other transactions have locked.
  private func due(
    of app: App, from place: Sweep, upTo now: Timestamp, limit: Int
  ) throws(PostgresError) -> PostgresRows {
    try connection.run(
      """
      SELECT row, next_attempt_at, state, expires_at, attempts, error_code FROM dragoman_deliveries
      WHERE app = $1 AND priority = $2 AND state < 3 AND claimed_by IS NULL AND next_attempt_at <= $3
        AND (next_attempt_at, row) >= ($4, $5)
      ORDER BY next_attempt_at, row LIMIT $6 FOR UPDATE SKIP LOCKED
      """,
      [
        .integer(app.id), .integer(Int64(place.priority.rawValue)), .integer(now.milliseconds),
        .integer(place.key.at.milliseconds), .integer(place.key.row), .integer(Int64(limit)),
      ])
  }

  private func markExpired(
    _ over: [PostgresRows.Row], of app: App, now: Timestamp, _ transaction: inout PostgresTransaction
  ) throws(PostgresError) {
    guard !over.isEmpty else { return }
    transaction.hasChanged = true
    try connection.run(
      """
      UPDATE dragoman_deliveries SET state = 5, next_attempt_at = NULL, updated_at = $2
      WHERE row = ANY ($1::bigint[])
      """, [.integers(over.map { $0.integer(.row) }), .integer(now.milliseconds)])
    for row in over { transaction.log(outcomeOf: row, .expired, at: now) }
    let clients = try clients(of: over.map { $0.integer(.row) })
    for row in over {
      let state = DeliveryState(rawValue: Int(row.integer(.state))) ?? .queued
      transaction.count(-1, app.id, state, of: clients[row.integer(.row)])
    }
    transaction.count(over.count, app.id, .expired)
    transaction.report.deliveries += over.count
    transaction.report.expired[ExactText(app.name), default: 0] += over.count
  }
}
