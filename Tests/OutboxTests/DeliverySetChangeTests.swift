import Clock
import FCMMessage
import JSON
import Testing

@testable import Outbox

/// What every store guarantees about changing all deliveries that a filter selects.
@Suite struct DeliverySetChangeTests {
  private let dead = DeliveryError(
    code: "UNREGISTERED", httpStatus: 404, message: "gone", apnsReason: nil)

  private func retry(
    since: Timestamp = start, skipping codes: Set<String> = [],
    _ adjust: (inout NotificationFilter) -> Void = { _ in }
  ) -> DeliverySetChange {
    var change = DeliverySetChange(.retry)
    change.states = [.failed, .expired]
    change.skippedCodes = codes
    change.filter.since = since
    adjust(&change.filter)
    return change
  }

  private func cancel(_ states: Set<DeliveryState> = [.scheduled, .queued, .sending]) -> DeliverySetChange {
    var change = DeliverySetChange(.cancel)
    change.states = states
    change.filter.since = start
    change.filter.apps = ["default"]
    return change
  }

  /// All steps, one after the other.
  private func run(
    _ change: DeliverySetChange, in store: any OutboxStore, isDryRun: Bool = false
  ) async throws -> DeliverySetStep {
    var total = DeliverySetStep()
    var row: Int64 = 0
    while true {
      let step = try await step(change, after: row, in: store, isDryRun: isDryRun)
      total.matched += step.matched
      total.changed += step.changed
      total.skipped.merge(step.skipped, uniquingKeysWith: +)
      guard let next = step.next else { return total }
      #expect(next > row)
      row = next
    }
  }

  private func step(
    _ change: DeliverySetChange, after row: Int64, in store: any OutboxStore, isDryRun: Bool = false,
    progress: DeliverySetProgress? = nil
  ) async throws -> DeliverySetStep {
    try await withCheckedContinuation { continuation in
      store.change(change, after: row, isDryRun: isDryRun, progress: progress) {
        continuation.resume(returning: $0)
      }
    }.get()
  }

  private func result(_ matched: Int, _ skipped: [String: Int] = [:], changed: Int) -> DeliverySetStep {
    var result = DeliverySetStep()
    (result.matched, result.skipped, result.changed) = (matched, skipped, changed)
    return result
  }

  /// Six deliveries that failed ten seconds after the start, those to `token-2` as dead.
  private func failedFixture(_ kind: StoreKind) async throws -> (Fixture, [NewNotification]) {
    let fixture = try Fixture(kind) { $0.stepDeliveriesMax = 2 }
    let given = [
      notification(count: 3), notification(count: 2, client: "chat", template: "other"),
      notification(client: nil),
    ]
    try await fixture.store.enqueue(given)
    for claimed in try await fixture.store.claim().left() {
      let error = claimed.target == .token("token-2") ? dead : refusal
      try await fixture.store.settle(claimed.id, at: start.plus(seconds: 10), .failed(error: error))
    }
    fixture.clock.now = start.plus(seconds: 20)
    return (fixture, given)
  }

