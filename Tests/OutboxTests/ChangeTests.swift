import Clock
import FCMMessage
import JSON
import Outbox
import Synchronization
import Testing

/// What every store guarantees about cancelling, retrying and expiring.
@Suite struct ChangeTests {
  @Test(arguments: StoreKind.allCases) func cancelsWaitingDeliveries(_ kind: StoreKind) async throws {
    let fixture = try Fixture(kind)
    let store = fixture.store
    let given = notification(count: 3)
    let scheduled = notification(sendAt: start.plus(seconds: 60))
    let other = notification()
    try await store.enqueue([given, scheduled, other])
    let later = start.plus(seconds: 5)
    guard case .done(let now, cancelled: 3, inFlight: 0) = try await store.cancel(given.id, now: later) else {
      Issue.record("not cancelled")
      return
    }
    #expect(now.status == "cancelled")
    #expect(now.deliveries.map(\.updatedAt) == [later, later, later])
    #expect(now.deliveries.allSatisfy { $0.nextAttemptAt == nil && $0.error == nil })
    guard case .done(_, cancelled: 1, inFlight: 0) = try await store.cancel(scheduled.id) else {
      Issue.record("not cancelled")
      return
    }
    #expect(try await store.counts() == [.cancelled: 4, .queued: 1])
    #expect(try await store.claim(now: start.plus(seconds: 99)).map(\.notification) == [other.id])
    #expect(try await store.nextDue() == nil)
    guard case .allFinal = try await store.cancel(given.id) else {
      Issue.record("cancelled twice")
      return
    }
    guard case .notFound = try await store.cancel(NotificationID(UUIDv7())) else {
      Issue.record("cancelled an unknown notification")
      return
    }
  }

