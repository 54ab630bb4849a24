internal import Clock
import Dispatch
import Synchronization
import Telemetry
import SQL

extension SQLiteDatabase {
  struct Opened {
    let engine: QueueEngine
    let lookups: SQLiteConnection
    let lists: SQLiteConnection
    let checkpoints: SQLiteCheckpoints
    let abandoned: [ClosedRange<Int64>]
  }

  /// Opens the connections and reads what they keep in memory. A failure closes them before this returns.
  static func open(
    _ file: SQLiteFile, _ volume: SQLiteVolume, _ configuration: OutboxConfiguration, _ memory: QueueMemory,
    log: Log, now: () -> Timestamp
  ) throws(OutboxError) -> Opened {
    do throws(DatabaseError) {
      return try SQLiteConnection.opening(file.path) { () throws(DatabaseError) in
        try openOnce(file, volume, configuration, memory, log: log, now: now())
      }
    } catch {
      switch error.kind {
      case .damage: throw .damaged(error.message, file.path)
      case .readOrWrite:
        throw OutboxError(
          code: .unavailable,
          description: "the queue \(file.path) cannot be read (\(error.message)); look at the disk; the file "
            + "itself may be whole")
      default: throw error.outboxError
      }
    }
  }

  private static func openOnce(
    _ file: SQLiteFile, _ volume: SQLiteVolume, _ configuration: OutboxConfiguration, _ memory: QueueMemory,
    log: Log, now: Timestamp
  ) throws(DatabaseError) -> Opened {
    let writer = try SQLiteConnection(path: file.path)
    try SQLiteSchema.prepare(writer, checkedBytesMax: configuration.checkedBytesMax)
    try handBack(writer, now: now)
    do throws(SQLiteFileError) { try file.syncFolder() } catch { throw .store(OutboxError(error)) }
    let driver = try SQLiteDriver(connection: writer, memory: memory, configuration: configuration)
    return Opened(
      engine: QueueEngine(driver: driver, memory: memory, configuration: configuration),
      lookups: try reading(file), lists: try reading(file),
      checkpoints: try SQLiteCheckpoints(
        file, volume, writer: writer, checkpointer: try connection(file, cacheKiB: 256),
        queue: DispatchQueue(label: "dragoman.outbox.checkpoint", qos: .utility),
        logBytes: min(configuration.logBytesMin, configuration.logBytesMax)...configuration.logBytesMax,
        report: { log.warning("queue checkpoint failed", ["reason": .string($0.message)]) }),
      abandoned: try abandoned(in: writer))
  }

  private static func connection(
    _ file: SQLiteFile, cacheKiB: Int
  ) throws(DatabaseError) -> SQLiteConnection {
    let connection = try SQLiteConnection(path: file.path)
    try SQLiteSchema.configure(connection, cacheKiB: cacheKiB)
    return connection
  }

  private static func reading(_ file: SQLiteFile) throws(DatabaseError) -> SQLiteConnection {
    let connection = try connection(file, cacheKiB: 2_048)
    try connection.execute("PRAGMA query_only = ON")
    return connection
  }

  /// Lists what an earlier process had accepted as claimed as waiting, and cancels what was to be cancelled
  /// when it would wait again.
  private static func handBack(_ connection: SQLiteConnection, now: Timestamp) throws(DatabaseError) {
    try connection.execute("BEGIN IMMEDIATE")
    do throws(DatabaseError) {
      let asked = try connection.run(
        "SELECT row, app, state FROM dragoman_deliveries WHERE cancel_asked = 1 AND state < 3")
      for row in asked.rows {
        try connection.run(
          """
          UPDATE dragoman_deliveries SET \(RowChecksum.settingState("6")), next_attempt_at = NULL, updated_at = $1,
            claimed_by = NULL, cancel_asked = 0
          WHERE row = $2
          """, [.time(now), .integer(row.integer(0))])
        for (state, delta) in [(row.integer(2), Int64(-1)), (6, 1)] {
          try connection.run(
            """
            INSERT INTO dragoman_counts (app, lease, state, deliveries) VALUES ($1, 0, $2, $3)
            ON CONFLICT DO UPDATE SET deliveries = deliveries + excluded.deliveries
            """, [.integer(row.integer(1)), .integer(state), .integer(delta)])
        }
      }
      try connection.run(
        """
        UPDATE dragoman_deliveries SET claimed_by = NULL
        WHERE row >= (SELECT value FROM dragoman_marks WHERE name = 'claimed_from') AND claimed_by IS NOT NULL
        """)
      try connection.run(
        """
        UPDATE dragoman_marks SET value = (SELECT (coalesce(max(row), 0) + 1) << \(RowLayout.deliveryBits)
          FROM dragoman_notifications) WHERE name = 'claimed_from'
        """)
      try connection.execute("COMMIT")
    } catch {
      if connection.isInTransaction { try? connection.execute("ROLLBACK") }
      throw error
    }
  }

  /// The rows of the enqueues in parts that were not completed.
  private static func abandoned(in connection: SQLiteConnection) throws(DatabaseError) -> [ClosedRange<Int64>]
  {
    let rows = try connection.run("SELECT first_row, last_row FROM dragoman_intakes ORDER BY first_row").rows
    return rows.compactMap { row in
      let (first, last) = (row.integer(0), row.integer(1))
      let all = RowLayout.notificationRows
      return all.contains(first) && all.contains(last) && first <= last ? first...last : nil
    }
  }
}

// MARK: - Damage

extension SQLiteDatabase {
  /// Notes that the database was read as if it were damaged, so that recovery checks it.
  func noteSuspicion(_ error: DatabaseError) {
    if error.kind == .damage { suspicion.withLock { $0 = $0 ?? error.message } }
  }

  /// Checks the database after what looked like damage; throws if it is. The pages that were misread are
  /// forgotten.
  func confirmDamage() throws(DatabaseError) {
    guard suspicion.withLock({ $0 }) != nil else { return }
    if let finding = try SQLiteConnection.damage(in: file.path) {
      throw .store(.damaged(finding, file.path))
    }
    try writer?.transactions.connection.execute("PRAGMA shrink_memory")
    suspicion.withLock { $0 = nil }
    log.info("queue is not damaged: it was misread", ["path": .string(file.path)])
  }
}

// MARK: - What was claimed ahead

extension SQLiteDatabase {
  func releaseUnusedLater(in store: DurableOutboxStore) {
    let interval = DispatchTimeInterval.milliseconds(configuration.prefetchMilliseconds)
    store.writing.asyncAfter(deadline: .now() + interval) { [weak self, weak store] in
      guard let self, let store, !store.isClosed else { return }
      store.releaseUnused()
      releaseUnusedLater(in: store)
    }
  }
}

extension DurableOutboxStore {
  /// Hands back what was claimed ahead and the sender has not taken, so that it waits like others.
  func releaseUnused() {
    let ready = database.memory.ready
    let unused = ready.takeUnused(since: .now - .milliseconds(configuration.prefetchMilliseconds))
    guard !unused.isEmpty else { return }
    let now = clock()
    settle(unused.map { .release($0.delivery, at: now) }, waitMilliseconds: 0) { result in
      if case .failure = result { ready.putBack(unused) }
    }
  }
}
