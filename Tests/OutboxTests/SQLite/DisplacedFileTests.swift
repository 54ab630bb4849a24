import Foundation
import Synchronization
import Telemetry
import Testing

@testable import Outbox
@testable import SQL

/// What becomes of a queue whose files are moved, replaced or removed while it is open.
struct DisplacedFileTests {
  private let folder: TemporaryFolder
  private let clock = TestClock()

  init() throws { folder = try TemporaryFolder() }

  private func open(log: Log = .silent) throws -> DurableOutboxStore {
    let clock = clock
    var configuration = OutboxConfiguration()
    configuration.inspectionIntervalMilliseconds = 10
    return try DurableOutboxStore(
      path: folder.database, configuration: configuration, log: log, clock: { clock.now })
  }

  private func move(_ name: String, to other: String) throws {
    try FileManager.default.moveItem(atPath: folder.path + "/" + name, toPath: folder.path + "/" + other)
  }

  @Test(arguments: ["queue.db", "queue.db-wal"])
  func acceptsNothingWhileAFileIsMovedAway(_ name: String) async throws {
    let store = try open()
    try await store.enqueue([notification()])
    try move(name, to: "elsewhere")
    await #expect(throws: OutboxError.self) { try await store.enqueue([notification()]) }
    try await eventually { store.degradation != nil }
    #expect(store.degradation?.description.contains("removed, moved or replaced") == true)
    try move("elsewhere", to: name)
    try await eventually { store.degradation == nil }
    try await store.enqueue([notification()])
    #expect(try await store.counts() == [.queued: 2])
    await store.close()
    let again = try open()
    #expect(try await again.counts() == [.queued: 2])
    await again.close()
  }

  /// An outcome that was waiting when the file was moved is written as soon as the file is back.
  @Test func isNotTakenForRecoveredByAnEarlierWrite() async throws {
    let clock = clock
    var configuration = OutboxConfiguration()
    configuration.gatheringMilliseconds = 3_600_000
    let store = try DurableOutboxStore(
      path: folder.database, configuration: configuration, log: .silent, clock: { clock.now })
    try await store.enqueue([notification()])
    let claimed = try await store.claim().map { Settlement.sent($0, at: start, messageName: "n") }
    let settled = Mutex<Result<[DeliveryID], OutboxError>?>(nil)
    store.settle(claimed, waitMilliseconds: 3_600_000) { result in settled.withLock { $0 = result } }
    try move("queue.db", to: "elsewhere")
    await #expect(throws: OutboxError.self) { try await store.enqueue([notification()]) }
    try move("elsewhere", to: "queue.db")
    store.settleNow()
    try await eventually { settled.withLock { $0 != nil } }
    try await eventually { store.degradation == nil }
    try await store.enqueue([notification()])
    #expect(try await store.counts() == [.sent: 1, .queued: 1])
    await store.close()
  }

  @Test func noticesAReplacedFileWithoutTraffic() async throws {
    let store = try open()
    try await store.enqueue([notification()])
    try move("queue.db", to: "elsewhere")
    try FileManager.default.copyItem(atPath: folder.path + "/elsewhere", toPath: folder.database)
    try await eventually { store.degradation != nil }
    await store.close()
  }

  /// A store that has rested since its last write, and does so for an hour unless something happens.
  private func resting() async throws -> DurableOutboxStore {
    let clock = clock
    var configuration = OutboxConfiguration()
    configuration.inspectionIntervalMilliseconds = 10
    configuration.restingIntervalMilliseconds = 3_600_000
    let store = try DurableOutboxStore(
      path: folder.database, configuration: configuration, log: .silent, clock: { clock.now })
    try await store.enqueue([notification()])
    try await eventually { store.watch.withLock { $0.isResting } }
    return store
  }

  @Test func aRestingQueueIsInspectedWhenItsHealthIsAsked() async throws {
    let store = try await resting()
    try move("queue.db", to: "elsewhere")
    try await eventually { store.health.degradation != nil }
    try move("elsewhere", to: "queue.db")
    try await eventually { store.health.degradation == nil }
    await store.close()
  }

  @Test func aWriteEndsTheRestOfAQueue() async throws {
    let store = try await resting()
    let round = store.watch.withLock { $0.round }
    try await store.enqueue([notification()])
    try await eventually { store.watch.withLock { $0.round } > round + 1 }
    try await eventually { store.watch.withLock { $0.isResting } }
    await store.close()
  }

