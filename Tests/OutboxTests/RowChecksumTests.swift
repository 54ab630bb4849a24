import Clock
import FCMMessage
import Telemetry
import TestSupport
import Testing

@testable import Outbox

/// A changed bit in a stored record ends the deliveries that it concerns, and no others.
@Suite struct RowChecksumTests {
  @Test func findsEveryChangedBit() {
    let id = UUIDv7()
    let bytes = Array("a message of twenty-nine bytes".utf8)
    let sum = RowChecksum.notification(
      row: 7, id, createdAt: start, ttlMilliseconds: 9, message: bytes)
    for bit in 0..<bytes.count * 8 {
      var flipped = bytes
      flipped[bit / 8] ^= 1 << (bit % 8)
      #expect(
        RowChecksum.notification(row: 7, id, createdAt: start, ttlMilliseconds: 9, message: flipped) != sum)
    }
    for bit in 0..<64 {
      let other = UUIDv7(high: id.high ^ 1 << UInt64(bit), low: id.low)
      #expect(
        RowChecksum.notification(row: 7, other, createdAt: start, ttlMilliseconds: 9, message: bytes) != sum)
    }
    #expect(
      RowChecksum.notification(row: 7, id, createdAt: start, ttlMilliseconds: 9, message: bytes + [0]) != sum)
    #expect(
      RowChecksum.delivery(row: 1, id, to: .token("t")) != RowChecksum.delivery(row: 1, id, to: .topic("t")))
    #expect(
      RowChecksum.delivery(row: 1, id, to: .token("t")) != RowChecksum.delivery(row: 2, id, to: .token("t")))
  }

  @Test(arguments: StoreKind.allCases.filter { $0 != .memory })
  func endsOnlyWhatWasChanged(_ kind: StoreKind) async throws {
    let fixture = try Fixture(kind)
    let given = (0..<4).map { _ in notification(count: 2) }
    for one in given { try await fixture.store.enqueue([one]) }
    await fixture.store.close()
    try change(fixture, given)
    let store = try fixture.reopened()
    let claimed = try await store.claim()
    #expect(
      Set(claimed.map(\.id))
        == [
          given[0].deliveries[1].id, given[1].deliveries[0].id, given[3].deliveries[0].id,
          given[3].deliveries[1].id,
        ]
    )
    try await eventually { try await store.counts() == [.failed: 4, .sending: 4] }
    for delivery in try #require(try await store.notification(given[2].id)).deliveries {
      #expect(delivery.state == .failed)
      #expect(delivery.error?.message == "The queue's record of this delivery is damaged.")
    }
    // A retry does not send it to a target that nobody named.
    _ = try await store.retry(given[0].id)
    #expect(try await store.claim().isEmpty)
    await store.close()
  }

  /// A bit of a target, of a delivery's id, and of a message.
  private func change(_ fixture: Fixture, _ given: [NewNotification]) throws {
    if let url = fixture.url {
      let connection = try PostgresConnection(url)
      try connection.run(
        "UPDATE dragoman_deliveries SET target = 'uoken-1' WHERE id = $1",
        [.uuid(given[0].deliveries[0].id.uuid)])
      let id = given[1].deliveries[1].id.uuid
      try connection.run(
        "UPDATE dragoman_deliveries SET id = $2 WHERE id = $1",
        [.uuid(id), .uuid(UUIDv7(high: id.high, low: id.low ^ 1))])
      try connection.run(
        "UPDATE dragoman_notifications SET message = set_bit(message, 100, 1 - get_bit(message, 100)) WHERE id = $1",
        [.uuid(given[2].id.uuid)])
      return
    }
    let connection = try SQLiteConnection(path: try #require(fixture.folder).database)
    try connection.execute(
      """
      UPDATE deliveries SET target = 'uoken-1' WHERE row = 1 << 12;
      UPDATE deliveries
        SET id = CAST(substr(id, 1, 15) || CASE substr(id, 16) WHEN x'00' THEN x'01' ELSE x'00' END AS BLOB)
        WHERE row = (2 << 12) + 1;
      UPDATE notifications SET message = CAST(substr(message, 1, 20) || x'00' || substr(message, 22) AS BLOB)
        WHERE row = 3;
      """)
  }
}

/// Apps that nobody serves.
@Suite struct UnservedAppTests {
  @Test func reportsAnAppWhoseDeliveriesNobodySends() async throws {
    let folder = try TemporaryFolder()
    let clock = TestClock()
    var configuration = OutboxConfiguration()
    configuration.maintenanceIntervalMilliseconds = 5
    let store = try SQLiteOutboxStore(
      path: folder.database, configuration: configuration, log: .silent, clock: { clock.now })
    try await store.enqueue([notification(app: "own"), notification(app: "gone")])
    _ = try await store.nextDue("own")
    clock.now = start.plus(seconds: 90)
    try await eventually { store.health.unserved.status == ["gone"] }
    #expect(store.health.unserved.since == clock.now)
    #expect(store.degradation == nil)
    _ = try await store.claim("gone", now: clock.now)
    try await eventually { store.health.unserved.status.isEmpty }
    // A reload removes it.
    try await store.enqueue([notification(app: "gone")])
    store.serve(only: ["own"])
    clock.now = start.plus(seconds: 180)
    try await eventually { store.health.unserved.status == ["gone"] }
    await store.close()
  }
}
