package import Clock
import Dispatch
package import JSON
import Synchronization
package import Telemetry

/// The durable queue in one SQLite database, for one process.
package typealias SQLiteOutboxStore = GroupCommitStore<SQLiteBackend>

extension GroupCommitStore where Backend == SQLiteBackend {
  /// Opens the queue, creates it if there is none, and migrates it to this version.
  ///
  /// Throws `corrupt` for a database that is damaged, newer, or of another program, and `unavailable` for one
  /// that cannot be opened, is in use by another process, or cannot guarantee durability.
  package convenience init(
    path: String, configuration: OutboxConfiguration = OutboxConfiguration(), log: Log,
    clock: @escaping @Sendable () -> Timestamp = { .now }
  ) throws(OutboxError) {
    let backend = try SQLiteBackend(path: path, configuration: configuration, log: log, clock: clock)
    self.init(backend: backend, configuration: configuration, log: log, clock: clock)
  }

  /// For tests of a full disk: the database cannot grow beyond `count` pages. Zero lifts the limit.
  package func limitPages(to count: Int) async {
    await withCheckedContinuation { continuation in
      ask(.claim, { _ in continuation.resume() }) { backend throws(BackendError) in
        try backend.limitPages(to: count)
      }
    }
  }
}

/// The transaction and the statements of the queue in SQLite.
///
/// A transaction commits with `synchronous=FULL`. A claim writes nothing: what is claimed is known in
/// memory, and after a crash everything that is not final is due again. A connection of its own moves the
/// write-ahead log into the database.
package final class SQLiteBackend: GroupCommitBackend {
  package typealias OwnWrite = SQLiteWrite

  package static var isCorruptionFinal: Bool { true }
  package static var isShared: Bool { false }

  let configuration: OutboxConfiguration
  let log: Log
  let clock: @Sendable () -> Timestamp
  let writer: Confined<SQLiteWriter>
  /// On the queues of look-ups and of lists.
  let lookups: Confined<SQLiteReader>
  let lists: Confined<SQLiteReader>
  let checkpointer: Confined<SQLiteConnection>
  let checkpointing = DispatchQueue(label: "dragoman.outbox.checkpoint", qos: .utility)
  let isCheckpointing = Atomic<Bool>(false)
  /// Unreadable deliveries whose quarantine failed and is tried again.
  let unquarantined = Mutex<[UnreadableDelivery]>([])
  package let loggedOutcomes = LoggedOutcomes()
  let volume: SQLiteVolume
  /// Whether the paths name other files than those that are open.
  let isDisplaced = Atomic<Bool>(false)
  /// Whether SQLite found damage that a check has not confirmed yet.
  let isSuspect = Atomic<Bool>(false)
  let inspecting = DispatchQueue(label: "dragoman.outbox.inspect", qos: .utility)
  let isInspecting = Atomic<Bool>(false)
  let file: SQLiteFile
  private var path: String { file.path }

  init(
    path: String, configuration: OutboxConfiguration, log: Log, clock: @escaping @Sendable () -> Timestamp
  ) throws(OutboxError) {
    self.configuration = configuration
    self.log = log
    self.clock = clock
    let file = try SQLiteFile(path: path)
    self.file = file
    try file.inspect()
    volume = SQLiteVolume(of: file.path)
    let parts: Parts
    do throws(OutboxError) {
      parts = try Self.open(file, configuration, outcomes: loggedOutcomes, now: clock)
    } catch {
      file.noteRefused()
      throw error
    }
    writer = Confined(parts.writer)
    lookups = Confined(parts.lookups)
    lists = Confined(parts.lists)
    checkpointer = Confined(parts.checkpointer)
    file.noteOpened()
    if volume.isShort { emptyLog() }
    volume.refresh()
    if file.isLogMissing {
      log.error(
        "queue's log is missing, and what it held is lost; restore it from a copy if there is one",
        ["path": .string(file.path + "-wal")])
    }
    if parts.correctedCount > 0 {
      log.warning(
        "queue: deliveries were written while the clock was ahead of what it is now; they wait no longer for it",
        ["count": .integer(parts.correctedCount)])
    }
    log.info("queue opened", ["path": .string(file.path), "waiting": .integer(parts.writer.depth)])
  }

  private struct Parts {
    let writer: SQLiteWriter
    let lookups: SQLiteReader
    let lists: SQLiteReader
    let checkpointer: SQLiteConnection
    /// How many due times were corrected.
    let correctedCount: Int
  }

  /// Opens the connections and reads what they keep in memory. A failure closes them before this returns.
  private static func open(
    _ file: SQLiteFile, _ configuration: OutboxConfiguration, outcomes: LoggedOutcomes,
    now: () -> Timestamp
  ) throws(OutboxError) -> Parts {
    let opened = try SQLiteSchema.outbox { () throws(SQLiteError) in
      (
        try SQLiteConnection(path: file.path, gathersWrites: true), try SQLiteConnection(path: file.path),
        try SQLiteConnection(path: file.path), try SQLiteConnection(path: file.path)
      )
    }
    try SQLiteSchema.prepare(opened.0, checkedBytesMax: configuration.checkedBytesMax)
    let corrected = try SQLiteSchema.outbox { () throws(SQLiteError) in
      try DueTimes.correct(opened.0, now: now())
    }
    try file.syncFolder()
    try SQLiteSchema.configure(opened.1, cacheKiB: 2_048)
    try SQLiteSchema.configure(opened.2, cacheKiB: 2_048)
    try SQLiteSchema.configure(opened.3, cacheKiB: 256)
    let claims = Claims()
    let tail = try SQLiteSchema.outbox { () throws(SQLiteError) in try SQLiteWriter.tail(of: opened.0) }
    return try SQLiteSchema.outbox { () throws(SQLiteError) in
      Parts(
        writer: try SQLiteWriter(
          connection: opened.0, configuration: configuration, claims: claims, tail: tail, outcomes: outcomes),
        lookups: try SQLiteReader(connection: opened.1, claims: claims, tail: tail),
        lists: try SQLiteReader(connection: opened.2, claims: claims, tail: tail),
        checkpointer: opened.3, correctedCount: corrected)
    }
  }

  package var logFields: Log.Fields { ["path": .string(path)] }

  package var isReachable: Bool { !isDisplaced.load(ordering: .acquiring) }

  package var recoveryDelayMilliseconds: Int { 1_000 }

  package func start(in store: Store) {
    store.noteShortage()
    store.writing.async { [self, weak store] in
      guard let store else { return }
      if writer.value?.recoveredCancellations.isEmpty == false { finishCancellations(in: store) }
      removeAbandoned(in: store)
    }
  }

  package func write(_ writes: [Write], in store: Store) throws(BackendError) -> GroupCommit {
    try verifyPlace(.unavailable)
    try verifyRoom()
    guard let writer = writer.value else { throw BackendError(.operation, .closed) }
    let commit: GroupCommit
    do throws(SQLiteError) {
      commit = try writer.write(writes)
    } catch {
      if error.isFull { makeRoom(in: store) }
      throw assess(error)
    }
    try verifyPlace(.outcomeUnknown)
    return commit
  }

  package func batchEnded(in store: Store) {
    quarantineUnreadable(in: store)
    checkpointIfLong(in: store)
  }

  package func recover(in store: Store) throws(BackendError) -> [String] {
    try verifyPlace(.unavailable)
    isDisplaced.store(false, ordering: .releasing)
    try verifyRoom()
    do throws(SQLiteError) {
      try confirmDamage()
      try writer.value?.probe()
    } catch {
      if error.isFull { makeRoom(in: store) }
      throw BackendError(.store, error.outboxError)
    }
    return []
  }

  /// Closes what readers use first, then checkpoints, so that the whole queue is in one file.
  package func close(in store: Store, completion: @escaping @Sendable () -> Void) {
    let users: [(DispatchQueue, @Sendable () -> Void)] = [
      (store.lookups.queue, lookups.clear), (store.lists.queue, lists.clear),
      (checkpointing, checkpointer.clear),
    ]
    let closing = DispatchGroup()
    for (queue, clear) in users { queue.async(group: closing, execute: clear) }
    closing.notify(queue: store.writing) { [self] in
      emptyLog()
      writer.clear()
      if isReachable { file.noteClosed() }
      file.unlock()
      completion()
    }
  }
}

