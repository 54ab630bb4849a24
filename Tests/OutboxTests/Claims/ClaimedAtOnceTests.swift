import Clock
import FCMMessage
import Synchronization
import Telemetry
import TestSupport
import Testing

@testable import Outbox
@testable import SQL

/// Deliveries that are accepted as claimed, ahead of the sender's claims, in every store that has them.
@Suite struct ClaimedAtOnceTests {
  static let kinds: [StoreKind] = [.sqlite] + (PostgresCluster.isInstalled ? [.postgres] : [])

  /// A store whose sender would claim `limit` deliveries, and which knows that nothing waits.
  private func open(
    _ kind: StoreKind, limit: Int, _ configure: (inout OutboxConfiguration) -> Void = { _ in }
  ) async throws -> Fixture {
    let fixture = try Fixture(kind, configure)
    fixture.store.onAccept { _ in limit }
    #expect(try await fixture.store.nextDue() == nil)
    return fixture
  }

  /// What a claim returns that needs no transaction: it is answered before the call returns.
  private func claimedAtOnce(
    from store: any OutboxStore, limit: Int = 100, normalMin: Int = 0
  ) throws -> ClaimedDeliveries {
    let answer = Mutex<Result<ClaimedDeliveries, OutboxError>?>(nil)
    store.claim(app: "default", limit: limit, normalMin: normalMin, now: start) { result in
      answer.withLock { $0 = result }
    }
    return try #require(answer.withLock { $0 }).get()
  }

  private func claimed(from store: any OutboxStore, limit: Int) async throws -> ClaimedDeliveries {
    try await withCheckedContinuation { continuation in
      store.claim(app: "default", limit: limit, normalMin: 0, now: start) {
        continuation.resume(returning: $0)
      }
    }.get()
  }

  @Test(arguments: kinds) func aClaimOfThemNeedsNoTransaction(_ kind: StoreKind) async throws {
    let store = try await open(kind, limit: 10).store
    let given = notification(count: 3)
    try await store.enqueue([given])
    let claimed = try claimedAtOnce(from: store)
    #expect(claimed.deliveries.map(\.id) == given.deliveries.map(\.id))
    #expect(claimed.deliveries.map(\.target) == given.deliveries.map(\.target))
    #expect(claimed.nextDue == .some(nil))
    #expect(try await store.counts() == [.sending: 3])
    #expect(try await store.notification(given.id)?.status == "sending")
    #expect(claimed.deliveries.allSatisfy(store.holds))
    // What the transaction left in memory is what is read from the database.
    try await store.settle(claimed.deliveries.map { .retry($0, at: start, dueAt: start, error: refusal) })
    #expect(try await store.counts() == [.queued: 3])
    let again = try await store.claim()
    #expect(again.map(\.id) == claimed.deliveries.map(\.id))
    #expect(again.map(\.message) == claimed.deliveries.map(\.message))
    #expect(again.map(\.expiresAt) == claimed.deliveries.map(\.expiresAt))
    #expect(again.map(\.attempts) == [1, 1, 1])
  }

  @Test(arguments: kinds) func areAnnouncedToTheSender(_ kind: StoreKind) async throws {
    let store = try await open(kind, limit: 10).store
    let signal = Signal()
    store.onDue { app in if app == "default" { signal.send() } }
    try await store.enqueue([notification()])
    await signal.wait()
    #expect(try claimedAtOnce(from: store).deliveries.count == 1)
  }

  /// A sender that is busy hears of what its last claim has taken, and claims once more.
  @Test(arguments: kinds) func theirAnnouncementIsAnsweredWithoutATransaction(_ kind: StoreKind) async throws
  {
    let store = try await open(kind, limit: 10).store
    try await store.enqueue([notification()])
    #expect(try claimedAtOnce(from: store).deliveries.count == 1)
    let empty = try claimedAtOnce(from: store)
    #expect(empty.deliveries.isEmpty)
    #expect(empty.nextDue == .some(nil))
    // A further claim looks for what others have added.
    #expect(try await store.claim().isEmpty)
  }

  @Test(arguments: kinds) func areClaimedOnceInTheOrderOfTheirPriorities(_ kind: StoreKind) async throws {
    let store = try await open(kind, limit: 10).store
    let given = [DeliveryPriority.normal, .high, .normal, .high].map { notification(priority: $0) }
    for one in given { try await store.enqueue([one]) }
    #expect(try claimedAtOnce(from: store, limit: 1).deliveries.map(\.notification) == [given[1].id])
    let shared = try claimedAtOnce(from: store, limit: 2, normalMin: 1)
    #expect(shared.deliveries.map(\.notification) == [given[3].id, given[0].id])
    #expect(shared.nextDue == nil)
    let last = try claimedAtOnce(from: store, limit: 2)
    #expect(last.deliveries.map(\.notification) == [given[2].id])
    #expect(last.nextDue == .some(nil))
    #expect(try await store.counts() == [.sending: 4])
  }

