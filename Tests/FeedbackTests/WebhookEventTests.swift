import DeliveryReports
import Clock
import FCMMessage
import HTTPServer
import JSON
import Telemetry
import Testing

@testable import Feedback
@testable import Outbox

/// The form of each type of event.
@Suite(.timeLimit(.minutes(1))) struct WebhookEventTests {
  private static let ids = (high: UInt64(0x0199_0000_0000_7000), low: UInt64(0x8000_0000_0000_0000))
  private static let at = "2026-07-02T13:46:40.123Z"

  private func id(_ number: UInt64) -> UUIDv7 { UUIDv7(high: Self.ids.high, low: Self.ids.low + number) }

  private func outcome(
    _ outcome: DeliveryOutcome, target: Target = .token("t"), activityToken: String? = nil, attempts: Int = 1,
    client: String? = nil, code: String? = nil, messageName: String? = nil, trace: TraceContext? = nil
  ) -> WebhookEvent {
    .outcome(
      OutcomeEvent(
        id: 7, outcome: outcome, app: "default", template: "welcome", client: client,
        notification: NotificationID(id(1)), delivery: DeliveryID(id(2)), target: target,
        activityToken: activityToken, attempts: attempts, code: code, messageName: messageName,
        at: Timestamp(milliseconds: 1_783_000_000_123), trace: trace))
  }

  /// The body in which the receiver gets an event, after its signature was verified.
  private func posted(_ event: WebhookEvent) async throws -> JSON {
    let log = ListedLog(0)
    log.append(event)
    var body: JSON = .null
    try await WebhookRun.run(log, Receiver { _ in HTTPResponse(status: 204) }) { run in
      let request = try #require(await run.receiver.requests.next())
      let headers = request.head.headers
      let subject =
        switch event {
        case .dead: id(1)
        case .outcome: id(2)
        }
      let name = "evt_\(subject)_\(event.id)"
      #expect(headers["webhook-id"] == name)
      let signature = try WebhookSecret(secretText).signature(
        id: name, timestamp: 1_783_000_001, body: request.body)
      #expect(headers["webhook-timestamp"] == "1783000001")
      #expect(headers["webhook-signature"] == signature)
      body = try JSON.parse(request.body)
      #expect(await run.results.next() == .delivered)
      #expect(await run.log.cursors.next() == event.id)
    }
    return body
  }

  private func payload(_ type: String, _ data: JSON) -> JSON {
    ["type": .string(type), "timestamp": .string(Self.at), "data": data]
  }

  @Test func postsADeadActivityBesideItsRegistration() async throws {
    let event = FeedbackEvent(
      id: 5, app: "default", target: .token("phone"), code: "UNREGISTERED",
      notification: NotificationID(id(1)), at: Timestamp(milliseconds: 1_783_000_000_123),
      activityToken: "activity")
    #expect(
      try await posted(.dead(event))
        == payload(
          "activity.dead",
          [
            "id": "5", "type": "activity.dead", "token": "phone", "activity_token": "activity",
            "code": "UNREGISTERED", "app": "default",
            "notification_id": "01990000-0000-7000-8000-000000000001", "at": .string(Self.at),
          ]))
  }

  @Test func postsASentDelivery() async throws {
    #expect(
      try await posted(outcome(.sent, client: "orders", messageName: "projects/p/messages/1"))
        == payload(
          "delivery.sent",
          [
            "id": "7", "type": "delivery.sent", "token": "t", "message_name": "projects/p/messages/1",
            "attempts": 1, "app": "default", "template": "welcome", "client": "orders",
            "notification_id": "01990000-0000-7000-8000-000000000001",
            "delivery_id": "01990000-0000-7000-8000-000000000002", "at": .string(Self.at),
          ]))
  }

  @Test func postsAFailedDelivery() async throws {
    #expect(
      try await posted(outcome(.failed, target: .topic("news"), attempts: 12, code: "UNAVAILABLE"))
        == payload(
          "delivery.failed",
          [
            "id": "7", "type": "delivery.failed", "topic": "news", "code": "UNAVAILABLE", "attempts": 12,
            "app": "default", "template": "welcome",
            "notification_id": "01990000-0000-7000-8000-000000000001",
            "delivery_id": "01990000-0000-7000-8000-000000000002", "at": .string(Self.at),
          ]))
  }

  @Test func postsAnExpiredDeliveryToALiveActivity() async throws {
    #expect(
      try await posted(outcome(.expired, target: .fid("f"), activityToken: "a", attempts: 0))
        == payload(
          "delivery.expired",
          [
            "id": "7", "type": "delivery.expired", "fid": "f", "activity_token": "a", "attempts": 0,
            "app": "default", "template": "welcome",
            "notification_id": "01990000-0000-7000-8000-000000000001",
            "delivery_id": "01990000-0000-7000-8000-000000000002", "at": .string(Self.at),
          ]))
  }

  @Test func anOutcomePassesOnTheNotificationsTrace() throws {
    let trace = TraceContext(
      receivedIn: ["00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"], tracestate: [])
    let secret = try WebhookSecret(secretText)
    let headers = WebhookMessage(outcome(.sent, trace: trace)).headers(timestamp: 1, secrets: [secret])
    #expect(headers?.contains { $0.hasPrefix("traceparent: 00-0af7651916cd43dd8448eb211c80319c-") } ?? false)
  }

  @Test func theLongestOutcomeFits() throws {
    // A message, with its target and its activity's token, has 4,096 bytes at most; names have 128.
    let longest = String(repeating: "\u{1}", count: 512)
    let name = String(repeating: "n", count: 128)
    let event = OutcomeEvent(
      id: .max, outcome: .failed, app: name, template: name, client: name,
      notification: NotificationID(id(1)), delivery: DeliveryID(id(2)), target: .token(longest),
      activityToken: longest, attempts: 1000, code: "THIRD_PARTY_AUTH_ERROR",
      at: Timestamp(milliseconds: 1_783_000_000_123))
    #expect(WebhookMessage(.outcome(event)).fits)
  }

  /// Each queue counts its events from 1.
  @Test func hasAnIDThatNoOtherQueueUses() {
    let ids = (1...2).map { number in
      let dead = FeedbackEvent(
        id: 1, app: "default", target: .token("t"), code: "UNREGISTERED",
        notification: NotificationID(id(UInt64(number))), at: Timestamp(milliseconds: 0))
      return WebhookMessage(.dead(dead)).id
    }
    #expect(Set(ids).count == 2)
    #expect(ids.allSatisfy { !$0.contains(".") })
  }

  @Test func asksTheQueueForTheOutcomesThatItCarries() {
    #expect(WebhookEventType.standard.outcomes == [])
    #expect(Set(WebhookEventType.allCases).outcomes == Set(DeliveryOutcome.allCases))
    #expect(Set([WebhookEventType.deliveryFailed, .registrationDead]).outcomes == [.failed])
  }

  @Test func sendsMoreAtATimeIfThereMayBeAnEventForEachMessage() {
    #expect(WebhookPolicy(events: WebhookEventType.standard).inFlightMax == 4)
    let policy = WebhookPolicy(events: [.deliverySent])
    #expect(policy.inFlightMax == 16)
    var run = MachineRun.started(100, policy: policy)
    #expect(run.sending == Array(1...16))
    run.run { _ in .delivered }
    #expect(run.saved.last == 100)
  }

  @Test func tellsTheAgeOfTheOldestEvent() async throws {
    try await WebhookRun.run(ListedLog(2), Receiver { _ in HTTPResponse(status: 500) }) { run in
      #expect(run.webhook.health.oldestEventAt == nil || run.webhook.health.outstanding == 2)
      #expect(await run.results.next() == .failed)
      await run.clock.timers.next { $0 != nil }
      #expect(run.webhook.health.oldestEventAt == Timestamp(milliseconds: 1_783_000_000_123))
    }
  }
}
