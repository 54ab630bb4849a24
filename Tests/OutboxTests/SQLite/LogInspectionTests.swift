import Foundation
import Telemetry
import Testing

@testable import Outbox
@testable import SQL

/// A write-ahead log that was damaged is distinguished from one that a crash has torn.
struct LogInspectionTests {
  /// A log of ten transactions, and a name for a copy of it with its database.
  private func log() async throws -> (path: String, bytes: [UInt8], folder: TemporaryFolder) {
    let fixture = try Fixture(.sqlite)
    let folder = try #require(fixture.folder)
    for _ in 1...10 { try await fixture.store.enqueue([notification(count: 3)]) }
    let path = try folder.crashed()
    await fixture.store.close()
    return (path, [UInt8](try Data(contentsOf: URL(filePath: path + "-wal"))), folder)
  }

  private func damage(_ bytes: [UInt8], _ path: String) throws -> Int? {
    try Data(bytes).write(to: URL(filePath: path + "-wal"))
    return LogInspection.damage(inLogOf: path, pageBytes: SQLiteSchema.pageBytes)
  }

  private let frameBytes = SQLiteSchema.pageBytes + 24

  @Test func wholeAndTruncatedLogsAreSound() async throws {
    let (path, bytes, folder) = try await log()
    defer { withExtendedLifetime(folder) {} }
    #expect(try damage(bytes, path) == nil)
    for count in [0, 31, 32, 33, 32 + frameBytes, bytes.count / 2, bytes.count - 1] {
      #expect(try damage(Array(bytes.prefix(count)), path) == nil)
    }
  }

  @Test(arguments: [0, 9, 17, 40, 32 + 4, 32 + 8, 32 + 16, 32 + 24, 4_000, 6_000])
  func changedByteBeforeOtherTransactionsIsDamage(at place: Int) async throws {
    var (path, bytes, folder) = try await log()
    defer { withExtendedLifetime(folder) {} }
    bytes[place] ^= 0x10
    #expect(try damage(bytes, path) == (place < 32 ? 0 : 32 + (place - 32) / frameBytes * frameBytes))
    let error = #expect(throws: OutboxError.self) { try DurableOutboxStore(path: path, log: .silent) }
    #expect(error?.code == .corrupt)
  }

  /// If the log's header is damaged, the database gives the page size.
  @Test func readsALogOfLargerPages() async throws {
    let folder = try TemporaryFolder()
    defer { withExtendedLifetime(folder) {} }
    do {
      let connection = try SQLiteConnection(path: folder.database)
      try connection.execute("PRAGMA page_size = 4096; CREATE TABLE t (x); DROP TABLE t")
    }
    let store = try DurableOutboxStore(path: folder.database, log: .silent)
    for _ in 1...10 { try await store.enqueue([notification(count: 3)]) }
    let path = try folder.crashed()
    await store.close()
    var bytes = [UInt8](try Data(contentsOf: URL(filePath: path + "-wal")))
    #expect(try damage(bytes, path) == nil)
    bytes[9] ^= 0x30
    #expect(try damage(bytes, path) == 0)
    bytes[9] ^= 0x30
    bytes[32 + 4_120 * 2 + 100] ^= 1
    #expect(try damage(bytes, path) == 32 + 4_120 * 2)
  }

  @Test func tornLastTransactionIsNoDamage() async throws {
    var (path, bytes, folder) = try await log()
    defer { withExtendedLifetime(folder) {} }
    bytes[bytes.count - 100] ^= 0x10
    #expect(try damage(bytes, path) == nil)
    await (try DurableOutboxStore(path: path, log: .silent)).close()
  }

  @Test func framesOfAnEarlierLogAreNoDamage() async throws {
    let (path, bytes, folder) = try await log()
    defer { withExtendedLifetime(folder) {} }
    var mixed = bytes
    // As after a restart of the log: the frames after the new ones have the old salts and are intact.
    for frame in stride(from: 32 + frameBytes * 2, to: bytes.count, by: frameBytes) { mixed[frame + 8] ^= 1 }
    #expect(try damage(mixed, path) == nil)
  }

  @Test func rejectsALogWithoutItsDatabase() async throws {
    let (path, _, folder) = try await log()
    defer { withExtendedLifetime(folder) {} }
    try Data().write(to: URL(filePath: path))
    let error = #expect(throws: OutboxError.self) { try DurableOutboxStore(path: path, log: .silent) }
    #expect(error?.code == .corrupt)
  }
}