// MARK: - Questions to the writer

extension SQLiteBackend {
  package func claim(_ claim: ClaimRequest, in store: Store) {
    store.ask(.claim, claim.completion) { [weak store] backend throws(BackendError) in
      let claimed = try backend.onWriter { writer throws(SQLiteError) in
        try writer.claim(app: claim.app, limit: claim.limit, normalMin: claim.normalMin, now: claim.now)
      }
      if let store { backend.endSuperseded(in: store) }
      return claimed
    }
  }

  package func nextDue(app: String) throws(BackendError) -> Timestamp? {
    try onWriter { writer throws(SQLiteError) in try writer.nextDue(app: app) }
  }

  package func counts(now: Timestamp) throws(BackendError) -> [ExactText: OutboxCounts] {
    try onWriter { writer throws(SQLiteError) in try writer.counts(now: now) }
  }

  package func appsDue(since moment: Timestamp) throws(BackendError) -> [String] {
    try onWriter { writer throws(SQLiteError) in try writer.appsDue(since: moment) }
  }

  func limitPages(to count: Int) throws(BackendError) {
    try onWriter { writer throws(SQLiteError) in try writer.limitPages(to: count) }
  }

  private func onWriter<Value>(
    _ body: (SQLiteWriter) throws(SQLiteError) -> Value
  ) throws(BackendError) -> Value {
    guard let writer = writer.value else { throw BackendError(.operation, .closed) }
    do throws(SQLiteError) { return try body(writer) } catch { throw assess(error) }
  }
}