  @Test(arguments: StoreKind.allCases) func retriesWhatTheFilterFinds(_ kind: StoreKind) async throws {
    let (fixture, given) = try await failedFixture(kind)
    let store = fixture.store
    let skipping: Set<String> = ["UNREGISTERED"]
    #expect(
      try await run(retry(skipping: skipping), in: store, isDryRun: true)
        == result(6, ["UNREGISTERED": 2], changed: 0))
    #expect(try await store.counts() == [.failed: 6])
    let chats = retry(skipping: skipping) { $0.owner = .client("chat") }
    #expect(try await run(chats, in: store) == result(2, ["UNREGISTERED": 1], changed: 1))
    #expect(try await store.counts() == [.failed: 5, .queued: 1])
    #expect(
      try await run(retry(skipping: skipping), in: store) == result(5, ["UNREGISTERED": 2], changed: 3))
    #expect(try await store.counts() == [.failed: 2, .queued: 4])
    let forced = retry { $0.errorCode = "UNREGISTERED" }
    #expect(try await run(forced, in: store) == result(2, changed: 2))
    let again = try #require(try await store.notification(given[0].id)?.deliveries.first)
    #expect(again.attempts == 0)
    #expect(again.updatedAt == fixture.clock.now)
    #expect(again.expiresAt == fixture.clock.now.adding(milliseconds: given[0].ttlMilliseconds))
    #expect(try await store.claim(now: fixture.clock.now).count == 6)
  }

  @Test(arguments: StoreKind.allCases) func findsOnlyWhatMatches(_ kind: StoreKind) async throws {
    let (fixture, _) = try await failedFixture(kind)
    func matched(_ change: DeliverySetChange) async throws -> Int {
      try await run(change, in: fixture.store, isDryRun: true).matched
    }
    #expect(try await matched(retry(since: start.plus(seconds: 10))) == 6)
    #expect(try await matched(retry(since: start.plus(seconds: 11))) == 0)
    #expect(try await matched(retry { $0.until = start.plus(seconds: 10) }) == 0)
    #expect(try await matched(retry { $0.until = start.plus(seconds: 11) }) == 6)
    #expect(try await matched(retry { $0.template = "other" }) == 2)
    #expect(try await matched(retry { $0.mayUse = { $0 == "new_message" } }) == 4)
    #expect(try await matched(retry { $0.owner = .anonymous }) == 1)
    #expect(try await matched(retry { $0.apps = ["other"] }) == 0)
    #expect(try await matched(retry { $0.errorCode = "UNAVAILABLE" }) == 4)
    #expect(try await matched(retry { $0.errorCode = "unavailable" }) == 0)
    var expired = retry()
    expired.states = [.expired]
    #expect(try await matched(expired) == 0)
  }

  @Test(arguments: StoreKind.allCases) func cancelsWhatHasNotLeft(_ kind: StoreKind) async throws {
    let fixture = try Fixture(kind) { $0.stepDeliveriesMax = 2 }
    let store = fixture.store
    let given = [
      notification(count: 3), notification(sendAt: start.plus(seconds: 60)), notification(app: "b"),
    ]
    try await store.enqueue(given)
    let leaving = try #require(try await store.claim(limit: 1).left().first)
    #expect(try await run(cancel([.scheduled]), in: store, isDryRun: true).matched == 1)
    #expect(try await run(cancel([.sending]), in: store, isDryRun: true).matched == 1)
    #expect(
      try await run(cancel(), in: store, isDryRun: true)
        == result(4, [DeliverySetStep.inFlight: 1], changed: 0))
    fixture.clock.now = start.plus(seconds: 1)
    #expect(
      try await run(cancel(), in: store) == result(4, [DeliverySetStep.inFlight: 1], changed: 3))
    #expect(try await store.counts() == [.cancelled: 3, .sending: 1])
    #expect(try await store.counts("b") == [.queued: 1])
    // It ends as cancelled instead of waiting again.
    try await store.settle(leaving.id, .retry(at: start.plus(seconds: 9), error: refusal))
    #expect(try await store.counts() == [.cancelled: 4])
  }

  @Test(arguments: StoreKind.allCases) func keepsItsProgressWithTheKey(_ kind: StoreKind) async throws {
    let (fixture, _) = try await failedFixture(kind)
    let store = fixture.store
    let key = IdempotencyKey(client: "orders", key: "k")
    let record: @Sendable (DeliverySetStep) -> IdempotencyRecord = { step in
      let body = "\(step.next ?? 0)"
      return IdempotencyRecord(
        key: key, fingerprint: [1], answer: StoredAnswer(status: 102, headers: [], body: Array(body.utf8)),
        expiresAt: start.plus(seconds: 999))
    }
    let first = try await step(retry(), after: 0, in: store, progress: (nil, record))
    #expect(first.changed > 0)
    let kept = record(first)
    #expect(try await store.idempotent(kept) == .replay(of: kept.answer))
    // Another call that began as well does not go on with what this one has done.
    let error = await #expect(throws: OutboxError.self) {
      _ = try await step(retry(), after: first.next ?? 0, in: store, progress: (nil, record))
    }
    #expect(error?.code == .turnLost)
    let queued = try await store.counts()[.queued]
    #expect(queued == first.changed)
    if let next = first.next {
      let second = try await step(retry(), after: next, in: store, progress: (kept.answer, record))
      #expect(second.changed > 0)
      #expect(try await store.idempotent(kept) == .replay(of: record(second).answer))
    }
  }

  @Test(arguments: StoreKind.allCases) func changesNothingIfTheQueueIsFull(_ kind: StoreKind) async throws {
    let fixture = try Fixture(kind, depthMax: 2)
    let store = fixture.store
    try await store.enqueue([notification(count: 2)])
    for claimed in try await store.claim().left() {
      try await store.settle(claimed.id, .failed(error: refusal))
    }
    try await store.enqueue([notification()])
    let error = await #expect(throws: OutboxError.self) { _ = try await run(retry(), in: store) }
    #expect(error?.code == .full)
    #expect(try await store.counts() == [.failed: 2, .queued: 1])
  }
}