  @Test func reportsAMissingLogAtStart() async throws {
    let store = try open()
    try await store.enqueue([notification()])
    // As after a crash: another folder with the files as they are, but for the log.
    let copy = try TemporaryFolder()
    for suffix in ["", "-lock"] {
      try FileManager.default.copyItem(atPath: folder.database + suffix, toPath: copy.database + suffix)
    }
    let lines = Mutex<[String]>([])
    let log = Log(sink: { line in lines.withLock { $0.append(String(decoding: line, as: UTF8.self)) } })
    let survivor = try? DurableOutboxStore(path: copy.database, log: log)
    log.flush()
    #expect(lines.withLock { $0 }.contains { $0.contains("queue's log is missing") })
    await survivor?.close()
    await store.close()
  }

  @Test func saysNothingOfALogThatWasClosedInOrder() async throws {
    await (try open()).close()
    let lines = Mutex<[String]>([])
    let log = Log(sink: { line in lines.withLock { $0.append(String(decoding: line, as: UTF8.self)) } })
    let store = try open(log: log)
    log.flush()
    #expect(!lines.withLock { $0 }.contains { $0.contains("missing") })
    await store.close()
  }

  /// As after a crash, a start of an older version, and one of this version.
  @Test func saysNothingOfALogThatARefusedStartHasMovedIntoTheDatabase() async throws {
    let store = try open()
    try await store.enqueue([notification()])
    let other = try SQLiteConnection(path: folder.database)
    let version = try #require(try other.integer("PRAGMA user_version"))
    try other.execute("PRAGMA user_version = \(version + 1)")
    let copy = try TemporaryFolder()
    for suffix in ["", "-wal", "-lock"] {
      try FileManager.default.copyItem(atPath: folder.database + suffix, toPath: copy.database + suffix)
    }
    await store.close()
    #expect(throws: OutboxError.self) { _ = try DurableOutboxStore(path: copy.database, log: .silent) }
    #expect(!FileManager.default.fileExists(atPath: copy.database + "-wal"))
    try SQLiteConnection(path: copy.database).execute("PRAGMA user_version = \(version)")
    let lines = Mutex<[String]>([])
    let log = Log(sink: { line in lines.withLock { $0.append(String(decoding: line, as: UTF8.self)) } })
    let survivor = try DurableOutboxStore(path: copy.database, log: log)
    log.flush()
    #expect(!lines.withLock { $0 }.contains { $0.contains("missing") })
    #expect(try await survivor.counts() == [.queued: 1])
    await survivor.close()
  }

  /// What else may write to the folder could have the gateway write to any file of its user.
  @Test(arguments: ["-lock", ""]) func linksAreNotFollowed(_ suffix: String) throws {
    let elsewhere = try TemporaryFolder()
    #expect(symlink(elsewhere.path + "/victim", folder.path + "/link\(suffix)") == 0)
    if suffix.isEmpty {
      // The queue's own name may be a link to a file: then that is the queue.
      #expect(FileManager.default.createFile(atPath: elsewhere.path + "/victim", contents: nil))
      #expect(try SQLiteFile(path: folder.path + "/link").path == elsewhere.path + "/victim")
      #expect(throws: DatabaseError.self) { try SQLiteConnection(path: folder.path + "/link") }
    } else {
      let error = #expect(throws: SQLiteFileError.self) { try SQLiteFile(path: folder.path + "/link") }
      guard case .system(_, let reason)? = error?.code else { return #expect(Bool(false)) }
      #expect(reason == "it is a symbolic link")
      #expect(!FileManager.default.fileExists(atPath: elsewhere.path + "/victim"))
    }
  }

  /// The writes between two ticks of the clock share a time, unless somebody has looked at it (Linux 6.13 and
  /// later). Each new time is one more thing that a commit has to bring to the disk.
  @Test func aLookAtTheFilesDoesNotGiveTheNextWriteATimeOfItsOwn() throws {
    let file = try SQLiteFile(path: folder.database)
    let log = try #require(fopen(folder.database + "-wal", "w"))
    defer { fclose(log) }
    file.noteOpened()
    var time = stat()
    // What others write to files at that moment can have the same effect.
    let isShared = (0..<200).contains { _ in
      let tick = nextTick()
      putc(1, log)
      fflush(log)
      guard file.isInPlace else { return false }
      putc(1, log)
      fflush(log)
      guard fstat(fileno(log), &time) == 0 else { return false }
      return time.st_mtim.tv_sec == tick.tv_sec && time.st_mtim.tv_nsec == tick.tv_nsec
    }
    #expect(isShared)
  }

  private func nextTick() -> timespec {
    var before = timespec()
    var now = timespec()
    clock_gettime(CLOCK_REALTIME_COARSE, &before)
    repeat { clock_gettime(CLOCK_REALTIME_COARSE, &now) } while now.tv_nsec == before.tv_nsec
    return now
  }
}