  @Test(arguments: kinds) func whatWaitsGoesFirst(_ kind: StoreKind) async throws {
    let store = try Fixture(kind).store
    let older = notification()
    try await store.enqueue([older])
    store.onAccept { _ in 10 }
    let newer = [notification(), notification()]
    try await store.enqueue(newer)
    #expect(try await store.counts() == [.queued: 3])
    #expect(try await store.claim(limit: 2).map(\.notification) == [older.id, newer[0].id])
    #expect(try await store.claim(limit: 2).map(\.notification) == [newer[1].id])
    // Now that nothing waits, the next ones are claimed at once.
    try await store.enqueue([notification()])
    #expect(try claimedAtOnce(from: store).deliveries.count == 1)
  }

  @Test(arguments: kinds) func whatComesBackGoesFirst(_ kind: StoreKind) async throws {
    let store = try await open(kind, limit: 10).store
    let older = notification()
    try await store.enqueue([older])
    let claim = try #require(try claimedAtOnce(from: store).deliveries.first)
    try await store.settle([.release(claim, at: start)])
    let newer = notification()
    try await store.enqueue([newer])
    #expect(try await store.counts() == [.queued: 2])
    #expect(try await store.claim().map(\.notification) == [older.id, newer.id])
  }

  @Test(arguments: kinds) func whatExceedsTheRoomWaits(_ kind: StoreKind) async throws {
    let store = try await open(kind, limit: 2).store
    let given = (0..<3).map { _ in notification() }
    try await store.enqueue(given)
    #expect(try await store.counts() == [.sending: 2, .queued: 1])
    // It is no longer idle, so that the next ones wait behind this one.
    let later = notification()
    try await store.enqueue([later])
    let first = try claimedAtOnce(from: store)
    #expect(first.deliveries.map(\.notification) == given[..<2].map(\.id))
    #expect(first.nextDue == nil)
    #expect(try await store.claim().map(\.notification) == [given[2].id, later.id])
  }

  @Test(arguments: kinds) func whatIsThereTakesRoom(_ kind: StoreKind) async throws {
    let store = try await open(kind, limit: 3).store
    try await store.enqueue([notification(count: 2)])
    try await store.enqueue([notification(count: 2)])
    #expect(try await store.counts() == [.sending: 2, .queued: 2])
  }

  @Test(arguments: kinds) func preferHighPriorityIfThereIsNotRoomForAll(_ kind: StoreKind) async throws {
    let store = try await open(kind, limit: 1).store
    let given = [notification(priority: .normal), notification(priority: .high)]
    try await store.enqueue(given)
    #expect(try await store.counts() == [.queued: 2])
    #expect(try await store.claim(limit: 1).map(\.notification) == [given[1].id])
  }

  @Test(arguments: kinds) func whatIsNotDueYetIsNotClaimed(_ kind: StoreKind) async throws {
    let store = try await open(kind, limit: 10).store
    try await store.enqueue([notification(sendAt: start.plus(seconds: 60))])
    #expect(try await store.nextDue() == start.plus(seconds: 60))
    try await store.enqueue([notification()])
    let claimed = try claimedAtOnce(from: store)
    #expect(claimed.deliveries.count == 1)
    #expect(claimed.nextDue == .some(start.plus(seconds: 60)))
    #expect(try await store.counts() == [.sending: 1, .scheduled: 1])
  }

  @Test(arguments: kinds) func nothingStaysOfATransactionThatFails(_ kind: StoreKind) async throws {
    let store = try await open(kind, limit: 10).store
    let given = notification()
    try await store.enqueue([given])
    await #expect(throws: OutboxError.self) { try await store.enqueue([given]) }
    #expect(try await store.claim().count == 1)
    #expect(try await store.claim().isEmpty)
    #expect(try await store.counts() == [.sending: 1])
  }

  @Test(arguments: kinds) func aCancelEndsThemAtOnce(_ kind: StoreKind) async throws {
    let store = try await open(kind, limit: 10).store
    let given = notification(count: 2)
    try await store.enqueue([given])
    guard case .done(_, cancelled: 2, inFlight: 0) = try await store.cancel(given.id) else {
      Issue.record("not cancelled")
      return
    }
    #expect(try await store.counts() == [.cancelled: 2])
    let claimed = try await store.claim()
    #expect(claimed.allSatisfy { !$0.departure.leave() })
    // The sender hands back what it may not send.
    let over = try await store.settle(claimed.map { .release($0, at: start) })
    #expect(over == claimed.map(\.id))
    #expect(try await store.counts() == [.cancelled: 2])
  }

  @Test(arguments: kinds) func areReleasedIfTheSenderDoesNotTakeThem(_ kind: StoreKind) async throws {
    let store = try await open(kind, limit: 10) {
      $0.prefetchMilliseconds = 5
      $0.watchIntervalMilliseconds = 5
    }.store
    let given = notification(count: 3)
    try await store.enqueue([given])
    try await eventually { try await store.counts() == [.queued: 3] }
    #expect(try await store.claim().map(\.id) == given.deliveries.map(\.id))
    #expect(try await store.counts() == [.sending: 3])
  }

