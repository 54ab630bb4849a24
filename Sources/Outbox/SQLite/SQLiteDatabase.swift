package import Clock
import Dispatch
import JSON
import SendingLimits
import Synchronization
package import Telemetry
import SQL

extension DurableOutboxStore {
  /// Opens the queue in a SQLite database, for one process, and creates it if there is none.
  ///
  /// Throws `corrupt` for a database that is damaged, newer, or of another program, and `unavailable` for one
  /// that cannot be opened or read, is in use by another process, or cannot guarantee durability.
  package convenience init(
    path: String, configuration: OutboxConfiguration = OutboxConfiguration(), log: Log,
    clock: @escaping @Sendable () -> Timestamp = { .now }
  ) throws(OutboxError) {
    let database = try SQLiteDatabase(path: path, configuration: configuration, log: log, clock: clock)
    self.init(database: database, configuration: configuration, log: log, clock: clock)
  }

  /// For tests of a full disk: the database cannot grow beyond `count` pages. Zero lifts the limit.
  package func limitPages(to count: Int) async {
    await withCheckedContinuation { continuation in
      ask(.claim, { (_: Result<Void, OutboxError>) in continuation.resume() }) {
        engine throws(DatabaseError) in
        try engine.driver.run("PRAGMA max_page_count = \(count == 0 ? 4_294_967_294 : count)")
      }
    }
  }
}

/// The queue in one SQLite database: its connections, its files, and how it recovers.
///
/// A transaction commits with `synchronous=FULL`. A connection of its own moves the write-ahead log into the
/// database.
final class SQLiteDatabase: QueueDatabase {
  let configuration: OutboxConfiguration
  let log: Log
  let clock: @Sendable () -> Timestamp
  let memory: QueueMemory
  let file: SQLiteFile
  let volume: SQLiteVolume
  /// On the writing queue.
  let engine: Confined<QueueEngine>
  let checkpoints: SQLiteCheckpoints
  /// On the queues of look-ups and of lists.
  let lookups: Confined<SQLiteConnection>
  let lists: Confined<SQLiteConnection>
  let inspecting = DispatchQueue(label: "dragoman.outbox.inspect", qos: .utility)
  let isInspecting = Atomic<Bool>(false)
  /// Whether the paths name other files than those that are open.
  let isDisplaced = Atomic<Bool>(false)
  /// What SQLite found as damage and a check has not confirmed yet.
  let suspicion = Mutex<String?>(nil)
  /// What incomplete enqueues have left, to be removed.
  let abandoned: Mutex<[ClosedRange<Int64>]>

  init(
    path: String, configuration: OutboxConfiguration, log: Log, clock: @escaping @Sendable () -> Timestamp
  ) throws(OutboxError) {
    self.configuration = configuration
    self.log = log
    self.clock = clock
    memory = QueueMemory(
      ready: ReadyDeliveries(appMax: configuration.readyMax, totalMax: configuration.readyTotalMax))
    do throws(SQLiteFileError) {
      file = try SQLiteFile(path: path)
      try file.inspect(pageBytes: SQLiteSchema.pageBytes)
    } catch {
      throw OutboxError(error)
    }
    volume = SQLiteVolume(of: file.path)
    let opened: Opened
    do throws(OutboxError) {
      opened = try Self.open(file, volume, configuration, memory, log: log, now: clock)
    } catch {
      file.noteRefused()
      throw error
    }
    engine = Confined(opened.engine)
    checkpoints = opened.checkpoints
    lookups = Confined(opened.lookups)
    lists = Confined(opened.lists)
    abandoned = Mutex(opened.abandoned)
    file.noteOpened()
    if volume.isShort { checkpoints.emptyLog() }
    volume.refresh()
    if file.isLogMissing {
      log.error(
        "queue's log is missing, and what it held is lost; restore it from a copy if there is one",
        ["path": .string(file.path + "-wal")])
    }
    log.info(
      "queue opened", ["path": .string(file.path), "waiting": .integer(writer?.depth() ?? 0)])
  }

  var writer: SQLiteDriver? { engine.value?.driver as? SQLiteDriver }

