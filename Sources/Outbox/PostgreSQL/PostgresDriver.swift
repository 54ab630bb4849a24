internal import Clock
import FCMMessage
import JSON
import SQL

/// What a gateway remembers of its lease across connections. Confined to the store's writing queue.
final class PostgresLease {
  /// The number under which the gateway claims; 0 before the first lease.
  var number: Int64 = 0
  /// The number of the last transaction.
  private(set) var batch: Int64 = 0

  func nextBatch() -> Int64 {
    batch += 1
    return batch
  }
}

/// One connection to PostgreSQL as the engine writes through it. Several gateways share the database: a claim
/// is an update, and everything is sent in as few round trips as possible.
final class PostgresDriver: QueueDriver {
  let connection: PostgresConnection
  let memory: QueueMemory
  let configuration: OutboxConfiguration
  let clock: DatabaseClock
  let leasing: PostgresLease
  /// Statements whose results nobody needs, so that they share a round trip with the next one.
  private var pending = PostgresBatch()
  private(set) var hasWritten = false

  init(
    connection: PostgresConnection, memory: QueueMemory, configuration: OutboxConfiguration,
    clock: DatabaseClock,
    leasing: PostgresLease
  ) {
    self.connection = connection
    self.memory = memory
    self.configuration = configuration
    self.clock = clock
    self.leasing = leasing
  }

  var lease: Int64 { leasing.number }

  var dialect: SQLDialect { .postgres }

  @discardableResult
  func run(_ sql: String, _ values: [SQLValue]) throws(DatabaseError) -> SQLResult {
    guard !pending.isEmpty else { return try connection.run(sql, values) }
    var batch = takePending()
    let place = batch.add(sql, values)
    return try connection.run(batch)[place]
  }

  func send(_ sql: String, _ values: [SQLValue]) { pending.add(sql, values) }

  func takePending() -> PostgresBatch {
    defer { pending = PostgresBatch() }
    return pending
  }

  // MARK: - Transactions

  /// So that an app keeps its number even if the transaction that needs it fails.
  func learnApps(_ names: [String]) throws(DatabaseError) {
    for name in names {
      try connection.run(
        "INSERT INTO dragoman_apps (name) VALUES ($1) ON CONFLICT (name) DO NOTHING", [.text(name)])
    }
  }

  /// Keeps the lease, writes the settlements, and reads what decides about the enqueues, all in one round
  /// trip.
  func open(_ opening: QueueOpening) throws(DatabaseError) -> QueueOpened {
    hasWritten = true
    pending.add("BEGIN ISOLATION LEVEL READ COMMITTED")
    var batch = takePending()
    let kept = batch.add(keepingLease(leasing.nextBatch()))
    let settled =
      opening.settlements.isEmpty
      ? nil : batch.add(settling(opening.settlements, readsOutcomes: opening.readsOutcomes))
    let reading =
      opening.newCount == 0
      ? nil : (depth: batch.add(Self.readingDepth), rows: batch.add(takingRows(opening.newCount)))
    let finding = opening.keys.isEmpty ? nil : batch.add(Self.finding(opening.keys))
    let results = try connection.run(batch)
    try noteLease(results[kept])
    var opened = QueueOpened()
    if let settled {
      opened.settled = Self.settled(in: results[settled], readsOutcomes: opening.readsOutcomes)
    }
    if let reading {
      opened.depth = Int(clamping: results[reading.depth].value ?? 0)
      opened.rows = try Self.rows(in: results[reading.rows], opening.newCount)
    }
    if let finding { opened.known = Self.records(in: results[finding], of: opening.keys) }
    return opened
  }

  func commit(_ counts: QueueCounts) throws(DatabaseError) {
    add(counts)
    pending.add("COMMIT")
    hasWritten = false
    try connection.runCommitting(takePending())
  }

  func rollBack(after error: DatabaseError, isCommitting: Bool) -> DatabaseError {
    pending = PostgresBatch()
    hasWritten = false
    if !error.isConnectionLost { rollBack() }
    return error
  }

  func rollBack() {
    // It fails if the connection does, and then there is nothing left to roll back.
    do throws(DatabaseError) { try connection.execute("ROLLBACK") } catch {}
  }

