import FCMMessage
import Outbox
import TestSupport
import Testing

/// Deliveries that one of several gateways accepts as claimed.
@Suite(.enabled(if: PostgresCluster.isInstalled, Comment(rawValue: PostgresCluster.absence)))
struct PostgresClaimedAtOnceTests {
  private let queue: SharedQueue

  init() throws { queue = try SharedQueue() }

  /// A store whose sender would claim ten deliveries, and which knows that nothing waits.
  private func open(
    watches: Bool = false, prefetchMilliseconds: Int = 3_600_000
  ) async throws -> DurableOutboxStore {
    let store = try queue.open(watches: watches, prefetchMilliseconds: prefetchMilliseconds)
    store.onAccept { _ in 10 }
    #expect(try await store.nextDue() == nil)
    return store
  }

  @Test func areNeverWrittenAsWaiting() async throws {
    let store = try await open()
    try await store.enqueue([notification(count: 3)])
    let before = try queue.query("SELECT max(batch) FROM dragoman_leases")
    #expect(try await store.claim().count == 3)
    #expect(try queue.query("SELECT max(batch) FROM dragoman_leases") == before)
    let changed = "SELECT count(*) FROM dragoman_deliveries WHERE xmax <> 0 OR claimed_by IS NULL"
    #expect(try queue.query(changed) == "0")
    let other = try queue.open()
    #expect(try await other.claim().isEmpty)
    #expect(try await other.counts() == [.sending: 3])
  }

  @Test func whatAnotherGatewayHasAddedIsFound() async throws {
    let store = try await open()
    try await store.enqueue([notification()])
    #expect(try await store.claim().count == 1)
    // The announcement of what this claim has taken.
    #expect(try await store.claim().isEmpty)
    let other = try queue.open()
    try await other.enqueue([notification()])
    #expect(try await store.claim().count == 1)
  }

  @Test func areReleasedToOthersIfTheSenderDoesNotTakeThem() async throws {
    let store = try await open(watches: true, prefetchMilliseconds: 0)
    let given = notification(count: 3)
    try await store.enqueue([given])
    let other = try queue.open()
    var taken: [DeliveryID] = []
    try await eventually {
      taken += try await other.claim().map(\.id)
      return taken.count == 3
    }
    #expect(taken == given.deliveries.map(\.id))
    #expect(try await store.claim().isEmpty)
  }

  @Test func areFreeForOthersAfterAStop() async throws {
    let store = try await open()
    try await store.enqueue([notification(count: 3)])
    await store.close()
    #expect(try await (try queue.open()).claim().count == 3)
  }

  @Test func areForgottenWithTheLease() async throws {
    let store = try await open()
    try await store.enqueue([notification(count: 3)])
    try queue.endLeases()
    let heir = try queue.open(watches: true)
    var taken = 0
    try await eventually {
      taken += try await heir.claim().count
      return taken == 3
    }
    try await store.enqueue([notification()])
    #expect(try await store.claim().count == 1)
    #expect(try await heir.counts() == [.sending: 4])
  }
}
