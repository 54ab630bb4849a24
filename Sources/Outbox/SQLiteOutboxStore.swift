import Dispatch
import Synchronization
package import Telemetry

/// The durable queue in one SQLite database, for one process.
///
/// One thread at a time writes: it takes all that waits, writes it in one transaction with `synchronous=FULL`, and
/// answers after the COMMIT. A claim writes nothing: what is claimed is known in memory, and after a crash all that
/// is not final is due again. Notifications are read on a connection of their own; those answers come from a
/// second thread.
package final class SQLiteOutboxStore: OutboxStore {
  private let configuration: OutboxConfiguration
  private let log: Log
  private let clock: @Sendable () -> Timestamp
  private let writing = DispatchQueue(label: "dragoman.outbox.write", qos: .userInitiated)
  private let reading = DispatchQueue(label: "dragoman.outbox.read")
  private let pending = Mutex(Pending())
  private let writer: Confined<QueueWriter>
  private let reader: Confined<QueueReader>
  private let notify = Mutex<(@Sendable (String) -> Void)?>(nil)
  private let lastTrouble = Mutex<OutboxError?>(nil)
  private let committed = Atomic<Int>(0)

  /// Opens the queue, makes it where there is none, and brings it to this version.
  ///
  /// Throws `corrupt` for a database that is damaged, newer, or of another program, and `unavailable` where it
  /// cannot be opened, is in use by another process, or could not keep its promises.
  package init(
    path: String, configuration: OutboxConfiguration = OutboxConfiguration(), log: Log,
    clock: @escaping @Sendable () -> Timestamp = { .now }
  ) throws(OutboxError) {
    self.configuration = configuration
    self.log = log
    self.clock = clock
    let file = try QueueFile(path: path)
    let claims = Claims()
    let opened = try QueueSchema.outbox { () throws(SQLiteFailure) in
      (try SQLiteConnection(path: file.path), try SQLiteConnection(path: file.path))
    }
    try QueueSchema.prepare(opened.0, checkedBytesMax: configuration.checkedBytesMax)
    try file.syncFolder()
    try QueueSchema.configure(opened.1)
    let parts = try QueueSchema.outbox { () throws(SQLiteFailure) in
      (
        try QueueWriter(connection: opened.0, configuration: configuration, claims: claims),
        try QueueReader(connection: opened.1, claims: claims)
      )
    }
    writer = Confined(parts.0, file: file)
    reader = Confined(parts.1, file: file)
    log.info("queue opened", ["path": .string(file.path), "waiting": .integer(parts.0.depth)])
  }

  /// Transactions that were committed since the store was opened.
  package var commitCount: Int { committed.load(ordering: .relaxed) }

  package var trouble: OutboxError? { lastTrouble.withLock { $0 } }

  package func onDue(_ notify: @escaping @Sendable (_ app: String) -> Void) {
    self.notify.withLock { $0 = notify }
  }

  package func enqueue(
    _ notifications: [NewNotification], completion: @escaping @Sendable (Result<Void, OutboxError>) -> Void
  ) {
    submit(.write(.enqueue(notifications), completion))
  }

  package func settle(
    _ settlements: [Settlement], completion: @escaping @Sendable (Result<Void, OutboxError>) -> Void
  ) {
    submit(.write(.settle(settlements), completion))
  }

  package func claim(
    app: String, limit: Int, now: Timestamp,
    completion: @escaping @Sendable (Result<[ClaimedDelivery], OutboxError>) -> Void
  ) {
    ask(completion) { writer throws(SQLiteFailure) in try writer.claim(app: app, limit: limit, now: now) }
  }

  package func nextDue(
    app: String, completion: @escaping @Sendable (Result<Timestamp?, OutboxError>) -> Void
  ) {
    ask(completion) { writer throws(SQLiteFailure) in try writer.nextDue(app: app) }
  }

  package func counts(
    completion: @escaping @Sendable (Result<[String: OutboxCounts], OutboxError>) -> Void
  ) {
    ask(completion) { [clock] writer throws(SQLiteFailure) in try writer.counts(now: clock()) }
  }

  package func notification(
    _ id: NotificationID, completion: @escaping @Sendable (Result<StoredNotification?, OutboxError>) -> Void
  ) {
    reading.async { [self] in
      guard !pending.withLock({ $0.isClosed }), let reader = reader.value else {
        return completion(.failure(.closed))
      }
      do throws(SQLiteFailure) {
        completion(.success(try reader.notification(id, now: clock())))
      } catch {
        completion(.failure(error.outboxError))
      }
    }
  }

  package func close() async {
    await withCheckedContinuation { continuation in submit(.close { continuation.resume() }) }
  }

  /// For tests of a full disk: the database cannot grow beyond so many pages. Zero lifts it.
  package func limitPages(to count: Int) async {
    await withCheckedContinuation { continuation in
      ask({ _ in continuation.resume() }) { writer throws(SQLiteFailure) in try writer.limitPages(to: count) }
    }
  }
}

// MARK: - The writing thread

extension SQLiteOutboxStore {
  private enum Operation: Sendable {
    case write(QueueWrite, @Sendable (Result<Void, OutboxError>) -> Void)
    case ask(@Sendable (QueueWriter?) -> Void)
    case close(@Sendable () -> Void)

    var deliveryCount: Int {
      if case .write(let write, _) = self { return write.deliveryCount }
      return 0
    }