  func inTransaction(_ body: () throws(DatabaseError) -> Void) throws(DatabaseError) {
    try connection.execute("BEGIN ISOLATION LEVEL READ COMMITTED")
    do throws(DatabaseError) {
      try body()
      pending.add("COMMIT")
      try connection.runCommitting(takePending())
    } catch {
      pending = PostgresBatch()
      rollBack()
      throw error
    }
  }

  func firstBlocked(_ app: QueueApp) -> Timestamp? { nil }

  func unblock(_ app: QueueApp) {}

  func reread(_ app: QueueApp, from time: Timestamp) {}

  func willPrune() {}

  // MARK: - Counts

  static let readingDepth = PostgresBatch.Statement(
    sql: "SELECT coalesce(sum(deliveries), 0)::bigint FROM dragoman_counts WHERE state IN (0, 1)", values: [])

  func depth() throws(DatabaseError) -> Int {
    Int(clamping: try connection.run(Self.readingDepth).value ?? 0)
  }

  func depths(of clients: Set<ExactText?>) throws(DatabaseError) -> [ExactText?: Int] {
    let byOwner = Dictionary(
      clients.map { (IdempotencyKey.storedOwner($0), $0) }, uniquingKeysWith: { first, _ in first })
    let sums = try run(
      """
      SELECT client, sum(deliveries)::bigint FROM dragoman_client_counts
      WHERE client = ANY ($1::bytea[]) GROUP BY client
      """, [.blobs(Array(byOwner.keys))])
    var depths: [ExactText?: Int] = [:]
    for row in sums.rows {
      if let name = byOwner[row.bytes(0)] { depths[name] = Int(clamping: row.integer(1)) }
    }
    return depths
  }

  func counts() throws(DatabaseError) -> [Int64: [Int]] {
    var counts: [Int64: [Int]] = [:]
    let rows = try run(
      "SELECT app, state, sum(deliveries)::bigint FROM dragoman_counts GROUP BY app, state", []
    ).rows
    for row in rows {
      guard let state = Int(exactly: row.integer(1)), (0..<QueueCounts.stateCount).contains(state) else {
        continue
      }
      counts[row.integer(0), default: Array(repeating: 0, count: QueueCounts.stateCount)][state] = Int(
        clamping: row.integer(2))
    }
    return counts
  }

  /// Adds changes to the counts of this gateway, in the next round trip. In one order, so that no two wait
  /// for each other.
  func add(_ counts: QueueCounts) {
    var rows: [(app: Int64, state: Int, delta: Int)] = []
    for (app, deltas) in counts.states.sorted(by: { $0.key < $1.key }) {
      for (state, delta) in deltas.enumerated() where delta != 0 { rows.append((app, state, delta)) }
    }
    let clients = counts.clients.filter { $0.value != 0 }.sorted {
      ($0.key?.text ?? "") < ($1.key?.text ?? "")
    }
    guard !rows.isEmpty || !clients.isEmpty else { return }
    pending.add(
      """
      WITH clients AS (
        INSERT INTO dragoman_client_counts (client, lease, deliveries)
        SELECT x.client, $4, x.delta FROM unnest($5::bytea[], $6::bigint[]) AS x(client, delta)
        ON CONFLICT (client, lease)
          DO UPDATE SET deliveries = dragoman_client_counts.deliveries + excluded.deliveries)
      INSERT INTO dragoman_counts (app, lease, state, deliveries)
      SELECT x.app, $4, x.state, x.delta
      FROM unnest($1::bigint[], $2::bigint[], $3::bigint[]) AS x(app, state, delta)
      ON CONFLICT (app, lease, state)
        DO UPDATE SET deliveries = dragoman_counts.deliveries + excluded.deliveries
      """,
      [
        .integers(rows.map(\.app)), .integers(rows.map { Int64($0.state) }),
        .integers(rows.map { Int64($0.delta) }), .integer(lease),
        .blobs(clients.map { IdempotencyKey.storedOwner($0.key) }),
        .integers(clients.map { Int64($0.value) }),
      ])
  }
}
