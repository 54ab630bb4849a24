import Clock
import Foundation
import Outbox
import SQL
import Telemetry
import TestSupport
import Testing

@testable import QueueRepair

/// Larger damage than one bit, and what is no queue.
@Suite struct DamagedQueueTests {
  /// What a salvage has kept; each row of it is as it was.
  private func salvage(_ queue: DamagedQueue, of fixture: QueueFixture) throws -> (SalvageReport, StoredRows)
  {
    let folder = try TemporaryFolder()
    defer { withExtendedLifetime(folder) {} }
    let path = folder.path + "/new.db"
    let report = try queue.salvage(to: path)
    let rows = try StoredRows(path)
    for table in ["dragoman_notifications", "dragoman_deliveries"] {
      #expect(rows.missing(from: fixture.rows, table) == [])
    }
    #expect(try SQLiteConnection(path: path).text("PRAGMA integrity_check") == "ok")
    #expect(try DamagedQueue(path: path).check().damage.count == 0)
    return (report, rows)
  }

  @Test(arguments: [true, false])
  func keepsWhatIsNotInAZeroedPage(isClosed: Bool) async throws {
    let fixture = try await QueueFixture.make(isClosed: isClosed)
    let all = fixture.rows.tables["dragoman_deliveries"]?.count ?? 0
    for page in stride(from: 0, to: fixture.database.count / 1_024, by: 7) {
      var database = fixture.database
      database.replaceSubrange(page * 1_024..<(page + 1) * 1_024, with: repeatElement(0, count: 1_024))
      let queue = try fixture.queue(database: database)
      if isClosed { #expect(try queue.check().damage.count > 0, "page \(page + 1)") }
      let (report, rows) = try salvage(queue, of: fixture)
      let kept = rows.tables["dragoman_deliveries"]?.count ?? 0
      // The deliveries of up to eight notifications have theirs in one page.
      #expect(kept >= all - 40, "page \(page + 1)")
      #expect((kept == all) || report.lost.count > 0, "page \(page + 1)")
    }
  }

  @Test(arguments: [true, false], [0, 1, 511, 1_024, 20_000, 60_001])
  func readsATruncatedDatabase(isClosed: Bool, length: Int) async throws {
    let fixture = try await QueueFixture.make(isClosed: isClosed)
    let database = Array(fixture.database.prefix(length))
    if isClosed, length < 1_024 {
      let error = #expect(throws: QueueRepairError.self) { try fixture.queue(database: database).check() }
      #expect(error?.code == .refused)
      return
    }
    let queue = try fixture.queue(database: database)
    #expect(try queue.check().damage.count > 0)
    let (report, _) = try salvage(queue, of: fixture)
    #expect(report.lost.count > 0)
  }

  @Test func readsATornLogWithoutDamage() async throws {
    let fixture = try await QueueFixture.make(isClosed: false)
    for length in [0, 1, 31, 32, 33, 32 + 1_048 * 20 + 500, fixture.log.count - 1] {
      let report = try fixture.queue(log: Array(fixture.log.prefix(length))).check()
      #expect(report.damage.listed.map(\.description) == [], "\(length)")
    }
    var torn = fixture.log
    torn.replaceSubrange(torn.count - 700..<torn.count - 600, with: repeatElement(0xFF, count: 100))
    #expect(try fixture.queue(log: torn).check().damage.count == 0)
  }

  @Test(arguments: [0..<32, 32..<200, 32..<1_080, 32 + 1_048 * 50..<32 + 1_048 * 54])
  func readsTheLogAfterDamagedFrames(_ range: Range<Int>) async throws {
    let fixture = try await QueueFixture.make(isClosed: false)
    var log = fixture.log
    log.replaceSubrange(range, with: repeatElement(0, count: range.count))
    let queue = try fixture.queue(log: log)
    #expect(try queue.check().damage.listed.contains { $0.description.contains("log") })
    let (_, rows) = try salvage(queue, of: fixture)
    let all = fixture.rows.tables["dragoman_deliveries"]?.count ?? 0
    #expect(rows.tables["dragoman_deliveries"]?.count ?? 0 >= all - 20)
  }

  @Test func followsNoLoop() async throws {
    let fixture = try await QueueFixture.make(isClosed: true)
    for page in 1..<fixture.database.count / 1_024 {
      let start = page * 1_024
      guard [0x02, 0x05].contains(fixture.database[start]) else { continue }
      var database = fixture.database
      // The child of its first cell, and its last one, are the page itself.
      let cell = Int(database[start + 12]) << 8 | Int(database[start + 13])
      for place in [start + cell, start + 8] {
        database.replaceSubrange(place..<place + 4, with: [0, 0, 0, UInt8(page + 1)])
      }
      let queue = try fixture.queue(database: database)
      #expect(try queue.check().damage.listed.contains { $0.problem.contains("used twice") })
      let (report, rows) = try salvage(queue, of: fixture)
      #expect(rows.missing(from: fixture.rows, "dragoman_deliveries") == [])
      #expect(fixture.rows.missing(from: rows, "dragoman_deliveries") == [], "page \(page + 1)")
      _ = report
    }
  }

  @Test func namesWhatCouldNotBeReadWithoutCallingItDamage() async throws {
    for isClosed in [true, false] {
      let fixture = try await QueueFixture.make(isClosed: isClosed)
      for page in stride(from: 0, to: fixture.database.count / 1_024, by: 9) {
        let file = MemoryBytes(fixture.database, unreadable: page * 1_024..<(page + 1) * 1_024)
        let queue = try DamagedQueue(
          path: "/nowhere/queue.db", file: file, log: isClosed ? nil : MemoryBytes(fixture.log))
        let damage = try queue.check().damage.listed
        let unread = damage.filter(\.isUnread).map(\.description)
        if isClosed {
          #expect(
            unread.contains { $0.hasPrefix("could not read page") && $0.contains("Input/output error") })
        }
        _ = try salvage(queue, of: fixture)
      }
    }
    let fixture = try await QueueFixture.make(isClosed: false)
    for frame in [0, 40, 200] {
      let start = 32 + frame * 1_048
      let log = MemoryBytes(fixture.log, unreadable: start..<start + 1_048)
      let queue = try DamagedQueue(
        path: "/nowhere/queue.db", file: MemoryBytes(fixture.database), log: log)
      #expect(
        try queue.check().damage.listed.contains {
          $0.description == "could not read log frame \(frame + 1): Input/output error"
        })
      _ = try salvage(queue, of: fixture)
    }
  }

  /// A notification keeps the deliveries that are left, and their numbers.
  @Test func keepsTheOtherDeliveriesOfANotification() async throws {
    let fixture = try await QueueFixture.make(isClosed: true)
    let token = Array("token-5-3-xxx".utf8)
    let place = try #require(fixture.database.indices.first { fixture.database[$0...].starts(with: token) })
    var database = fixture.database
    database[place] ^= 1
    let folder = try TemporaryFolder()
    defer { withExtendedLifetime(folder) {} }
    let path = folder.path + "/new.db"
    let queue = try fixture.queue(database: database)
    let report = try queue.salvage(to: path)
    let connection = try SQLiteConnection(path: path)
    let id = try #require(report.lost.listed.first?.id)
    #expect(report.lost.count == 1)
    let row: Int64 = 6 << 12 + 3
    #expect(report.lost.listed[0].row == row)
    guard case .delivery = id else { throw QueueRepairError(.failed, "no delivery") }
    #expect(try connection.integer("SELECT deliveries FROM dragoman_notifications WHERE row = 6") == 5)
    let rows = try connection.run("SELECT row & 4095 FROM dragoman_deliveries WHERE row >> 12 = 6").rows.map {
      $0.integer(0)
    }
    #expect(rows == [0, 1, 2, 4, 5])
    #expect(try queue.check().damage.listed.map(\.row) == [row])
  }

  @Test func boundsTheList() async throws {
    var list = DamageList()
    for row in 0..<Int64(DamageList.listedMax) + 5 { list.add(QueueDamage("x", row: row)) }
    #expect(list.listed.count == DamageList.listedMax)
    #expect(list.more == 5)
  }
}
