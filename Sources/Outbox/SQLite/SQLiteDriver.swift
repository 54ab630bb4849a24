internal import Clock
import FCMMessage
import JSON
import Telemetry
import SQL

/// The writer's connection to SQLite. One process has the database, so that a claim writes nothing: what was
/// claimed is known in memory, and after a crash everything that is not final is due again.
final class SQLiteDriver: QueueDriver {
  let transactions: SQLiteWriter
  let memory: QueueMemory
  private let statements: SQLiteStatements
  /// Where claims continue, by app and priority.
  private var lanes: [Int64: [Lane]] = [:]
  private var stored: StoredNumbers
  /// What the open transaction has taken from `stored.nextRow`, and how it has changed the claims.
  private var takenRows: Int64 = 0
  private var changes: ClaimChanges

  /// The place of an app's claims of one priority. Every waiting delivery before the horizon is claimed, or
  /// waits for an older message of its activity, the first such one being `blocked`.
  private struct Lane {
    var horizon = DueKey.first
    var blocked: DueKey?
  }

  /// Takes over a prepared connection.
  init(
    connection: SQLiteConnection, memory: QueueMemory, configuration: OutboxConfiguration
  ) throws(DatabaseError) {
    transactions = try SQLiteWriter(connection, probe: "UPDATE dragoman_probe SET writes = writes + 1")
    self.memory = memory
    changes = ClaimChanges(claims: memory.claims)
    statements = try SQLiteStatements(connection)
    stored = try StoredNumbers(connection, countsClients: configuration.sharesDepth)
  }

  var lease: Int64 { 0 }

  var writer: any SQLWriter { transactions }

  // MARK: - Transactions

  func open(_ opening: QueueOpening) throws(DatabaseError) -> QueueOpened {
    var opened = QueueOpened()
    opened.settled = try settle(opening.settlements, readsOutcomes: opening.readsOutcomes)
    opened.depth = stored.depth
    if opening.newCount > 0 {
      let first = stored.nextRow + takenRows
      takenRows += Int64(opening.newCount)
      opened.rows = Array(first..<(first + Int64(opening.newCount)))
    }
    opened.known = try find(opening.keys)
    return opened
  }

  func commit(_ counts: QueueCounts) throws(DatabaseError) {
    if transactions.isOpen {
      for (app, deltas) in counts.states {
        for (state, delta) in deltas.enumerated() where delta != 0 && state != QueueCounts.claimed {
          try statements.count(delta, app: app, state: state)
        }
      }
      try moveClaimedFrom()
    }
    try transactions.commit()
    stored.nextRow += takenRows
    stored.add(counts)
    takenRows = 0
    changes.clear()
  }

  /// Moves the mark after which deliveries accepted as claimed are looked for at the next start, once it has
  /// fallen far behind: a start reads the rows after it.
  private func moveClaimedFrom() throws(DatabaseError) {
    let next = RowLayout.deliveryRow(of: stored.nextRow, position: 0)
    guard next - stored.claimedFrom > Self.claimedFromLagMax else { return }
    let first = min(memory.claims.rows.min() ?? next, next)
    guard first > stored.claimedFrom else { return }
    try statements.mark("claimed_from", first)
    stored.claimedFrom = first
  }

  /// The deliveries of 512 notifications.
  private static let claimedFromLagMax = Int64(512) << RowLayout.deliveryBits

  func rollBack(after error: DatabaseError, isCommitting: Bool) -> DatabaseError {
    takenRows = 0
    changes.clear()
    // A failed statement may have left the lanes behind what was not claimed after all.
    lanes = [:]
    return transactions.rollBack(after: error, isCommitting: isCommitting)
  }

  func willPrune() throws(DatabaseError) {
    try transactions.begin()
    try statements.mark("next_row", stored.nextRow + takenRows)
  }

  func takeWebhookTurn() -> Bool { true }
}

// MARK: - Accepting and settling

extension SQLiteDriver {
  func settle(
    _ settlements: [Settlement], readsOutcomes: Bool
  ) throws(DatabaseError) -> [Int64: SettledRow] {
    guard !settlements.isEmpty else { return [:] }
    try transactions.begin()
    var settled: [Int64: SettledRow] = [:]
    settled.reserveCapacity(settlements.count)
    for settlement in settlements {
      // One that has failed may be queued again by a retry of the same transaction.
      changes.ended.insert(settlement.claim.id)
      guard let row = try statements.settle(settlement) else { continue }
      settled[settlement.claim.queued.row] = row
      if !row.state.isFinal { rewind(settlement.claim, dueAt: settlement.dueAt) }
    }
    return settled
  }

