import Clock
import FCMMessage
import Foundation
import Outbox
import Synchronization
import Testing

/// What every store guarantees.
@Suite struct ConformanceTests {
  @Test(arguments: StoreKind.allCases) func returnsWhatWasStored(_ kind: StoreKind) async throws {
    let fixture = try Fixture(kind)
    let given = notification(count: 2, priority: .high)
    try await fixture.store.enqueue([given])
    let claimed = try await fixture.store.claim()
    #expect(claimed.map(\.id) == given.deliveries.map(\.id))
    #expect(claimed.map(\.target) == [.token("token-1"), .token("token-2")])
    let first = try #require(claimed.first)
    #expect(first.notification == given.id)
    #expect(first.app == "default")
    #expect(first.message == given.message)
    #expect(first.priority == .high)
    #expect(first.attempts == 0)
    #expect(first.createdAt == given.createdAt)
    #expect(first.expiresAt == given.expiresAt)
  }

  @Test(arguments: StoreKind.allCases) func keepsEveryKindOfTarget(_ kind: StoreKind) async throws {
    let fixture = try Fixture(kind)
    let targets: [Target] = [
      .token("t:\u{0}é"), .fid("f"), .topic("Tech"), .condition("'a' in topics && 'b' in topics"),
    ]
    let base = notification()
    let given = NewNotification(
      id: base.id, app: "", template: "", client: nil, createdAt: start, sendAt: nil,
      expiresAt: base.expiresAt, priority: .normal, message: SealedMessage(bytes: [], placeholders: []),
      deliveries: targets.map { (DeliveryID(UUIDv7()), $0) })
    try await fixture.store.enqueue([given])
    let stored = try #require(try await fixture.store.notification(given.id))
    #expect(stored.deliveries.map(\.target) == targets)
    #expect(stored.client == nil)
    #expect(stored.app.isEmpty)
    #expect(try await fixture.store.claim("").count == 4)
  }

  @Test(arguments: StoreKind.allCases) func showsWhatIsSentIfAsked(_ kind: StoreKind) async throws {
    let fixture = try Fixture(kind)
    let given = notification(sendAt: start.plus(seconds: 60))
    try await fixture.store.enqueue([given])
    let content = try await withCheckedThrowingContinuation { continuation in
      fixture.store.notification(given.id, withContent: true) { continuation.resume(with: $0) }
    }?.content
    #expect(content?.message == given.message)
    #expect(content?.ttlMilliseconds == given.ttlMilliseconds)
    let plain = try await fixture.store.notification(given.id)
    #expect(plain?.content == nil)
    #expect(plain?.deliveries.first?.expiresAt == given.expiresAt)
  }

  /// Few messages are compressed, many are too long for that.
  @Test(arguments: StoreKind.allCases, [2, 100])
  func keepsAMessageForEachTopic(_ kind: StoreKind, _ count: Int) async throws {
    let fixture = try Fixture(kind)
    func body(_ text: String) -> [UInt8] { Array("\"data\":{\"n\":\"\(text)\"}".utf8) }
    let frame = SealedMessage(bytes: body(""), placeholders: [.init(offset: 13, kind: .text)])
    var byTopic = SealedMessage.ByTopic()
    let index = byTopic.add(frame: frame)
    let messages = (1...count).map { number in
      let text = String(repeating: "\(number) ", count: 400)
      let topic = "news.\(number)"
      _ = byTopic.add(topic, frame: index, texts: [text])
      return (topic: topic, message: SealedMessage(bytes: body(text), placeholders: []))
    }
    let base = notification()
    let given = NewNotification(
      id: base.id, app: base.app, template: "t", client: nil, createdAt: start, sendAt: nil,
      expiresAt: base.expiresAt, priority: .normal, message: try #require(byTopic.message),
      deliveries: messages.map { (DeliveryID(UUIDv7()), .topic($0.topic)) })
    try await fixture.store.enqueue([given])
    let claimed = try await fixture.store.claim()
    #expect(claimed.map(\.target) == messages.map { .topic($0.topic) })
    #expect(claimed.map(\.message) == messages.map(\.message))
    // What goes back to the queue is read from disk.
    for delivery in given.deliveries {
      try await fixture.store.settle(delivery.id, at: start, .retry(at: start, error: refusal))
    }
    #expect(try await fixture.store.claim().map(\.message) == messages.map(\.message))
  }

