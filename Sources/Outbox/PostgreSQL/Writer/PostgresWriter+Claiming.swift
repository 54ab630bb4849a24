internal import Clock
import FCMMessage
import JSON
import Telemetry

extension PostgresWriter {
  /// Claims unclaimed deliveries for this replica, skipping those that other transactions have locked.
  func claim(
    _ claim: ClaimRequest, _ transaction: inout PostgresTransaction
  ) throws(PostgresError) -> ClaimedDeliveries {
    guard claim.limit > 0, let app = try knownApp(claim.app) else { return ClaimedDeliveries([]) }
    let reserved = max(0, min(claim.normalMin, claim.limit))
    // Nearly always, this takes all that is due.
    var (high, normal) = (Taking(.high, upTo: claim.limit - reserved), Taking(.normal, upTo: reserved))
    try take(&high, &normal, of: app, claim.now, &transaction)
    // What one priority leaves, the other may have.
    normal.limit = claim.limit - high.deliveries.count
    try take(&high, &normal, of: app, claim.now, &transaction)
    high.limit = claim.limit - normal.deliveries.count
    try take(&high, &normal, of: app, claim.now, &transaction)
    let claims = (high.deliveries + normal.deliveries).map(Claim.init)
    transaction.claims += claims
    memory.prefetch.note(claimed: claims.count, of: ExactText(app.name))
    transaction.countClaimed(claims.count, app.id)
    let claimed = claims.map { $0.claimed(under: memory.replica) }
    // Whoever claims learns by it whether to claim again.
    transaction.due.remove(ExactText(app.name))
    guard let next = high.nextDue, normal.nextDue != nil, high.isExhausted, normal.isExhausted else {
      transaction.nextDue[ExactText(app.name)] = nil
      transaction.unfinished.insert(ExactText(app.name))
      return ClaimedDeliveries(claimed)
    }
    transaction.nextDue[ExactText(app.name)] = .some(next)
    return ClaimedDeliveries(claimed, nextDue: .some(next))
  }

  /// What a claim takes of a priority.
  private struct Taking {
    let priority: DeliveryPriority
    var limit: Int
    var deliveries: [QueuedDelivery] = []
    /// Whether nothing more is due.
    var isExhausted = false
    /// When the first of what is left of both priorities is due; nil where that is not known.
    var nextDue: Timestamp??

    init(_ priority: DeliveryPriority, upTo limit: Int) { (self.priority, self.limit) = (priority, limit) }

    var wanted: Int { isExhausted ? 0 : limit - deliveries.count }
  }

  /// Takes due deliveries until both have what they want, in as few round trips as possible.
  private func take(
    _ high: inout Taking, _ normal: inout Taking, of app: App, _ now: Timestamp,
    _ transaction: inout PostgresTransaction
  ) throws(PostgresError) {
    while high.wanted > 0 || normal.wanted > 0 {
      var batch = transaction.pending
      transaction.pending = PostgresBatch()
      let places = [high, normal].map { taking in
        taking.wanted > 0 ? batch.add(claiming(taking, of: app, now)) : nil
      }
      let next = batch.add(readingFirstDue(app))
      let results = try connection.run(batch)
      let nextDue = Timestamp??.some(results[next].first?.optionalTime(.nextAttemptAt))
      (high.nextDue, normal.nextDue) = (nextDue, nextDue)
      if let place = places[0] { try take(results[place], into: &high, of: app, now, &transaction) }
      if let place = places[1] { try take(results[place], into: &normal, of: app, now, &transaction) }
    }
  }

  private func claiming(_ taking: Taking, of app: App, _ now: Timestamp) -> PostgresBatch.Statement {
    PostgresBatch.Statement(
      sql: """
        WITH due AS (
          SELECT d.row, d.state FROM dragoman_deliveries AS d
          WHERE d.app = $1 AND d.priority = $2 AND d.state < 3 AND d.claimed_by IS NULL
            AND d.next_attempt_at <= $3 AND \(Self.mayPass)
          ORDER BY d.next_attempt_at, d.row LIMIT $4 FOR UPDATE OF d SKIP LOCKED)
        UPDATE dragoman_deliveries AS d SET claimed_by = $5, state = 1 FROM due WHERE d.row = due.row
        RETURNING d.row, d.id, d.target_kind, d.target, d.attempts, d.next_attempt_at, d.expires_at,
          d.checksum, d.activity, d.activity_event, d.activity_at, due.state
        """,
      values: [
        .integer(app.id), .integer(Int64(taking.priority.rawValue)), .integer(now.milliseconds),
        .integer(Int64(taking.wanted)), .integer(memory.replica),
      ])
  }

