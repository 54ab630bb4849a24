import DeliveryReports
import Clock
import FCM
import FCMMessage
import Outbox
import OutboxModel
import Telemetry
import Testing

@testable import Delivery

/// The engine with the gateway's own queue: accepted deliveries reach a final state that can be read back.
@Suite(.timeLimit(.minutes(1)))
struct DeliveryWithQueueTests {
  let clock = ManualClock()
  let sender = ScriptedSender()
  let store: MemoryOutboxStore
  let events: AsyncStream<DeliveryEvent>
  let engine: DeliveryEngine

  init() {
    let (clock, store) = (clock, MemoryOutboxStore(clock: { [clock] in clock.now.wall }))
    let (events, continuation) = AsyncStream<DeliveryEvent>.makeStream()
    self.store = store
    self.events = events
    engine = DeliveryEngine(
      apps: ["default": sender], store: store, log: .silent, clock: clock, random: { 0 },
      observer: { continuation.yield($0) })
  }

  private func notification(_ deliveries: Range<Int>) -> NewNotification {
    NewNotification(
      id: NotificationID(deliveryID(999).uuid), app: "default", template: "new_message", client: nil,
      createdAt: wall(0), sendAt: nil, expiresAt: wall(3_600_000), priority: .high,
      message: SealedMessage(bytes: [], placeholders: []),
      deliveries: deliveries.map { (deliveryID($0), .token("token-\($0)")) })
  }

  private func enqueue(_ new: NewNotification) async throws {
    try await withCheckedThrowingContinuation { continuation in
      store.enqueue([new]) { continuation.resume(with: $0) }
    }
  }

  private func stored(_ id: NotificationID) async throws -> StoredNotification {
    let stored = try await withCheckedThrowingContinuation { continuation in
      store.notification(id) { continuation.resume(with: $0) }
    }
    return try #require(stored)
  }

  @Test func acceptedNotificationReachesAFinalState() async throws {
    sender.script("token-2", .failed(unregistered))
    sender.script("token-3", .failed(unavailable))
    engine.start()
    let new = notification(1..<4)
    try await enqueue(new)
    var recorded = 0
    for await event in events {
      if case .recorded = event { recorded += 1 }
      if recorded == 2 { break }
    }
    #expect(try await stored(new.id).status == "queued")

    clock.move(to: 10_000)
    for await event in events { if case .recorded = event { break } }
    let final = try await stored(new.id)
    #expect(final.status == "partial")
    #expect(final.deliveries.map(\.state) == [.sent, .failed, .sent])
    #expect(final.deliveries.map(\.attempts) == [1, 1, 2])
    #expect(final.deliveries[1].error?.code == "UNREGISTERED")
    let feedback = try await withCheckedThrowingContinuation { continuation in
      store.feedback(after: nil, apps: nil, client: nil, limit: 10) { continuation.resume(with: $0) }
    }
    #expect(feedback.events.map(\.target) == [.token("token-2")])
    #expect(feedback.events.map(\.code) == ["UNREGISTERED"])
  }

  @Test func waitingForATargetCountsNoAttempt() async throws {
    sender.script(
      "token-1",
      .failed(failure(.quotaExceeded, .retry, .targetQuota, status: 429, retryAfter: 30)))
    engine.start()
    let first = notification(1..<2)
    try await enqueue(first)
    for await event in events { if case .attempted = event { break } }
    let second = NewNotification(
      id: NotificationID(deliveryID(998).uuid), app: "default", template: "new_message", client: nil,
      createdAt: wall(0), sendAt: nil, expiresAt: wall(3_600_000), priority: .high,
      message: SealedMessage(bytes: [], placeholders: []), deliveries: [(deliveryID(2), .token("token-1"))])
    try await enqueue(second)
    while try await stored(second.id).deliveries.first?.nextAttemptAt != wall(30_000) { await Task.yield() }
    clock.move(to: 40_000)
    var recorded = 0
    for await event in events {
      if case .recorded = event { recorded += 1 }
      if recorded == 2 { break }
    }
    #expect(try await stored(first.id).deliveries.map(\.attempts) == [2])
    let row = try #require(try await stored(second.id).deliveries.first)
    #expect(row.state == .sent)
    #expect(row.attempts == 1)
  }

  @Test func fullDiskLosesNoOutcome() async throws {
    sender.hold("token-1")
    engine.start()
    let new = notification(1..<2)
    try await enqueue(new)
    var bodies = sender.bodies.makeAsyncIterator()
    _ = await bodies.next()
    store.failWrites(with: diskFull)
    sender.answerHeld(sent)
    for await event in events { if case .storeFailed = event { break } }
    #expect(try await stored(new.id).status == "sending")
    store.failWrites(with: nil)
    clock.move(to: 100)
    for await event in events { if case .recorded = event { break } }
    #expect(try await stored(new.id).status == "sent")
  }

  @Test func stopReleasesToTheQueue() async throws {
    sender.hold("token-1")
    engine.start()
    let new = notification(1..<2)
    try await enqueue(new)
    var bodies = sender.bodies.makeAsyncIterator()
    _ = await bodies.next()
    await engine.stop(grace: .zero)
    let row = try #require(try await stored(new.id).deliveries.first)
    #expect(row.state == .queued)
    #expect(row.attempts == 0)
  }
}
