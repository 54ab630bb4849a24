import Dispatch
import Foundation
import Synchronization
import Telemetry
import OutboxModel
import Testing

@testable import Outbox
@testable import SQL

/// What the SQLite store guarantees beyond the common rules.
@Suite struct SQLiteTests {
  private let folder: TemporaryFolder
  private let clock = TestClock()

  init() throws { folder = try TemporaryFolder() }

  private func open(
    _ path: String? = nil, configuration: OutboxConfiguration = OutboxConfiguration(), log: Log = .silent
  ) throws -> DurableOutboxStore {
    let clock = clock
    return try DurableOutboxStore(
      path: path ?? folder.database, configuration: configuration, log: log, clock: { clock.now })
  }

  /// The error with which opening fails.
  private func refusalToOpen(_ path: String? = nil) -> OutboxError? {
    #expect(throws: OutboxError.self) { _ = try open(path) }
  }

  @Test func findsUnfinishedDeliveriesAfterARestart() async throws {
    let store = try open()
    let given = [
      notification(priority: .high), notification(), notification(sendAt: start.plus(seconds: 60)),
      notification(), notification(),
    ]
    try await store.enqueue(given)
    let claimed = try await store.claim(limit: 3)
    try await store.settle(claimed[0].id, .sent(messageName: "n"))
    try await store.settle(claimed[1].id, .retry(at: start.plus(seconds: 30), error: refusal))
    let before = try await store.counts()
    #expect(before == [.sent: 1, .scheduled: 1, .queued: 2, .sending: 1])
    await store.close()

    let reopened = try open()
    #expect(try await reopened.counts() == [.sent: 1, .scheduled: 1, .queued: 3])
    #expect(try await reopened.claim().map(\.notification) == [given[3].id, given[4].id])
    #expect(try await reopened.nextDue() == start.plus(seconds: 30))
    let retried = try await reopened.claim(now: start.plus(seconds: 30))
    #expect(retried.map(\.notification) == [given[1].id])
    #expect(retried.map(\.attempts) == [1])
    #expect(retried.map(\.message) == [given[1].message])
    let scheduled = try await reopened.claim(now: start.plus(seconds: 60))
    #expect(scheduled.map(\.notification) == [given[2].id])
    try await reopened.enqueue([notification()])
    #expect(try await reopened.counts() == [.sent: 1, .queued: 1, .sending: 4])
  }

