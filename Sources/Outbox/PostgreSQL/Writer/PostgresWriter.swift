import FCMMessage
import JSON

/// Writes batches over one connection, and knows what this replica has claimed. Confined to the store's writing queue.
final class PostgresWriter {
  /// A delivery's app as the database numbers it, with its name.
  struct App {
    let id: Int64
    let name: String
  }

  /// Where the search for an app's expired deliveries goes on.
  struct Sweep {
    let priority: DeliveryPriority
    let key: DueKey
  }

  /// The notification up to which pruning has come.
  struct PrunePlace {
    let createdAt: Int64
    let row: Int64
  }

  let connection: PostgresConnection
  let configuration: OutboxConfiguration
  /// What outlives the connection.
  let memory: PostgresMemory

  /// Takes a prepared connection over, as the replica that `memory` names.
  init(connection: PostgresConnection, configuration: OutboxConfiguration, memory: PostgresMemory) {
    self.connection = connection
    self.configuration = configuration
    self.memory = memory
  }

  /// Runs a transaction with all of `operations`: all of them or none. Deadlocks and the like are tried again.
  func write(_ operations: [PostgresOperation]) throws(PostgresWriteError) -> PostgresCommit {
    var tries = 0
    while true {
      do throws(PostgresWriteError) {
        return try writeOnce(operations)
      } catch {
        tries += 1
        guard error.failure.isPassing, !error.isInDoubt, tries < configuration.transactionTriesMax else {
          throw error
        }
      }
    }
  }

  private func writeOnce(_ operations: [PostgresOperation]) throws(PostgresWriteError) -> PostgresCommit {
    let started = ContinuousClock.now
    var transaction = PostgresTransaction()
    var commit = PostgresCommit()
    let batch = memory.nextBatch()
    do throws(PostgresError) {
      try learnApps(of: operations)
      try connection.execute("BEGIN ISOLATION LEVEL READ COMMITTED")
      try keepLease(batch: batch)
      commit.answers = try perform(operations, &transaction)
      try finish(&transaction)
    } catch {
      rollBack()
      throw PostgresWriteError(failure: error, isInDoubt: false, batch: batch)
    }
    commit.lost = transaction.lost
    if transaction.hasChanged {
      commit.report = transaction.report
      commit.report?.calls = operations.count { $0.queueWrite != nil }
    }
    commit.due = transaction.due.map(\.text)
    do throws(PostgresError) {
      try connection.execute("COMMIT")
    } catch {
      if !error.isConnectionLost { rollBack() }
      throw PostgresWriteError(
        failure: error, isInDoubt: error.isConnectionLost, batch: batch, commit: commit,
        transaction: transaction)
    }
    commit.report?.seconds = (ContinuousClock.now - started) / .seconds(1)
    memory.take(transaction)
    return commit
  }

  func rollBack() {
    // It fails where the connection does, and then there is nothing left to roll back.
    do throws(PostgresError) { try connection.execute("ROLLBACK") } catch {}
  }

  /// Settlements first, since they make room; then what is new, then the rest in order, and claims last.
  private func perform(
    _ operations: [PostgresOperation], _ transaction: inout PostgresTransaction
  ) throws(PostgresError) -> [@Sendable () -> Void] {
    let settlements = operations.flatMap { operation -> [Settlement] in
      if case .write(.settle(let settlements, _)) = operation { settlements } else { [] }
    }
    try settle(settlements, &transaction)
    let enqueues = operations.compactMap { operation -> NewWork? in
      guard case .write(.enqueue(let notifications, let record, let now, _)) = operation else { return nil }
      return NewWork(notifications: notifications, record: record, now: now)
    }
    var accepted = try accept(enqueues, &transaction).makeIterator()
    var answers: [@Sendable () -> Void] = []
    answers.reserveCapacity(operations.count)
    for operation in operations {
      switch operation {
      case .write(.enqueue(_, _, _, let completion)):
        guard let result = accepted.next() else { break }
        answers.append { completion(result) }
      case .write(.settle(_, let completion)): answers.append { completion(.success(())) }
      case .write(let write): answers.append(try perform(write, &transaction))
      case .claim(let claim):
        let claimed = try self.claim(claim, &transaction)
        answers.append { claim.completion(.success(claimed)) }
      case .ask, .close: answers.append {}
      }
    }
    return answers
  }

