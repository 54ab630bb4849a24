import Clock
import FCMMessage
import Foundation
import Telemetry
import TestSupport
import Testing

@testable import Outbox
@testable import SQL

/// Errors of the system that pass, and what they are not: damage.
@Suite(.serialized) struct FileFaultTests {
  private let folder: TemporaryFolder
  private let clock = TestClock()

  init() throws { folder = try TemporaryFolder() }

  private func open(checkedBytesMax: Int = 1 << 26) throws -> DurableOutboxStore {
    let clock = clock
    var configuration = OutboxConfiguration()
    configuration.checkedBytesMax = checkedBytesMax
    return try DurableOutboxStore(
      path: folder.database, configuration: configuration, log: .silent, clock: { clock.now })
  }

  private func filled() async throws {
    let store = try open()
    try await store.enqueue((0..<100).map { _ in notification(count: 3) })
    await store.close()
  }

  private func failure(_ call: () async throws -> Void) async throws -> OutboxError? {
    do { try await call() } catch let error as OutboxError { return error }
    return nil
  }

  @Test(arguments: 1...4) func opensAlthoughReadsFailAtFirst(_ count: Int) async throws {
    try await filled()
    let met = try await FileFaults.during(.failingReads, count: count) {
      let store = try open()
      #expect(try await store.counts() == [.queued: 300])
      await store.close()
    }
    #expect(met == count)
  }

  /// SQLite calls it damage when it cannot read the log that it recovers.
  @Test(arguments: 0..<8) func recoversTheLogAlthoughAReadFails(_ place: Int) async throws {
    let store = try open()
    try await store.enqueue([notification(count: 3)])
    let crashed = try folder.crashed()
    await store.close()
    let clock = clock
    let met = try await FileFaults.during(.failingReads, after: place, count: 1) {
      let survivor = try DurableOutboxStore(path: crashed, log: .silent, clock: { clock.now })
      #expect(try await survivor.counts() == [.queued: 3])
      await survivor.close()
    }
    #expect(met == 1)
  }

  @Test func callsAnUnreadableFileUnreadable() async throws {
    try await filled()
    let met = await FileFaults.during(.failingReads, count: .max) {
      let error = #expect(throws: OutboxError.self) { _ = try open() }
      #expect(error?.code == .unavailable)
      #expect(error?.description.contains("Input/output error") ?? false)
      #expect(!(error?.description.contains("damaged") ?? true))
    }
    #expect(met > 0)
    #expect(try await open().counts() == [.queued: 300])
  }

  /// SQLite calls most of these errors damage.
  @Test func callsNothingDamagedWhileSomeReadsFail() async throws {
    let store = try open()
    for _ in 0..<50 { try await store.enqueue([notification()]) }
    let crashed = try folder.crashed()
    let clock = clock
    var opening: OutboxError?
    let met = try await FileFaults.during(.someFailingReads, count: .max) {
      opening = #expect(throws: OutboxError.self) {
        _ = try DurableOutboxStore(path: crashed, log: .silent, clock: { clock.now })
      }
      for _ in 0..<100 {
        _ = try await failure { _ = try await store.list() }
        #expect(store.degradation?.code != .corrupt)
      }
    }
    #expect(met > 100)
    #expect(opening?.code == .unavailable)
    #expect(!(opening?.description.contains("salvage") ?? true))
    try await eventually { store.degradation == nil }
    #expect(try await store.counts() == [.queued: 50])
    await store.close()
  }

  @Test(arguments: [FileFaults.Fault.failingReads, .garbledPages])
  func recoversFromAReadThatFails(_ fault: FileFaults.Fault) async throws {
    try await filled()
    let store = try open()
    var error: OutboxError?
    let met = try await FileFaults.during(fault, count: 1) {
      error = try await failure { _ = try await store.list() }
    }
    #expect(met == 1)
    #expect(error?.code == .unavailable)
    #expect(!(error?.description.contains("salvage") ?? true))
    try await eventually { store.degradation == nil }
    #expect(try await store.list().notifications.count == 10)
    #expect(try await store.counts() == [.queued: 300])
    await store.close()
  }

  @Test func confirmsThatAFileIsDamagedBeforeItSaysSo() async throws {
    try await filled()
    let store = try open()
    let met = try await FileFaults.during(.garbledPages, count: .max) {
      let error = try await failure { _ = try await store.list() }
      #expect(error?.code == .unavailable)
      try await eventually { store.degradation?.code == .corrupt }
      #expect(store.degradation?.description.contains("is damaged") ?? false)
    }
    #expect(met > 1)
    // It goes on checking: what was found may have been the disk's fault, and pass.
    try await eventually { store.degradation == nil }
    #expect(try await store.list().notifications.count == 10)
    try await store.enqueue([notification()])
    #expect(try await store.counts() == [.queued: 301])
    await store.close()
  }

  /// That another page can be written says nothing about the one that was read as damaged.
  @Test func isDamagedAlthoughItCanBeWritten() async throws {
    try await filled()
    try overwritePage(of: "dragoman_feedback")
    let store = try open(checkedBytesMax: 0)
    #expect(try await failure { _ = try await store.feedback() }?.code == .unavailable)
    for _ in 0..<3 {
      try await store.enqueue([notification()])
      #expect(store.degradation != nil)
    }
    try await eventually { store.degradation?.code == .corrupt }
    try await store.enqueue([notification()])
    #expect(store.degradation?.code == .corrupt)
    await store.close()
  }

  /// Overwrites the first page of a table.
  private func overwritePage(of table: String) throws {
    let connection = try SQLiteConnection(path: folder.database)
    let page = try #require(
      try connection.integer("SELECT rootpage FROM sqlite_schema WHERE name = '\(table)'"))
    let bytes = try #require(try connection.integer("PRAGMA page_size"))
    let file = try FileHandle(forUpdating: URL(filePath: folder.database))
    try file.seek(toOffset: UInt64((page - 1) * bytes))
    try file.write(contentsOf: Data(repeating: 0xFF, count: Int(bytes)))
    try file.close()
  }

  @Test func callsUnknownWhatACrashMayBringBack() async throws {
    let store = try open()
    try await store.enqueue([notification()])
    var error: OutboxError?
    let met = try await FileFaults.during(.failingWrites, count: .max) {
      error = try await failure { _ = try await store.enqueue([notification()], record("a")) }
    }
    #expect(met > 0)
    #expect(error?.code == .outcomeUnknown)
    try await eventually { store.degradation == nil }
    #expect(try await store.enqueue([notification()], record("a")) == .accepted)
    #expect(try await store.counts() == [.queued: 2])
    await store.close()
  }

  /// Nor is there space to overwrite the log, as there is when a smaller write still fits.
  @Test func keepsNothingOfACommitThatMeetsAFullDisk() async throws {
    let store = try open()
    try await store.enqueue([notification()])
    var error: OutboxError?
    let met = try await FileFaults.during(.fullDisk, count: .max) {
      error = try await failure { _ = try await store.enqueue([notification()]) }
    }
    #expect(met > 1)
    #expect(error?.code == .unavailable)
    try await eventually { store.degradation == nil }
    #expect(try await store.counts() == [.queued: 1])
    await store.close()
  }
}
