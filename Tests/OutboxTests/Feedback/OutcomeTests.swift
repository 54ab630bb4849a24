import Clock
import FCMMessage
import Telemetry
import Testing

@testable import Outbox

/// What every store guarantees about the outcomes in its feedback log.
@Suite struct OutcomeTests {
  private static let dead = DeliveryError(
    code: "UNREGISTERED", httpStatus: 404, message: "gone", apnsReason: nil)
  private static let all = Set(DeliveryOutcome.allCases)

  private func store(
    _ kind: StoreKind, logging outcomes: Set<DeliveryOutcome> = all
  ) throws -> any OutboxStore {
    let store = try Fixture(kind).store
    store.logOutcomes(outcomes)
    return store
  }

  private func traced(_ trace: TraceContext?, count: Int) -> NewNotification {
    let base = notification(count: count)
    return NewNotification(
      id: base.id, app: base.app, template: "welcome", client: "orders", createdAt: base.createdAt,
      sendAt: nil,
      expiresAt: base.expiresAt, priority: base.priority, message: base.message, deliveries: base.deliveries,
      trace: trace)
  }

  @Test(arguments: StoreKind.allCases) func logsNothingUnlessAsked(_ kind: StoreKind) async throws {
    let store = try Fixture(kind).store
    try await store.enqueue([notification(count: 4)])
    let ids = try await store.claim(limit: 3).map(\.id)
    try await store.settle(ids[0], .sent(messageName: "n"))
    try await store.settle(ids[1], .failed(error: Self.dead, deadRegistration: true))
    try await store.settle(ids[2], .expired(error: refusal))
    #expect(try await store.expireAll(now: start.plus(seconds: 90_000)) == 1)
    let page = try await store.webhookEvents()
    #expect(page.events.map(\.dead) == (try await store.feedback().events))
    #expect(page.events.count == 1)
    #expect(page.next == page.events.first?.id)
    #expect(!page.hasMore)
  }

