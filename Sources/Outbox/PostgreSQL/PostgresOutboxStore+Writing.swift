import Dispatch
import Synchronization
import Telemetry

/// What belongs to the store's writing queue alone.
///
/// `@unchecked Sendable`: touched on that queue only, but for the store's `init`.
final class PostgresSession: @unchecked Sendable {
  /// A transaction of which nobody knows whether it was committed.
  struct Doubt {
    let batch: [PostgresOperation]
    let failure: PostgresWriteError
    /// What the database said of it; later transactions write over that.
    var wasCommitted: Bool?
  }

  let memory = PostgresMemory()
  /// Nil while the database is out of reach.
  var writer: PostgresWriter?
  var doubt: Doubt?
  var reconnectMilliseconds: Int
  var isFinished = false
  var leaseKeptAt = ContinuousClock.now
  var lastEvent: Int64 = 0
  /// Who waits for this gateway's turn to tell the webhook.
  var waitingForTurn: [@Sendable (OutboxError?) -> Void] = []
  var rounds = 0
  var isPruning = false
  var expiring: Set<String> = []

  init(reconnectMilliseconds: Int) { self.reconnectMilliseconds = reconnectMilliseconds }
}

/// The writing thread.
extension PostgresOutboxStore {
  func ask<Value: Sendable>(
    _ completion: @escaping @Sendable (Result<Value, OutboxError>) -> Void,
    _ body: @escaping @Sendable (PostgresWriter) throws(PostgresError) -> Value
  ) {
    submit(
      .ask { [self] writer in
        guard let writer else {
          return completion(.failure(pending.withLock { $0.isClosed } ? .closed : outOfReach))
        }
        do throws(PostgresError) {
          completion(.success(try body(writer)))
        } catch {
          note(error)
          completion(.failure(error.outboxError))
        }
      })
  }

  package func submit(_ write: QueueWrite) { submit(.write(write)) }

  func submit(_ operation: PostgresOperation) {
    let isClosed = pending.withLock { $0.isClosed }
    if !isClosed, !operation.isClose, !isConnected.load(ordering: .acquiring) {
      // Not behind a try to connect, which takes its time.
      return refusing.async { [self] in refuse(operation, outOfReach) }
    }
    let admission = pending.withLock {
      $0.admit(operation, deliveriesMax: configuration.pendingDeliveriesMax)
    }
    switch admission {
    case .admitted(let starts):
      if starts { writing.async { self.drain() } }
    case .refused(let error):
      // A second close waits for the first one.
      if case .close(let completion) = operation { return writing.async(execute: completion) }
      writing.async { self.refuse(operation, error) }
    case .keyInProgress:
      guard case .write(.enqueue(_, _, _, let completion)) = operation else { return }
      writing.async { completion(.success(.inProgress)) }
    }
  }

  private func refuse(_ operation: PostgresOperation, _ error: OutboxError) {
    switch operation {
    case .write(let write): write.refuse(error)
    case .claim(let claim): claim.completion(.failure(error))
    case .ask(let body): body(nil)
    case .close(let completion): completion()
    }
  }

  private func drain() {
    while let batch = pending.withLock({ $0.nextBatch(deliveriesMax: configuration.commitDeliveriesMax) }) {
      process(batch)
    }
  }

  private func process(_ batch: [PostgresOperation]) {
    let writes = batch.filter { operation in
      switch operation {
      case .write, .claim: true
      case .ask, .close: false
      }
    }
    if !writes.isEmpty { write(writes) }
    for operation in batch {
      switch operation {
      case .write, .claim: break
      case .ask(let body): body(session.writer)
      case .close(let completion): finish(completion)
      }
    }
  }

