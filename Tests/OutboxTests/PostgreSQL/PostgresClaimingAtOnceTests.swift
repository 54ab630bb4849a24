import FCMMessage
import Outbox
import Synchronization
import TestSupport
import Testing

/// Claims of idle apps that share the transaction of an enqueue.
@Suite(.enabled(if: PostgresCluster.isInstalled, Comment(rawValue: PostgresCluster.absence)))
struct PostgresClaimingAtOnceTests {
  private let queue: SharedQueue

  init() throws { queue = try SharedQueue() }

  /// A store whose app offers a claim of `limit` at each enqueue, and the results of these claims.
  private func open(limit: Int) throws -> (store: PostgresOutboxStore, claims: Claims) {
    let (store, claims) = (try queue.open(), Claims())
    store.onAccept { app in
      ClaimRequest(app: app, limit: limit, normalMin: 0, now: start) { result in
        claims.results.withLock { $0.append(result) }
      }
    }
    return (store, claims)
  }

  /// The results of offered claims, in order.
  private final class Claims: Sendable {
    let results = Mutex<[Result<ClaimedDeliveries, OutboxError>]>([])

    /// The result of the claim with this number, which is answered after the enqueue.
    func result(_ number: Int) async throws -> ClaimedDeliveries {
      try await eventually { results.withLock { $0.count } >= number }
      return try #require(results.withLock { $0.dropFirst(number - 1).first }).get()
    }
  }

  @Test func insertsWhatAnIdleAppTakesAsClaimed() async throws {
    let (store, claims) = try open(limit: 10)
    #expect(try await store.nextDue() == nil)
    let given = notification(count: 3)
    try await store.enqueue([given])
    let claimed = try await claims.result(1)
    #expect(claimed.deliveries.map(\.id) == given.deliveries.map(\.id))
    #expect(claimed.deliveries.map(\.target) == given.deliveries.map(\.target))
    #expect(claimed.nextDue == .some(nil))
    #expect(store.commitCount == 1)
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

  @Test func takesWhatWaitedFirst() async throws {
    let (store, claims) = try open(limit: 2)
    let older = notification(count: 1)
    try await (try queue.open()).enqueue([older])
    let newer = [notification(), notification()]
    try await store.enqueue(newer)
    let claimed = try await claims.result(1)
    #expect(claimed.deliveries.map(\.notification) == [older.id, newer[0].id])
    #expect(claimed.nextDue == nil)
    #expect(try await store.claim().map(\.notification) == [newer[1].id])
  }

  @Test func leavesWhatExceedsTheClaim() async throws {
    let (store, claims) = try open(limit: 2)
    let due = Mutex(0)
    store.onDue { _ in due.withLock { $0 += 1 } }
    #expect(try await store.nextDue() == nil)
    let given = (0..<3).map { _ in notification() }
    try await store.enqueue(given)
    #expect(try await claims.result(1).deliveries.map(\.notification) == given[..<2].map(\.id))
    try await eventually { due.withLock { $0 } == 1 }
    #expect(try await store.counts() == [.sending: 2, .queued: 1])
    // It is no longer idle, so that the next ones wait behind this one.
    try await store.enqueue([notification(), notification()])
    #expect(try await claims.result(2).deliveries.first?.notification == given[2].id)
  }

  @Test func prefersHighPriorityIfItCannotTakeAll() async throws {
    let (store, claims) = try open(limit: 1)
    #expect(try await store.nextDue() == nil)
    let given = [notification(priority: .normal), notification(priority: .high)]
    try await store.enqueue(given)
    #expect(try await claims.result(1).deliveries.map(\.notification) == [given[1].id])
  }

  @Test func knowsWhatIsScheduled() async throws {
    let (store, claims) = try open(limit: 10)
    let later = notification(sendAt: start.plus(seconds: 60))
    try await store.enqueue([later])
    #expect(try await store.nextDue() == start.plus(seconds: 60))
    try await store.enqueue([notification()])
    let claimed = try await claims.result(1)
    #expect(claimed.deliveries.count == 1)
    #expect(claimed.nextDue == .some(start.plus(seconds: 60)))
  }

  @Test func answersAClaimWhoseTransactionFails() async throws {
    let (store, claims) = try open(limit: 10)
    #expect(try await store.nextDue() == nil)
    let given = notification()
    try await store.enqueue([given])
    await #expect(throws: OutboxError.self) { try await store.enqueue([given]) }
    await #expect(throws: OutboxError.self) { _ = try await claims.result(2) }
    #expect(try await store.counts() == [.sending: 1])
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

  private func claimed(from store: PostgresOutboxStore, limit: Int) async throws -> ClaimedDeliveries {
    try await withCheckedContinuation { continuation in
      store.claim(app: "default", limit: limit, normalMin: 0, now: start) {
        continuation.resume(returning: $0)
      }
    }.get()
  }
}
