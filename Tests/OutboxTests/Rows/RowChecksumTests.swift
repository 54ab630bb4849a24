import Clock
import FCMMessage
import Telemetry
import TestSupport
import Testing

@testable import Outbox
@testable import SQL

/// A changed bit in a stored record ends the deliveries that it concerns, and no others.
@Suite struct RowChecksumTests {
  @Test func findsEveryChangedBit() {
    let id = UUIDv7()
    let bytes = Array("a message of twenty-nine bytes".utf8)
    func sum(_ id: UUIDv7, _ bytes: [UInt8]) -> Int64 {
      RowChecksum.notification(
        row: 7, id, template: "t", client: nil, createdAt: start, ttlMilliseconds: 9, message: bytes)
    }
    for bit in 0..<bytes.count * 8 {
      var flipped = bytes
      flipped[bit / 8] ^= 1 << (bit % 8)
      #expect(sum(id, flipped) != sum(id, bytes))
    }
    for bit in 0..<64 {
      #expect(sum(UUIDv7(high: id.high ^ 1 << UInt64(bit), low: id.low), bytes) != sum(id, bytes))
    }
    #expect(sum(id, bytes + [0]) != sum(id, bytes))
  }

  @Test func dependsOnEachPartOfANotification() {
    let id = UUIDv7()
    var sums: Set<Int64> = []
    for row in [7, 8] as [Int64] {
      for (template, client) in [("t", nil), ("u", nil), ("t", ""), ("t", "u"), ("", "t")]
        as [(String, String?)]
      {
        for (seconds, ttl) in [(0, 9), (9, 0), (0, 10)] as [(Int64, Int64)] {
          sums.insert(
            RowChecksum.notification(
              row: row, id, template: template, client: client, createdAt: start.plus(seconds: seconds),
              ttlMilliseconds: ttl, message: [1]))
        }
      }
    }
    #expect(sums.count == 2 * 5 * 3)
  }

  @Test func dependsOnEachPartOfADelivery() {
    let id = UUIDv7()
    var sums: Set<Int64> = []
    for row in [7, 8] as [Int64] {
      for target in [.token("t"), .topic("t"), .token("u")] as [Target] {
        for (seconds, activity) in [(0, nil), (1, nil), (0, ""), (0, "a")] as [(Int64, String?)] {
          for state in DeliveryState.allCases {
            let sum = RowChecksum.delivery(
              row: row, id, to: target, expiresAt: start.plus(seconds: seconds), activity: activity, state)
            sums.insert(sum)
            // The state is in bits of its own, which a statement changes alone.
            #expect(sum & 7 == Int64(state.rawValue))
          }
        }
      }
    }
    #expect(sums.count == 2 * 3 * 4 * DeliveryState.allCases.count)
  }

  /// A column of a record, and a value that the gateway did not write into it.
  enum Damage: CaseIterable, Sendable {
    case target, targetKind, deliveryID, expiry, activity, state
    case notificationID, template, client, noClient, acceptance, ttl, message
  }

  /// Changes a record of `given`, which is a message for a Live Activity.
  private func damage(
    _ damage: Damage, _ given: NewNotification, _ connection: any SQLConnection
  ) throws(DatabaseError) {
    let change: (column: String, value: SQLValue) =
      switch damage {
      case .target: ("target", .text("uhone"))
      case .targetKind: ("target_kind", .integer(1))
      case .deliveryID, .notificationID: ("id", .uuid(UUIDv7()))
      case .expiry: ("expires_at", .time(given.expiresAt.adding(milliseconds: 1 << 40)))
      case .activity: ("activity", .text("bctivity"))
      case .state: ("state", .integer(0))
      case .template: ("template", .text("latch"))
      case .client: ("client", .text("ordert"))
      case .noClient: ("client", .bytes(nil))
      case .acceptance: ("created_at", .time(given.createdAt.adding(milliseconds: -1)))
      case .ttl: ("ttl", .integer(given.ttlMilliseconds + 1))
      case .message: ("message", .bytes(given.message.stored.dropLast() + [0]))
      }
    let id: SQLValue
    let table: String
    switch damage {
    case .target, .targetKind, .deliveryID, .expiry, .activity, .state:
      (table, id) = ("dragoman_deliveries", .uuid(given.deliveries[0].id.uuid))
    default: (table, id) = ("dragoman_notifications", .uuid(given.id.uuid))
    }
    let changed = try connection.run(
      "UPDATE \(table) SET \(change.column) = $1 WHERE id = $2", [change.value, id])
    #expect(changed.changed == 1)
  }

