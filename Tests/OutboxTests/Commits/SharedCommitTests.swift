import Clock
import Dispatch
import Outbox
import OutboxModel
import Synchronization
import Telemetry
import Testing

/// Outcomes that wait for another write, to share its transaction.
@Suite(.timeLimit(.minutes(1))) struct SharedCommitTests {
  private static let anHour = 3_600_000

  private let folder: TemporaryFolder
  private let clock = TestClock()
  private let store: DurableOutboxStore

  init() throws {
    folder = try TemporaryFolder()
    store = try Self.open(folder, clock, gatheringMilliseconds: 0)
  }

  private static func open(
    _ folder: TemporaryFolder, _ clock: TestClock, gatheringMilliseconds: Int, gatheredMax: Int = 8
  ) throws -> DurableOutboxStore {
    var configuration = OutboxConfiguration()
    configuration.gatheringMilliseconds = gatheringMilliseconds
    configuration.gatheredDeliveriesMax = gatheredMax
    return try DurableOutboxStore(
      path: folder.database, configuration: configuration, log: .silent, clock: { clock.now })
  }

  /// The outcome of a call that is answered later.
  private final class Answer: Sendable {
    private let result = Mutex<Result<Void, OutboxError>?>(nil)
    var isKnown: Bool { result.withLock { $0 != nil } }
    func take(_ result: Result<Void, OutboxError>) { self.result.withLock { $0 = result } }
    func get() throws { try #require(result.withLock { $0 }).get() }
  }

  private func sent(_ delivery: ClaimedDelivery) -> Settlement {
    .sent(delivery, at: start, messageName: "n")
  }

  /// Settles deliveries, each with a call of its own that may wait.
  private func settleLater(
    _ deliveries: [ClaimedDelivery], in other: DurableOutboxStore? = nil
  ) -> [Answer] {
    deliveries.map { delivery in
      let outcome = Answer()
      (other ?? store).settle([sent(delivery)], waitMilliseconds: Self.anHour) { result in
        outcome.take(result.map { _ in })
      }
      return outcome
    }
  }

  @Test func outcomesShareTheTransactionOfTheNextWrite() async throws {
    try await store.enqueue((0..<3).map { _ in notification() })
    let claimed = try await store.claim()
    let before = store.commitCount
    let outcomes = settleLater(claimed)
    try await store.enqueue([notification()])
    for outcome in outcomes { try outcome.get() }
    #expect(store.commitCount == before + 1)
    #expect(try await store.counts() == [.sent: 3, .queued: 1])
  }

  @Test func outcomesGatherBeforeTheyShareTheTransactionOfAnIntake() async throws {
    let folder = try TemporaryFolder()
    let store = try Self.open(folder, clock, gatheringMilliseconds: Self.anHour)
    let other = notification()
    try await store.enqueue([notification()])
    let outcomes = settleLater(try await store.claim(), in: store)
    let before = store.commitCount
    try await store.enqueue([other])
    #expect(!outcomes[0].isKnown)
    #expect(try await store.counts() == [.sending: 1, .queued: 1])
    // It could be about the delivery whose outcome waits.
    _ = try await store.cancel(other.id)
    try outcomes[0].get()
    #expect(store.commitCount == before + 2)
    #expect(try await store.counts() == [.sent: 1, .cancelled: 1])
    await store.close()
  }

  @Test func fewOutcomesGather() async throws {
    let folder = try TemporaryFolder()
    let store = try Self.open(folder, clock, gatheringMilliseconds: Self.anHour, gatheredMax: 3)
    try await store.enqueue((0..<5).map { _ in notification() })
    let claimed = try await store.claim()
    // Those that gather after it begin anew.
    for (some, countMax) in [(claimed[..<3], 3), (claimed[3...], 2)] {
      let outcomes = settleLater(Array(some.dropLast()), in: store)
      try await store.enqueue([notification()])
      #expect(outcomes.allSatisfy { !$0.isKnown })
      let last = settleLater(Array(some.suffix(1)), in: store)
      try await store.enqueue([notification()])
      #expect((outcomes + last).allSatisfy { $0.isKnown == (countMax == 3) })
    }
    await store.close()
  }

  /// Notes how many answers there were whenever it is performed.
  private final class Following: Sendable {
    let seen = Mutex((answers: 0, performedAfter: [Int]()))
    func perform() { seen.withLock { $0.performedAfter.append($0.answers) } }
  }

  /// Holds up the store's thread until the gate opens.
  private func hold() async -> DispatchSemaphore {
    let gate = DispatchSemaphore(value: 0)
    await withCheckedContinuation { continuation in
      store.counts { _ in
        continuation.resume()
        gate.wait()
      }
    }
    return gate
  }

  @Test func theCallersOfACommitAreAnsweredTogether() async throws {
    let following = Following()
    let before = store.commitCount
    let gate = await hold()
    for number in 0..<5 {
      store.enqueue([notification()]) { _ in
        following.seen.withLock { $0.answers += 1 }
        if number == 0 { DeferredWork.perform(following.perform) }
      }
    }
    gate.signal()
    #expect(try await store.counts() == [.queued: 5])
    #expect(store.commitCount == before + 1)
    #expect(following.seen.withLock { $0.performedAfter } == [5])
  }

  @Test func aTransactionFindsTheDeliveriesThatItHasAccepted() async throws {
    let given = [3, 17, 1, 21].map { notification(count: $0) }
    let before = store.commitCount
    let cancelled = Answer()
    let gate = await hold()
    for notification in given { store.enqueue([notification]) { _ in } }
    store.cancel(given[2].id, now: start) { cancelled.take($0.map { _ in }) }
    store.enqueue([notification(count: 5)]) { _ in }
    gate.signal()
    #expect(try await store.counts() == [.queued: 46, .cancelled: 1])
    try cancelled.get()
    #expect(store.commitCount == before + 1)
    for notification in given {
      let stored = try #require(try await store.notification(notification.id)).deliveries
      #expect(stored.map(\.id) == notification.deliveries.map(\.id))
      #expect(stored.map(\.target) == notification.deliveries.map(\.target))
    }
    #expect(try await store.claim(limit: 100).count == 46)
  }

  @Test func whatAFailedTransactionWouldHaveAcceptedIsWrittenOnce() async throws {
    let first = notification()
    try await store.enqueue([first])
    let given = notification(count: 3)
    let (accepted, refused) = (Answer(), Answer())
    let gate = await hold()
    store.enqueue([given]) { accepted.take($0) }
    store.enqueue([first]) { refused.take($0) }
    gate.signal()
    #expect(try await store.counts() == [.queued: 4])
    try accepted.get()
    #expect(throws: OutboxError.self) { try refused.get() }
    #expect(try await store.notification(given.id)?.deliveries.map(\.id) == given.deliveries.map(\.id))
  }

  @Test func questionsDoNotEndTheWait() async throws {
    try await store.enqueue([notification(), notification()])
    let outcomes = settleLater(try await store.claim(limit: 1))
    let before = store.commitCount
    #expect(try await store.counts() == [.sending: 1, .queued: 1])
    #expect(try await store.claim().count == 1)
    #expect(try await store.nextDue() == nil)
    #expect(!outcomes[0].isKnown)
    #expect(store.commitCount == before)
  }

  @Test func theWaitEndsOnRequest() async throws {
    try await store.enqueue([notification(), notification()])
    let outcomes = settleLater(try await store.claim())
    store.settleNow()
    // Asked later, so answered later.
    #expect(try await store.counts() == [.sent: 2])
    for outcome in outcomes { try outcome.get() }
  }

  @Test func theWaitEndsByItself() async throws {
    try await store.enqueue([notification()])
    let claimed = try #require(try await store.claim().first)
    _ = try await withCheckedContinuation { continuation in
      store.settle([sent(claimed)], waitMilliseconds: 1) { continuation.resume(returning: $0) }
    }.get()
    #expect(try await store.counts() == [.sent: 1])
  }

  @Test func aShorterWaitAfterALongerOneEndsInTime() async throws {
    try await store.enqueue([notification(), notification(), notification()])
    let claimed = try await store.claim()
    // Each of the three arms, finds or moves the timer of the wait.
    for (delivery, wait) in zip(claimed, [1, 20, 1]) {
      _ = try await withCheckedContinuation { continuation in
        store.settle([sent(delivery)], waitMilliseconds: wait) { continuation.resume(returning: $0) }
      }.get()
    }
    #expect(try await store.counts() == [.sent: 3])
  }

  @Test func closingWritesWhatWaits() async throws {
    try await store.enqueue([notification()])
    let outcomes = settleLater(try await store.claim())
    await store.close()
    try outcomes[0].get()
    let reopened = try DurableOutboxStore(path: folder.database, log: .silent)
    #expect(try await reopened.counts() == [.sent: 1])
  }

  @Test func aCrashDuringTheWaitMakesTheDeliveryDueAgain() async throws {
    let given = notification()
    try await store.enqueue([given])
    _ = settleLater(try await store.claim())
    let copy = try folder.crashed()
    let reopened = try DurableOutboxStore(path: copy, log: .silent)
    #expect(try await reopened.counts() == [.queued: 1])
    #expect(try await reopened.claim().map(\.id) == given.deliveries.map(\.id))
  }

  @Test func claimsReportWhenTheNextDeliveryIsDue() async throws {
    try await store.enqueue([notification(), notification(sendAt: start.plus(seconds: 60))])
    let claimed = try await withCheckedContinuation { continuation in
      store.claim(app: "default", limit: 10, normalMin: 0, now: start) { continuation.resume(returning: $0) }
    }.get()
    #expect(claimed.deliveries.count == 1)
    #expect(claimed.nextDue == .some(start.plus(seconds: 60)))
    // As many as were asked for: there may be more.
    try await store.enqueue([notification(), notification()])
    let full = try await withCheckedContinuation { continuation in
      store.claim(app: "default", limit: 1, normalMin: 0, now: start) { continuation.resume(returning: $0) }
    }.get()
    #expect(full.deliveries.count == 1)
    #expect(full.nextDue == nil)
  }
}
