internal import Clock
import FCMMessage
import JSON
import SendingLimits
import SQL

/// One connection to PostgreSQL as the engine writes through it. Several gateways share the database: a claim
/// is an update, and everything is sent in as few round trips as possible.
final class PostgresDriver: QueueDriver {
  let transactions: PostgresWriter
  let memory: QueueMemory
  let configuration: OutboxConfiguration
  let clock: DatabaseClock
  let leasing: PostgresLease

  init(
    connection: PostgresConnection, memory: QueueMemory, configuration: OutboxConfiguration,
    clock: DatabaseClock, leasing: PostgresLease
  ) {
    transactions = PostgresWriter(connection)
    self.memory = memory
    self.configuration = configuration
    self.clock = clock
    self.leasing = leasing
  }

  var writer: any SQLWriter { transactions }

  var connection: PostgresConnection { transactions.connection }

  var lease: Int64 { leasing.number }

  func send(_ sql: String, _ values: [SQLValue]) { transactions.send(sql, values) }

  /// What gateways share about sending.
  var limits: LimitsTable {
    LimitsTable(transactions, lease: lease) { [self] name throws(DatabaseError) in try knownApp(name)?.id }
  }

  // MARK: - Transactions

  /// Keeps the lease, writes the settlements, and reads what decides about the enqueues, all in one round
  /// trip.
  func open(_ opening: QueueOpening) throws(DatabaseError) -> QueueOpened {
    transactions.begin()
    var batch = transactions.takePending()
    let kept = batch.add(keepingLease(leasing.nextBatch()))
    let settled =
      opening.settlements.isEmpty
      ? nil : batch.add(settling(opening.settlements, readsOutcomes: opening.readsOutcomes))
    let reading =
      opening.newCount == 0
      ? nil : (depth: batch.add(Self.readingDepth), rows: batch.add(Self.takingRows(opening.newCount)))
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
    try transactions.commit()
  }

  func rollBack(after error: DatabaseError, isCommitting: Bool) -> DatabaseError {
    transactions.rollBack(after: error, isCommitting: isCommitting)
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
    send(
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
