import FCMMessage
import Outbox
import Synchronization
import TestSupport
import Testing

/// Deliveries that are accepted as claimed, ahead of the engine's claims.
@Suite(.enabled(if: PostgresCluster.isInstalled, Comment(rawValue: PostgresCluster.absence)))
struct PostgresClaimingAtOnceTests {
  private let queue: SharedQueue

  init() throws { queue = try SharedQueue() }

  /// A store whose engine would claim `limit` deliveries, and which knows that nothing waits.
  private func open(
    limit: Int, watches: Bool = false, prefetchMilliseconds: Int = 3_600_000
  ) async throws -> PostgresOutboxStore {
    let store = try queue.open(watches: watches, prefetchMilliseconds: prefetchMilliseconds)
    store.onAccept { _ in limit }
    #expect(try await store.nextDue() == nil)
    return store
  }

  private func claimed(
    from store: PostgresOutboxStore, limit: Int = 100, normalMin: Int = 0
  ) async throws -> ClaimedDeliveries {
    try await withCheckedContinuation { continuation in
      store.claim(app: "default", limit: limit, normalMin: normalMin, now: start) {
        continuation.resume(returning: $0)
      }
    }.get()
  }

  /// The number of the last transaction of the gateways.
  private func transactions() throws -> String { try queue.query("SELECT max(batch) FROM dragoman_replicas") }