  /// Lets a delivery that waits again be claimed.
  private func rewind(_ claim: ClaimedDelivery, dueAt: Timestamp?) {
    guard let app = memory.apps[ExactText(claim.app)] else { return }
    rewind(app, claim.priority, to: DueKey(at: dueAt ?? claim.queued.dueAt, row: claim.queued.row))
  }

  private func rewind(_ app: QueueApp, _ priority: DeliveryPriority, to key: DueKey) {
    guard var own = lanes[app.id], own[priority.rawValue].horizon > key else { return }
    own[priority.rawValue].horizon = key
    lanes[app.id] = own
  }

  func insert(_ rows: [NewRow]) throws(DatabaseError) {
    try transactions.begin()
    try statements.insert(rows, lease: lease)
    for row in rows {
      let start = row.notification.start
      guard !row.isClaimed else { continue }
      rewind(
        row.app, row.notification.priority,
        to: DueKey(at: start.dueAt, row: RowLayout.deliveryRow(of: row.row, position: 0)))
    }
  }

  func find(_ keys: [IdempotencyKey]) throws(DatabaseError) -> [IdempotencyKey: StoredIdempotency] {
    var known: [IdempotencyKey: StoredIdempotency] = [:]
    for key in keys { known[key] = try statements.find(key) }
    return known
  }

  func insert(_ records: [IdempotencyRecord], now: Timestamp) throws(DatabaseError) -> Set<IdempotencyKey> {
    guard !records.isEmpty else { return [] }
    try transactions.begin()
    var taken: Set<IdempotencyKey> = []
    for record in records where try statements.insert(record, now: now) { taken.insert(record.key) }
    return taken
  }

  func depth() -> Int { stored.depth }

  func depths(of clients: Set<ExactText?>) -> [ExactText?: Int] {
    stored.clients.filter { clients.contains($0.key) }
  }

  func counts() -> [Int64: [Int]] { stored.counts }
}

// MARK: - Claiming

extension SQLiteDriver {
  func claim(
    _ wants: [ClaimWant], of app: QueueApp, now: Timestamp
  ) throws(DatabaseError) -> (found: [[FoundDelivery]], nextDue: Timestamp?) {
    var found: [[FoundDelivery]] = []
    for want in wants {
      var lane = lanes[app.id, default: [Lane(), Lane()]][want.priority.rawValue]
      let (deliveries, horizon) = try statements.due(
        app, want, from: lane.horizon, upTo: now, &changes)
      lane.horizon = horizon
      lanes[app.id, default: [Lane(), Lane()]][want.priority.rawValue] = lane
      found.append(deliveries)
    }
    return (found, try firstDue(app))
  }

  func release(_ deliveries: [QueuedDelivery], of app: QueueApp) {
    for delivery in deliveries {
      let priority = delivery.notification.priority.rawValue
      changes.found.remove(delivery.row)
      let blocked = lanes[app.id]?[priority].blocked
      lanes[app.id]?[priority].blocked = blocked.map { min($0, delivery.key) } ?? delivery.key
    }
  }

  func firstBlocked(_ app: QueueApp) -> Timestamp? { lanes[app.id]?.compactMap(\.blocked?.at).min() }

  func unblock(_ app: QueueApp) {
    for priority in [DeliveryPriority.normal, .high] {
      guard let key = lanes[app.id]?[priority.rawValue].blocked else { continue }
      lanes[app.id]?[priority.rawValue].blocked = nil
      rewind(app, priority, to: key)
    }
  }

  func reread(_ app: QueueApp, from time: Timestamp) {
    for priority in [DeliveryPriority.normal, .high] {
      rewind(app, priority, to: DueKey(at: time, row: .min))
    }
  }

  func firstDue(_ app: QueueApp) throws(DatabaseError) -> Timestamp? {
    var first: Timestamp?
    for priority in [DeliveryPriority.high, .normal] {
      let lane = lanes[app.id]?[priority.rawValue] ?? Lane()
      guard let next = try statements.firstDue(app, priority, from: lane.horizon, changes)
      else { continue }
      first = first.map { min($0, next) } ?? next
    }
    return first
  }
}
