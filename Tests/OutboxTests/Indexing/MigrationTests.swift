import Clock
import FCMMessage
import JSON
import Telemetry
import TestSupport
import Testing

@testable import Outbox

/// Queues that earlier versions wrote.
@Suite struct MigrationTests {
  private let folder: TemporaryFolder
  private let count = 2_000

  init() throws { folder = try TemporaryFolder() }

  private func open() throws -> SQLiteOutboxStore {
    try SQLiteOutboxStore(path: folder.database, log: .silent, clock: { start })
  }

  /// Notifications with one delivery each, as `version` wrote them: every second one of a client, every
  /// fourth one waiting, the others sent.
  private func write(version: Int) throws {
    let connection = try SQLiteConnection(path: folder.database)
    try SQLiteSchema.configure(connection, cacheKiB: 1_024)
    try SQLiteSchema.migrate(connection, to: version)
    let rows = "WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < \(count))"
    try connection.execute(
      """
      BEGIN;
      INSERT INTO apps VALUES (1, 'default');
      \(rows) INSERT INTO notifications
          (row, id, app, template, client, created_at, expires_at, priority, message)
        SELECT i, CAST(printf('n%015d', i) AS BLOB), 1, 't', iif(i % 2, 'orders', NULL),
          \(start.milliseconds), \(start.milliseconds + 86_400_000), 0, x'0100' FROM n;
      \(rows) INSERT INTO deliveries
          (row, app, priority, state, attempts, next_attempt_at, updated_at, id, target_kind, target,
            message_name)
        SELECT i << 12, 1, 0, iif(i % 4, 3, 1), 0, iif(i % 4, NULL, \(start.milliseconds)),
          \(start.milliseconds), CAST(printf('d%015d', i) AS BLOB), 0, 'token-' || (i % 50),
          iif(i % 4, 'projects/p/messages/' || i, iif(i % 8, zeroblob(55), NULL)) FROM n;
      COMMIT;
      """)
    // From version 9 on, these are the tail, which the counts leave out.
    if version < 9 {
      try connection.execute(
        "INSERT INTO counts VALUES (1, 1, \(count / 4)), (1, 3, \(count - count / 4))")
    }
    #expect(try connection.integer("PRAGMA user_version") == Int64(version))
  }

  private func id(_ number: Int) throws -> NotificationID {
    let digits = String(number)
    let text = Array("n\(String(repeating: "0", count: 15 - digits.count))\(digits)".utf8)
    let words = [text[..<8], text[8...]].map { $0.reduce(UInt64(0)) { $0 << 8 | UInt64($1) } }
    return NotificationID(UUIDv7(high: words[0], low: words[1]))
  }

  @Test(arguments: 1..<SQLiteSchema.version) func keepsEverythingOfVersion(_ version: Int) async throws {
    try write(version: version)
    let store = try open()
    #expect(try await store.counts() == [.queued: count / 4, .sent: count - count / 4])
    for number in [1, 2, 77, count] {
      #expect(try await store.notification(try id(number))?.id == id(number))
    }
    for (number, name) in [(1, "projects/p/messages/1"), (4, nil), (8, nil)] {
      #expect(try await store.notification(try id(number))?.deliveries.map(\.messageName) == [name])
    }
    let orders = try await store.listAll(NotificationFilter(owner: .client("orders")), limit: 90)
    #expect(orders == (try stride(from: count - 1, to: 0, by: -2).map(id)))
    let wanted = try stride(from: count - 43, to: 0, by: -50).map(id)
    #expect(try await store.listAll(NotificationFilter(target: .token("token-7")), limit: 9) == wanted)

    // It goes on with them, and with new ones.
    let added = [notification(client: "orders"), notification(client: nil, target: .token("token-7"))]
    try await store.enqueue(added)
    let claimed = try await store.claim(limit: count)
    #expect(claimed.count == count / 4 + 2)
    try await store.settle(
      claimed.map {
        Settlement(delivery: $0.id, at: start, result: .sent(messageName: "projects/p/messages/new"))
      })
    #expect(try await store.counts() == [.sent: count + 2])
    for (number, name) in [(1, "1"), (4, "new"), (8, "new")] {
      let stored = try await store.notification(try id(number))
      #expect(stored?.deliveries.map(\.messageName) == ["projects/p/messages/\(name)"])
    }
    #expect(
      try await store.listAll(NotificationFilter(target: .token("token-7")), limit: 9) == [added[1].id]
        + wanted)
    #expect(
      try await store.listAll(NotificationFilter(owner: .client("orders")), limit: 90)
        == [added[0].id] + orders)
    await store.close()
    let connection = try SQLiteConnection(path: folder.database)
    #expect(try connection.text("PRAGMA integrity_check") == "ok")
  }

  /// A queue of any size is migrated at once: no page of its tables is copied, and none becomes free. A new
  /// table needs a page, and the descriptions of the tables may need another one.
  @Test func copiesNothing() async throws {
    try write(version: SQLiteSchema.version - 1)
    let pages = { () throws -> (all: Int64, free: Int64) in
      let connection = try SQLiteConnection(path: folder.database)
      let all = try #require(try connection.integer("PRAGMA page_count"))
      return (all, try #require(try connection.integer("PRAGMA freelist_count")))
    }
    let before = try pages()
    await (try open()).close()
    let after = try pages()
    #expect(after.free == before.free)
    #expect(after.all <= before.all + 2)
  }

  @Test func removesEverythingFromItsIndexes() async throws {
    try write(version: 1)
    let store = try open()
    let claimed = try await store.claim(limit: count)
    try await store.settle(
      claimed.map { Settlement(delivery: $0.id, at: start, result: .sent(messageName: "n")) })
    #expect(try await store.pruneAll(endedBy: start, limit: 300).notifications == count)
    #expect(try await store.notification(try id(1)) == nil)
    await store.close()
    let connection = try SQLiteConnection(path: folder.database)
    for table in [
      "notification_ids", "client_notifications", "delivery_targets", "notifications", "deliveries",
    ] {
      #expect(try connection.integer("SELECT count(*) FROM \(table)") == 0, "\(table)")
    }
  }
}