  @Test(arguments: kinds) func waitAfterARestart(_ kind: StoreKind) async throws {
    let fixture = try await open(kind, limit: 10)
    let given = notification(count: 3)
    try await fixture.store.enqueue([given])
    _ = try claimedAtOnce(from: fixture.store, limit: 1)
    await fixture.store.close()
    let store = try fixture.reopened()
    #expect(try await store.counts() == [.queued: 3])
    #expect(try await store.claim().map(\.id) == given.deliveries.map(\.id))
    await store.close()
  }

  @Test(arguments: kinds) func aClaimTellsWhenTheNextOneIsDue(_ kind: StoreKind) async throws {
    let store = try Fixture(kind).store
    try await store.enqueue([notification(), notification(sendAt: start.plus(seconds: 5))])
    let all = try await claimed(from: store, limit: 10)
    #expect(all.deliveries.count == 1)
    #expect(all.nextDue == .some(start.plus(seconds: 5)))
    try await store.enqueue([notification(), notification()])
    #expect(try await claimed(from: store, limit: 1).nextDue == nil)
    #expect(try await claimed(from: store, limit: 2).nextDue == .some(start.plus(seconds: 5)))
  }

  @Test(arguments: kinds) func messagesToLiveActivitiesWait(_ kind: StoreKind) async throws {
    let store = try await open(kind, limit: 10).store
    let given = [activity(.update), activity(.update)]
    try await store.enqueue(given)
    #expect(try await store.counts() == [.cancelled: 1, .queued: 1])
    #expect(try await store.claimed() == [given[1].id])
  }
}

/// What a crash leaves of them in SQLite, where a start finds them by their marks.
@Suite struct ClaimedAtOnceCrashTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func open(_ path: String? = nil) throws -> DurableOutboxStore {
    var configuration = OutboxConfiguration()
    configuration.prefetchMilliseconds = 3_600_000
    return try DurableOutboxStore(
      path: path ?? folder.database, configuration: configuration, log: .silent, clock: { start })
  }

  @Test func aCrashListsThemAgain() async throws {
    let store = try open()
    store.onAccept { _ in 100 }
    let waiting = notification()
    try await store.enqueue([waiting])
    let settled = try #require(try await store.claim().first)
    let given = notification(count: 5)
    try await store.enqueue([given])
    let claims = try await store.claim(limit: 3)
    #expect(claims.map(\.id) == given.deliveries[..<3].map(\.id))
    try await store.settle([
      .sent(settled, at: start, messageName: "n"), .sent(claims[0], at: start, messageName: "n"),
      .retry(claims[1], at: start, dueAt: start.plus(seconds: 9), error: refusal),
    ])
    #expect(try await store.counts() == [.sent: 2, .queued: 1, .sending: 3])
    let survivor = try open(try folder.crashed())
    #expect(try await survivor.counts() == [.sent: 2, .queued: 4])
    #expect(try await survivor.claim().map(\.id) == given.deliveries[2...].map(\.id))
    #expect(try await survivor.claim(now: start.plus(seconds: 9)).map(\.id) == [given.deliveries[1].id])
    await survivor.close()
    await store.close()
  }

  /// The mark from which on a start looks for them follows the oldest one, far behind the newest.
  @Test func aCrashFindsOldOnesBehindManyNewer() async throws {
    let store = try open()
    store.onAccept { _ in 10_000 }
    #expect(try await store.nextDue() == nil)
    let old = notification()
    try await store.enqueue([old])
    for _ in 0..<3 {
      try await store.enqueue((0..<600).map { _ in notification() })
      let claims = try await store.claim(limit: 601).filter { $0.notification != old.id }
      try await store.settle(claims.map { .sent($0, at: start, messageName: "n") })
    }
    let survivor = try open(try folder.crashed(to: "first.db"))
    #expect(try await survivor.claim().map(\.notification) == [old.id])
    await survivor.close()
    // Once the old one has ended, the mark moves on, and a later crash still finds what is newer.
    try await store.settle(old.deliveries[0].id, .sent(messageName: "n"))
    try await store.enqueue((0..<600).map { _ in notification() })
    let last = notification()
    try await store.enqueue([last])
    let connection = try SQLiteConnection(path: folder.database)
    let mark = try connection.integer("SELECT value >> 12 FROM dragoman_marks WHERE name = 'claimed_from'")
    #expect(mark == 1_802)
    let next = try open(try folder.crashed(to: "second.db"))
    #expect(try await next.counts() == [.sent: 1_801, .queued: 601])
    #expect(try await next.claim(limit: 1_000).last?.notification == last.id)
    await next.close()
    await store.close()
  }
}