  /// Takes over what `claiming` has claimed.
  private func take(
    _ rows: PostgresRows, into taking: inout Taking, of app: App, _ now: Timestamp,
    _ transaction: inout PostgresTransaction
  ) throws(PostgresError) {
    let found = try read(rows, of: app, taking.priority)
    for row in rows.rows where row.integer(.state) == 0 { transaction.becameDue(app.id) }
    let (sendable, released) = try inOrder(found.deliveries, of: app, now, &transaction)
    let wanted = taking.wanted
    taking.deliveries += sendable
    try quarantine(found.unreadable, of: app, now, &transaction)
    if rows.count < wanted || released { taking.isExhausted = true }
    if released { taking.nextDue = nil }
  }

  /// The deliveries in the order in which they are sent, and the rows of unreadable ones.
  private func read(
    _ rows: PostgresRows, of app: App, _ priority: DeliveryPriority
  ) throws(PostgresError) -> (deliveries: [QueuedDelivery], unreadable: [Int64]) {
    let notifications = try notifications(
      Set(rows.rows.map { RowLayout.notificationRow(of: $0.integer(.row)) }), of: app, priority)
    var deliveries: [QueuedDelivery] = []
    var unreadable: [Int64] = []
    for row in rows.rows {
      let place = row.integer(.row)
      guard let id = row.uuid(.id),
        let target = Target(kind: row.integer(.targetKind), value: row.text(.target) ?? ""),
        row.isNull(.checksum)
          || row.integer(.checksum) == RowChecksum.delivery(row: place, id, to: target),
        let notification = notifications[RowLayout.notificationRow(of: place)]
      else {
        unreadable.append(place)
        continue
      }
      deliveries.append(
        QueuedDelivery(
          row: place, id: DeliveryID(id), target: target, notification: notification, state: .queued,
          attempts: Int(row.integer(.attempts)), dueAt: row.time(.nextAttemptAt),
          expiresAt: row.time(.expiresAt), activity: LiveActivity(row)))
    }
    return (deliveries.sorted { $0.key < $1.key }, unreadable)
  }

  /// Notifications by row, without those that no version could have written, or whose checksums do not fit.
  func notifications(
    _ rows: Set<Int64>, of app: App, _ priority: DeliveryPriority
  ) throws(PostgresError) -> [Int64: QueuedNotification] {
    guard !rows.isEmpty else { return [:] }
    let found = try connection.run(
      """
      SELECT row, id, client, created_at, ttl, message, trace, checksum, dictionary
      FROM dragoman_notifications WHERE row = ANY ($1::bigint[])
      """, [.integers(Array(rows))])
    try readDictionaries(of: found)
    var notifications: [Int64: QueuedNotification] = [:]
    for row in found.rows {
      guard let id = row.uuid(.id), let stored = memory.dictionaries.message(in: row),
        let message = SealedMessage(encoded: stored)
      else { continue }
      let checksum = RowChecksum.notification(
        row: row.integer(.row), id, createdAt: row.time(.createdAt), ttlMilliseconds: row.integer(.ttl),
        message: stored)
      guard row.isNull(.checksum) || row.integer(.checksum) == checksum else { continue }
      notifications[row.integer(.row)] = QueuedNotification(
        id: NotificationID(id), app: app.name, client: row.text(.client), createdAt: row.time(.createdAt),
        ttlMilliseconds: row.integer(.ttl),
        priority: priority, message: message, trace: row.text(.trace).flatMap(TraceContext.init(stored:)))
    }
    return notifications
  }

  /// Ends deliveries whose records cannot be read, so that they neither block the others nor wait forever.
  private func quarantine(
    _ rows: [Int64], of app: App, _ now: Timestamp, _ transaction: inout PostgresTransaction
  ) throws(PostgresError) {
    guard !rows.isEmpty else { return }
    try connection.run(
      """
      UPDATE dragoman_deliveries SET state = 4, claimed_by = NULL, next_attempt_at = NULL, updated_at = $2,
        error_code = $3, error_status = NULL, error_message = $4, error_apns_reason = NULL
      WHERE row = ANY ($1::bigint[])
      """,
      [
        .integers(rows), .integer(now.milliseconds), .text("INTERNAL"),
        .text("The queue's record of this delivery is damaged."),
      ])
    if transaction.outcomes.contains(.failed) {
      let ended = try connection.run(
        "SELECT row, attempts, error_code FROM dragoman_deliveries WHERE row = ANY ($1::bigint[]) ORDER BY row",
        [.integers(rows)])
      for row in ended.rows { transaction.log(outcomeOf: row, .failed, at: now) }
    }
    let clients = try clients(of: rows)
    for row in rows { transaction.count(-1, app.id, .queued, of: clients[row]) }
    transaction.count(rows.count, app.id, .failed)
    transaction.report.deliveries += rows.count
    transaction.hasChanged = true
  }
}