  var isShared: Bool { false }
  var logFields: Log.Fields { ["path": .string(file.path)] }
  var isReachable: Bool { !isDisplaced.load(ordering: .acquiring) }
  var clockSkewMilliseconds: Int64? { nil }
  var gatewayCount: Int { 1 }
  var lostLeaseCount: Int { 0 }
  var sharedLimits: (any SharedLimits)? { nil }
  var recoveryDelayMilliseconds: Int { 1_000 }

  func holds(_ delivery: ClaimedDelivery) -> Bool { true }

  func start(in store: DurableOutboxStore) {
    store.noteShortage()
    releaseUnusedLater(in: store)
    store.writing.async { [self, weak store] in if let store { removeAbandoned(in: store) } }
  }

  func maintain(in store: DurableOutboxStore) { removeAbandoned(in: store) }

  func write(
    _ writes: [QueueWrite], claimLimits: [ExactText: Int], in store: DurableOutboxStore
  ) throws(QueueWriteError) -> GroupCommit {
    do throws(DatabaseError) {
      try verifyPlace(.unavailable)
      try verifyRoom()
    } catch {
      throw QueueWriteError(underlying: error)
    }
    guard let engine = engine.value else { throw QueueWriteError(underlying: .operation(.closed)) }
    var commit: GroupCommit
    do throws(QueueWriteError) {
      commit = try engine.write(writes, claimLimits: claimLimits)
    } catch {
      if error.underlying.kind == .full { makeRoom(in: store) }
      noteSuspicion(error.underlying)
      throw error
    }
    do throws(DatabaseError) { try verifyPlace(.outcomeUnknown) } catch {
      throw QueueWriteError(underlying: error)
    }
    // That other pages can be written says nothing about those that were read as damaged.
    if suspicion.withLock({ $0 }) != nil { commit.isWritten = false }
    return commit
  }

  func batchEnded(in store: DurableOutboxStore) { checkpoints.moveIfLong(from: store.writing) }

  func recover(in store: DurableOutboxStore) throws(DatabaseError) -> [String] {
    try verifyPlace(.unavailable)
    isDisplaced.store(false, ordering: .releasing)
    try verifyRoom()
    do throws(DatabaseError) {
      try confirmDamage()
      try writer?.transactions.probe()
    } catch {
      if error.kind == .full { makeRoom(in: store) }
      throw error
    }
    return []
  }

  func ask<Value>(_ body: (QueueEngine) throws(DatabaseError) -> Value) throws(DatabaseError) -> Value {
    guard let engine = engine.value else { throw .operation(.closed) }
    do throws(DatabaseError) {
      return try body(engine)
    } catch {
      noteSuspicion(error)
      throw error
    }
  }

  func read<Value>(
    _ lane: ReadingLane, _ body: (QueueReader) throws(DatabaseError) -> Value
  ) throws(DatabaseError) -> Value {
    guard let connection = (lane == .lookup ? lookups : lists).value else { throw .operation(.closed) }
    do throws(DatabaseError) {
      return try body(QueueReader(connection: connection, claims: memory.claims))
    } catch {
      noteSuspicion(error)
      throw error
    }
  }

  /// The one process that has the database always has the turn.
  func awaitWebhookTurn(in store: DurableOutboxStore, completion: @escaping @Sendable (OutboxError?) -> Void)
  {
    completion(nil)
  }

  func endWebhook() {}

  /// Closes what readers use first, then checkpoints, so that the whole queue is in one file.
  func close(in store: DurableOutboxStore, completion: @escaping @Sendable () -> Void) {
    memory.ready.clear()
    let closing = DispatchGroup()
    store.lookups.queue.async(group: closing, execute: lookups.clear)
    store.lists.queue.async(group: closing, execute: lists.clear)
    checkpoints.close(in: closing)
    closing.notify(queue: store.writing) { [self] in
      checkpoints.end()
      engine.clear()
      if isReachable { file.noteClosed() }
      file.unlock()
      completion()
    }
  }
}

/// A value that lives on one serial queue until it is cleared.
///
/// Guard: once the database is opened, only one of the store's serial queues uses the value.
final class Confined<Value>: @unchecked Sendable {
  private(set) var value: Value?

  init(_ value: Value) { self.value = value }

  func clear() { value = nil }
}