  @Test(arguments: StoreKind.allCases) func logsHowDeliveriesEnd(_ kind: StoreKind) async throws {
    let store = try store(kind)
    let trace = TraceTests.trace
    let given = traced(trace, count: 5)
    try await store.enqueue([given])
    let claimed = try await store.claim()
    let (at, later) = (start.plus(seconds: 3), start.plus(seconds: 9))
    try await store.settle(claimed[0].id, at: at, .sent(messageName: "projects/p/messages/1"))
    try await store.settle(claimed[1].id, at: start, .retry(at: start, error: refusal))
    try await store.settle(claimed[2].id, at: at, .failed(error: Self.dead, deadRegistration: true))
    try await store.settle(claimed[3].id, at: at, .expired(error: nil))
    let again = try #require(try await store.claim(limit: 1).first)
    #expect(again.id == claimed[1].id)
    try await store.settle(again.id, at: later, .expired(error: nil))
    try await store.settle(claimed[4].id, at: later, .failed(error: refusal))

    func event(
      _ index: Int, _ outcome: DeliveryOutcome, _ attempts: Int, code: String? = nil, name: String? = nil,
      at: Timestamp, id: Int64
    ) -> WebhookEvent {
      .outcome(
        OutcomeEvent(
          id: id, outcome: outcome, app: "default", template: "welcome", client: "orders",
          notification: given.id, delivery: given.deliveries[index].id, target: .token("token-\(index + 1)"),
          attempts: attempts, code: code, messageName: name, at: at, trace: trace))
    }
    let events = try await store.webhookEvents().events
    #expect(
      events == [
        event(0, .sent, 1, name: "projects/p/messages/1", at: at, id: 1),
        event(2, .failed, 1, code: "UNREGISTERED", at: at, id: 2),
        .dead(
          FeedbackEvent(
            id: 3, app: "default", target: .token("token-3"), code: "UNREGISTERED", notification: given.id,
            at: at, trace: trace)),
        event(3, .expired, 0, at: at, id: 4),
        event(1, .expired, 1, code: refusal.code, at: later, id: 5),
        event(4, .failed, 1, code: refusal.code, at: later, id: 6),
      ])
    // The list of dead registrations does not show them.
    #expect(try await store.feedback().events.map(\.id) == [3])
    #expect(try await store.feedback(after: 3).events.isEmpty)
  }

  @Test(arguments: StoreKind.allCases) func logsOnlyTheChosenOutcomes(_ kind: StoreKind) async throws {
    let store = try store(kind, logging: [.failed])
    try await store.enqueue([notification(count: 4)])
    let ids = try await store.claim().map(\.id)
    try await store.settle(ids[0], .sent(messageName: "n"))
    try await store.settle(ids[1], .failed(error: refusal))
    store.logOutcomes([.sent, .expired])
    try await store.settle(ids[2], .failed(error: refusal))
    try await store.settle(ids[3], .sent(messageName: "n"))
    let events = try await store.webhookEvents().events.compactMap(\.outcome)
    #expect(events.map(\.delivery) == [ids[1], ids[3]])
    #expect(events.map(\.outcome) == [.failed, .sent])
  }

  @Test(arguments: StoreKind.allCases) func logsWhatExpiresWhileItWaits(_ kind: StoreKind) async throws {
    let store = try store(kind)
    let normal = notification(count: 2, client: nil, ttlMilliseconds: 5_000)
    let high = notification(priority: .high, ttlMilliseconds: 5_000)
    let young = notification()
    try await store.enqueue([normal, high, young])
    let tried = try #require(try await store.claim(limit: 1).first)
    #expect(tried.notification == high.id)
    try await store.settle(tried.id, .retry(at: start.plus(seconds: 1), error: refusal))
    let now = start.plus(seconds: 5)
    #expect(try await store.expireAll(now: now, limit: 2) == 3)
    let events = try await store.webhookEvents().events.compactMap(\.outcome)
    #expect(events.map(\.notification) == [high.id, normal.id, normal.id])
    #expect(events.allSatisfy { $0.outcome == .expired && $0.at == now && $0.messageName == nil })
    #expect(events.map(\.attempts) == [1, 0, 0])
    #expect(events.map(\.code) == [refusal.code, nil, nil])
    #expect(events.map(\.client) == ["orders", nil, nil])
  }

  @Test(arguments: StoreKind.allCases) func aCancelledDeliveryIsNoOutcome(_ kind: StoreKind) async throws {
    let store = try store(kind)
    let given = notification(count: 4)
    try await store.enqueue([given])
    let claimed = try await store.claim(limit: 3).left()
    _ = try await store.cancel(given.id)
    // One ends in spite of the cancel, one because of it.
    try await store.settle(claimed[0].id, .sent(messageName: "n"))
    try await store.settle(claimed[1].id, .retry(at: start, error: refusal))
    try await store.settle(claimed[2].id, .deferred(until: start, error: refusal))
    #expect(try await store.counts() == [.sent: 1, .cancelled: 3])
    #expect(try await store.webhookEvents().events.map(\.outcome?.delivery) == [claimed[0].id])
  }

  @Test(arguments: StoreKind.allCases) func anUpdateThatWasReplacedIsNoOutcome(_ kind: StoreKind) async throws
  {
    let store = try store(kind)
    let updates = [activity(.update, "a"), activity(.update, "a"), activity(.update, "a")]
    try await store.enqueue([updates[0]])
    let first = try await store.claim().left()
    try await store.enqueue([updates[1]])
    try await store.enqueue([updates[2]])
    try await store.settle(first[0].id, .retry(at: start.plus(seconds: 1), error: refusal))
    #expect(try await store.claimed() == [updates[2].id])
    try await store.settle(updates[2], .sent(messageName: "n"))
    #expect(try await store.counts() == [.sent: 1, .cancelled: 2])
    let events = try await store.webhookEvents().events
    #expect(events.map(\.outcome?.notification) == [updates[2].id])
    #expect(events.map(\.outcome?.activityToken) == ["a"])
  }

  @Test(arguments: StoreKind.allCases) func aRetryGivesASecondOutcome(_ kind: StoreKind) async throws {
    let store = try store(kind)
    let given = notification()
    try await store.enqueue([given])
    for attempt in 0..<3 {
      let claimed = try #require(try await store.claim(now: start).first)
      try await store.settle(
        claimed.id, attempt < 2 ? .retry(at: start, error: refusal) : .failed(error: Self.dead))
    }
    _ = try await store.retry(given.id, now: start.plus(seconds: 1))
    let claimed = try #require(try await store.claim(now: start.plus(seconds: 1)).first)
    try await store.settle(claimed.id, at: start.plus(seconds: 2), .sent(messageName: "n"))
    let events = try await store.webhookEvents().events.compactMap(\.outcome)
    #expect(events.map(\.outcome) == [.failed, .sent])
    #expect(events.map(\.attempts) == [3, 1])
    #expect(events.map(\.code) == ["UNREGISTERED", nil])
    #expect(events.map(\.messageName) == [nil, "n"])
    #expect(events.map(\.delivery) == [claimed.id, claimed.id])
  }

  @Test(arguments: StoreKind.allCases) func pagesALargeBatchInOrder(_ kind: StoreKind) async throws {
    let store = try store(kind)
    try await store.enqueue([notification(count: 1_000)])
    let claimed = try await store.claim(limit: 1_000)
    try await store.settle(
      claimed.enumerated().map { index, delivery in
        SettledDelivery(
          delivery.id, at: start,
          index.isMultiple(of: 250)
            ? .failed(error: Self.dead, deadRegistration: true) : .sent(messageName: "n-\(index)"))
      })
    var events: [WebhookEvent] = []
    var after: Int64?
    while true {
      let page = try await store.webhookEvents(after: after, limit: 99)
      #expect(page.hasMore == (page.events.count == 99 && page.next != 1_004))
      #expect(page.next == page.events.last?.id)
      events += page.events
      after = page.next
      if !page.hasMore { break }
    }
    #expect(events.map(\.id) == Array(1...1_004))
    #expect(events.compactMap(\.outcome).map(\.delivery) == claimed.map(\.id))
    #expect(events.compactMap(\.dead).map(\.id) == [2, 253, 504, 755])
    let rest = try await store.webhookEvents(after: after)
    #expect(rest == WebhookPage(events: [], next: 1_004, hasMore: false))
  }

  @Test(arguments: StoreKind.allCases) func forgetsWhatTheReceiverHas(_ kind: StoreKind) async throws {
    let fixture = try Fixture(kind)
    let store = fixture.store
    store.logOutcomes(Self.all)
    try await store.enqueue([notification(count: 4)])
    for delivery in try await store.claim() {
      try await store.settle(delivery.id, .failed(error: Self.dead, deadRegistration: true))
    }
    try await store.setWebhookCursor(4)
    #expect(try await store.webhookCursor() == 4)
    // What the API shows stays.
    #expect(try await store.webhookEvents().events.map(\.id) == [2, 4, 5, 6, 7, 8])
    #expect(try await store.feedback().events.map(\.id) == [2, 4, 6, 8])
    try await store.setWebhookCursor(8)
    #expect(try await store.webhookEvents().events.compactMap(\.outcome).isEmpty)
    // No number is used twice, even after a restart.
    guard kind != .memory else { return }
    _ = try await store.pruneAll(endedBy: start)
    await store.close()
    let reopened = try fixture.reopened()
    #expect(try await reopened.webhookEvents().events.isEmpty)
    reopened.logOutcomes(Self.all)
    try await reopened.enqueue([notification(count: 2)])
    let ids = try await reopened.claim().map(\.id)
    try await reopened.settle(ids[0], .sent(messageName: "n"))
    try await reopened.settle(ids[1], .failed(error: Self.dead, deadRegistration: true))
    #expect(try await reopened.webhookEvents(after: 8).events.map(\.id) == [9, 10, 11])
    await reopened.close()
  }

  @Test(arguments: StoreKind.allCases) func forgetsWhatIsOldWithTheDeliveries(_ kind: StoreKind) async throws
  {
    let store = try store(kind)
    try await store.enqueue([notification(count: 30)])
    for (index, delivery) in try await store.claim().enumerated() {
      try await store.settle(
        delivery.id, at: start.plus(seconds: index < 20 ? 0 : 10), .sent(messageName: "n"))
    }
    // The notification stays until all of it is old; its outcomes go one by one.
    var step = try await store.pruneAll(endedBy: start.plus(seconds: 5), limit: 3)
    #expect(step.feedbackEvents == 20)
    #expect(step.notifications == 0)
    #expect(try await store.webhookEvents(limit: 100).events.map(\.id) == Array(21...30))
    #expect(try await store.webhookEvents(after: 3, limit: 100).events.map(\.id) == Array(21...30))
    step = try await store.pruneAll(endedBy: start.plus(seconds: 10), limit: 3)
    #expect(step.feedbackEvents == 10)
    #expect(step.notifications == 1)
    #expect(try await store.webhookEvents().events.isEmpty)
  }

  @Test(arguments: StoreKind.allCases) func reportsThemToTheWebhook(_ kind: StoreKind) async throws {
    let store = try store(kind, logging: [.sent])
    try await store.enqueue([notification(count: 3)])
    let ids = try await store.claim().map(\.id)
    let (reports, continuation) = AsyncStream.makeStream(of: Int.self)
    store.onCommit { continuation.yield($0.feedbackEvents) }
    try await store.settle(
      ids.prefix(2).map { SettledDelivery($0, at: start, .sent(messageName: "n")) })
    try await store.settle(ids[2], .failed(error: refusal))
    var found: [Int] = []
    for await count in reports.prefix(2) { found.append(count) }
    #expect(found == [2, 0])
  }
}

extension WebhookEvent {
  /// The outcome; nil for another event.
  var outcome: OutcomeEvent? { if case .outcome(let event) = self { event } else { nil } }

  /// The dead registration or activity; nil for another event.
  var dead: FeedbackEvent? { if case .dead(let event) = self { event } else { nil } }
}
