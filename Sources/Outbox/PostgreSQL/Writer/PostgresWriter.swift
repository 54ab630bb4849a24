import Clock
import FCMMessage
import JSON

/// Writes batches on one connection, and knows what this replica has claimed. Confined to the store's writing
/// queue.
final class PostgresWriter {
  /// An app with its number in the database.
  struct App {
    let id: Int64
    let name: String
  }

  /// Where the search for an app's expired deliveries continues.
  struct Sweep {
    let priority: DeliveryPriority
    let key: DueKey
  }

  /// The last notification that pruning has examined.
  struct PrunePlace {
    let createdAt: Int64
    let row: Int64
  }

  let connection: PostgresConnection
  let configuration: OutboxConfiguration
  /// The state that outlives the connection.
  let memory: PostgresMemory

  /// Takes over a prepared connection, as the replica in `memory`.
  init(connection: PostgresConnection, configuration: OutboxConfiguration, memory: PostgresMemory) {
    self.connection = connection
    self.configuration = configuration
    self.memory = memory
  }

  /// Runs a transaction with all of `writes`: all of them or none. Repeats it after a deadlock and the like.
  /// `rooms` says how many new deliveries of an app may be inserted as claimed.
  func write(
    _ writes: [PostgresBackend.Write], rooms: [ExactText: Int] = [:]
  ) throws(PostgresWriteError) -> PostgresCommit {
    var tries = 0
    while true {
      do throws(PostgresWriteError) {
        return try writeOnce(writes, rooms)
      } catch {
        tries += 1
        guard error.underlying.isPassing, !error.isUncertain, tries < configuration.transactionTriesMax else {
          throw error
        }
      }
    }
  }

  private func writeOnce(
    _ writes: [PostgresBackend.Write], _ rooms: [ExactText: Int]
  ) throws(PostgresWriteError) -> PostgresCommit {
    let started = ContinuousClock.now
    var transaction = PostgresTransaction(outcomes: memory.outcomes.current, rooms: rooms)
    var commit = PostgresCommit()
    let batch = memory.nextBatch()
    do throws(PostgresError) {
      try learnApps(of: writes)
      try recordDictionaries(of: writes)
      let opening = try open(batch, for: writes, &transaction)
      commit.result.answers = try perform(writes, opening, &transaction)
      try finish(&transaction)
    } catch {
      rollBack()
      throw PostgresWriteError(underlying: error, isUncertain: false, batch: batch)
    }
    commit.lost = transaction.lost
    commit.result.isWritten = true
    if transaction.hasChanged {
      commit.result.report = transaction.report
      commit.result.report?.calls = writes.count { $0.queueWrite != nil }
    }
    commit.result.due = transaction.due.union(transaction.ahead.keys).map(\.text)
    do throws(PostgresError) {
      try connection.runCommitting(transaction.last)
    } catch  where error.code == .notReplicated {
      commit.isReplicated = false
    } catch {
      if !error.isConnectionLost { rollBack() }
      throw PostgresWriteError(
        underlying: error, isUncertain: error.isConnectionLost, batch: batch, commit: commit,
        transaction: transaction)
    }
    commit.result.report?.seconds = (ContinuousClock.now - started) / .seconds(1)
    memory.take(transaction)
    return commit
  }

  func rollBack() {
    // It fails if the connection does, and then there is nothing left to roll back.
    do throws(PostgresError) { try connection.execute("ROLLBACK") } catch {}
  }