  /// Writes in one transaction, and answers those that it was for.
  private func write(_ writes: [PostgresOperation]) {
    guard let writer = session.writer else { return answer(writes, .failure(outOfReach)) }
    // What changes nothing needs no transaction.
    if !writes.contains(where: { $0.changes(session.memory) }) { return answerIdle(writes) }
    do throws(PostgresWriteError) {
      let commit = try writer.write(writes)
      session.leaseKeptAt = .now
      committed(commit, of: writes)
    } catch {
      failed(error, of: writes)
    }
  }

  func committed(_ commit: PostgresCommit, of writes: [PostgresOperation]) {
    healed()
    if commit.lost > 0 { noteLost(commit.lost) }
    if let report = commit.report, let observe = listeners.withLock({ $0.onCommit }) { observe(report) }
    answer(writes, .success(commit.answers))
    notifyDue(commit.due)
  }

  private func failed(_ error: PostgresWriteError, of writes: [PostgresOperation]) {
    let failure = error.failure
    if failure.state == PostgresWriter.leaseLost.state {
      guard takeNewNumber() else { return answer(writes, .failure(outOfReach)) }
      return write(writes)
    }
    // One caller's mistake is not its neighbours'.
    if failure.isConstraint, writes.count > 1 { return writes.forEach { write([$0]) } }
    if error.isInDoubt {
      session.doubt = PostgresSession.Doubt(batch: writes, failure: error)
      doubtLater(batch: error.batch)
    }
    if !failure.isConstraint { note(failure) }
    if !error.isInDoubt { answer(writes, .failure(failure.outboxError)) }
  }

  private func answerIdle(_ writes: [PostgresOperation]) {
    let answers = writes.map { operation -> @Sendable () -> Void in
      switch operation {
      case .write(.settle(_, let completion)): { completion(.success(())) }
      case .write(.enqueue(_, _, _, let completion)): { completion(.success(.accepted)) }
      case .claim(let claim): { claim.completion(.success([])) }
      default: {}
      }
    }
    answer(writes, .success(answers))
  }

  func answer(_ writes: [PostgresOperation], _ result: Result<[@Sendable () -> Void], OutboxError>) {
    // Before the answers: whoever has one may use the key again at once.
    let keys = writes.compactMap { $0.queueWrite?.idempotencyKey }
    if !keys.isEmpty { pending.withLock { $0.release(keys) } }
    switch result {
    case .success(let answers): for answer in answers { answer() }
    case .failure(let error): for write in writes { refuse(write, error) }
    }
  }

  func notifyDue(_ apps: [String]) {
    guard !apps.isEmpty, let notify = listeners.withLock({ $0.onDue }) else { return }
    apps.forEach(notify)
  }

  private func noteLost(_ count: Int) {
    lostClaims.add(count, ordering: .relaxed)
    log.warning(
      "queue: outcomes were not recorded, since the lease was over and other gateways have the deliveries",
      ["count": .integer(count)])
  }

  /// Hands back what is claimed, and closes.
  private func finish(_ completion: @escaping @Sendable () -> Void) {
    if let writer = session.writer {
      do throws(PostgresError) {
        try writer.resign(now: clock())
      } catch {
        log.warning(
          "queue: claims were not handed back; others take them when the lease is over",
          ["reason": .string(error.message)])
      }
    }
    if let doubt = session.doubt { resolve(doubt, .failure(unknownOutcome)) }
    session.isFinished = true
    session.writer = nil
    for waiting in session.waitingForTurn { waiting(.closed) }
    session.waitingForTurn = []
    reading.async { [self] in
      closeReader()
      completion()
    }
  }
}

extension PostgresOperation {
  /// Whether it may change anything.
  fileprivate func changes(_ memory: PostgresMemory) -> Bool {
    switch self {
    case .write(.settle(let settlements, _)): settlements.contains { memory.claims[$0.delivery] != nil }
    case .write(.enqueue(let notifications, let record, _, _)): !notifications.isEmpty || record != nil
    case .claim(let claim): claim.limit > 0
    case .write: true
    case .ask, .close: false
    }
  }
}