  @Test(arguments: StoreKind.allCases) func reportsEachStepOfADelivery(_ kind: StoreKind) async throws {
    let fixture = try Fixture(kind)
    let given = notification()
    let id = given.deliveries[0].id
    try await fixture.store.enqueue([given])
    #expect(try await fixture.store.counts() == [.queued: 1])
    _ = try await fixture.store.claim()
    #expect(try await fixture.store.notification(given.id)?.status == "sending")
    #expect(try await fixture.store.counts() == [.sending: 1])
    let later = start.plus(seconds: 10)
    try await fixture.store.settle(id, at: start.plus(seconds: 1), .retry(at: later, error: refusal))
    let waiting = try #require(try await fixture.store.notification(given.id)?.deliveries.first)
    #expect(waiting.state == .queued)
    #expect(waiting.attempts == 1)
    #expect(waiting.nextAttemptAt == later)
    #expect(waiting.error == refusal)
    #expect(waiting.updatedAt == start.plus(seconds: 1))
    #expect(waiting.messageName == nil)
    #expect(try await fixture.store.claim(now: start.plus(seconds: 9)).isEmpty)
    let again = try await fixture.store.claim(now: later)
    #expect(again.map(\.attempts) == [1])
    try await fixture.store.settle(id, at: later, .sent(messageName: "projects/p/messages/0:1"))
    let sent = try #require(try await fixture.store.notification(given.id))
    #expect(sent.status == "sent")
    #expect(sent.deliveries[0].attempts == 2)
    #expect(sent.deliveries[0].messageName == "projects/p/messages/0:1")
    #expect(sent.deliveries[0].nextAttemptAt == nil)
    #expect(sent.deliveries[0].updatedAt == later)
    #expect(try await fixture.store.counts() == [.sent: 1])
    #expect(try await fixture.store.nextDue() == nil)
  }

  @Test(arguments: StoreKind.allCases) func recordsFailureAndExpiry(_ kind: StoreKind) async throws {
    let fixture = try Fixture(kind)
    let given = notification(count: 3)
    try await fixture.store.enqueue([given])
    let ids = try await fixture.store.claim().map(\.id)
    let dead = DeliveryError(
      code: "UNREGISTERED", httpStatus: 404, message: "gone", apnsReason: "Unregistered")
    try await fixture.store.settle([
      SettledDelivery(ids[0], at: start, .failed(error: dead)),
      SettledDelivery(ids[1], at: start, .expired(error: nil)),
      SettledDelivery(ids[2], at: start, .expired(error: refusal)),
    ])
    let stored = try #require(try await fixture.store.notification(given.id))
    #expect(stored.deliveries.map(\.state) == [.failed, .expired, .expired])
    #expect(stored.deliveries.map(\.attempts) == [1, 0, 0])
    #expect(stored.deliveries.map(\.error) == [dead, nil, refusal])
    #expect(stored.status == "partial")
    #expect(try await fixture.store.counts() == [.failed: 1, .expired: 2])
    #expect(try await fixture.store.claim(now: start.plus(seconds: 99_999)).isEmpty)
  }

  @Test(arguments: StoreKind.allCases) func countsTheAttemptBeforeTheExpiry(
    _ kind: StoreKind
  ) async throws {
    let fixture = try Fixture(kind)
    let given = notification()
    try await fixture.store.enqueue([given])
    let id = try #require(try await fixture.store.claim().first?.id)
    try await fixture.store.settle(id, .expired(error: refusal, attempted: true))
    let stored = try #require(try await fixture.store.notification(given.id))
    #expect(stored.deliveries.map(\.state) == [.expired])
    #expect(stored.deliveries.map(\.attempts) == [1])
    #expect(stored.deliveries.map(\.error) == [refusal])
  }