// MARK: - Reads

extension SQLiteBackend {
  package func notification(
    _ id: NotificationID, now: Timestamp
  ) throws(BackendError) -> StoredNotification? {
    try read(lookups) { reader throws(SQLiteError) in try reader.notification(id, now: now) }
  }

  package func list(
    _ filter: NotificationFilter, limit: Int, cursor: NotificationCursor?, now: Timestamp
  ) throws(BackendError) -> NotificationPage {
    let (page, unreadable) = try read(lists) { reader throws(SQLiteError) in
      try reader.list(filter, limit: limit, cursor: cursor, now: now)
    }
    if let row = unreadable.first {
      log.error(
        "queue holds unreadable notifications; the list omits them",
        ["count": .integer(unreadable.count), "first_row": .integer(Int(row))])
    }
    return page
  }

  package func idempotent(
    _ key: IdempotencyKey, fingerprint: [UInt8], now: Timestamp
  ) throws(BackendError) -> EnqueueOutcome? {
    try read(lookups) { reader throws(SQLiteError) in
      try reader.idempotent(key, fingerprint: fingerprint, now: now)
    }
  }

  package func feedback(after: Int64?, apps: [String]?, limit: Int) throws(BackendError) -> FeedbackPage {
    let (page, unreadable) = try read(lists) { reader throws(SQLiteError) in
      try reader.feedback(after: after, apps: apps, limit: limit)
    }
    report(unreadableEvents: unreadable)
    return page
  }

  package func webhookEvents(after: Int64?, limit: Int) throws(BackendError) -> WebhookPage {
    let (page, unreadable) = try read(lists) { reader throws(SQLiteError) in
      try reader.webhook.page(after: after, limit: limit)
    }
    report(unreadableEvents: unreadable)
    return page
  }

  private func report(unreadableEvents events: [Int64]) {
    guard let first = events.first else { return }
    log.error(
      "queue holds unreadable feedback events; the page omits them",
      ["count": .integer(events.count), "first_event": .integer(Int(first))])
  }

  /// The one process that has the database always has the turn.
  package func awaitWebhookTurn(in store: Store, completion: @escaping @Sendable (OutboxError?) -> Void) {
    completion(nil)
  }

  package func endWebhook() {}

  package func webhookCursor() throws(BackendError) -> Int64? {
    try read(lookups) { reader throws(SQLiteError) in try reader.webhookCursor() }
  }

  private func read<Value>(
    _ reader: Confined<SQLiteReader>, _ body: (SQLiteReader) throws(SQLiteError) -> Value
  ) throws(BackendError) -> Value {
    guard let reader = reader.value else { throw BackendError(.operation, .closed) }
    do throws(SQLiteError) { return try body(reader) } catch { throw assess(error) }
  }
}

// MARK: - Errors

extension SQLiteBackend {
  /// The error with who is affected: an unreadable record does not degrade the store. What looks like damage
  /// is checked before anybody is told to move the database away.
  private func assess(_ error: SQLiteError) -> BackendError {
    guard error.isDamage else {
      return BackendError(
        error.isConstraint ? .call : error.isUnreadableRecord ? .operation : .store, error.outboxError)
    }
    isSuspect.store(true, ordering: .releasing)
    return BackendError(
      .store,
      OutboxError(
        code: .unavailable,
        description: "the queue's database was read as if it were damaged (\(error.message)), and is being "
          + "checked; nothing was kept"))
  }

  /// Checks the database after what looked like damage; throws if it is. The pages that were misread are
  /// forgotten.
  private func confirmDamage() throws(SQLiteError) {
    guard isSuspect.load(ordering: .acquiring) else { return }
    try SQLiteSchema.check(try SQLiteConnection(path: file.path))
    try writer.value?.forgetPages()
    isSuspect.store(false, ordering: .releasing)
    log.info("queue is not damaged: it was misread", ["path": .string(file.path)])
  }
}

/// A value that lives on one serial queue until it is cleared.
///
/// Guard: once the backend is made, only one of the store's serial queues uses the value.
final class Confined<Value>: @unchecked Sendable {
  private(set) var value: Value?

  init(_ value: Value) { self.value = value }

  func clear() { value = nil }
}
