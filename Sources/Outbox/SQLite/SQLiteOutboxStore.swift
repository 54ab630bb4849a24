package import Clock
import Dispatch
import Synchronization
package import Telemetry

/// The durable queue in one SQLite database, for one process.
///
/// One thread at a time writes: it takes all that waits, writes it in one transaction with `synchronous=FULL`, and
/// answers after the COMMIT. A claim writes nothing: what is claimed is known in memory, and after a crash all that
/// is not final is due again. Notifications are read on a connection of their own; those answers come from a
/// second thread. A third one moves the write-ahead log into the database.
package final class SQLiteOutboxStore: GroupCommittingStore {
  let configuration: OutboxConfiguration
  let log: Log
  package let clock: @Sendable () -> Timestamp
  let writing = DispatchQueue(label: "dragoman.outbox.write", qos: .userInitiated)
  let reading = DispatchQueue(label: "dragoman.outbox.read")
  let checkpointing = DispatchQueue(label: "dragoman.outbox.checkpoint", qos: .utility)
  let pending = Mutex(PendingOperations<QueueOperation>())
  let writer: Confined<SQLiteWriter>
  let reader: Confined<SQLiteReader>
  let checkpointer: Confined<SQLiteConnection>
  let listeners = Mutex(OutboxListeners())
  let lastHealth: Mutex<OutboxHealth>
  let committed = Atomic<Int>(0)
  let isCheckpointing = Atomic<Bool>(false)
  let chores = Mutex(Chores())

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
    lastHealth = Mutex(OutboxHealth(since: clock()))
    let file = try SQLiteFile(path: path)
    try file.inspect()
    let claims = Claims()
    let opened = try SQLiteSchema.outbox { () throws(SQLiteError) in
      (
        try SQLiteConnection(path: file.path), try SQLiteConnection(path: file.path),
        try SQLiteConnection(path: file.path)
      )
    }
    try SQLiteSchema.prepare(opened.0, checkedBytesMax: configuration.checkedBytesMax)
    try file.syncFolder()
    try SQLiteSchema.configure(opened.1, cacheKiB: 2_048)
    try SQLiteSchema.configure(opened.2, cacheKiB: 256)
    let parts = try SQLiteSchema.outbox { () throws(SQLiteError) in
      (
        try SQLiteWriter(connection: opened.0, configuration: configuration, claims: claims),
        try SQLiteReader(connection: opened.1, claims: claims)
      )
    }
    writer = Confined(parts.0, file: file)
    reader = Confined(parts.1, file: file)
    checkpointer = Confined(opened.2, file: file)
    log.info("queue opened", ["path": .string(file.path), "waiting": .integer(parts.0.depth)])
    beginChores(hasLeftover: !parts.0.leftover.isEmpty)
  }

  /// Transactions that were committed since the store was opened.
  package var commitCount: Int { committed.load(ordering: .relaxed) }

  package var health: OutboxHealth { lastHealth.withLock { $0 } }

  package func onDue(_ notify: @escaping @Sendable (_ app: String) -> Void) {
    listeners.withLock { $0.onDue = notify }
  }

  package func onCommit(_ observe: @escaping @Sendable (OutboxCommit) -> Void) {
    listeners.withLock { $0.onCommit = observe }
  }

  package func close() async {
    await withCheckedContinuation { continuation in submit(.close { continuation.resume() }) }
  }

  /// For tests of a full disk: the database cannot grow beyond so many pages. Zero lifts it.
  package func limitPages(to count: Int) async {
    await withCheckedContinuation { continuation in
      ask({ _ in continuation.resume() }) { writer throws(SQLiteError) in try writer.limitPages(to: count) }
    }
  }
}

// MARK: - What asks the writer

extension SQLiteOutboxStore {
  package func claim(
    app: String, limit: Int, normalMin: Int, now: Timestamp,
    completion: @escaping @Sendable (Result<[ClaimedDelivery], OutboxError>) -> Void
  ) {
    ask(completion) { writer throws(SQLiteError) in
      try writer.claim(app: app, limit: limit, normalMin: normalMin, now: now)
    }
  }

