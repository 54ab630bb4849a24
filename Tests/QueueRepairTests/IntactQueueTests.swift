import Foundation
import Outbox
import SQL
import TestSupport
import Testing

@testable import QueueRepair

/// Nothing is damaged.
@Suite struct IntactQueueTests {
  @Test(arguments: [(true, 1_024), (false, 1_024), (true, 512), (false, 4_096), (false, 65_536)])
  func findsNoDamage(isClosed: Bool, pageBytes: Int) async throws {
    let fixture = try await QueueFixture.make(isClosed: isClosed, pageBytes: pageBytes)
    #expect(fixture.log.isEmpty == isClosed)
    let report = try fixture.queue().check()
    #expect(report.damage.listed.map(\.description) == [])
    #expect(report.counts.deliveries == fixture.rows.tables["dragoman_deliveries"]?.count)
    #expect(report.counts.notifications == fixture.rows.tables["dragoman_notifications"]?.count)
  }

  @Test(arguments: [true, false])
  func salvagesEverything(isClosed: Bool) async throws {
    let fixture = try await QueueFixture.make(isClosed: isClosed)
    let folder = try TemporaryFolder()
    defer { withExtendedLifetime(folder) {} }
    let path = folder.path + "/new.db"
    let report = try fixture.queue().salvage(to: path)
    #expect(report.lost.count == 0)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["new.db"])
    #expect(try StoredRows(path) == fixture.rows)
    let connection = try SQLiteConnection(path: path)
    #expect(try connection.text("PRAGMA integrity_check") == "ok")
  }

  /// The frames of an earlier log are still behind those of the present one.
  @Test func findsNoDamageInALogThatHasBegunAgain() async throws {
    let folder = try TemporaryFolder()
    defer { withExtendedLifetime(folder) {} }
    let path = folder.path + "/queue.db"
    let fixture = try await QueueFixture.make(isClosed: true)
    try Data(fixture.database).write(to: URL(filePath: path))
    let connection = try SQLiteConnection(path: path)
    try connection.execute(
      "UPDATE dragoman_deliveries SET attempts = attempts; PRAGMA wal_checkpoint(RESTART)")
    for _ in 0..<3 { try connection.execute("UPDATE dragoman_probe SET writes = writes + 1") }
    for suffix in ["", "-wal"] {
      try FileManager.default.copyItem(atPath: path + suffix, toPath: path + "2" + suffix)
    }
    let queue = try DamagedQueue(path: path + "2")
    #expect(queue.pages.log?.frames.count == 1)
    #expect(try queue.check().damage.listed.map(\.description) == [])
  }

  /// A salvaged queue continues with the numbers of the old one.
  @Test func continuesTheNumbers() async throws {
    let fixture = try await QueueFixture.make(isClosed: true)
    let folder = try TemporaryFolder()
    defer { withExtendedLifetime(folder) {} }
    let path = folder.path + "/queue.db"
    try Data(fixture.database).write(to: URL(filePath: path))
    try SQLiteConnection(path: path).execute(
      """
      UPDATE dragoman_marks SET value = 5000 WHERE name = 'feedback';
      INSERT INTO dragoman_marks VALUES ('webhook', 7);
      UPDATE dragoman_marks SET value = 900 WHERE name = 'next_row';
      INSERT INTO dragoman_intakes VALUES (60, 61)
      """)
    let report = try DamagedQueue(path: path).salvage(to: path + "2")
    #expect(report.lost.count == 0)
    let connection = try SQLiteConnection(path: path + "2")
    let marks = try connection.run("SELECT name, value FROM dragoman_marks ORDER BY name").rows.map {
      "\($0.text(0) ?? "") \($0.integer(1))"
    }
    #expect(marks == ["claimed_from \(900 << 12)", "feedback 5000", "next_row 900", "webhook 7"])
    // What was never accepted as a whole is left out.
    #expect(try connection.integer("SELECT max(row) FROM dragoman_notifications") == 59)
    #expect(try connection.integer("SELECT count(*) FROM dragoman_intakes") == 0)
    let counted = try connection.integer("SELECT sum(deliveries) FROM dragoman_counts")
    #expect(try connection.integer("SELECT count(*) FROM dragoman_deliveries") == counted)
  }
}
