import Clock
import FCMMessage
import Telemetry
import TestSupport
import Testing

@testable import Outbox

/// Errors of the system that pass, and what they are not: damage.
@Suite(.serialized) struct FileFaultTests {
  private let folder: TemporaryFolder
  private let clock = TestClock()

  init() throws { folder = try TemporaryFolder() }

  private func open() throws -> SQLiteOutboxStore {
    let clock = clock
    return try SQLiteOutboxStore(path: folder.database, log: .silent, clock: { clock.now })
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

  @Test(arguments: 1...2) func opensAlthoughReadsFailAtFirst(_ count: Int) async throws {
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
      let survivor = try SQLiteOutboxStore(path: crashed, log: .silent, clock: { clock.now })
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
    }
    #expect(met > 0)
    #expect(try await open().counts() == [.queued: 300])
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
    #expect(!(error?.description.contains("move it away") ?? true))
    try await eventually { store.degradation == nil }
    #expect(try await store.list().notifications.count == 10)
    #expect(try await store.counts() == [.queued: 300])
    await store.close()
  }

  @Test func confirmsThatAFileIsDamagedBeforeItSaysSo() async throws {
    try await filled()
    let store = try open()
    let met = try await FileFaults.during(.garbledPages, count: .max) {
      _ = try await failure { _ = try await store.list() }
      try await eventually { store.degradation?.code == .corrupt }
    }
    #expect(met > 1)
    #expect(store.degradation?.description.contains("is damaged") ?? false)
    // Only an operator can tell what to keep, although it can be written.
    try await store.enqueue([notification()])
    #expect(store.degradation?.code == .corrupt)
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