  /// Settlements first, since they make room; then new notifications, then the rest in order.
  private func perform(
    _ writes: [PostgresBackend.Write], _ opening: PostgresOpening, _ transaction: inout PostgresTransaction
  ) throws(PostgresError) -> [@Sendable () -> Void] {
    try take(opening.settled, of: opening.settlements, &transaction)
    var accepted = try accept(opening.enqueues, opening, &transaction).makeIterator()
    var answers: [@Sendable () -> Void] = []
    answers.reserveCapacity(writes.count)
    for write in writes {
      switch write {
      case .queue(.enqueue(_, _, _, let completion)):
        guard let result = accepted.next() else { break }
        answers.append { completion(result) }
      case .queue(.settle(_, let completion)): answers.append { completion(.success(())) }
      case .queue(.cancel(let id, let now, let completion)):
        try runPending(&transaction)
        let result = try cancel(id, now: now, &transaction)
        answers.append { completion(.success(result)) }
      case .queue(.retry(let id, let now, let completion)):
        try runPending(&transaction)
        let result = try retry(id, now: now, &transaction)
        answers.append { completion(result) }
      case .queue(.expire(let app, let now, let limit, let completion)):
        try runPending(&transaction)
        let result = try expire(app: app, now: now, limit: limit, &transaction)
        answers.append { completion(.success(result)) }
      case .queue(.prune(let end, let now, let limit, let completion)):
        try runPending(&transaction)
        let result = try prune(endedBy: end, now: now, limit: limit, &transaction)
        answers.append { completion(.success(result)) }
      case .queue(.setWebhookCursor(let event, let completion)):
        let result = try setWebhookCursor(event, &transaction)
        answers.append { completion(result) }
      case .own(.claim(let claim)):
        let claimed = try self.claim(claim, &transaction)
        answers.append { claim.completion(.success(claimed)) }
      }
    }
    return answers
  }

  /// Completes the transaction up to its COMMIT. What takes locks that others wait for comes last.
  private func finish(_ transaction: inout PostgresTransaction) throws(PostgresError) {
    addCounts(of: transaction, to: &transaction.pending)
    guard !transaction.events.isEmpty else { return }
    try runPending(&transaction)
    try writeEvents(&transaction)
  }

  /// Runs the statements of a transaction whose results nobody needs, before others that depend on them.
  func runPending(_ transaction: inout PostgresTransaction) throws(PostgresError) {
    let batch = transaction.pending
    transaction.pending = PostgresBatch()
    try connection.run(batch)
  }
}

/// Why a transaction was not kept, or what is needed to find out whether it was.
struct PostgresWriteError: Error {
  let underlying: PostgresError
  /// Whether the connection was lost during COMMIT.
  let isUncertain: Bool
  let batch: Int64
  /// The result if it was committed.
  var commit = PostgresCommit()
  var transaction = PostgresTransaction()
}

/// The state of a replica across its connections. Confined to the store's writing queue.
final class PostgresMemory {
  /// The number under which it claims; 0 before the first lease.
  var replica: Int64 = 0
  private(set) var claims: [DeliveryID: Claim] = [:]
  private(set) var apps: [ExactText: PostgresWriter.App] = [:]
  private(set) var appNames: [Int64: String] = [:]
  private(set) var sweeps: [ExactText: PostgresWriter.Sweep] = [:]
  private(set) var pruned: PostgresWriter.PrunePlace?
  private var batch: Int64 = 0
  let clock: DatabaseClock
  let outcomes: LoggedOutcomes
  let prefetch: PostgresPrefetch
  let dictionaries = PostgresDictionaries()

  init(clock: DatabaseClock, outcomes: LoggedOutcomes, prefetch: PostgresPrefetch) {
    self.clock = clock
    self.outcomes = outcomes
    self.prefetch = prefetch
  }

  func nextBatch() -> Int64 {
    batch += 1
    return batch
  }

  /// Applies a committed transaction.
  func take(_ transaction: PostgresTransaction) {
    for id in transaction.settled { claims[id] = nil }
    for claim in transaction.claims { claims[claim.delivery.id] = claim }
    for (app, sweep) in transaction.sweeps { sweeps[app] = sweep }
    if transaction.hasPruned { pruned = transaction.pruned }
    prefetch.take(
      transaction.ahead, due: transaction.due.union(transaction.unfinished), nextDue: transaction.nextDue)
  }

  func learn(_ app: PostgresWriter.App) {
    apps[ExactText(app.name)] = app
    appNames[app.id] = app.name
  }

  /// Forgets the claims of a lease that has ended, which belong to others now. Returns how many there were.
  func loseClaims() -> Int {
    defer {
      claims = [:]
      prefetch.clear()
    }
    return claims.count
  }
}
