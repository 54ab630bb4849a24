import Clock
import Foundation
import Outbox
import SQL
import Telemetry
import TestSupport
import Testing

@testable import QueueRepair

/// One bit of the database or of its log is flipped.
@Suite struct FlippedBitTests {
  enum Place: CaseIterable { case closedDatabase, database, log }

  /// More in a run by hand: DRAGOMAN_FLIPS=3000.
  static let flips = ProcessInfo.processInfo.environment["DRAGOMAN_FLIPS"].flatMap { Int($0) } ?? 20

  @Test(arguments: Place.allCases)
  func losesOnlyWhatTheBitIsIn(_ place: Place) async throws {
    let fixture = try await QueueFixture.make(isClosed: place == .closedDatabase)
    let folder = try TemporaryFolder()
    defer { withExtendedLifetime(folder) {} }
    var generator = SeededGenerator(seed: 42)
    for flip in 0..<Self.flips {
      var (database, log) = (fixture.database, fixture.log)
      let mask = UInt8(1) << UInt8.random(in: 0..<8, using: &generator)
      let offset = Int.random(in: 0..<(place == .log ? log : database).count, using: &generator)
      if place == .log { log[offset] ^= mask } else { database[offset] ^= mask }
      let queue = try fixture.queue(database: database, log: log)
      let check = try queue.check()
      let path = "\(folder.path)/\(flip).db"
      let report = try queue.salvage(to: path)
      let rows = try StoredRows(path)
      func missing(_ table: String) -> [Int64] { fixture.rows.missing(from: rows, "dragoman_\(table)") }
      let comment = Comment(
        rawValue: "byte \(offset), mask \(mask): \(report.lost.listed.map(\.description))")
      let notifications = missing("notifications")
      let deliveries = missing("deliveries").filter { !notifications.contains($0 >> 12) }
      #expect(missing("apps") == [], comment)
      #expect(notifications.count <= 1, comment)
      #expect(deliveries.count <= 1, comment)
      let others = ["idempotency", "feedback", "outcomes"].reduce(0) { $0 + missing($1).count }
      // A row whose number is wrong can take the place of another one.
      #expect(others <= 2, comment)
      if notifications.count + deliveries.count > 0 {
        #expect(check.damage.count > 0, comment)
        #expect(report.lost.count > 0, comment)
      }
      let connection = try SQLiteConnection(path: path)
      #expect(try connection.text("PRAGMA integrity_check") == "ok", comment)
      #expect(try DamagedQueue(path: path).check().damage.count == 0, comment)
      if flip % 10 == 0 {
        try await claims(fixture.rows.waiting.subtracting(missing("deliveries")), in: path)
      }
    }
  }

  /// Much of both files is wrong: what is kept is still as it was.
  @Test func keepsNothingThatIsWrong() async throws {
    let fixture = try await QueueFixture.make(isClosed: false)
    let folder = try TemporaryFolder()
    defer { withExtendedLifetime(folder) {} }
    var generator = SeededGenerator(seed: 7)
    for round in 0..<Self.flips {
      let database = Self.damaged(fixture.database, &generator)
      let log = round % 3 == 0 ? [] : Self.damaged(fixture.log, &generator)
      let path = "\(folder.path)/\(round).db"
      do {
        let queue = try fixture.queue(database: database, log: log)
        _ = try queue.check()
        _ = try queue.salvage(to: path)
      } catch let error as QueueRepairError {
        #expect(error.code == .refused, "\(error)")
        continue
      }
      let rows = try StoredRows(path)
      #expect(rows.missing(from: fixture.rows, "dragoman_notifications") == [])
      #expect(try DamagedQueue(path: path).check().damage.count == 0)
    }
  }

  private static func damaged(_ bytes: [UInt8], _ generator: inout SeededGenerator) -> [UInt8] {
    var bytes = bytes
    for _ in 0..<Int.random(in: 1...60, using: &generator) {
      let count = min([1, 2, 4, 24, 512, 1_024].randomElement(using: &generator) ?? 1, bytes.count)
      let (to, from) = (
        Int.random(in: 0...bytes.count - count, using: &generator),
        Int.random(in: 0...bytes.count - count, using: &generator)
      )
      switch Int.random(in: 0..<4, using: &generator) {
      case 0: bytes[to] ^= UInt8.random(in: 1...255, using: &generator)
      case 1: bytes.replaceSubrange(to..<to + count, with: bytes[from..<from + count])
      case 2: bytes.replaceSubrange(to..<to + count, with: repeatElement(0, count: count))
      default: bytes.replaceSubrange(to..<to + count, with: repeatElement(0xFF, count: count))
      }
    }
    return Array(bytes.prefix(Int.random(in: bytes.count / 2...bytes.count, using: &generator)))
  }

  /// A gateway opens the queue, and claims what waited in the damaged one.
  private func claims(_ waiting: Set<Int64>, in path: String) async throws {
    let now = start.adding(milliseconds: 3_600_000)
    let store = try DurableOutboxStore(path: path, log: .silent, clock: { now })
    var claimed: [ClaimedDelivery] = []
    for app in ["default", "other"] { claimed += try await store.claim(app, limit: 1_000, now: now) }
    await store.close()
    let ids = try SQLiteConnection(path: path).run("SELECT row, id FROM dragoman_deliveries").rows
    let rows = Dictionary(
      uniqueKeysWithValues: ids.compactMap { row in row.uuid(1).map { ($0, row.integer(0)) } })
    #expect(Set(claimed.compactMap { rows[$0.id.uuid] }) == waiting)
  }
}
