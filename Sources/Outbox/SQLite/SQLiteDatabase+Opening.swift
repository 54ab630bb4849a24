internal import Clock
import Dispatch
import Glibc
import Synchronization
import Telemetry
import SQL

extension SQLiteDatabase {
  struct Opened {
    let connections: Connections
    let lookups: SQLiteConnection
    let lists: SQLiteConnection
    let checkpointer: SQLiteConnection
    let abandoned: [ClosedRange<Int64>]
  }

  /// How often opening the database is tried before an error of reading or writing ends it, and the first
  /// pause between; each is longer than the one before, and all are 4.2 s.
  private static let triesMax = 7
  private static let pauseMicroseconds: UInt32 = 200_000

  /// Opens the connections and reads what they keep in memory. A failure closes them before this returns.
  ///
  /// What fails to be read or written is tried again: one such error says nothing about the next. So is what
  /// looks like damage, because SQLite often calls it damage when a read fails; it is damage if it is found
  /// again in the same place while the files can be read without an error.
  static func open(
    _ file: SQLiteFile, _ configuration: OutboxConfiguration, _ memory: QueueMemory, now: () -> Timestamp
  ) throws(OutboxError) -> Opened {
    var tries = 1
    var finding: String?
    while true {
      do throws(DatabaseError) {
        return try openOnce(file, configuration, memory, now: now())
      } catch {
        let isCertain = error.kind == .damage && readsWithoutError(file)
        if isCertain, error.message == finding { throw .damaged(error.message, file.path) }
        guard error.kind == .readOrWrite || error.kind == .sync || error.kind == .damage else {
          throw error.outboxError
        }
        guard tries < triesMax else {
          let code = error.code.map { ", \($0)" } ?? ""
          let reason = error.kind == .damage && !isCertain ? "some reads fail" : "\(error.message)\(code)"
          throw OutboxError(
            code: .unavailable,
            description:
              "the queue \(file.path) cannot be read (\(reason)); look at the disk; the file itself may be whole"
          )
        }
        finding = isCertain ? error.message : nil
        usleep(pauseMicroseconds * UInt32(tries))
        tries += 1
      }
    }
  }

  private static func openOnce(
    _ file: SQLiteFile, _ configuration: OutboxConfiguration, _ memory: QueueMemory, now: Timestamp
  ) throws(DatabaseError) -> Opened {
    let writer = try SQLiteConnection(path: file.path)
    try SQLiteSchema.prepare(writer, checkedBytesMax: configuration.checkedBytesMax)
    try handBack(writer, now: now)
    do throws(OutboxError) { try file.syncFolder() } catch { throw .store(error) }
    let driver = try SQLiteDriver(connection: writer, memory: memory, configuration: configuration)
    return Opened(
      connections: Connections(
        writer: driver, engine: QueueEngine(driver: driver, memory: memory, configuration: configuration)),
      lookups: try reading(file, cacheKiB: 2_048), lists: try reading(file, cacheKiB: 2_048),
      checkpointer: try connection(file, cacheKiB: 256), abandoned: try abandoned(in: writer))
  }

  private static func connection(
    _ file: SQLiteFile, cacheKiB: Int
  ) throws(DatabaseError) -> SQLiteConnection {
    let connection = try SQLiteConnection(path: file.path)
    try SQLiteSchema.configure(connection, cacheKiB: cacheKiB)
    return connection
  }

  private static func reading(_ file: SQLiteFile, cacheKiB: Int) throws(DatabaseError) -> SQLiteConnection {
    let connection = try connection(file, cacheKiB: cacheKiB)
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

  private static func readsWithoutError(_ file: SQLiteFile) -> Bool {
    (try? SQLiteConnection(path: file.path))?.readsWithoutError() ?? false
  }

  /// Checks the database after what looked like damage; throws if it is. The pages that were misread are
  /// forgotten. Damage is a finding that is repeated in the same place without an error of reading.
  func confirmDamage() throws(DatabaseError) {
    guard suspicion.withLock({ $0 }) != nil else { return }
    var findings: Set<String> = []
    for _ in 0..<2 {
      do throws(DatabaseError) {
        try SQLiteSchema.check(try SQLiteConnection(path: file.path))
        try connections.value?.writer.connection.execute("PRAGMA shrink_memory")
        suspicion.withLock { $0 = nil }
        log.info("queue is not damaged: it was misread", ["path": .string(file.path)])
        return
      } catch {
        guard error.kind == .damage else { throw error }
        guard Self.readsWithoutError(file) else {
          throw DatabaseError(.readOrWrite, message: "the queue's pages cannot be read")
        }
        findings.insert(error.message)
      }
    }
    guard findings.count == 1, let finding = findings.first else {
      throw DatabaseError(.readOrWrite, message: "each check of the queue's pages finds something else")
    }
    throw .store(.damaged(finding, file.path))
  }
}

extension OutboxError {
  /// The error for a database whose damage was found twice in the same place.
  static func damaged(_ finding: String, _ path: String) -> OutboxError {
    OutboxError(
      code: .corrupt,
      description:
        "the queue's database \(path) is damaged (\(finding)): `dragoman queue salvage` writes a new queue "
        + "with everything that can be verified")
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