  @Test(arguments: StoreKind.allCases) func postponesWithAnErrorAndNoAttempt(_ kind: StoreKind) async throws {
    let fixture = try Fixture(kind)
    let given = notification()
    try await fixture.store.enqueue([given])
    let id = try #require(try await fixture.store.claim().first?.id)
    try await fixture.store.settle(id, .deferred(until: start, error: refusal))
    let stored = try #require(try await fixture.store.notification(given.id))
    #expect(stored.deliveries.map(\.state) == [.queued])
    #expect(stored.deliveries.map(\.attempts) == [0])
    #expect(stored.deliveries.map(\.error) == [refusal])
    #expect(try await fixture.store.claim().map(\.attempts) == [0])
    try await fixture.store.settle(id, .deferred(until: start))
    #expect(try await fixture.store.notification(given.id)?.deliveries.map(\.error) == [refusal])
  }

  @Test(arguments: StoreKind.allCases) func releasesWithoutCountingAnAttempt(_ kind: StoreKind) async throws {
    let fixture = try Fixture(kind)
    let given = notification()
    try await fixture.store.enqueue([given])
    let id = given.deliveries[0].id
    _ = try await fixture.store.claim()
    try await fixture.store.settle(id, .release)
    #expect(try await fixture.store.notification(given.id)?.status == "queued")
    #expect(try await fixture.store.claim().map(\.attempts) == [0])
  }

  @Test(arguments: StoreKind.allCases) func holdsScheduledDeliveriesUntilTheyAreDue(
    _ kind: StoreKind
  ) async throws {
    let fixture = try Fixture(kind)
    let sendAt = start.plus(seconds: 60)
    let given = [
      notification(sendAt: sendAt), notification(sendAt: start.plus(seconds: 120)),
      notification(sendAt: start.plus(seconds: -5)),
    ]
    try await fixture.store.enqueue(given)
    #expect(try await fixture.store.counts() == [.scheduled: 2, .queued: 1])
    #expect(try await fixture.store.notification(given[0].id)?.status == "scheduled")
    #expect(try await fixture.store.claim(now: sendAt.plus(seconds: -1)).map(\.notification) == [given[2].id])
    #expect(try await fixture.store.nextDue() == sendAt)
    fixture.clock.now = sendAt
    #expect(try await fixture.store.notification(given[0].id)?.status == "queued")
    #expect(try await fixture.store.counts() == [.scheduled: 1, .queued: 1, .sending: 1])
    let id = try #require(try await fixture.store.claim(now: sendAt).first?.id)
    try await fixture.store.settle(id, at: sendAt, .release)
    #expect(try await fixture.store.counts() == [.scheduled: 1, .queued: 1, .sending: 1])
    _ = try await fixture.store.claim(now: sendAt)
    try await fixture.store.settle(id, at: sendAt, .retry(at: start.plus(seconds: 70), error: refusal))
    #expect(try await fixture.store.counts() == [.scheduled: 1, .queued: 1, .sending: 1])
  }

  @Test(arguments: StoreKind.allCases) func returnsHighPriorityFirstThenByDueTime(
    _ kind: StoreKind
  ) async throws {
    let fixture = try Fixture(kind)
    // 397 is a prime, so the multiples of 151 are all different: every age once, unordered.
    let ages = (0..<397).map { Int64($0 * 151 % 397) }
    let normal = ages.map { notification(createdAt: start.plus(seconds: -$0)) }
    let high = ages.map { notification(createdAt: start.plus(seconds: -$0), priority: .high) }
    try await fixture.store.enqueue(normal + high)
    var order: [NotificationID] = []
    for _ in 0..<100 { order += try await fixture.store.claim(limit: 8).map(\.notification) }
    let byAge = { (list: [NewNotification]) in list.sorted { $0.createdAt < $1.createdAt }.map(\.id) }
    #expect(order == byAge(high) + byAge(normal))
  }

  @Test(arguments: StoreKind.allCases) func keepsTheOrderOfAcceptanceAmongEqualDueTimes(
    _ kind: StoreKind
  ) async throws {
    let fixture = try Fixture(kind)
    let given = (0..<300).map { _ in notification() }
    for chunk in stride(from: 0, to: 300, by: 100) {
      try await fixture.store.enqueue(Array(given[chunk..<chunk + 100]))
    }
    var order: [NotificationID] = []
    while true {
      let claimed = try await fixture.store.claim(limit: 7)
      order += claimed.map(\.notification)
      if claimed.count < 7 { break }
    }
    #expect(order == given.map(\.id))
  }

