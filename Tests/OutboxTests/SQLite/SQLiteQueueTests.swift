import Telemetry
import TestSupport

@testable import Outbox
@testable import SQL

/// Tests of a SQLite queue that look into its file.
protocol SQLiteQueueTests {
  var folder: TemporaryFolder { get }
  var clock: TestClock { get }
}

extension SQLiteQueueTests {
  func open(_ path: String? = nil) throws -> DurableOutboxStore {
    let clock = clock
    return try DurableOutboxStore(path: path ?? folder.database, log: .silent, clock: { clock.now })
  }

  /// A value from the database.
  func integer(_ sql: String) throws -> Int64? {
    try SQLiteConnection(path: folder.database).integer(sql)
  }

  func execute(_ sql: String) throws {
    try SQLiteConnection(path: folder.database).execute(sql)
  }
}
