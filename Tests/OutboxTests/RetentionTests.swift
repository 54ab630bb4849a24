import Clock
import FCMMessage
import Testing

@testable import Outbox

/// What every store guarantees about the feedback log and the removal of old rows.
@Suite struct RetentionTests {
  private static let dead = DeliveryError(
    code: "UNREGISTERED", httpStatus: 404, message: "gone", apnsReason: nil)

  /// Sends to `targets`, all of which FCM reports as dead at `at`.
  private func die(
    _ targets: [Target], app: String = "default", at: Timestamp = start, in store: any OutboxStore
  ) async throws -> NotificationID {
    let base = notification(app: app, createdAt: at)
    let given = NewNotification(
      id: base.id, app: app, template: "t", client: nil, createdAt: at, sendAt: nil,
      expiresAt: base.expiresAt, priority: .normal, message: base.message,
      deliveries: targets.map { (DeliveryID(UUIDv7()), $0) })
    try await store.enqueue([given])
    let claimed = try await store.claim(app, now: at)
    try await store.settle(
      claimed.map {
        SettledDelivery($0.id, at: at, .failed(error: Self.dead, deadRegistration: true))
      })
    return given.id
  }

  @Test(arguments: StoreKind.allCases) func listsDeadRegistrationsInOrder(_ kind: StoreKind) async throws {
    let store = try Fixture(kind).store
    #expect(try await store.feedback() == FeedbackPage(events: [], next: nil, hasMore: false))
    let targets: [Target] = [
      .token("a"), .topic("news"), .fid("b"), .condition("'x' in topics"), .token("c"),
    ]
    let id = try await die(targets, in: store)
    let other = try await die([.token("d")], app: "b", at: start.plus(seconds: 1), in: store)
    let events = try await store.feedback().events
    #expect(events.map(\.target) == [.token("a"), .fid("b"), .token("c"), .token("d")])
    #expect(events.map(\.app) == ["default", "default", "default", "b"])
    #expect(events.map(\.notification) == [id, id, id, other])
    #expect(events.map(\.code) == Array(repeating: "UNREGISTERED", count: 4))
    #expect(events.map(\.at) == [start, start, start, start.plus(seconds: 1)])
    #expect(zip(events, events.dropFirst()).allSatisfy { $0.id < $1.id })

    let first = try await store.feedback(limit: 3)
    #expect(first.events == Array(events.prefix(3)))
    #expect(first.next == events[2].id)
    #expect(first.hasMore)
    let rest = try await store.feedback(after: first.next)
    #expect(rest == FeedbackPage(events: [events[3]], next: events[3].id, hasMore: false))
    #expect(try await store.feedback(after: rest.next).events.isEmpty)
    #expect(try await store.feedback(after: rest.next).next == rest.next)
    #expect(try await store.feedback(apps: ["b", "x"]).events == [events[3]])
    #expect(try await store.feedback(apps: ["default"], limit: 3).hasMore)
    #expect(try await store.feedback(apps: []).events.isEmpty)
  }

  @Test(arguments: StoreKind.allCases) func listsNoOtherFailures(_ kind: StoreKind) async throws {
    let store = try Fixture(kind).store
    try await store.enqueue([notification(count: 2)])
    let ids = try await store.claim().map(\.id)
    try await store.settle(ids[0], .failed(error: refusal))
    try await store.settle(ids[1], .sent(messageName: "n"))
    #expect(try await store.feedback().events.isEmpty)
  }

  @Test(arguments: StoreKind.allCases) func remembersTheWebhooksCursor(_ kind: StoreKind) async throws {
    let store = try Fixture(kind).store
    #expect(try await store.webhookCursor() == nil)
    try await store.setWebhookCursor(7)
    try await store.setWebhookCursor(9)
    #expect(try await store.webhookCursor() == 9)
  }

  @Test(arguments: StoreKind.allCases) func removesOldFinishedNotifications(_ kind: StoreKind) async throws {
    let fixture = try Fixture(kind)
    let store = fixture.store
    let old = try await die([.token("a"), .token("b")], in: store)
    let open = notification(app: "open", count: 2)
    try await store.enqueue([open])
    let ids = try await store.claim("open", limit: 1).map(\.id)
    try await store.settle(ids[0], .sent(messageName: "n"))
    let young = try await die([.token("c")], at: start.plus(seconds: 100), in: store)
    let waiting = notification(app: "b")
    #expect(try await store.enqueue([waiting], record("a", expiresAt: start.plus(seconds: 50))) == .accepted)

    var step = try await store.pruneAll(endedBy: start.plus(seconds: -1))
    #expect(step.notifications + step.feedbackEvents + step.idempotencyRecords == 0)
    step = try await store.pruneAll(endedBy: start.plus(seconds: 99), limit: 1)
    #expect(step.notifications == 1)
    #expect(step.deliveries == 2)
    #expect(step.feedbackEvents == 2)
    #expect(step.idempotencyRecords == 0)
    #expect(try await store.notification(old) == nil)
    #expect(try await store.listAll() == [waiting.id, young, open.id])
    #expect(try await store.counts() == [.failed: 1])
    #expect(try await store.counts("open") == [.queued: 1, .sent: 1])
    #expect(try await store.feedback().events.map(\.target) == [.token("c")])

    fixture.clock.now = start.plus(seconds: 50)
    #expect(try await store.pruneAll(endedBy: start.plus(seconds: 1_000)).idempotencyRecords == 1)
    #expect(try await store.listAll() == [waiting.id, open.id])
    #expect(try await store.counts() == [:])
    #expect(try await store.counts("open") == [.queued: 1, .sent: 1])
    #expect(try await store.feedback().events.isEmpty)
    // The rest can still be sent.
    #expect(try await store.claim("open").map(\.notification) == [open.id])
    // And new events come after the removed ones.
    _ = try await die([.token("d")], at: start.plus(seconds: 2_000), in: store)
    #expect(try await store.feedback(after: 3).events.count == 1)
  }

  @Test(arguments: StoreKind.allCases) func removesManyInSmallSteps(_ kind: StoreKind) async throws {
    let store = try Fixture(kind).store
    let given = (0..<300).map { _ in notification(count: 3) }
    try await store.enqueue(given)
    let claimed = try await store.claim(limit: 1_000)
    #expect(claimed.count == 900)
    try await store.settle(
      claimed.prefix(896).map { SettledDelivery($0.id, at: start, .sent(messageName: "n")) })
    let all = try await store.pruneAll(endedBy: start, limit: 50)
    #expect(all.notifications == 298)
    #expect(all.deliveries == 894)
    #expect(try await store.counts() == [.sending: 4, .sent: 2])
    #expect(try await store.listAll(limit: 100) == [given[299].id, given[298].id])
    if kind != .memory {
      #expect(try await store.prune(endedBy: start, limit: 50) == all.emptied)
    }
  }

  @Test func removesRowsDatedByAWrongClock() async throws {
    let store = try Fixture(.sqlite).store
    let future = start.plus(seconds: 1_000_000)
    try await store.enqueue((0..<400).map { _ in notification(createdAt: future) })
    _ = try await die([.token("a")], in: store)
    var removed = 0
    for _ in 0..<24 { removed += try await store.pruneAll(endedBy: start).notifications }
    #expect(removed == 1)
    #expect(try await store.listAll(limit: 100).count == 400)
  }
}

extension PruneStep {
  /// A step that finds nothing.
  fileprivate var emptied: PruneStep {
    var step = PruneStep()
    step.isComplete = true
    return step
  }
}
