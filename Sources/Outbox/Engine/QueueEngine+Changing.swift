internal import Clock
import FCMMessage
import JSON
import SQL

extension QueueEngine {
  /// A condition: that a delivery is of a notification.
  private func isPart(of head: NotificationHead) -> (sql: String, values: [SQLValue]) {
    let rows = RowLayout.deliveryRows(of: head.row)
    return ("d.row BETWEEN $1 AND $2", [.integer(rows.lowerBound), .integer(rows.upperBound)])
  }

  /// Ends a notification's waiting deliveries, and those whose requests have not left; records a cancel
  /// request for the others that are claimed.
  func cancel(
    _ id: NotificationID, now: Timestamp, _ transaction: inout QueueTransaction
  ) throws(DatabaseError) -> CancelOutcome {
    guard let head = try reader.head(id) else { return .notFound }
    let (cancelled, inFlight) = try cancel(where: isPart(of: head), now: now, &transaction)
    guard cancelled + inFlight > 0 else { return .allFinal }
    let stored = try reader.stored(head, now: now, in: transaction)
    return .done(stored, cancelled: cancelled, inFlight: inFlight)
  }

  /// The same for all deliveries that meet a condition.
  private func cancel(
    where condition: (sql: String, values: [SQLValue]), now: Timestamp, _ transaction: inout QueueTransaction
  ) throws(DatabaseError) -> (cancelled: Int, inFlight: Int) {
    let open = try driver.run(
      """
      SELECT d.row, d.id, d.state, d.claimed_by, d.cancel_asked, d.activity, n.client, a.id, a.name
      FROM \(QueueReader.wholeDeliveries) WHERE \(condition.sql) AND d.state < 3
      ORDER BY d.row \(driver.dialect.forUpdate(of: "d"))
      """, condition.values)
    guard !open.isEmpty else { return (0, 0) }
    var (ended, inFlight): ([Int64], [Int64]) = ([], [])
    for row in open.rows {
      guard let id = row.uuid(1).map(DeliveryID.init), let state = DeliveryState(stored: row.integer(2))
      else {
        throw .unreadable("a delivery that the gateway cannot have written")
      }
      let app = QueueApp(id: row.integer(7), name: row.text(8) ?? "")
      let claim = claim(of: id, in: transaction)
      if claim.map({ row.integer(4) == 0 && $0.departure.recall() }) ?? row.isNull(3) {
        if let claim {
          transaction.end(claim)
          transaction.counts.addClaimed(-1, app.id)
        }
        transaction.ended(as: .cancelled, was: state, of: row.text(6), in: app)
        ended.append(row.integer(0))
        // Another message of its activity may have waited for it.
        if !row.isNull(5) { unblock(app, &transaction) }
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
    return (ended.count, inFlight.count)
  }

  /// Queues failed and expired deliveries again, as if they had just been accepted.
  func retry(
    _ id: NotificationID, now: Timestamp, _ transaction: inout QueueTransaction
  ) throws(DatabaseError) -> RetryOutcome {
    guard let head = try reader.head(id), try lock([head.row]) > 0 else { return .notFound }
    let (found, queued) = try requeue(where: isPart(of: head), now: now, &transaction)
    guard found > 0 else { return .none }
    guard queued > 0 else { throw .unreadable("deliveries that the gateway cannot have written") }
    return .done(try reader.stored(head, now: now, in: transaction), queued: queued)
  }

  /// Locks notifications, so that no other gateway prunes them meanwhile; returns how many there are.
  private func lock(_ rows: [Int64]) throws(DatabaseError) -> Int {
    try driver.run(
      """
      SELECT row FROM dragoman_notifications WHERE row IN \(driver.dialect.elements("$1"))
      ORDER BY row \(driver.dialect.forUpdate)
      """, [.integers(rows)]
    ).count
  }

  /// Queues the failed and expired deliveries that meet a condition, and that can be read. Their
  /// notifications are locked.
  private func requeue(
    where condition: (sql: String, values: [SQLValue]), now: Timestamp, _ transaction: inout QueueTransaction
  ) throws(DatabaseError) -> (found: Int, queued: Int) {
    let found = try driver.run(
      """
      SELECT \(StoredDelivery.columns), d.state, n.ttl, n.client, a.id, a.name FROM \(QueueReader.wholeDeliveries)
      WHERE \(condition.sql) AND d.state IN (4, 5) ORDER BY d.row \(driver.dialect.forUpdate(of: "d"))
      """, condition.values)
    let dead = found.rows.compactMap(DeadLetter.init)
    guard !dead.isEmpty else { return (found.count, 0) }
    try checkDepths(with: dead, transaction)
    for letter in dead {
      let end = now.adding(milliseconds: letter.ttlMilliseconds)
      try driver.send(
        """
        UPDATE dragoman_deliveries SET state = 1, attempts = 0, next_attempt_at = $1, updated_at = $1,
          expires_at = $2, checksum = $3, cancel_asked = 0
        WHERE row = $4
        """,
        [
          .time(now), .time(end), .integer(letter.delivery.checksum(expiresAt: end, .queued)),
          .integer(letter.delivery.row),
        ])
      transaction.ended(as: .queued, was: letter.state, of: letter.client, in: letter.app)
      driver.reread(letter.app, from: now)
      transaction.due.insert(ExactText(letter.app.name))
    }
    try raiseEnds(among: dead.map(\.delivery.row), now: now)
    return (found.count, dead.count)
  }

  private func checkDepths(with dead: [DeadLetter], _ transaction: QueueTransaction) throws(DatabaseError) {
    let counts = Dictionary(grouping: dead) { $0.client.map(ExactText.init) }.mapValues(\.count)
    let clients = configuration.sharesDepth ? try driver.depths(of: Set(counts.keys)) : [:]
    var depths = QueueDepths(depth: try driver.depth(), clients: clients)
    for (client, count) in counts {
      if let full = full(adding: count, of: client?.text, depths, transaction) { throw .operation(full) }
      depths.depth += count
    }
  }

  /// Makes one step of a change of many deliveries, of up to `limit`.
  func change(
    _ change: DeliverySetChange, after row: Int64, now: Timestamp, limit: Int,
    _ progress: DeliverySetProgress?, _ transaction: inout QueueTransaction
  ) throws(DatabaseError) -> DeliverySetStep {
    var (step, rows) = try reader.step(of: change, after: row, now: now, limit: limit)
    if let progress {
      let record = progress.record(step)
      let known = try driver.find([record.key])[record.key]?.outcome(
        fingerprint: record.fingerprint, now: now)
      guard known == progress.known.map(EnqueueOutcome.replay) else {
        throw .operation(OutboxError(code: .turnLost, description: "another call goes on with this change"))
      }
    }
    // What others have changed since it was selected is not selected any more.
    let condition = (
      sql: "d.row IN \(driver.dialect.elements("$1")) AND d.updated_at < $2",
      values: [SQLValue.integers(rows), .time(change.filter.until ?? .init(milliseconds: .max))]
    )
    let found: Int
    switch change.verb {
    case _ where rows.isEmpty: found = 0
    case .retry:
      _ = try lock(Set(rows.map(RowLayout.notificationRow)).sorted())
      (_, found) = try requeue(where: condition, now: now, &transaction)
      step.changed = found
    case .cancel:
      let (cancelled, inFlight) = try cancel(where: condition, now: now, &transaction)
      found = cancelled + inFlight
      step.changed = cancelled
      step.skipped[DeliverySetStep.inFlight] = inFlight > 0 ? inFlight : nil
    }
    step.matched -= rows.count - found
    if let progress {
      // It replaces what is there.
      _ = try driver.insert([progress.record(step)], now: .init(milliseconds: .max))
      transaction.hasChanged = true
    }
    return step
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

/// A failed or expired delivery with what it needs to wait again.
private struct DeadLetter {
  let delivery: StoredDelivery
  let state: DeliveryState
  let ttlMilliseconds: Int64
  let client: String?
  let app: QueueApp

  /// Nil for a record that cannot be read: a new checksum would make it look intact.
  init?(_ row: SQLRow) {
    let rest = StoredDelivery.columnCount
    guard let delivery = StoredDelivery(row), let state = DeliveryState(stored: row.integer(rest)),
      delivery.isIntact(state)
    else { return nil }
    (self.delivery, self.state) = (delivery, state)
    (ttlMilliseconds, client) = (row.integer(rest + 1), row.text(rest + 2))
    app = QueueApp(id: row.integer(rest + 3), name: row.text(rest + 4) ?? "")
  }
}
