import FCMMessage
import SQL
import Telemetry
import Testing

@testable import Outbox

/// How the priorities share a claim, and how deliveries are postponed without an attempt.
@Suite struct ClaimTests {
  /// `high` and `normal` due deliveries; an app's claim of `limit` gives how many of each.
  struct Share: Sendable {
    let high: Int
    let normal: Int
    let limit: Int
    let normalMin: Int
    let taken: [Int]
  }

  static let shares = [
    Share(high: 20, normal: 20, limit: 10, normalMin: 0, taken: [10, 0]),
    Share(high: 20, normal: 20, limit: 10, normalMin: 3, taken: [7, 3]),
    Share(high: 20, normal: 20, limit: 10, normalMin: 10, taken: [0, 10]),
    Share(high: 20, normal: 20, limit: 10, normalMin: 99, taken: [0, 10]),
    Share(high: 20, normal: 20, limit: 10, normalMin: -4, taken: [10, 0]),
    Share(high: 20, normal: 1, limit: 10, normalMin: 3, taken: [9, 1]),
    Share(high: 20, normal: 0, limit: 10, normalMin: 3, taken: [10, 0]),
    Share(high: 4, normal: 20, limit: 10, normalMin: 3, taken: [4, 6]),
    Share(high: 0, normal: 20, limit: 10, normalMin: 3, taken: [0, 10]),
    Share(high: 4, normal: 2, limit: 10, normalMin: 3, taken: [4, 2]),
    Share(high: 4, normal: 2, limit: 0, normalMin: 3, taken: [0, 0]),
  ]

  @Test(arguments: StoreKind.allCases, shares) func sharesAClaimBetweenThePriorities(
    _ kind: StoreKind, _ share: Share
  ) async throws {
    let store = try Fixture(kind).store
    let high = (0..<share.high).map { _ in notification(priority: .high) }
    let normal = (0..<share.normal).map { _ in notification() }
    let later = start.plus(seconds: 9)
    let ahead = [notification(sendAt: later), notification(sendAt: later, priority: .high)]
    try await store.enqueue(normal + high + ahead)
    let claimed = try await store.claim(limit: share.limit, normalMin: share.normalMin)
    let expected = high.prefix(share.taken[0]) + normal.prefix(share.taken[1])
    #expect(claimed.map(\.notification) == expected.map(\.id))
    let rest = try await store.claim(limit: 1_000, normalMin: 1)
    #expect(rest.count == share.high + share.normal - claimed.count)
    #expect(Set((claimed + rest).map(\.id)).count == share.high + share.normal)
  }

  @Test(arguments: StoreKind.allCases) func normalPriorityContinuesDuringAFlood(
    _ kind: StoreKind
  ) async throws {
    let store = try Fixture(kind).store
    try await store.enqueue((0..<200).map { _ in notification(priority: .high) })
    let normal = (0..<10).map { _ in notification() }
    try await store.enqueue(normal)
    var order: [NotificationID] = []
    for _ in 0..<10 {
      order += try await store.claim(limit: 10, normalMin: 1).filter { $0.priority == .normal }
        .map(\.notification)
    }
    #expect(order == normal.map(\.id))
  }

  @Test(arguments: StoreKind.allCases) func postponesWithoutCountingAnAttempt(_ kind: StoreKind) async throws
  {
    let fixture = try Fixture(kind)
    let store = fixture.store
    let given = notification()
    let id = given.deliveries[0].id
    try await store.enqueue([given])
    _ = try await store.claim()
    try await store.settle(id, .retry(at: start, error: refusal))
    _ = try await store.claim()
    let (later, until) = (start.plus(seconds: 1), start.plus(seconds: 30))
    try await store.settle(id, at: later, .deferred(until: until))
    let row = try #require(try await store.notification(given.id)?.deliveries.first)
    #expect(row.state == .queued)
    #expect(row.attempts == 1)
    #expect(row.error == refusal)
    #expect(row.nextAttemptAt == until)
    #expect(row.updatedAt == later)
    #expect(try await store.nextDue() == until)
    #expect(try await store.counts() == [.queued: 1])
    #expect(try await store.claim(now: start.plus(seconds: 29)).isEmpty)
    let again = try await store.claim(now: until)
    #expect(again.map(\.attempts) == [1])
    #expect(again.map(\.dueSince) == [start])
    #expect(again.map(\.expiresAt) == [given.expiresAt])
  }

  @Test(arguments: StoreKind.allCases) func scheduledDeliveryIsQueuedWhenPostponed(
    _ kind: StoreKind
  ) async throws {
    let fixture = try Fixture(kind)
    let store = fixture.store
    let sendAt = start.plus(seconds: 60)
    let given = notification(sendAt: sendAt)
    try await store.enqueue([given, notification(sendAt: start.plus(seconds: 300))])
    fixture.clock.now = sendAt
    let claimed = try await store.claim(now: sendAt)
    try await store.settle(claimed[0].id, at: sendAt, .deferred(until: start.plus(seconds: 90)))
    #expect(try await store.notification(given.id)?.status == "queued")
    #expect(try await store.counts() == [.scheduled: 1, .queued: 1])
    fixture.clock.now = start.plus(seconds: 100)
    #expect(try await store.counts() == [.scheduled: 1, .queued: 1])
    #expect(try await store.claim(now: fixture.clock.now).map(\.dueSince) == [sendAt])
  }