  @Test(arguments: StoreKind.allCases) func neverClaimsADeliveryTwice(_ kind: StoreKind) async throws {
    let fixture = try Fixture(kind)
    let store = fixture.store
    let given = (0..<40).map { _ in notification(count: 5) }
    try await store.enqueue(given)
    let claimed = try await withThrowingTaskGroup(of: [DeliveryID].self) { group in
      for _ in 0..<8 {
        group.addTask {
          var mine: [DeliveryID] = []
          while true {
            let batch = try await store.claim(limit: 3).map(\.id)
            if batch.isEmpty { return mine }
            mine += batch
          }
        }
      }
      return try await group.reduce(into: []) { $0 += $1 }
    }
    #expect(claimed.count == 200)
    #expect(Set(claimed) == Set(given.flatMap { $0.deliveries.map(\.id) }))
  }

  @Test(arguments: StoreKind.allCases) func ignoresASettlementOfAnUnclaimedDelivery(
    _ kind: StoreKind
  ) async throws {
    let fixture = try Fixture(kind)
    let given = notification(count: 2)
    try await fixture.store.enqueue([given])
    try await fixture.store.settle(given.deliveries[0].id, .sent(messageName: "n"))
    try await fixture.store.settle(DeliveryID(UUIDv7()), .sent(messageName: "n"))
    #expect(try await fixture.store.counts() == [.queued: 2])
    let id = try #require(try await fixture.store.claim(limit: 1).first?.id)
    try await fixture.store.settle([
      SettledDelivery(id, at: start, .sent(messageName: "first")),
      SettledDelivery(id, at: start, .failed(error: refusal)),
    ])
    try await fixture.store.settle(id, .failed(error: refusal))
    let stored = try #require(try await fixture.store.notification(given.id))
    #expect(stored.deliveries[0].messageName == "first")
    #expect(try await fixture.store.counts() == [.queued: 1, .sent: 1])
  }

  @Test(arguments: StoreKind.allCases) func separatesApps(_ kind: StoreKind) async throws {
    let fixture = try Fixture(kind)
    let composed = notification(app: "caf\u{E9}")
    let decomposed = notification(app: "cafe\u{301}")
    try await fixture.store.enqueue([composed, decomposed])
    #expect(try await fixture.store.claim("caf\u{E9}").map(\.notification) == [composed.id])
    #expect(try await fixture.store.nextDue("caf\u{E9}") == nil)
    #expect(try await fixture.store.nextDue("cafe\u{301}") == start)
    #expect(try await fixture.store.claim("nobody").isEmpty)
    #expect(try await fixture.store.nextDue("nobody") == nil)
  }

