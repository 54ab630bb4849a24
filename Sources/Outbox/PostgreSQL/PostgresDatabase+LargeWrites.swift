import Dispatch
import JSON
import Synchronization
import SQL

/// The connection for large enqueues.
///
/// Guard: the variable belongs to `queue`.
final class PostgresBulk: @unchecked Sendable {
  let queue = DispatchQueue(label: "dragoman.outbox.bulk", qos: .utility)
  private var engine: QueueEngine?

  func close() { engine = nil }

  /// Its counts belong to no lease, so that it needs none.
  func open(in database: PostgresDatabase) throws(DatabaseError) -> QueueEngine {
    if let engine { return engine }
    let connection = try database.openConnection()
    try PostgresSchema.planOnce(connection)
    let memory = QueueMemory(ready: ReadyDeliveries(appMax: 0, totalMax: 0))
    let driver = PostgresDriver(
      connection: connection, memory: memory, configuration: database.configuration,
      clock: database.databaseClock, leasing: PostgresLease())
    let opened = QueueEngine(driver: driver, memory: memory, configuration: database.configuration)
    engine = opened
    return opened
  }
}

/// Large enqueues have a connection and a thread of their own: PostgreSQL shows nothing of a transaction
/// before its COMMIT, and others write meanwhile.
extension PostgresDatabase {
  func enqueue(_ large: LargeEnqueue, in store: DurableOutboxStore) {
    bulk.queue.async { [self] in
      guard large.begin() else { return store.finish(large, .failure(.late)) }
      guard isReachable else { return store.finish(large, .failure(store.outOfReach)) }
      do throws(QueueWriteError) {
        let (outcome, commit) = try write(large)
        if !commit.isReplicated {
          isConfirmed.store(false, ordering: .releasing)
          store.degraded(.notReplicated)
        }
        store.finish(large, commit.isReplicated ? outcome : .failure(.notReplicated))
        store.writing.async { [self] in
          memory.ready.note(due: commit.due)
          store.complete([], with: .success(commit))
        }
      } catch {
        if error.underlying.isConnectionLost { bulk.close() }
        store.finish(large, .failure(error.isUncertain ? .unknownOutcome : error.underlying.outboxError))
      }
    }
  }

  private func write(
    _ large: LargeEnqueue
  ) throws(QueueWriteError) -> (Result<EnqueueOutcome, OutboxError>, GroupCommit) {
    do throws(DatabaseError) {
      let engine = try bulk.open(in: self)
      return try engine.write(large)
    } catch {
      throw QueueWriteError(underlying: error, isUncertain: error.isOutcomeUnknown)
    }
  }
}

extension QueueEngine {
  /// Writes a large enqueue in a transaction of its own, part by part. Its key comes last, so that a repeat
  /// at another gateway does not wait for the whole. An error during COMMIT says that the outcome is unknown.
  func write(
    _ large: LargeEnqueue
  ) throws(DatabaseError) -> (outcome: Result<EnqueueOutcome, OutboxError>, commit: GroupCommit) {
    var transaction = QueueTransaction()
    var commit = GroupCommit()
    let started = ContinuousClock.now
    let work = NewWork(large.notifications, large.record, now: large.now)
    do throws(DatabaseError) {
      try learnApps([work])
      try driver.run("BEGIN ISOLATION LEVEL READ COMMITTED")
      if let outcome = try insert(large, work, &transaction) {
        _ = driver.rollBack(after: .operation(.closed), isCommitting: false)
        return (outcome, commit)
      }
    } catch {
      throw driver.rollBack(after: error, isCommitting: false)
    }
    do throws(DatabaseError) {
      try driver.commit(transaction.counts)
    } catch  where error.kind == .notReplicated {
      commit.isReplicated = false
    } catch {
      var failure = driver.rollBack(after: error, isCommitting: true)
      failure.isOutcomeUnknown = error.isConnectionLost
      throw failure
    }
    commit.isWritten = commit.isReplicated
    commit.due = transaction.due.map(\.text)
    commit.report = transaction.report
    commit.report?.calls = 1
    commit.report?.seconds = (ContinuousClock.now - started) / .seconds(1)
    return (.success(.accepted), commit)
  }

  /// Returns the outcome if nothing is to be kept.
  private func insert(
    _ large: LargeEnqueue, _ work: NewWork, _ transaction: inout QueueTransaction
  ) throws(DatabaseError) -> Result<EnqueueOutcome, OutboxError>? {
    if let record = work.record, let outcome = work.outcome(known: try driver.find([record.key])) {
      return outcome
    }
    let room = try room(try driver.depth(), for: [work])
    if let refusal = refusal(of: work, room, transaction) { return .failure(refusal) }
    for part in large.parts {
      let taken = try driver.run(
        "SELECT nextval('dragoman_notification_rows')::bigint FROM generate_series(1, $1::bigint)",
        [.integer(Int64(part.count))])
      var rows: [NewRow] = []
      for (new, row) in zip(large.notifications[part], try PostgresDriver.rows(in: taken, part.count)) {
        rows.append(NewRow(notification: new, row: row, app: try app(named: new.app)))
      }
      try insert(&rows, now: large.now, &transaction)
      try driver.run("SELECT 1")
      large.madeProgress()
    }
    try count(work, &transaction)
    return try insertKeys(of: [0], [work]).isEmpty ? nil : try outcome(of: work)
  }
}
