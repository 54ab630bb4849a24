internal import Clock
import FCMMessage
import JSON
import SQL

extension QueueEngine {
  /// The rows of a notification's deliveries, as the operands of BETWEEN.
  private func rows(of head: NotificationHead) -> [SQLValue] {
    let rows = RowLayout.deliveryRows(of: head.row)
    return [.integer(rows.lowerBound), .integer(rows.upperBound)]
  }

  /// Ends a notification's waiting deliveries, and those whose requests have not left; records a cancel
  /// request for the others that are claimed.
  func cancel(
    _ id: NotificationID, now: Timestamp, _ transaction: inout QueueTransaction
  ) throws(DatabaseError) -> CancelOutcome {
    guard let head = try reader.head(id) else { return .notFound }
    let app = QueueApp(id: head.appID, name: head.app)
    let open = try driver.run(
      """
      SELECT row, id, state, claimed_by, cancel_asked, activity FROM dragoman_deliveries
      WHERE row BETWEEN $1 AND $2 AND state < 3 ORDER BY row \(driver.dialect.forUpdate)
      """, rows(of: head))
    guard !open.isEmpty else { return .allFinal }
    var (ended, inFlight): ([Int64], [Int64]) = ([], [])
    for row in open.rows {
      guard let id = row.uuid(1).map(DeliveryID.init), let state = DeliveryState(stored: row.integer(2))
      else {
        throw .unreadable("a delivery that the gateway cannot have written")
      }
      let claim = claim(of: id, in: transaction)
      if claim.map({ row.integer(4) == 0 && $0.departure.recall() }) ?? row.isNull(3) {
        if let claim {
          transaction.end(claim)
          transaction.counts.addClaimed(-1, app.id)
        }
        transaction.ended(as: .cancelled, was: state, of: head.client, in: app)
        ended.append(row.integer(0))
      } else {
        inFlight.append(row.integer(0))
      }
    }
    transaction.hasChanged = true
    try driver.send(
      """
      UPDATE dragoman_deliveries SET \(RowChecksum.settingState("6")), next_attempt_at = NULL,
        updated_at = $1, claimed_by = NULL
      WHERE row IN \(driver.dialect.elements("$2"))
      """, [.time(now), .integers(ended)])
    try driver.send(
      "UPDATE dragoman_deliveries SET cancel_asked = 1 WHERE row IN \(driver.dialect.elements("$1"))",
      [.integers(inFlight)])
    // Another message of its activity may have waited for it.
    if !ended.isEmpty, open.first?.isNull(5) == false { unblock(app, &transaction) }
    let stored = try reader.stored(head, now: now, in: transaction)
    return .done(stored, cancelled: ended.count, inFlight: inFlight.count)
  }

  /// Queues failed and expired deliveries again, as if they had just been accepted.
  func retry(
    _ id: NotificationID, now: Timestamp, _ transaction: inout QueueTransaction
  ) throws(DatabaseError) -> RetryOutcome {
    // Locked, so that no other gateway prunes it meanwhile.
    let locked = try driver.run(
      "SELECT ttl FROM dragoman_notifications WHERE id = $1 \(driver.dialect.forUpdate)", [.uuid(id.uuid)])
    guard let ttl = locked.value, let head = try reader.head(id) else { return .notFound }
    let app = QueueApp(id: head.appID, name: head.app)
    let found = try driver.run(
      """
      SELECT \(StoredDelivery.columns), d.state FROM dragoman_deliveries AS d
      WHERE d.row BETWEEN $1 AND $2 AND d.state IN (4, 5) ORDER BY d.row \(driver.dialect.forUpdate)
      """, rows(of: head))
    guard !found.isEmpty else { return .none }
    let dead = found.rows.compactMap { row -> (delivery: StoredDelivery, state: DeliveryState)? in
      guard let delivery = StoredDelivery(row),
        let state = DeliveryState(stored: row.integer(StoredDelivery.columnCount)), delivery.isIntact(state)
      else { return nil }
      return (delivery, state)
    }
    guard !dead.isEmpty else { throw .unreadable("deliveries that the gateway cannot have written") }
    let depths =
      configuration.sharesDepth ? try driver.depths(of: [head.client.map(ExactText.init)]) : [:]
    let room = QueueRoom(depth: try driver.depth(), clients: depths)
    if let full = full(adding: dead.count, of: head.client, room, transaction) { throw .operation(full) }
    let end = now.adding(milliseconds: ttl)
    for (delivery, state) in dead {
      try driver.send(
        """
        UPDATE dragoman_deliveries SET state = 1, attempts = 0, next_attempt_at = $1, updated_at = $1,
          expires_at = $2, checksum = $3, cancel_asked = 0
        WHERE row = $4
        """,
        [
          .time(now), .time(end), .integer(delivery.checksum(expiresAt: end, .queued)),
          .integer(delivery.row),
        ])
      transaction.ended(as: .queued, was: state, of: head.client, in: app)
    }
    try raiseEnds(among: dead.map(\.delivery.row), now: now)
    driver.reread(app, from: now)
    transaction.due.insert(ExactText(head.app))
    return .done(try reader.stored(head, now: now, in: transaction), queued: dead.count)
  }