  package func nextDue(
    app: String, completion: @escaping @Sendable (Result<Timestamp?, OutboxError>) -> Void
  ) {
    ask(completion) { writer throws(SQLiteError) in try writer.nextDue(app: app) }
  }

  package func counts(
    completion: @escaping @Sendable (Result<[String: OutboxCounts], OutboxError>) -> Void
  ) {
    ask(completion) { [clock] writer throws(SQLiteError) in try writer.counts(now: clock()) }
  }
}

// MARK: - What reads

extension SQLiteOutboxStore {
  /// Items of a page at the most, whatever is asked for.
  static let pageMax = 1_000

  package func notification(
    _ id: NotificationID, completion: @escaping @Sendable (Result<StoredNotification?, OutboxError>) -> Void
  ) {
    read(completion) { [clock] reader throws(SQLiteError) in try reader.notification(id, now: clock()) }
  }

  package func list(
    _ filter: NotificationFilter, limit: Int, cursor: NotificationCursor?,
    completion: @escaping @Sendable (Result<NotificationPage, OutboxError>) -> Void
  ) {
    read(completion) { [clock, log] reader throws(SQLiteError) in
      let limit = min(max(1, limit), Self.pageMax)
      let (page, damaged) = try reader.list(filter, limit: limit, cursor: cursor, now: clock())
      if let row = damaged.first {
        log.error(
          "queue holds notifications that cannot be read",
          ["count": .integer(damaged.count), "first_row": .integer(Int(row))])
      }
      return page
    }
  }

  package func idempotent(
    _ key: IdempotencyKey, fingerprint: [UInt8],
    completion: @escaping @Sendable (Result<EnqueueOutcome?, OutboxError>) -> Void
  ) {
    read(completion) { [self] reader throws(SQLiteError) in
      // In this order: what is gone from the writer's keys in between is found on disk.
      if pending.withLock({ $0.keys.contains(key) }) { return .inProgress }
      return try reader.idempotent(key, fingerprint: fingerprint, now: clock())
    }
  }

  package func feedback(
    after: Int64?, apps: [String]?, limit: Int,
    completion: @escaping @Sendable (Result<FeedbackPage, OutboxError>) -> Void
  ) {
    read(completion) { [log] reader throws(SQLiteError) in
      let limit = min(max(1, limit), Self.pageMax)
      let (page, damaged) = try reader.feedback(after: after, apps: apps, limit: limit)
      if let event = damaged.first {
        log.error(
          "queue holds feedback events that cannot be read",
          ["count": .integer(damaged.count), "first_event": .integer(Int(event))])
      }
      return page
    }
  }

  package func webhookCursor(completion: @escaping @Sendable (Result<Int64?, OutboxError>) -> Void) {
    read(completion) { reader throws(SQLiteError) in try reader.webhookCursor() }
  }

  private func read<Value: Sendable>(
    _ completion: @escaping @Sendable (Result<Value, OutboxError>) -> Void,
    _ body: @escaping @Sendable (SQLiteReader) throws(SQLiteError) -> Value
  ) {
    reading.async { [self] in
      guard !pending.withLock({ $0.isClosed }), let reader = reader.value else {
        return completion(.failure(.closed))
      }
      do throws(SQLiteError) {
        completion(.success(try body(reader)))
      } catch {
        note(error)
        completion(.failure(error.outboxError))
      }
    }
  }
}

/// A value that lives on one serial queue until it is cleared; keeps the file's lock for as long.
///
/// `@unchecked Sendable`: only the store's queue of that name touches `value` once the store is made.
final class Confined<Value>: @unchecked Sendable {
  private(set) var value: Value?
  private var file: SQLiteFile?

  init(_ value: Value, file: SQLiteFile) {
    self.value = value
    self.file = file
  }

  func clear() {
    value = nil
    file = nil
  }
}
