import DeliveryReports
import Foundation
import HTTPServer
import JSON
import Synchronization
import TestSupport
import Testing

@testable import API
@testable import Feedback
@testable import Gateway

/// A gateway that tells its webhook how deliveries end.
@Suite(.blocking, .timeLimit(.minutes(2))) struct WebhookOutcomeTests {
  private static let secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"

  /// Answers 500 until it is told to take events.
  private final class Answerer: HTTPRequestHandler {
    let takesEvents = Atomic<Bool>(false)

    func handle(_ request: HTTPRequest, responder: HTTPResponder) {
      responder.respond(HTTPResponse(status: takesEvents.load(ordering: .acquiring) ? 200 : 500))
    }
  }

  /// Answers the first event with a status, and all others with 200.
  private final class Refuser: HTTPRequestHandler {
    private let status: Int

    init(_ status: Int) { self.status = status }

    func handle(_ request: HTTPRequest, responder: HTTPResponder) {
      let isFirst = request.head.headers["webhook-id"]?.hasSuffix("_1") == true
      responder.respond(HTTPResponse(status: isFirst ? status : 200))
    }
  }

  private func webhook(
    _ hook: RecordingPeer, _ events: Set<WebhookEventType>
  ) throws -> GatewayConfiguration.Webhook {
    var webhook = GatewayConfiguration.Webhook(
      url: try WebhookURL("http://127.0.0.1:\(hook.port)/hook", allowsPrivateAddresses: true),
      secrets: try WebhookSecret.list(Self.secret))
    webhook.events = events
    return webhook
  }

  private func post(_ fixture: GatewayFixture, to token: String, ttl: String? = nil) throws -> String {
    var body: JSON = ["template": "welcome", "to": ["token": .string(token)], "args": ["name": "A"]]
    if let ttl, case .object(var object) = body {
      object.members.append(("ttl", .string(ttl)))
      body = .object(object)
    }
    let answer = try fixture.client.post("/v1/notifications", body)
    #expect(answer.status == 202)
    return try #require(answer.json["id"]?.string)
  }

  private func setFaults(_ rules: JSON, _ fixture: GatewayFixture) throws {
    let answer = try fixture.emulator.send(
      "PUT", "/faults", headers: [("Content-Type", "application/json")],
      body: (["rules": rules] as JSON).serialized)
    #expect(answer.status == 200)
  }

  /// The data of the first `count` events, in the order of their ids, after their signatures and forms were
  /// verified.
  private func events(_ count: Int, at hook: RecordingPeer) async throws -> [JSON] {
    let deadline = ContinuousClock.now + .seconds(30)
    while Set(hook.requests.map { $0.head.headers["webhook-id"] }).count < count,
      ContinuousClock.now < deadline
    {
      await Task.yield()
    }
    let document = try JSON.parse(Array(OpenAPIDocument.text.utf8))
    let schema = JSONSchema(document: document)
    let described = try #require(document["components"]?["schemas"]?["WebhookEvent"])
    var events: [Int64: JSON] = [:]
    for request in hook.requests {
      let head = request.head.headers
      let id = try #require(head["webhook-id"])
      let timestamp = try #require(head["webhook-timestamp"].flatMap { Int64($0) })
      let signature = try WebhookSecret(Self.secret).signature(
        id: id, timestamp: timestamp, body: request.body)
      #expect(head["webhook-signature"] == signature)
      let body = try JSON.parse(request.body)
      #expect(schema.complaints(about: body, against: described) == [])
      let data = try #require(body["data"])
      #expect(body["type"] == data["type"])
      #expect(body["timestamp"] == data["at"])
      let number = try #require(data["id"]?.string)
      let subject = try #require((data["delivery_id"] ?? data["notification_id"])?.string)
      #expect(id == "evt_\(subject)_\(number)")
      events[try #require(Int64(number))] = data
    }
    return events.sorted { $0.key < $1.key }.map(\.value)
  }

  @Test func tellsHowEachDeliveryEnds() async throws {
    let (hook, server) = try RecordingPeer.start(nil)
    var started: GatewayConfiguration?
    try await GatewayFixture.run(adjust: {
      $0.webhook = try? webhook(hook, Set(WebhookEventType.allCases))
      started = $0
    }) { fixture in
      try setFaults(
        [
          ["token": "gone", "status": 404, "error_code": "UNREGISTERED"],
          ["token": "slow", "status": 503, "error_code": "UNAVAILABLE"],
        ], fixture)
      let sent = try post(fixture, to: "ok")
      #expect(try await fixture.settled(sent)["status"] == "sent")
      let failed = try post(fixture, to: "gone")
      #expect(try await fixture.settled(failed)["status"] == "failed")
      // Its next attempt would come too late.
      let expired = try post(fixture, to: "slow", ttl: "5s")
      #expect(try await fixture.settled(expired)["status"] == "expired")

      let told = try await events(4, at: hook)
      #expect(
        told.map { $0["type"] } == [
          "delivery.sent", "delivery.failed", "registration.dead", "delivery.expired",
        ])
      #expect(told.map { $0["id"] } == ["1", "2", "3", "4"])
      for (event, id) in zip(told, [sent, failed, failed, expired]) {
        let notification = try fixture.client.get("/v1/notifications/\(id)").json
        let delivery = notification["deliveries"]?[0]
        #expect(event["notification_id"] == .string(id))
        #expect(event["token"] == delivery?["target"]?["token"])
        #expect(event["code"] == delivery?["error"]?["code"])
        #expect(event["app"] == notification["app"])
        #expect(event["at"] == delivery?["updated_at"])
        guard event["type"] != "registration.dead" else { continue }
        #expect(event["delivery_id"] == delivery?["id"])
        #expect(event["attempts"] == delivery?["attempts"])
        #expect(event["message_name"] == delivery?["message_name"])
        #expect(event["template"] == "welcome")
        #expect(event["client"] == nil)
      }
      // The list of dead registrations is as it would be without outcomes.
      let listed = try fixture.client.get("/v1/feedback").json
      #expect(listed == ["events": [told[2]], "next": "3"])
      let metrics = try fixture.client.get("/metrics").text
      #expect(metrics.contains("\ndragoman_webhook_lag_seconds "))
      // Counted from 0, so that the first one raises an alert.
      #expect(metrics.contains("\ndragoman_webhook_deliveries_total{result=\"given_up\"} 0\n"))

      // A retry ends a second time, and a reload changes what is told.
      try setFaults([], fixture)
      #expect(try fixture.client.post("/v1/notifications/\(failed)/retry", [:]).status == 202)
      #expect(try await fixture.settled(failed)["status"] == "sent")
      #expect(try await events(5, at: hook).last?["type"] == "delivery.sent")
      var next = try #require(started)
      next.webhook = try webhook(hook, [.deliveryFailed])
      await fixture.gateway.reload(.success(next))
      #expect(try await fixture.settled(try post(fixture, to: "ok"))["status"] == "sent")
      try setFaults([["token": "gone", "status": 404, "error_code": "UNREGISTERED"]], fixture)
      let last = try post(fixture, to: "gone")
      let told2 = try await events(6, at: hook)
      #expect(told2.map { $0["notification_id"] }.suffix(2) == [.string(failed), .string(last)])
      #expect(told2.last?["type"] == "delivery.failed")
    }
    await server.shutDown(grace: .zero)
  }

  /// Runs `body` with the requests for an event, once the first event was refused and the second one taken.
  private func withRefusedEvent(
    _ status: Int, _ body: (GatewayFixture, GatewayConfiguration, (Int) -> Int) async throws -> Void
  ) async throws {
    let (hook, server) = try RecordingPeer.start(Refuser(status))
    var started: GatewayConfiguration?
    try await GatewayFixture.run(adjust: {
      $0.webhook = try? webhook(hook, [.deliverySent])
      started = $0
    }) { fixture in
      func requests(_ event: Int) -> Int {
        hook.requests.count { $0.head.headers["webhook-id"]?.hasSuffix("_\(event)") == true }
      }
      _ = try post(fixture, to: "one")
      while requests(1) == 0 { await Task.yield() }
      try await body(fixture, try #require(started), requests)
    }
    await server.shutDown(grace: .zero)
  }

  @Test func aReloadRepeatsNoEventThatTheReceiverHas() async throws {
    try await withRefusedEvent(500) { fixture, configuration, requests in
      _ = try post(fixture, to: "two")
      while requests(2) == 0 { await Task.yield() }
      await fixture.gateway.reload(.success(configuration))
      _ = try post(fixture, to: "three")
      while requests(3) == 0 { await Task.yield() }
      #expect(requests(2) == 1)
    }
  }

  @Test func aReloadTriesAReceiverAgainThatAnswered410() async throws {
    try await withRefusedEvent(410) { fixture, configuration, requests in
      while try fixture.client.get("/readyz").json["checks"]?["webhook"]?["status"] != "warning" {
        await Task.yield()
      }
      await fixture.gateway.reload(.success(configuration))
      while requests(1) < 2 { await Task.yield() }
    }
  }

  @Test func tellsOfADeadActivity() async throws {
    let (hook, server) = try RecordingPeer.start(nil)
    try await GatewayFixture.run(adjust: {
      $0.webhook = try? webhook(hook, WebhookEventType.standard)
    }) { fixture in
      let gone = """
        {"error":{"code":404,"message":"Requested entity was not found.","status":"NOT_FOUND","details":[\
        {"@type":"type.googleapis.com/google.firebase.fcm.v1.FcmError","errorCode":"UNREGISTERED"},\
        {"@type":"type.googleapis.com/google.firebase.fcm.v1.ApnsError","statusCode":410,"reason":"Unregistered"}]}}
        """
      try setFaults([["token": "phone", "status": 404, "body": .string(gone)]], fixture)
      let body: JSON = [
        "template": "match_goal", "to": ["token": "phone"],
        "args": ["home": 1, "away": 0, "scorer": "Ada"],
        "live_activity": ["token": "gone", "event": "update"],
      ]
      let answer = try fixture.client.post("/v1/notifications", body)
      #expect(answer.status == 202, "\(answer.text)")
      let event = try #require(try await events(1, at: hook).first)
      #expect(event["type"] == "activity.dead")
      #expect(event["activity_token"] == "gone")
      #expect(event["token"] == "phone")
      #expect(event["notification_id"] == answer.json["id"])
      #expect(try fixture.client.get("/v1/feedback").json["events"] == [event])
    }
    await server.shutDown(grace: .zero)
  }

  /// A gateway that is killed tells everything after its next start.
  @Test func aKillLosesNoOutcome() async throws {
    let answerer = Answerer()
    let (hook, server) = try RecordingPeer.start(answerer)
    let folder = try TemporaryFolder()
    let emulator = try DragomanProcess(["emulator", "--listen", "127.0.0.1:0"])
    defer { emulator.kill() }
    try folder.write(
      """
      server: {listen: "127.0.0.1:0"}
      apps: {default: {catalog: "\(GatewayFixture.repository)/config/catalog.yaml", credentials: none, \
        project_id: p, endpoint: "\(try emulator.address(after: "emulator listening on "))"}}
      queue: {url: "sqlite:queue.db"}
      delivery: {ramp: 0s}
      feedback:
        webhook:
          url: http://127.0.0.1:\(hook.port)/
          secret: \(Self.secret)
          allow_private_addresses: true
          events: [delivery.sent]
      """, to: "gateway.yaml")
    func serve() throws -> (process: DragomanProcess, client: HTTPTestClient) {
      let process = try DragomanProcess(["serve", "--config", "\(folder.path)/gateway.yaml"])
      let port = try process.address(after: "gateway listening on ").split(separator: ":").last ?? ""
      return (process, HTTPTestClient(port: Int(port) ?? 0))
    }
    let first = try serve()
    defer { first.process.kill() }
    var ids: Set<String> = []
    for batch in 0..<3 {
      let answer = try first.client.post(
        "/v1/notifications",
        [
          "template": "welcome", "to": ["tokens": .array((0..<20).map { .string("t-\(batch)-\($0)") })],
          "args": ["name": "A"],
        ])
      ids.insert(try #require(answer.json["id"]?.string))
    }
    let deadline = ContinuousClock.now + .seconds(30)
    while try first.client.get("/v1/stats").json["deliveries"]?["sent"] != 60, ContinuousClock.now < deadline
    {}
    first.process.kill()
    answerer.takesEvents.store(true, ordering: .releasing)
    let second = try serve()
    defer { second.process.kill() }
    let told = try await events(60, at: hook)
    #expect(told.count == 60)
    #expect(Set(told.compactMap { $0["delivery_id"]?.string }).count == 60)
    #expect(Set(told.compactMap { $0["notification_id"]?.string }) == ids)
    #expect(Set(told.compactMap { $0["token"]?.string }).count == 60)
    #expect(second.process.terminate() == 0)
    await server.shutDown(grace: .zero)
  }
}
