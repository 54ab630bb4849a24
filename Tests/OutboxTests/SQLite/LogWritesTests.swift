import Telemetry
import TestSupport
import Testing

@testable import Outbox

/// The log's writes, which are gathered until the sync.
@Suite(.serialized) struct LogWritesTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// Opens a connection whose transactions outgrow their memory, and a reader.
  private func open() throws -> (writer: SQLiteConnection, reader: SQLiteConnection) {
    let writer = try SQLiteConnection(path: folder.database, gathersWrites: true)
    try SQLiteSchema.configure(writer, cacheKiB: 16)
    try writer.execute("CREATE TABLE t (n INTEGER PRIMARY KEY, text BLOB)")
    let reader = try SQLiteConnection(path: folder.database)
    try SQLiteSchema.configure(reader, cacheKiB: 16)
    return (writer, reader)
  }

  private func insert(_ count: Int) -> String {
    """
    WITH RECURSIVE r (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r WHERE n < \(count))
      INSERT INTO t SELECT n, zeroblob(700) FROM r
    """
  }

  @Test func aCommitIsOneWrite() async throws {
    let store = try SQLiteOutboxStore(path: folder.database, log: .silent)
    try await store.enqueue([notification(count: 3)])
    for count in [1, 20] {
      let writes = try await FileFaults.during(.countedWrites, count: .max) {
        try await store.enqueue((0..<count).map { _ in notification() })
      }
      #expect(writes == 1)
    }
    await store.close()
  }

  @Test func moreThanIsGatheredIsWrittenInParts() async throws {
    let (writer, reader) = try open()
    let writes = try await FileFaults.during(.countedWrites, count: .max) {
      try writer.execute(insert(2_000))
    }
    #expect((2_000 * 700 / LogWrites.gatheredBytesMax...2_000).contains(writes))
    #expect(try reader.integer("SELECT count(*) FROM t") == 2_000)
    #expect(try reader.text("PRAGMA integrity_check") == "ok")
  }

  /// SQLite moves pages that do not fit in its memory to the log, and reads them again from there.
  @Test func aTransactionReadsWhatItHasWritten() throws {
    let (writer, reader) = try open()
    try writer.execute("BEGIN IMMEDIATE; \(insert(500)); UPDATE t SET text = CAST(n AS BLOB) || text")
    #expect(try reader.integer("SELECT count(*) FROM t") == 0)
    #expect(try writer.integer("SELECT sum(text LIKE n || '%') FROM t") == 500)
    try writer.execute("COMMIT")
    #expect(try reader.integer("SELECT sum(length(CAST(text AS BLOB)) > 700) FROM t") == 500)
    #expect(try reader.text("PRAGMA integrity_check") == "ok")
  }

  @Test func whatIsRolledBackIsOverwritten() throws {
    let (writer, reader) = try open()
    try writer.execute("BEGIN IMMEDIATE; \(insert(500)); ROLLBACK")
    try writer.execute(insert(3))
    #expect(try reader.integer("SELECT max(n) FROM t") == 3)
    #expect(try reader.text("PRAGMA integrity_check") == "ok")
  }
}
