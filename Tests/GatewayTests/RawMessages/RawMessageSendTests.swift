import Foundation
import HTTPServer
import JSON
import TestSupport
import Testing

@testable import API
@testable import Gateway

/// FCM's own API of the gateway.
@Suite(.blocking) struct RawMessageSendTests {
  private static let path = "/v1/projects/p/messages:send"
  private let message: JSON = ["message": ["token": "t", "notification": ["title": "Hi"]]]

  private func send(
    _ fixture: GatewayFixture, _ body: JSON? = nil, path: String = RawMessageSendTests.path,
    _ headers: [(String, String)] = []
  ) throws -> HTTPTestClient.Answer {
    try fixture.client.post(path, body ?? message, headers: headers)
  }

  private func setFaults(_ fixture: GatewayFixture, _ rules: JSON) throws {
    let answer = try fixture.emulator.send(
      "PUT", "/faults", headers: [("Content-Type", "application/json")],
      body: (["rules": rules] as JSON).serialized)
    #expect(answer.status == 200)
  }

  private func fcmCode(_ answer: HTTPTestClient.Answer) -> JSON? {
    answer.json["error"]?["details"]?.array?.lazy.compactMap { $0["errorCode"] }.first
  }

  @Test func passesOnTheNameThatFCMGives() async throws {
    try await GatewayFixture.run { fixture in
      let answer = try send(fixture)
      #expect(answer.status == 200)
      #expect(answer.json["name"]?.string?.hasPrefix("projects/p/messages/0:") == true)
      #expect(answer.header("Preference-Applied") == nil)
      let id = try #require(answer.header("Dragoman-Notification"))
      let settled = try await fixture.settled(id)
      #expect(settled["status"] == "sent")
      #expect(settled["template"] == .null)
      #expect(settled["deliveries"]?[0]?["message_name"] == answer.json["name"])
      let delivery = try #require(settled["deliveries"]?[0]?["id"])
      #expect(
        try fixture.inbox() == [
          [
            "token": "t", "notification": ["title": "Hi"], "android": ["notification": ["tag": delivery]],
            "apns": ["headers": ["apns-collapse-id": delivery]],
          ]
        ])
      #expect(
        try fixture.client.get("/v1/notifications").json["notifications"]?[0]?["template"] == .null)
    }
  }

  @Test func passesOnFinalErrors() async throws {
    try await GatewayFixture.run { fixture in
      try setFaults(
        fixture,
        [
          ["token": "dead", "status": 404, "error_code": "UNREGISTERED"],
          ["token": "other", "status": 403, "error_code": "SENDER_ID_MISMATCH"],
          ["token": "apns", "error_code": "Unregistered"],
        ])
      for (token, status, name, code) in [
        ("dead", 404, "NOT_FOUND", "UNREGISTERED"), ("other", 403, "PERMISSION_DENIED", "SENDER_ID_MISMATCH"),
        ("apns", 400, "INVALID_ARGUMENT", "INVALID_ARGUMENT"),
      ] {
        let answer = try send(fixture, ["message": ["token": .string(token)]])
        #expect(answer.status == status)
        #expect(answer.json["error"]?["code"]?.int64 == Int64(status))
        #expect(answer.json["error"]?["status"]?.string == name)
        #expect(fcmCode(answer)?.string == code)
        #expect(answer.header("Dragoman-Notification") != nil)
      }
      let feedback = try fixture.client.get("/v1/feedback").json["events"]?.array ?? []
      #expect(feedback.compactMap { $0["token"]?.string } == ["dead", "apns"])
    }
  }

  @Test func answersWithItsOwnNameWhileFCMIsAway() async throws {
    try await GatewayFixture.run { fixture in
      try setFaults(fixture, [["token": "*", "status": 503, "error_code": "UNAVAILABLE"]])
      let answer = try send(fixture, nil, [("Prefer", "respond-async, Wait=1; x=y")])
      #expect(answer.status == 200)
      #expect(answer.header("Preference-Applied") == "wait=1")
      let id = try #require(answer.header("Dragoman-Notification"))
      let shown = try fixture.client.get("/v1/notifications/\(id)").json
      let delivery = try #require(shown["deliveries"]?[0])
      #expect(shown["status"] == "queued")
      #expect(delivery["attempts"] == 1)
      #expect(answer.json["name"]?.string == "projects/p/messages/\(delivery["id"]?.string ?? "")")
    }
  }

  @Test func repeatsWhatFCMHasAgainstFields() async throws {
    try await GatewayFixture.run { fixture in
      let violations: JSON = [
        ["field": "message.token", "description": "Invalid; really: no"],
        ["field": "message.apns", "description": "Wrong"],
      ]
      let body: JSON = [
        "error": [
          "code": 400, "message": "Not valid", "status": "INVALID_ARGUMENT",
          "details": [
            [
              "@type": "type.googleapis.com/google.firebase.fcm.v1.FcmError",
              "errorCode": "INVALID_ARGUMENT",
            ],
            ["@type": "type.googleapis.com/google.rpc.BadRequest", "fieldViolations": violations],
          ],
        ]
      ]
      let text = String(decoding: body.serialized, as: UTF8.self)
      try setFaults(fixture, [["token": "*", "status": 400, "body": .string(text)]])
      let message: JSON = ["message": ["token": "alice-phone", "data": ["a": "b"]]]
      let error = try send(fixture, message).json["error"]
      #expect(error?["message"] == "Not valid")
      #expect(error?["details"]?[1]?["fieldViolations"] == violations)
    }
  }

  @Test func answersAtOnceWithoutWaiting() async throws {
    try await GatewayFixture.run(adjust: { $0.server.shutdownGrace = .zero }) { fixture in
      try setFaults(fixture, [["token": "*", "latency": "30s"]])
      let started = ContinuousClock.now
      let answer = try send(fixture, nil, [("Prefer", "wait=0")])
      #expect(answer.status == 200)
      #expect(answer.header("Preference-Applied") == "wait=0")
      #expect(ContinuousClock.now - started < .seconds(10))
    }
  }

  @Test func aStopAnswersThoseWhoWait() async throws {
    try await GatewayFixture.run(adjust: { $0.server.shutdownGrace = .seconds(4) }) { fixture in
      try setFaults(fixture, [["token": "*", "status": 503]])
      async let answer = Task.detached { try send(fixture, nil, [("Prefer", "wait=30")]) }.value
      // Its first attempt has failed: it waits.
      let deadline = ContinuousClock.now + .seconds(30)
      while try fixture.emulator.get("/stats").json["answers"]?["503 UNAVAILABLE"] == nil {
        try #require(ContinuousClock.now < deadline)
        await Task.yield()
      }
      let started = ContinuousClock.now
      await fixture.gateway.shutDown()
      #expect(try await answer.status == 200)
      #expect(ContinuousClock.now - started < .seconds(20))
    }
  }

  @Test func hasNoAppForAnotherProject() async throws {
    try await GatewayFixture.run { fixture in
      let answer = try send(fixture, path: "/v1/projects/q/messages:send")
      #expect(answer.status == 404)
      #expect(answer.json["error"]?["status"] == "NOT_FOUND")
      #expect(answer.json["error"]?["details"] == nil)
    }
  }

  @Test func answersInFCMsFormWhatTheKeyMayNot() async throws {
    func client(
      _ name: String, _ scopes: Set<APIScope>, apps: [String]? = nil, templates: [String]? = nil,
      rate: RequestRate? = nil
    ) -> ClientGrant {
      ClientGrant(
        name: name, keyHash: sha256(Array("key-\(name)".utf8)), scopes: scopes, apps: apps,
        templates: templates, rate: rate)
    }
    let clients = [
      client("raw", [.raw, .read]), client("send", [.send]), client("some", [.admin], templates: ["a*"]),
      client("none", [.raw], apps: ["x"]),
      client("slow", [.raw], rate: RequestRate(requests: 1, windowSeconds: 60)),
    ]
    try await GatewayFixture.run(adjust: { $0.auth.clients = clients }) { fixture in
      func send(_ key: String, path: String = Self.path) throws -> HTTPTestClient.Answer {
        try self.send(fixture, path: path, [("Authorization", "Bearer key-\(key)")])
      }
      #expect(try send("raw").status == 200)
      for (key, status, name) in [
        ("nobody", 401, "UNAUTHENTICATED"), ("send", 403, "PERMISSION_DENIED"),
        ("some", 403, "PERMISSION_DENIED"), ("none", 404, "NOT_FOUND"),
      ] {
        let answer = try send(key)
        #expect(answer.status == status)
        #expect(answer.json["error"]?["status"]?.string == name)
        #expect(answer.json["error"]?["details"] == nil)
      }
      // What the key may not use looks like what there is not.
      #expect(try send("none").body == send("none", path: "/v1/projects/zzz/messages:send").body)
      #expect(try send("slow").status == 200)
      let limited = try send("slow")
      #expect(limited.status == 429)
      #expect(fcmCode(limited) == "QUOTA_EXCEEDED")
      #expect(limited.header("Retry-After") != nil)
    }
  }

  @Test func refusesMessagesAsFCMDoes() async throws {
    try await GatewayFixture.run { fixture in
      for body: JSON in [
        ["message": ["token": "t", "titel": "x"]], ["message": [:]], [],
        ["message": ["token": "t", "android": ["ttl": "5"]]],
        ["message": ["token": "a b", "data": ["google.x": "y"]]],
      ] {
        let direct = try fixture.emulator.post(Self.path, body, headers: [("Authorization", "Bearer owner")])
        let answer = try send(fixture, body)
        #expect(answer.status == 400)
        #expect(answer.json == direct.json)
      }
      #expect(try fixture.client.post(Self.path, bytes: Array("{".utf8)).json["error"]?["code"] == 400)
      #expect(
        try fixture.client.send("GET", Self.path).json["error"]?["status"] == "INVALID_ARGUMENT")
      #expect(try fixture.client.get("/v1/notifications").json["notifications"]?.array?.isEmpty == true)
    }
  }

  /// Clients of Google's APIs add some, but `validate_only` in the query must not send.
  @Test func takesTheParametersOfGooglesClients() async throws {
    try await GatewayFixture.run { fixture in
      let refused = try send(fixture, path: Self.path + "?validate_only=true")
      #expect(refused.status == 400)
      #expect(
        refused.json["error"]?["message"]?.string?.contains("/validate_only: No such parameter") == true)
      #expect(try fixture.inbox().isEmpty)
      #expect(try send(fixture, path: Self.path + "?alt=json&prettyPrint=false&$.xgafv=2").status == 200)
    }
  }

  @Test func hasFCMValidateOnly() async throws {
    try await GatewayFixture.run { fixture in
      let body: JSON = ["message": ["token": "t"], "validateOnly": true]
      let answer = try send(fixture, body)
      #expect(answer.json["name"] == "projects/p/messages/fake_message_id")
      #expect(answer.header("Dragoman-Notification") == nil)
      try setFaults(fixture, [["token": "*", "status": 404, "error_code": "UNREGISTERED"]])
      #expect(fcmCode(try send(fixture, body)) == "UNREGISTERED")
      #expect(try fixture.client.get("/v1/notifications").json["notifications"]?.array?.isEmpty == true)
    }
  }

  @Test func acceptsARepeatOnce() async throws {
    try await GatewayFixture.run { fixture in
      let key = ("Idempotency-Key", "k")
      let first = try send(fixture, nil, [key])
      let second = try send(fixture, nil, [key])
      #expect(second.status == 200)
      #expect(second.body == first.body)
      #expect(second.header("Idempotency-Replayed") == "true")
      #expect(second.header("Dragoman-Notification") == first.header("Dragoman-Notification"))
      #expect(try fixture.inbox().count == 1)
      let other = try send(fixture, ["message": ["token": "u"]], [key])
      #expect(other.status == 400)
      #expect(fcmCode(other) == "INVALID_ARGUMENT")
    }
  }

  /// The first answer was lost; the repeat waits for FCM's.
  @Test func aRepeatWaitsToo() async throws {
    try await GatewayFixture.run { fixture in
      try setFaults(
        fixture, [["token": "*", "status": 404, "error_code": "UNREGISTERED", "latency": "500ms"]])
      let key = ("Idempotency-Key", "k")
      #expect(try send(fixture, nil, [key, ("Prefer", "wait=0")]).status == 200)
      for _ in 0..<2 {
        let repeated = try send(fixture, nil, [key])
        #expect(repeated.status == 404)
        #expect(fcmCode(repeated) == "UNREGISTERED")
        #expect(repeated.header("Idempotency-Replayed") == "true")
      }
    }
  }

  @Test func theQueueOutlivesTheGateway() async throws {
    try await GatewayFixture.run { fixture in
      try setFaults(fixture, [["token": "*", "status": 503, "times": 1]])
      let answer = try send(fixture, nil, [("Prefer", "wait=1")])
      let id = try #require(answer.header("Dragoman-Notification"))
      await fixture.gateway.shutDown()
      try await fixture.restarted { client in
        let shown = try client.get("/v1/notifications/\(id)").json
        #expect(shown["id"]?.string == id)
        #expect(shown["template"] == .null)
      }
    }
  }

  @Test func readsHowLongToWait() {
    func seconds(_ values: String...) -> Int {
      let head = HTTPRequestHead(
        method: "POST", target: "/", headers: HTTPHeaders(values.map { ("Prefer", $0) }))
      return WaitPreference(head).seconds
    }
    #expect(seconds() == 10)
    #expect(seconds("wait=5") == 5)
    #expect(seconds("WAIT = \"7\" ; a=b") == 7)
    #expect(seconds("handling=lenient, wait=3, wait=9") == 3)
    #expect(seconds("respond-async", "wait=0") == 0)
    #expect(seconds("wait=31") == 30)
    #expect(seconds("wait=99999999999999999999999") == 30)
    #expect(seconds("wait=-1") == 10)
    #expect(seconds("wait=") == 10)
    #expect(seconds("wait=1.5") == 10)
  }
}