  private func connection(_ fixture: Fixture) throws -> any SQLConnection {
    if let url = fixture.url { return try PostgresConnection(url) }
    return try SQLiteConnection(path: try #require(fixture.folder).database)
  }

  @Test(arguments: StoreKind.durableCases, Damage.allCases)
  func endsOnlyWhatWasChanged(_ kind: StoreKind, _ damage: Damage) async throws {
    let fixture = try Fixture(kind)
    let (damaged, other) = (activity(.update), notification(count: 2))
    try await fixture.store.enqueue([damaged])
    try await fixture.store.enqueue([other])
    await fixture.store.close()
    try self.damage(damage, damaged, try connection(fixture))
    let store = try fixture.reopened()
    #expect(try await store.claim().map(\.id) == other.deliveries.map(\.id))
    #expect(try await store.counts() == [.failed: 1, .sending: 2])
    // Under a changed id it is not found.
    if let stored = try await store.notification(damaged.id), damage != .notificationID {
      #expect(stored.status == "failed")
      #expect(stored.deliveries[0].error?.message == "The queue's record of this delivery is damaged.")
    }
    // A retry does not send it to a target that nobody named. A state that was changed is right again.
    guard damage != .state else { return await store.close() }
    _ = try? await store.retry(damaged.id)
    #expect(try await store.claim().isEmpty)
    #expect(try await store.counts() == [.failed: 1, .sending: 2])
    await store.close()
  }

  /// One of several deliveries: the others are retried.
  @Test(arguments: StoreKind.durableCases)
  func retriesOnlyWhatIsIntact(_ kind: StoreKind) async throws {
    let fixture = try Fixture(kind)
    let given = notification(count: 2)
    try await fixture.store.enqueue([given])
    for claim in try await fixture.store.claim() {
      try await fixture.store.settle(claim.id, .failed(error: refusal))
    }
    try damage(.target, given, try connection(fixture))
    guard case .done(_, queued: 1) = try await fixture.store.retry(given.id) else {
      Issue.record("not retried")
      return
    }
    #expect(try await fixture.store.claim().map(\.id) == [given.deliveries[1].id])
    await #expect(throws: OutboxError.damagedRecord) { _ = try await fixture.store.retry(given.id) }
    #expect(try await fixture.store.counts() == [.failed: 1, .sending: 1])
  }

  /// What was not sent is not reported as sent.
  @Test(arguments: StoreKind.durableCases)
  func doesNotBelieveAChangedFinalState(_ kind: StoreKind) async throws {
    let fixture = try Fixture(kind)
    let (damaged, other) = (notification(), notification())
    try await fixture.store.enqueue([damaged, other])
    try connection(fixture).run(
      "UPDATE dragoman_deliveries SET state = 3 WHERE id = $1", [.uuid(damaged.deliveries[0].id.uuid)])
    await #expect(throws: OutboxError.damagedRecord) { _ = try await fixture.store.notification(damaged.id) }
    #expect(try await fixture.store.listAll() == [other.id])
    #expect(try await fixture.store.claim().map(\.notification) == [other.id])
  }

  /// Whatever a statement changes, it keeps the checksum: nothing is called damaged.
  @Test(arguments: StoreKind.durableCases)
  func fitsAfterEachChange(_ kind: StoreKind) async throws {
    let fixture = try Fixture(kind)
    let store = fixture.store
    let soon = start.plus(seconds: 1)
    let given = (0..<9).map { _ in notification(ttlMilliseconds: 60_000) }
    let scheduled = notification(sendAt: soon)
    try await store.enqueue(given + [scheduled])
    let ids = try await store.claim(limit: 8).left().map(\.id)
    _ = try await store.cancel(given[4].id)
    let outcomes: [Outcome] = [
      .sent(messageName: "n"), .failed(error: refusal), .expired(error: nil),
      .retry(at: soon, error: refusal),
      .retry(at: soon, error: refusal), .deferred(until: soon), .release,
    ]
    try await store.settle(zip(ids, outcomes).map { SettledDelivery($0, at: start, $1) })
    #expect(try await store.expireAll(now: start.plus(seconds: 60)) == 4)
    for one in [given[1], given[2]] { _ = try await store.retry(one.id, now: soon) }
    #expect(try await store.claim(now: soon).count == 3)
    for one in given + [scheduled] { #expect(try await store.notification(one.id) != nil) }
    #expect(try await store.listAll().count == 10)
  }
}

/// Apps that nobody serves.
@Suite struct UnservedAppTests {
  @Test func reportsAnAppWhoseDeliveriesNobodySends() async throws {
    let folder = try TemporaryFolder()
    let clock = TestClock()
    var configuration = OutboxConfiguration()
    configuration.maintenanceIntervalMilliseconds = 5
    let store = try DurableOutboxStore(
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