  /// Checks the next `limit` due deliveries of an app, and ends those that have expired.
  func expire(
    app name: String, now: Timestamp, limit: Int, _ transaction: inout QueueTransaction
  ) throws(DatabaseError) -> ExpirySweep {
    guard let app = try driver.knownApp(name) else { return ExpirySweep(expired: 0, isComplete: true) }
    var next = memory.sweeps[ExactText(name)] ?? QueueMemory.Sweep(priority: .high, key: .first)
    var left = max(1, limit)
    var expired = 0
    var isComplete = false
    while left > 0, !isComplete {
      let page = try due(of: app, from: next, upTo: now, limit: left)
      expired += try markExpired(page, of: app, now: now, &transaction)
      if page.count >= left, let last = page.rows.last {
        next = QueueMemory.Sweep(
          priority: next.priority, key: DueKey(at: last.time(1), row: last.integer(0)).next)
      } else if next.priority == .high {
        next = QueueMemory.Sweep(priority: .normal, key: .first)
      } else {
        isComplete = true
      }
      left -= page.count
    }
    transaction.sweeps[ExactText(name)] = isComplete ? .some(nil) : next
    return ExpirySweep(expired: expired, isComplete: isComplete)
  }

  /// Due deliveries that are listed as waiting, in order, without those that other transactions have locked.
  private func due(
    of app: QueueApp, from place: QueueMemory.Sweep, upTo now: Timestamp, limit: Int
  ) throws(DatabaseError) -> SQLResult {
    try driver.run(
      """
      SELECT row, next_attempt_at, state, expires_at, attempts, error_code, id FROM dragoman_deliveries
      WHERE app = $1 AND priority = $2 AND state < 3 AND claimed_by IS NULL AND next_attempt_at <= $3
        AND (next_attempt_at, row) >= ($4, $5)
        AND \(driver.dialect.isComplete(RowLayout.notificationRowSQL(of: "row")))
      ORDER BY next_attempt_at, row LIMIT $6 \(driver.dialect.forUpdateSkipLocked)
      """,
      [
        .integer(app.id), .integer(Int64(place.priority.rawValue)), .time(now), .time(place.key.at),
        .integer(place.key.row), .integer(Int64(limit)),
      ])
  }

  private func markExpired(
    _ page: SQLResult, of app: QueueApp, now: Timestamp, _ transaction: inout QueueTransaction
  ) throws(DatabaseError) -> Int {
    let over = page.rows.filter { row in
      guard row.integer(3) <= now.milliseconds, let id = row.uuid(6).map(DeliveryID.init) else {
        return false
      }
      return claim(of: id, in: transaction) == nil
    }
    guard !over.isEmpty else { return 0 }
    let rows = over.map { $0.integer(0) }
    let clients = try clients(of: rows)
    try driver.run(
      """
      UPDATE dragoman_deliveries SET \(RowChecksum.settingState("5")), next_attempt_at = NULL,
        updated_at = $1
      WHERE row IN \(driver.dialect.elements("$2"))
      """, [.time(now), .integers(rows)])
    for row in over {
      let state = DeliveryState(stored: row.integer(2)) ?? .queued
      transaction.log(
        outcomeOf: row.integer(0), .expired, attempts: row.integer(4), code: row.text(5), at: now)
      transaction.ended(as: .expired, was: state, of: clients[row.integer(0)], in: app)
    }
    transaction.report.expired[ExactText(app.name), default: 0] += over.count
    unblock(app, &transaction)
    return over.count
  }

  /// The client of each of some deliveries, by row.
  func clients(of rows: [Int64]) throws(DatabaseError) -> [Int64: String] {
    let found = try driver.run(
      """
      SELECT d.row, n.client FROM dragoman_deliveries AS d
        JOIN dragoman_notifications AS n ON n.row = \(RowLayout.notificationRowSQL(of: "d.row"))
      WHERE d.row IN \(driver.dialect.elements("$1")) AND n.client IS NOT NULL
      """, [.integers(rows)])
    var clients: [Int64: String] = [:]
    for row in found.rows { clients[row.integer(0)] = row.text(1) }
    return clients
  }
}