  @Test(arguments: StoreKind.allCases) func recallsClaimedDeliveriesThatHaveNotLeft(
    _ kind: StoreKind
  ) async throws {
    let store = try Fixture(kind).store
    let given = notification(count: 3)
    try await store.enqueue([given])
    let claimed = try await store.claim(limit: 2)
    #expect(claimed[0].departure.leave())
    guard case .done(let now, cancelled: 2, inFlight: 1) = try await store.cancel(given.id) else {
      Issue.record("not cancelled")
      return
    }
    #expect(now.deliveries.map(\.state) == [.sending, .cancelled, .cancelled])
    #expect(!claimed[1].departure.leave())
    // The sender hands it back, which changes nothing.
    try await store.settle(claimed[1].id, .release)
    try await store.settle(claimed[0].id, .sent(messageName: "n"))
    #expect(
      try await store.notification(given.id)?.deliveries.map(\.state) == [.sent, .cancelled, .cancelled])
    #expect(try await store.counts() == [.sent: 1, .cancelled: 2])
    #expect(try await store.claim(now: start.plus(seconds: 99)).isEmpty)
  }

  @Test(arguments: StoreKind.allCases) func cancelsDeliveriesThatReturnFromAnAttempt(
    _ kind: StoreKind
  ) async throws {
    let store = try Fixture(kind).store
    let given = notification(count: 5)
    try await store.enqueue([given])
    let ids = try await store.claim(limit: 4).left().map(\.id)
    guard case .done(let now, cancelled: 1, inFlight: 4) = try await store.cancel(given.id) else {
      Issue.record("not cancelled")
      return
    }
    #expect(now.deliveries.map(\.state) == [.sending, .sending, .sending, .sending, .cancelled])
    guard case .done(_, cancelled: 0, inFlight: 4) = try await store.cancel(given.id) else {
      Issue.record("not in flight")
      return
    }
    let later = start.plus(seconds: 3)
    try await store.settle([
      SettledDelivery(ids[0], at: later, .sent(messageName: "n")),
      SettledDelivery(ids[1], at: later, .retry(at: start.plus(seconds: 9), error: refusal)),
      SettledDelivery(ids[2], at: later, .release),
      SettledDelivery(ids[3], at: later, .failed(error: refusal)),
    ])
    let stored = try #require(try await store.notification(given.id))
    #expect(stored.deliveries.map(\.state) == [.sent, .cancelled, .cancelled, .failed, .cancelled])
    #expect(stored.deliveries.map(\.attempts) == [1, 1, 0, 1, 0])
    #expect(stored.deliveries.map(\.error) == [nil, refusal, nil, refusal, nil])
    #expect(stored.deliveries.allSatisfy { $0.nextAttemptAt == nil })
    #expect(stored.deliveries[1].updatedAt == later)
    #expect(stored.deliveries[2].updatedAt == later)
    #expect(try await store.counts() == [.sent: 1, .cancelled: 3, .failed: 1])
    #expect(try await store.claim(now: start.plus(seconds: 99)).isEmpty)
  }

  @Test(arguments: StoreKind.allCases) func retriesDeadLetters(_ kind: StoreKind) async throws {
    let store = try Fixture(kind).store
    let given = notification(count: 4, sendAt: start.plus(seconds: 1_000), priority: .high)
    try await store.enqueue([given])
    guard case .none = try await store.retry(given.id) else {
      Issue.record("retried what waits")
      return
    }
    let ids = try await store.claim(limit: 3, now: start.plus(seconds: 1_000)).map(\.id)
    let dead = start.plus(seconds: 2_000)
    try await store.settle([
      SettledDelivery(ids[0], at: dead, .failed(error: refusal)),
      SettledDelivery(ids[1], at: dead, .expired(error: nil)),
      SettledDelivery(ids[2], at: dead, .sent(messageName: "n")),
    ])
    let now = start.plus(seconds: 200_000)
    guard case .done(let stored, queued: 2) = try await store.retry(given.id, now: now) else {
      Issue.record("not retried")
      return
    }
    #expect(stored.deliveries.map(\.attempts) == [0, 0, 1, 0])
    #expect(stored.deliveries[0].state == .queued)
    #expect(stored.deliveries[0].error == refusal)
    #expect(stored.deliveries[0].nextAttemptAt == now)
    #expect(stored.deliveries[0].updatedAt == now)
    let again = try await store.claim(now: now).sorted { $0.id < $1.id }
    #expect(again.map(\.id) == [ids[0], ids[1], given.deliveries[3].id])
    #expect(again.map(\.attempts) == [0, 0, 0])
    // The whole ttl from the retry on: 86,400 s after it was created, and so 85,400 s after it was due.
    let end = now.plus(seconds: 85_400)
    #expect(again.map(\.expiresAt) == [end, end, given.expiresAt])
    #expect(again.map(\.dueSince) == [now, now, start.plus(seconds: 1_000)])
    #expect(again.map(\.message) == Array(repeating: given.message, count: 3))
    #expect(again.map(\.priority) == [.high, .high, .high])
    try await store.settle(ids[0], at: now, .sent(messageName: "n"))
    #expect(try await store.notification(given.id)?.deliveries[0].attempts == 1)
    guard case .notFound = try await store.retry(NotificationID(UUIDv7())) else {
      Issue.record("retried an unknown notification")
      return
    }
  }

  @Test(arguments: StoreKind.allCases) func retriesNothingBeyondTheDepthLimit(_ kind: StoreKind) async throws
  {
    let store = try Fixture(kind, depthMax: 2).store
    let given = notification(count: 2)
    try await store.enqueue([given])
    for delivery in try await store.claim() { try await store.settle(delivery.id, .failed(error: refusal)) }
    try await store.enqueue([notification()])
    let error = await #expect(throws: OutboxError.self) { _ = try await store.retry(given.id) }
    #expect(error?.code == .full)
    #expect(try await store.counts() == [.failed: 2, .queued: 1])
  }

  @Test(arguments: StoreKind.allCases) func expiresUnclaimedDeliveries(_ kind: StoreKind) async throws {
    let fixture = try Fixture(kind)
    let store = fixture.store
    let day: Int64 = 86_400
    let old = (0..<20).map { number in
      notification(
        count: 2, createdAt: start.plus(seconds: number), priority: number % 2 == 0 ? .high : .normal)
    }
    let young = notification(createdAt: start.plus(seconds: day))
    let scheduled = notification(sendAt: start.plus(seconds: 3 * day))
    try await store.enqueue(old + [young, scheduled])
    let claimed = try await store.claim(limit: 3, now: start.plus(seconds: 100))
    #expect(try await store.expireAll(now: start.plus(seconds: day - 1)) == 0)
    let now = start.plus(seconds: day + 100)
    fixture.clock.now = now
    #expect(try await store.expireAll(now: now, limit: 7) == 37)
    #expect(try await store.counts() == [.expired: 37, .sending: 3, .queued: 1, .scheduled: 1])
    #expect(try await store.expireAll(now: now) == 0)
    #expect(try await store.expireAll("nobody", now: now) == 0)
    let stored = try #require(try await store.notification(old[5].id))
    #expect(stored.status == "expired")
    #expect(stored.deliveries.allSatisfy { $0.updatedAt == now && $0.nextAttemptAt == nil })
    #expect(try await store.claim(now: now).map(\.notification) == [young.id])
    try await store.settle(claimed[0].id, at: now, .release)
    #expect(try await store.expireAll(now: now) == 1)
  }

  @Test(arguments: StoreKind.allCases) func reportsWhatItEndedByItself(_ kind: StoreKind) async throws {
    let store = try Fixture(kind).store
    let reports = Mutex<[OutboxCommit]>([])
    store.onCommit { report in reports.withLock { $0.append(report) } }
    let given = notification(count: 4)
    try await store.enqueue([given])
    let ids = try await store.claim(limit: 2).left().map(\.id)
    _ = try await store.cancel(given.id)
    try await store.settle(ids[0], .release)
    try await store.settle(ids[1], .failed(error: refusal, deadRegistration: true))
    try await store.enqueue([notification(app: "b")])
    _ = try await store.expireAll("b", now: start.plus(seconds: 999_999))
    _ = try await store.counts()
    let all = reports.withLock { $0 }
    #expect(all.reduce(0) { $0 + ($1.cancelled[ExactText("default")] ?? 0) } == 3)
    #expect(all.reduce(0) { $0 + ($1.expired[ExactText("b")] ?? 0) } == 1)
    #expect(all.reduce(0) { $0 + $1.feedbackEvents } == 1)
    #expect(all.reduce(0) { $0 + $1.deliveries } == 10)
    #expect(all.allSatisfy { $0.calls > 0 && $0.seconds >= 0 })
  }

  @Test(arguments: StoreKind.allCases) func reportsHowLongTheFirstHasWaited(_ kind: StoreKind) async throws {
    let fixture = try Fixture(kind)
    let store = fixture.store
    try await store.enqueue([
      notification(createdAt: start.plus(seconds: -40)),
      notification(createdAt: start.plus(seconds: -90), priority: .high),
      notification(app: "b", sendAt: start.plus(seconds: 60)),
    ])
    #expect(try await store.firstDueAt() == start.plus(seconds: -90))
    _ = try await store.claim(limit: 1)
    #expect(try await store.firstDueAt() == start.plus(seconds: -40))
    _ = try await store.claim(limit: 1)
    #expect(try await store.firstDueAt() == nil)
    let ahead = try #require(try await store.allCounts()["b"])
    #expect(ahead.oldestQueuedSeconds(now: start) == 0)
    #expect(ahead.oldestQueuedSeconds(now: start.plus(seconds: 61)) == 1)
    #expect(OutboxCounts().oldestQueuedSeconds(now: start) == 0)
  }
}