  @Test(arguments: StoreKind.allCases) func cancelsPostponedDeliveries(_ kind: StoreKind) async throws {
    let store = try Fixture(kind).store
    let given = notification(count: 2)
    try await store.enqueue([given])
    let ids = try await store.claim(limit: 2).left().map(\.id)
    try await store.settle(ids[0], .deferred(until: start.plus(seconds: 9)))
    guard case .done(_, cancelled: 1, inFlight: 1) = try await store.cancel(given.id) else {
      Issue.record("not cancelled")
      return
    }
    let later = start.plus(seconds: 3)
    try await store.settle(ids[1], at: later, .deferred(until: start.plus(seconds: 9)))
    let stored = try #require(try await store.notification(given.id))
    #expect(stored.deliveries.map(\.state) == [.cancelled, .cancelled])
    #expect(stored.deliveries.map(\.attempts) == [0, 0])
    #expect(stored.deliveries.map(\.error) == [nil, nil])
    #expect(stored.deliveries[1].updatedAt == later)
    #expect(try await store.counts() == [.cancelled: 2])
    #expect(try await store.claim(now: start.plus(seconds: 99)).isEmpty)
  }

  /// A sender that was suspended settles a claim that it no longer has.
  @Test(arguments: StoreKind.allCases) func anOldClaimSettlesNothing(_ kind: StoreKind) async throws {
    let store = try Fixture(kind).store
    let given = notification(count: 2)
    try await store.enqueue([given])
    let old = try await store.claim()
    #expect(try await store.settle(old.map { .release($0, at: start) }) == [])
    let new = try await store.claim()
    #expect(new.map(\.id) == old.map(\.id))
    #expect(Set((old + new).map(\.claim)).count == 4)
    let later = start.plus(seconds: 1)
    let outcomes: [(ClaimedDelivery) -> Settlement] = [
      { .sent($0, at: later, messageName: "old") }, { .release($0, at: later) },
      { .retry($0, at: later, dueAt: later, error: refusal) },
      { .failed($0, at: later, error: refusal, dead: .registration) },
    ]
    for outcome in outcomes { #expect(try await store.settle(old.map(outcome)) == old.map(\.id)) }
    // One that is over leaves the others of its call alone.
    let mixed: [Settlement] = [
      .failed(old[1], at: later, error: refusal), .sent(new[0], at: start, messageName: "new"),
    ]
    #expect(try await store.settle(mixed) == [old[1].id])
    let stored = try #require(try await store.notification(given.id)).deliveries
    #expect(stored.map(\.state) == [.sent, .sending])
    #expect(stored.map(\.messageName) == ["new", nil])
    #expect(stored.map(\.error) == [nil, nil])
    #expect(stored.map(\.attempts) == [1, 0])
    #expect(stored.map(\.updatedAt) == [start, start])
    #expect(try await store.counts() == [.sent: 1, .sending: 1])
    #expect(try await store.feedback().events.isEmpty)
    #expect(try await store.claim(now: later).isEmpty)
  }

  /// A record that somebody has removed, or whose state makes no sense, holds up no other.
  @Test(arguments: StoreKind.durableCases, ["removed", "changed"])
  func settlesTheOthersOfADamagedDelivery(_ kind: StoreKind, _ damage: String) async throws {
    let fixture = try Fixture(kind)
    let store = fixture.store
    try await store.enqueue((0..<3).map { _ in notification() })
    let claims = try await store.claim()
    let connection: any SQLConnection =
      if let url = fixture.url { try PostgresConnection(url) } else {
        try SQLiteConnection(path: try #require(fixture.folder).database)
      }
    for claim in claims[..<2] {
      let change =
        damage == "removed"
        ? "DELETE FROM dragoman_deliveries" : "UPDATE dragoman_deliveries SET state = 2"
      try connection.run("\(change) WHERE id = $1", [.uuid(claim.id.uuid)])
    }
    let over = try await store.settle([
      damage == "removed" ? .sent(claims[0], at: start, messageName: "n") : .release(claims[0], at: start),
      .release(claims[1], at: start), .sent(claims[2], at: start, messageName: "n"),
    ])
    #expect(over == claims[..<2].map(\.id))
    #expect(store.degradation == nil)
    #expect(try await store.notification(claims[2].notification)?.status == "sent")
  }

  @Test func postponedDeliveriesStayPostponedAfterACrash() async throws {
    let fixture = try Fixture(.sqlite)
    let folder = try #require(fixture.folder)
    try await fixture.store.enqueue([notification()])
    let id = try #require(try await fixture.store.claim().first?.id)
    let until = start.plus(seconds: 30)
    try await fixture.store.settle(id, .deferred(until: until))
    let reopened = try DurableOutboxStore(path: try folder.crashed(), log: .silent, clock: { start })
    #expect(try await reopened.nextDue() == until)
    #expect(try await reopened.claim(now: start.plus(seconds: 29)).isEmpty)
    #expect(try await reopened.claim(now: until).map(\.attempts) == [0])
    await reopened.close()
  }
}
