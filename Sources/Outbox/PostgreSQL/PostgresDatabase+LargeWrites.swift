import Clock
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
    try connection.planOnce()
    let memory = QueueMemory(ready: ReadyDeliveries(appMax: 0, totalMax: 0))
    let driver = PostgresDriver(
      connection: connection, memory: memory, configuration: database.configuration,
      clock: database.databaseClock, leasing: PostgresLease(milliseconds: 0))
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
      guard large.call.begin() else { return store.finish(large, .failure(.late)) }
      guard isReachable else { return store.finish(large, .failure(store.outOfReach)) }
      do throws(QueueWriteError) {
        let (outcome, commit) = try write(large)
        if !commit.isReplicated {
          isConfirmed.store(false, ordering: .releasing)
          store.degraded(.notReplicated)
        }
        store.finish(large, commit.isReplicated ? .success(outcome) : .failure(.notReplicated))
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
  ) throws(QueueWriteError) -> (outcome: EnqueueOutcome, commit: GroupCommit) {
    let engine: QueueEngine
    do throws(DatabaseError) {
      engine = try bulk.open(in: self)
    } catch {
      throw QueueWriteError(underlying: error)
    }
    return try engine.write(large)
  }
}

extension QueueEngine {
  /// Writes a large enqueue in a transaction of its own, part by part. Its key comes last, so that a repeat
  /// at another gateway does not wait for the whole.
  func write(
    _ large: LargeEnqueue
  ) throws(QueueWriteError) -> (outcome: EnqueueOutcome, commit: GroupCommit) {
    var transaction = QueueTransaction()
    var other: EnqueueOutcome?
    do throws(QueueWriteError) {
      let commit = try transact(&transaction, calls: 1) { transaction throws(DatabaseError) in
        try learnApps([large.work])
        try driver.writer.begin()
        other = try insert(large, &transaction)
        if other != nil { throw .operation(.closed) }
        return []
      }
      return (.accepted, commit)
    } catch {
      guard let other else { throw error }
      return (other, GroupCommit())
    }
  }

  /// Returns the outcome if nothing is to be kept.
  private func insert(
    _ large: LargeEnqueue, _ transaction: inout QueueTransaction
  ) throws(DatabaseError) -> EnqueueOutcome? {
    let work = large.work
    if let record = work.record, let outcome = work.outcome(known: try driver.find([record.key])) {
      return outcome
    }
    let depths = try depths(try driver.depth(), for: [work])
    if let refusal = refusal(of: work, depths, transaction) { throw .operation(refusal) }
    for part in large.parts {
      let taking = PostgresDriver.takingRows(part.count)
      let taken = try PostgresDriver.rows(in: try driver.run(taking.sql, taking.values), part.count)
      var rows: [NewRow] = []
      for (new, row) in zip(work.notifications[part], taken) {
        rows.append(NewRow(notification: new, row: row, app: try app(named: new.app)))
      }
      try insert(&rows, now: work.now, &transaction)
      try driver.run("SELECT 1")
      large.call.madeProgress()
    }
    try count(work, &transaction)
    return try insertKeys(of: [0], [work]).isEmpty ? nil : try outcome(of: work)
  }
}