  @Test func acknowledgesOnlyWhatIsOnDisk() async throws {
    let store = try open()
    let given = (0..<50).map { _ in notification(count: 3) }
    for one in given { try await store.enqueue([one]) }
    let sent = try await store.claim(limit: 10)
    try await store.settle(
      sent.map { SettledDelivery($0.id, at: start, .sent(messageName: "n")) })
    let copy = try folder.crashed()
    let survivor = try open(copy)
    #expect(try await survivor.counts() == [.sent: 10, .queued: 140])
    for one in given { #expect(try await survivor.notification(one.id)?.deliveries.count == 3) }
    #expect(try await survivor.claim(limit: 1000).count == 140)
  }

  @Test func commitsWaitingWritesTogether() async throws {
    let store = try open()
    let before = store.commitCount
    let everybodyWaits = DispatchSemaphore(value: 0)
    let accepted = Atomic<Int>(0)
    await withCheckedContinuation { continuation in
      store.enqueue([notification()]) { _ in everybodyWaits.wait() }
      for number in 1...500 {
        store.enqueue([notification()]) { result in
          if case .success = result { accepted.add(1, ordering: .relaxed) }
          if number == 500 { continuation.resume() }
        }
      }
      everybodyWaits.signal()
    }
    #expect(accepted.load(ordering: .relaxed) == 500)
    #expect(store.commitCount - before <= 2)
    #expect(try await store.counts() == [.queued: 501])
  }

  @Test func refusesWritesThatExceedTheDisksPace() async throws {
    var configuration = OutboxConfiguration()
    configuration.pendingDeliveriesMax = 10
    let store = try open(configuration: configuration)
    // What it does at its start is pending, too.
    store.writing.sync {}
    let isAnswering = AsyncStream.makeStream(of: Void.self)
    let everybodyWaits = DispatchSemaphore(value: 0)
    store.enqueue([notification()]) { _ in
      isAnswering.continuation.yield()
      everybodyWaits.wait()
    }
    // From now on the writing thread is blocked, so that new writes wait.
    for await _ in isAnswering.stream.prefix(1) {}
    let results = await withCheckedContinuation { continuation in
      let results = Mutex<[OutboxError.Code?]>([])
      for _ in 0..<3 {
        store.enqueue([notification(count: 5)]) { result in
          let all = results.withLock { results in
            if case .failure(let error) = result { results.append(error.code) } else { results.append(nil) }
            return results
          }
          if all.count == 3 { continuation.resume(returning: all) }
        }
      }
      everybodyWaits.signal()
    }
    #expect(results.count { $0 == nil } == 2)
    #expect(results.count { $0 == .unavailable } == 1)
    #expect(try await store.counts() == [.queued: 11])
  }

  @Test(.timeLimit(.minutes(1))) func losesNothingToAFullDiskAndRecovers() async throws {
    let recovered = AsyncStream.makeStream(of: Void.self)
    let log = Log(sink: { line in
      if String(decoding: line, as: UTF8.self).contains("queue recovered") { recovered.continuation.yield() }
    })
    let store = try open(log: log)
    var kept = [notification(count: 50)]
    try await store.enqueue(kept)
    let claimed = try await store.claim(limit: 50)
    #expect(store.health.since == start)
    let failing = start.plus(seconds: 60)
    clock.now = failing
    await store.limitPages(to: 1)
    var refused: NewNotification?
    for _ in 0..<1_000 where refused == nil {
      let next = notification(count: 20)
      do {
        try await store.enqueue([next])
        kept.append(next)
      } catch let error as OutboxError {
        #expect(error.code == .unavailable)
        refused = next
      }
    }
    let lost = try #require(refused)
    #expect(store.degradation?.code == .unavailable)
    #expect(store.health.since == failing)
    #expect(try await store.notification(lost.id) == nil)
    let long = DeliveryError(
      code: "INTERNAL", httpStatus: 500, message: String(repeating: "x", count: 500), apnsReason: nil)
    let settlements = claimed.map { SettledDelivery($0.id, at: start, .failed(error: long)) }
    await #expect(throws: OutboxError.self) { try await store.settle(settlements) }
    #expect(try await store.counts()[.sending] == 50)

    let working = start.plus(seconds: 90)
    clock.now = working
    await store.limitPages(to: 0)
    // By itself, without a write.
    for await _ in recovered.stream.prefix(1) {}
    #expect(store.degradation == nil)
    #expect(store.health.since == working)
    clock.now = start.plus(seconds: 120)
    try await store.settle(settlements)
    try await store.enqueue([lost])
    #expect(store.degradation == nil)
    #expect(store.health.since == working)
    await store.close()
    let reopened = try open()
    #expect(try await reopened.counts() == [.failed: 50, .queued: 20 * kept.count])
    for one in kept { #expect(try await reopened.notification(one.id) != nil) }
  }

  @Test func rejectsAFileThatIsNotADatabase() throws {
    try Data("this is not a database, whatever its name may say".utf8)
      .write(to: URL(fileURLWithPath: folder.database))
    #expect(refusalToOpen()?.code == .corrupt)
  }

  @Test func refusesADamagedDatabase() async throws {
    let store = try open()
    try await store.enqueue((0..<200).map { _ in notification(count: 2) })
    await store.close()
    // A page in the middle, overwritten.
    let length = try Data(contentsOf: URL(fileURLWithPath: folder.database)).count
    try patch(at: length / 2 / 4096 * 4096, with: Array(repeating: 0xFF, count: 4096))
    let error = try #require(refusalToOpen())
    #expect(error.code == .corrupt)
    #expect(error.description.contains("damaged"))
  }

  @Test func refusesADatabaseOfANewerVersion() async throws {
    try await open().close()
    // user_version, SQLite's file format §1.3.
    try patch(at: 60, with: [0, 0, 0, 99])
    let error = try #require(refusalToOpen())
    #expect(error.code == .corrupt)
    #expect(error.description.contains("newer dragoman (schema 99"))
  }

  @Test func refusesADatabaseOfAnotherProgram() async throws {
    try await open().close()
    // application_id, SQLite's file format §1.3.
    try patch(at: 68, with: [1, 2, 3, 4])
    let error = try #require(refusalToOpen())
    #expect(error.code == .corrupt)
    #expect(error.description.contains("another program"))
  }

  @Test func refusesADatabaseFromBeforeTheFirstRelease() throws {
    do {
      let connection = try SQLiteConnection(path: folder.database)
      try connection.execute(
        """
        CREATE TABLE deliveries (row INTEGER PRIMARY KEY);
        PRAGMA application_id = \(0x4472_676D); PRAGMA user_version = 12
        """)
    }
    let error = try #require(refusalToOpen())
    #expect(error.code == .corrupt)
    #expect(
      error.description
        == "the queue's file is a database of another program, or of a dragoman before its first release: "
        + "name another file")
    // Nothing in it was changed.
    let tables = try SQLiteConnection(path: folder.database).integer("SELECT count(*) FROM sqlite_schema")
    #expect(tables == 1)
  }

  @Test(arguments: [true, false]) func reachesEachVersionOnce(_ isNew: Bool) async throws {
    if !isNew {
      let store = try open()
      try await store.enqueue([notification()])
      await store.close()
    }
    let migrations = [
      "ALTER TABLE dragoman_apps ADD COLUMN color BYTEA; UPDATE dragoman_apps SET color = 'red'"
    ]
    // The second time would fail: the column is there.
    for _ in 0..<2 {
      let connection = try SQLiteConnection(path: folder.database)
      try SQLiteSchema.prepare(connection, checkedBytesMax: 1 << 20, migrations: migrations)
      #expect(try connection.integer("PRAGMA user_version") == 2)
      #expect(
        try connection.integer("SELECT count(*) FROM dragoman_apps WHERE color = 'red'") == (isNew ? 0 : 1))
    }
    let error = try #require(refusalToOpen())
    #expect(error.code == .corrupt)
    #expect(
      error.description
        == "the queue was written by a newer dragoman (schema 2, this one knows 1): run that version, or "
        + "name another file")
  }

  @Test func keepsTheOldVersionIfAMigrationFails() async throws {
    await (try open()).close()
    let connection = try SQLiteConnection(path: folder.database)
    #expect(throws: DatabaseError.self) {
      try SQLiteSchema.prepare(
        connection, checkedBytesMax: 0,
        migrations: ["ALTER TABLE dragoman_apps ADD COLUMN color BYTEA; SELECT nothing"])
    }
    #expect(try connection.integer("SELECT count(*) FROM pragma_table_info('dragoman_apps')") == 2)
    try SQLiteSchema.prepare(
      connection, checkedBytesMax: 0, migrations: ["ALTER TABLE dragoman_apps ADD COLUMN color BYTEA"])
    #expect(try connection.integer("PRAGMA user_version") == 2)
  }

  @Test func refusesAQueueThatIsInUse() async throws {
    let store = try open()
    let link = folder.path + "/link.db"
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: folder.database)
    for path in [folder.database, link, folder.path + "/./queue.db"] {
      let error = try #require(refusalToOpen(path))
      #expect(error.code == .unavailable)
      #expect(error.description.contains("another process uses the queue"))
    }
    await store.close()
    let next = try open(link)
    #expect(try await next.counts() == [:])
  }

  @Test func releasesTheQueueThoughAChildHoldsTheLockToo() async throws {
    let store = try open()
    // As between fork and exec: the same open file under another descriptor.
    let lock = try #require(
      try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").first { descriptor in
        let file = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(descriptor)")
        return file == folder.database + "-lock"
      })
    let inherited = dup(try #require(Int32(lock)))
    defer { Glibc.close(inherited) }
    await store.close()
    let next = try open()
    #expect(try await next.counts() == [:])
  }

  @Test func refusesAFolderItCannotUse() throws {
    try Data().write(to: URL(fileURLWithPath: folder.path + "/file"))
    #expect(refusalToOpen(folder.path + "/file/queue.db")?.code == .unavailable)
    #expect(refusalToOpen(folder.path)?.code != nil)
  }

  @Test func createsItsFolderReadableOnlyByTheOwner() throws {
    let path = folder.path + "/data/deep/queue.db"
    let store = try open(path)
    for suffix in ["", "-wal", "-lock"] {
      let attributes = try FileManager.default.attributesOfItem(atPath: path + suffix)
      #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
    }
    #expect(store.degradation == nil)
  }

  private func patch(at offset: Int, with bytes: [UInt8]) throws {
    let file = try FileHandle(forUpdating: URL(fileURLWithPath: folder.database))
    try file.seek(toOffset: UInt64(offset))
    try file.write(contentsOf: Data(bytes))
    try file.close()
  }
}