    /// Answers without having done it.
    func refuse(_ error: OutboxError) {
      switch self {
      case .write(_, let completion): completion(.failure(error))
      case .ask(let body): body(nil)
      case .close(let completion): completion()
      }
    }
  }

  private struct Pending: Sendable {
    var operations: [Operation] = []
    var deliveryCount = 0
    var isDraining = false
    /// Whether the last operation that may come is in `operations` or done.
    var isClosed = false
  }

  private func ask<Value: Sendable>(
    _ completion: @escaping @Sendable (Result<Value, OutboxError>) -> Void,
    _ body: @escaping @Sendable (QueueWriter) throws(SQLiteFailure) -> Value
  ) {
    submit(
      .ask { writer in
        guard let writer else { return completion(.failure(.closed)) }
        do throws(SQLiteFailure) {
          completion(.success(try body(writer)))
        } catch {
          completion(.failure(error.outboxError))
        }
      })
  }

  private func submit(_ operation: Operation) {
    let count = operation.deliveryCount
    let refusal: OutboxError? = pending.withLock { pending in
      if pending.isClosed { return .closed }
      // Settlements are bounded by what is claimed, and must not be lost to those who push in.
      if case .write(.enqueue, _) = operation, pending.deliveryCount > 0,
        pending.deliveryCount + count > configuration.pendingDeliveriesMax
      {
        return OutboxError(
          code: .unavailable, description: "the queue's disk does not keep up; nothing was kept")
      }
      if case .close = operation { pending.isClosed = true }
      pending.operations.append(operation)
      pending.deliveryCount += count
      if !pending.isDraining {
        pending.isDraining = true
        writing.async { self.drain() }
      }
      return nil
    }
    guard let refusal else { return }
    // A second close waits for the first one.
    if case .close(let completion) = operation { return finish(completion) }
    writing.async { operation.refuse(refusal) }
  }

  private func drain() {
    while let batch = nextBatch() { process(batch) }
  }

  /// All that waits, up to the limit of a transaction; nil when nothing does.
  private func nextBatch() -> [Operation]? {
    pending.withLock { pending in
      guard !pending.operations.isEmpty else {
        pending.isDraining = false
        return nil
      }
      var deliveries = 0
      var count = 0
      for operation in pending.operations {
        let next = deliveries + operation.deliveryCount
        if count > 0, next > configuration.commitDeliveriesMax { break }
        deliveries = next
        count += 1
      }
      pending.deliveryCount -= deliveries
      if count == pending.operations.count {
        let batch = pending.operations
        pending.operations = []
        pending.operations.reserveCapacity(count)
        return batch
      }
      let batch = Array(pending.operations[..<count])
      pending.operations.removeFirst(count)
      return batch
    }
  }

  /// Writes first and in one transaction; then everybody is answered in the order in which they came.
  private func process(_ batch: [Operation]) {
    let writes = batch.compactMap { operation -> QueueWrite? in
      if case .write(let write, _) = operation { return write }
      return nil
    }
    let commit = writes.isEmpty ? nil : writer.value?.write(writes)
    if let commit { note(commit) }
    var results = commit?.results.makeIterator()
    for operation in batch {
      switch operation {
      case .write(_, let completion): completion(results?.next() ?? .failure(.closed))
      case .ask(let body): body(writer.value)
      case .close(let completion): finish(completion)
      }
    }
    if let due = commit?.due, !due.isEmpty, let notify = notify.withLock({ $0 }) { due.forEach(notify) }
  }

  private func note(_ commit: QueueCommit) {
    if let failure = commit.failure {
      troubled(failure)
    } else if commit.wroteDisk {
      committed.add(1, ordering: .relaxed)
      healed()
    }
  }

  private func troubled(_ failure: OutboxError) {
    let isNew = lastTrouble.withLock { last in
      defer { last = failure }
      return last == nil
    }
    guard isNew else { return }
    log.error("queue cannot write", ["reason": .string(failure.description)])
    probeLater()
  }

  private func healed() {
    let wasTroubled = lastTrouble.withLock { last in
      defer { last = nil }
      return last != nil
    }
    if wasTroubled { log.info("queue writes again") }
  }

  /// Who is not ready gets no requests, and so no occasion to see that the trouble is over: so it looks itself.
  private func probeLater() {
    writing.asyncAfter(deadline: .now() + .seconds(1)) { [weak self] in
      guard let self, trouble != nil, let writer = writer.value else { return }
      do throws(SQLiteFailure) {
        try writer.probe()
        healed()
      } catch {
        lastTrouble.withLock { $0 = error.outboxError }
        probeLater()
      }
    }
  }

  /// Closes what readers use first, then checkpoints, so that all of the queue is in one file.
  private func finish(_ completion: @escaping @Sendable () -> Void) {
    reading.async { [self] in
      reader.clear()
      writing.async { [self] in
        do throws(SQLiteFailure) {
          try writer.value?.checkpoint()
        } catch {
          log.warning("queue checkpoint failed", ["reason": .string(error.message)])
        }
        writer.clear()
        completion()
      }
    }
  }
}

extension OutboxError {
  static let closed = OutboxError(code: .closed, description: "the queue is closed")
}

/// A value that lives on one serial queue until it is cleared; keeps the file's lock for as long.
///
/// `@unchecked Sendable`: only the store's queue of that name touches `value` once the store is made.
private final class Confined<Value>: @unchecked Sendable {
  private(set) var value: Value?
  private var file: QueueFile?

  init(_ value: Value, file: QueueFile) {
    self.value = value
    self.file = file
  }

  func clear() {
    value = nil
    file = nil
  }
}