  @Test func aClaimOfThemNeedsNoTransaction() async throws {
    let store = try await open(limit: 10)
    let given = notification(count: 3)
    try await store.enqueue([given])
    let before = try transactions()
    let claimed = try await claimed(from: store)
    #expect(try transactions() == before)
    #expect(claimed.deliveries.map(\.id) == given.deliveries.map(\.id))
    #expect(claimed.deliveries.map(\.target) == given.deliveries.map(\.target))
    #expect(claimed.nextDue == .some(nil))
    // They were never written as waiting.
    #expect(
      try queue.query("SELECT count(*) FROM dragoman_deliveries WHERE xmax <> 0 OR claimed_by IS NULL") == "0"
    )
    #expect(try await store.counts() == [.sending: 3])
    #expect(claimed.deliveries.allSatisfy(store.holds))
    // What the transaction left in memory is what another gateway reads.
    let other = try queue.open()
    #expect(try await other.claim().isEmpty)
    try await store.settle(
      claimed.deliveries.map {
        Settlement(delivery: $0.id, at: start, result: .retry(at: start, error: refusal))
      })
    let again = try await other.claim()
    #expect(again.map(\.message) == claimed.deliveries.map(\.message))
    #expect(again.map(\.expiresAt) == claimed.deliveries.map(\.expiresAt))
  }

  @Test func areAnnouncedToTheEngine() async throws {
    let store = try await open(limit: 10)
    let signal = Signal()
    store.onDue { app in if app == "default" { signal.send() } }
    try await store.enqueue([notification()])
    await signal.wait()
    #expect(try await store.claim().count == 1)
  }

  /// An engine that is busy hears of what its last claim has taken, and claims once more.
  @Test func theirAnnouncementIsAnsweredWithoutATransaction() async throws {
    let store = try await open(limit: 10)
    try await store.enqueue([notification()])
    #expect(try await store.claim().count == 1)
    let before = try transactions()
    let empty = try await claimed(from: store)
    #expect(empty.deliveries.isEmpty)
    #expect(empty.nextDue == .some(nil))
    #expect(try transactions() == before)
    // A further claim looks for what others have added.
    let other = try queue.open()
    try await other.enqueue([notification()])
    #expect(try await store.claim().count == 1)
  }

  @Test func areClaimedOnceInTheOrderOfTheirPriorities() async throws {
    let store = try await open(limit: 10)
    let given = [DeliveryPriority.normal, .high, .normal, .high].map { notification(priority: $0) }
    for one in given { try await store.enqueue([one]) }
    #expect(try await claimed(from: store, limit: 1).deliveries.map(\.notification) == [given[1].id])
    let shared = try await claimed(from: store, limit: 2, normalMin: 1)
    #expect(shared.deliveries.map(\.notification) == [given[3].id, given[0].id])
    #expect(shared.nextDue == nil)
    let last = try await claimed(from: store, limit: 2)
    #expect(last.deliveries.map(\.notification) == [given[2].id])
    #expect(last.nextDue == .some(nil))
  }

  @Test func whatWaitsGoesFirst() async throws {
    let store = try queue.open()
    store.onAccept { _ in 10 }
    let older = notification()
    try await (try queue.open()).enqueue([older])
    let newer = [notification(), notification()]
    try await store.enqueue(newer)
    #expect(try await store.counts() == [.queued: 3])
    #expect(try await store.claim(limit: 2).map(\.notification) == [older.id, newer[0].id])
    #expect(try await store.claim(limit: 2).map(\.notification) == [newer[1].id])
  }

  @Test func whatExceedsTheRoomWaits() async throws {
    let store = try await open(limit: 2)
    let given = (0..<3).map { _ in notification() }
    try await store.enqueue(given)
    #expect(try await store.counts() == [.sending: 2, .queued: 1])
    // It is no longer idle, so that the next ones wait behind this one.
    let later = notification()
    try await store.enqueue([later])
    let first = try await claimed(from: store)
    #expect(first.deliveries.map(\.notification) == given[..<2].map(\.id))
    #expect(first.nextDue == nil)
    #expect(try await store.claim().map(\.notification) == [given[2].id, later.id])
  }

  @Test func whatIsThereTakesRoom() async throws {
    let store = try await open(limit: 3)
    try await store.enqueue([notification(count: 2)])
    try await store.enqueue([notification(count: 2)])
    #expect(try await store.counts() == [.sending: 2, .queued: 2])
  }

  @Test func preferHighPriorityIfThereIsNotRoomForAll() async throws {
    let store = try await open(limit: 1)
    let given = [notification(priority: .normal), notification(priority: .high)]
    try await store.enqueue(given)
    #expect(try await store.counts() == [.queued: 2])
    #expect(try await store.claim(limit: 1).map(\.notification) == [given[1].id])
  }

  @Test func aClaimTellsWhatIsScheduled() async throws {
    let store = try await open(limit: 10)
    try await store.enqueue([notification(sendAt: start.plus(seconds: 60))])
    #expect(try await store.nextDue() == start.plus(seconds: 60))
    try await store.enqueue([notification()])
    let claimed = try await claimed(from: store)
    #expect(claimed.deliveries.count == 1)
    #expect(claimed.nextDue == .some(start.plus(seconds: 60)))
  }

  @Test func nothingStaysOfATransactionThatFails() async throws {
    let store = try await open(limit: 10)
    let given = notification()
    try await store.enqueue([given])
    await #expect(throws: OutboxError.self) { try await store.enqueue([given]) }
    #expect(try await store.claim().count == 1)
    #expect(try await store.counts() == [.sending: 1])
  }

  @Test func aCancelEndsThemAtOnce() async throws {
    let store = try await open(limit: 10)
    let given = notification(count: 2)
    try await store.enqueue([given])
    guard case .done(_, cancelled: 2, inFlight: 0) = try await store.cancel(given.id) else {
      Issue.record("not cancelled")
      return
    }
    #expect(try await store.counts() == [.cancelled: 2])
    #expect(try await store.claim().allSatisfy { !$0.departure.leave() })
  }

  @Test func areReleasedIfTheEngineDoesNotTakeThem() async throws {
    let store = try await open(limit: 10, watches: true, prefetchMilliseconds: 0)
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

  @Test func areFreeAfterAStop() async throws {
    let store = try await open(limit: 10)
    try await store.enqueue([notification(count: 3)])
    await store.close()
    #expect(try await (try queue.open()).claim().count == 3)
  }

  @Test func areForgottenWithTheLease() async throws {
    let store = try await open(limit: 10)
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

  @Test func aClaimTellsWhenTheNextOneIsDue() async throws {
    let store = try queue.open()
    try await store.enqueue([notification(), notification(sendAt: start.plus(seconds: 5))])
    let all = try await claimed(from: store, limit: 10)
    #expect(all.deliveries.count == 1)
    #expect(all.nextDue == .some(start.plus(seconds: 5)))
    try await store.enqueue([notification(), notification()])
    #expect(try await claimed(from: store, limit: 1).nextDue == nil)
    #expect(try await claimed(from: store, limit: 2).nextDue == .some(start.plus(seconds: 5)))
  }
}