  private func perform(
    _ write: QueueWrite, _ transaction: inout PostgresTransaction
  ) throws(PostgresError) -> @Sendable () -> Void {
    switch write {
    case .cancel(let id, let now, let completion):
      let result = try cancel(id, now: now, &transaction)
      return { completion(.success(result)) }
    case .retry(let id, let now, let completion):
      let result = try retry(id, now: now, &transaction)
      return { completion(result) }
    case .expire(let app, let now, let limit, let completion):
      let result = try expire(app: app, now: now, limit: limit, &transaction)
      return { completion(.success(result)) }
    case .prune(let end, let now, let limit, let completion):
      let result = try prune(endedBy: end, now: now, limit: limit, &transaction)
      return { completion(.success(result)) }
    case .setWebhookCursor(let event, let completion):
      let result = try setWebhookCursor(event, &transaction)
      return { completion(result) }
    // What a crash left behind is put right when its lease ends, and what cannot be read when it is claimed.
    case .finishCancellations(_, _, let completion): return { completion(.success(0)) }
    case .setAside(_, _, let completion): return { completion(.success(())) }
    case .enqueue, .settle: return {}
    }
  }

  /// Writes what takes locks that others wait for.
  private func finish(_ transaction: inout PostgresTransaction) throws(PostgresError) {
    try writeCounts(transaction)
    try writeEvents(&transaction)
  }

  func writeCounts(_ transaction: PostgresTransaction) throws(PostgresError) {
    var rows: [(app: Int64, state: Int, delta: Int)] = []
    for (app, deltas) in transaction.counts.sorted(by: { $0.key < $1.key }) {
      for (state, delta) in deltas.enumerated() where delta != 0 { rows.append((app, state, delta)) }
    }
    guard !rows.isEmpty else { return }
    try connection.run(
      """
      INSERT INTO dragoman_counts (app, replica, state, deliveries)
      SELECT x.app, $4, x.state, x.delta
      FROM unnest($1::bigint[], $2::bigint[], $3::bigint[]) AS x(app, state, delta)
      ON CONFLICT (app, replica, state)
        DO UPDATE SET deliveries = dragoman_counts.deliveries + excluded.deliveries
      """,
      [
        .integers(rows.map(\.app)), .integers(rows.map { Int64($0.state) }),
        .integers(rows.map { Int64($0.delta) }), .integer(memory.replica),
      ])
  }
}

/// Why a transaction was not kept, or what is needed to tell whether it was.
struct PostgresWriteError: Error {
  let failure: PostgresError
  /// The connection went during the COMMIT.
  let isInDoubt: Bool
  let batch: Int64
  /// What holds if it was committed.
  var commit = PostgresCommit()
  var transaction = PostgresTransaction()
}

/// What a replica knows however often it connects. Confined to the store's writing queue.
final class PostgresMemory {
  /// The number under which it claims; 0 before the first lease.
  var replica: Int64 = 0
  private(set) var claims: [DeliveryID: QueuedDelivery] = [:]
  private(set) var apps: [ExactText: PostgresWriter.App] = [:]
  private(set) var appNames: [Int64: String] = [:]
  private(set) var sweeps: [ExactText: PostgresWriter.Sweep] = [:]
  private(set) var pruned: PostgresWriter.PrunePlace?
  private var batch: Int64 = 0

  func nextBatch() -> Int64 {
    batch += 1
    return batch
  }

  /// Takes over what was committed.
  func take(_ transaction: PostgresTransaction) {
    for id in transaction.settled { claims[id] = nil }
    for delivery in transaction.claims { claims[delivery.id] = delivery }
    for (app, sweep) in transaction.sweeps { sweeps[app] = sweep }
    if transaction.hasPruned { pruned = transaction.pruned }
  }

  func learn(_ app: PostgresWriter.App) {
    apps[ExactText(app.name)] = app
    appNames[app.id] = app.name
  }

  /// What was claimed under a lease that is over belongs to others. Returns how much that was.
  func loseClaims() -> Int {
    defer { claims = [:] }
    return claims.count
  }
}