  @Test(arguments: StoreKind.allCases) func refusesWhatWouldExceedItsDepth(_ kind: StoreKind) async throws {
    let fixture = try Fixture(kind, depthMax: 4)
    try await fixture.store.enqueue([notification(count: 3)])
    let tooMuch = [notification(), notification()]
    let error = await #expect(throws: OutboxError.self) { try await fixture.store.enqueue(tooMuch) }
    #expect(error?.code == .full)
    #expect(try await fixture.store.notification(tooMuch[0].id) == nil)
    #expect(fixture.store.degradation == nil)
    try await fixture.store.enqueue([notification()])
    let id = try #require(try await fixture.store.claim(limit: 1).first?.id)
    await #expect(throws: OutboxError.self) { try await fixture.store.enqueue([notification()]) }
    try await fixture.store.settle(id, .sent(messageName: "n"))
    try await fixture.store.enqueue([notification()])
    let never = await #expect(throws: OutboxError.self) {
      try await fixture.store.enqueue([notification(count: 5)])
    }
    #expect(never?.code == .neverFits(count: 5, limit: 4))
    #expect(try await fixture.store.counts() == [.queued: 4, .sent: 1])
  }

  @Test(arguments: StoreKind.allCases) func storesAllOrNothing(_ kind: StoreKind) async throws {
    let fixture = try Fixture(kind)
    let known = notification()
    try await fixture.store.enqueue([known])
    let fresh = notification()
    await #expect(throws: OutboxError.self) { try await fixture.store.enqueue([fresh, known]) }
    #expect(try await fixture.store.notification(fresh.id) == nil)
    #expect(fixture.store.degradation == nil)
    #expect(try await fixture.store.claim().map(\.notification) == [known.id])
    try await fixture.store.enqueue([fresh])
    #expect(try await fixture.store.claim().map(\.notification) == [fresh.id])
  }

  /// A closure that is read out of a generic and stored again can gain a layer of wrapping each time.
  @Test(arguments: StoreKind.allCases) func callsListenersWithoutAddingStackFrames(
    _ kind: StoreKind
  ) async throws {
    let fixture = try Fixture(kind)
    let depths = Mutex<(due: [Int], commit: [Int])>(([], []))
    fixture.store.onDue { _ in depths.withLock { $0.due.append(Thread.callStackReturnAddresses.count) } }
    fixture.store.onCommit { _ in depths.withLock { $0.commit.append(Thread.callStackReturnAddresses.count) }
    }
    for _ in 0..<20 { try await fixture.store.enqueue([notification()]) }
    _ = try await fixture.store.counts()
    let (due, commit) = depths.withLock { $0 }
    #expect(due.count == 20 && commit.count == 20)
    // The depth of the first call varies with how the queue starts; wrapping layers would add up to 20.
    #expect((due.max() ?? 0) - (due.min() ?? 0) < 10)
    #expect((commit.max() ?? 0) - (commit.min() ?? 0) < 10)
  }

  @Test(arguments: StoreKind.allCases) func reportsDueDeliveries(_ kind: StoreKind) async throws {
    let fixture = try Fixture(kind)
    let told = Mutex<[String]>([])
    fixture.store.onDue { app in told.withLock { $0.append(app) } }
    try await fixture.store.enqueue([notification(app: "a"), notification(app: "b")])
    // A query after a commit is answered after the commit's notifications.
    let claimed = try await fixture.store.claim("a")
    #expect(told.withLock { Set($0) } == ["a", "b"])
    told.withLock { $0 = [] }
    try await fixture.store.settle(claimed[0].id, .release)
    _ = try await fixture.store.nextDue("a")
    #expect(told.withLock { $0 } == ["a"])
    told.withLock { $0 = [] }
    let again = try await fixture.store.claim("a")
    try await fixture.store.settle(again[0].id, .sent(messageName: "n"))
    _ = try await fixture.store.nextDue("a")
    #expect(told.withLock { $0 }.isEmpty)
  }

  @Test(arguments: StoreKind.allCases) func findsNoUnknownNotifications(_ kind: StoreKind) async throws {
    let fixture = try Fixture(kind)
    #expect(try await fixture.store.notification(NotificationID(UUIDv7())) == nil)
    #expect(try await fixture.store.counts() == [:])
    try await fixture.store.enqueue([])
    try await fixture.store.settle([] as [Settlement])
    #expect(try await fixture.store.counts() == [:])
  }

  @Test(arguments: StoreKind.allCases) func refusesEverythingAfterItIsClosed(_ kind: StoreKind) async throws {
    let fixture = try Fixture(kind)
    try await fixture.store.enqueue([notification()])
    await fixture.store.close()
    await fixture.store.close()
    let store = fixture.store
    let id = NotificationID(UUIDv7())
    var codes: [OutboxError.Code?] = []
    codes.append(await #expect(throws: OutboxError.self) { try await store.enqueue([notification()]) }?.code)
    codes.append(await #expect(throws: OutboxError.self) { _ = try await store.claim() }?.code)
    codes.append(await #expect(throws: OutboxError.self) { try await store.settle([] as [Settlement]) }?.code)
    codes.append(await #expect(throws: OutboxError.self) { _ = try await store.nextDue() }?.code)
    codes.append(await #expect(throws: OutboxError.self) { _ = try await store.notification(id) }?.code)
    codes.append(await #expect(throws: OutboxError.self) { _ = try await store.counts() }?.code)
    #expect(codes == Array(repeating: .closed, count: 6))
  }
}
