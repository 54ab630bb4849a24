import API
import Foundation
import Gateway
import JSON
import TestSupport
import Testing

@Suite(.blocking) struct NotificationTests {
  private let newMessage: JSON = [
    "template": "new_message", "to": ["token": "t-1"],
    "args": ["name": "Alice", "count": 3, "sender": "Bob"],
  ]

  @Test func deliversANotification() async throws {
    try await GatewayFixture.run { fixture in
      let answer = try fixture.client.post("/v1/notifications", newMessage)
      #expect(answer.status == 202)
      let id = try #require(answer.json["id"]?.string)
      #expect(answer.header("Location") == "/v1/notifications/\(id)")
      #expect(answer.json["status"] == "queued")
      let settled = try await fixture.settled(id)
      #expect(settled["status"] == "sent")
      let delivery = try #require(settled["deliveries"]?[0])
      #expect(delivery["attempts"] == 1)
      #expect(delivery["message_name"]?.string?.hasPrefix("projects/p/messages/") == true)
      let message = try #require(try fixture.inbox().first)
      #expect(message["token"] == "t-1")
      let android = message["android"]?["notification"]
      #expect(android?["title_loc_key"] == "welcome_title")
      #expect(android?["title_loc_args"] == ["Alice"])
      #expect(android?["body_loc_key"] == "new_message_body_n3")
      #expect(android?["body_loc_args"] == ["3", "Bob"])
      #expect(android?["tag"] == delivery["id"])
      let alert = message["apns"]?["payload"]?["aps"]?["alert"]
      #expect(alert?["title-loc-key"] == "WELCOME_TITLE")
      #expect(alert?["title-loc-args"] == ["Alice"])
      #expect(alert?["loc-key"] == "NEW_MESSAGE_BODY_n3")
      #expect(alert?["loc-args"] == ["3", "Bob"])
      #expect(message["apns"]?["headers"]?["apns-collapse-id"] == delivery["id"])
    }
  }

  @Test func showsTheAttemptsOfADelivery() async throws {
    try await GatewayFixture.run { fixture in
      let fault: JSON = [
        "rules": [
          ["token": "t-1", "status": 400, "error_code": "INVALID_ARGUMENT", "times": 1]
        ]
      ]
      let put = try fixture.emulator.send(
        "PUT", "/faults", headers: [("Content-Type", "application/json")], body: fault.serialized)
      #expect(put.status < 300)
      let id = try #require(try fixture.client.post("/v1/notifications", newMessage).json["id"]?.string)
      #expect(try await fixture.settled(id)["status"] == "failed")
      let path = "/v1/notifications/\(id)"
      let plain = try fixture.client.get(path)
      #expect(plain.json["deliveries"]?[0]?["attempt_log"] == nil)
      let log = try fixture.client.get(path + "?include=attempt_log").json["deliveries"]?[0]?["attempt_log"]
      #expect(log?.array?.count == 1)
      let attempt = try #require(log?[0])
      #expect(attempt["phase"] == "answer")
      #expect(attempt["peer"] == "fcm")
      #expect(attempt["http_status"] == 400)
      #expect(attempt["code"] == "INVALID_ARGUMENT")
      #expect(attempt["counted"] == true)
      #expect(attempt["detail"]?.string?.isEmpty == false)
      let wrong = try fixture.client.get(path + "?include=everything")
      #expect(wrong.status == 422)
      #expect(wrong.json["errors"]?[0]?["pointer"] == "/include")
    }
  }

  @Test func showsTheMessageAsItWasSent() async throws {
    try await GatewayFixture.run { fixture in
      var request = newMessage.object ?? .init()
      request["ttl"] = "0s"
      let id = try #require(try fixture.client.post("/v1/notifications", .object(request)).json["id"]?.string)
      #expect(try await fixture.settled(id)["status"] == "sent")
      let path = "/v1/notifications/\(id)"
      let delivery = try fixture.client.get(path + "?include=message,attempt_log").json["deliveries"]?[0]
      #expect(delivery?["message"] == (try fixture.inbox().first))
      #expect(delivery?["attempt_log"]?.array?.count == 1)
      #expect(try fixture.client.get(path).json["deliveries"]?[0]?["message"] == nil)
      #expect(try fixture.client.get(path + "?include=message,message").status == 422)
    }
  }

  @Test func showsTheMessageAsItWillBeSent() async throws {
    try await GatewayFixture.run { fixture in
      var request = newMessage.object ?? .init()
      let due = Int64(Date().timeIntervalSince1970) + 3_600
      request["ttl"] = "600s"
      request["send_at"] = .string(Date(timeIntervalSince1970: Double(due)).ISO8601Format())
      let id = try #require(try fixture.client.post("/v1/notifications", .object(request)).json["id"]?.string)
      let shown = try fixture.client.get("/v1/notifications/\(id)?include=message").json["deliveries"]?[0]
      let message = try #require(shown?["message"])
      #expect(message["token"] == "t-1")
      #expect(message["android"]?["ttl"] == "600s")
      #expect(message["android"]?["notification"]?["body_loc_args"] == ["3", "Bob"])
      #expect(message["apns"]?["headers"]?["apns-expiration"] == .string(String(due + 600)))
      #expect(message["apns"]?["headers"]?["apns-collapse-id"] == shown?["id"])
    }
  }

  @Test(arguments: [
    "\"quoted\" \\back\\slash", "😀👩‍👩‍👧", "שלום", "a\u{2028}b\u{2029}c", "e\u{301}\u{E9}", "\u{0}\u{1F}\n\t",
    "%1$s %@ %%",
  ])
  func preservesEveryText(_ text: String) async throws {
    try await GatewayFixture.run { fixture in
      var request = newMessage.object ?? .init()
      request["args"] = ["name": .string(text), "count": 3, "sender": .string(text)]
      let answer = try fixture.client.post("/v1/notifications", .object(request))
      let id = try #require(answer.json["id"]?.string)
      #expect(try await fixture.settled(id)["status"] == "sent")
      let message = try #require(try fixture.inbox().first)
      let args = message["android"]?["notification"]?["body_loc_args"]
      #expect(args == ["3", .string(text)])
    }
  }

  @Test func sendsToEveryKindOfTarget() async throws {
    try await GatewayFixture.run { fixture in
      let targets: [(JSON, Int)] = [
        (["tokens": ["a", "b", "c"]], 3), (["fid": "f"], 1), (["fids": ["f1", "f2"]], 2),
        (["topic": "Tech"], 1),
        (["condition": "'Tech' in topics && !('News' in topics)"], 1),
      ]
      for (to, count) in targets {
        let answer = try fixture.client.post(
          "/v1/notifications",
          [
            "template": "stock", "to": to,
            "args": ["company": "FooCorp", "points": "11.80", "price": "835.67", "percent": "1.43"],
          ])
        #expect(answer.status == 202, "\(answer.text)")
        #expect(answer.json["deliveries"]?.array?.count == count)
        let id = try #require(answer.json["id"]?.string)
        #expect(try await fixture.settled(id)["status"] == "sent")
      }
      let message = try #require(try fixture.inbox().first { $0["topic"] == "Tech" })
      #expect(message["android"]?["notification"]?["body_loc_key"] == "STOCK_NOTIFICATION_BODY")
      #expect(
        message["android"]?["notification"]?["body_loc_args"] == ["FooCorp", "11.80", "835.67", "1.43"])
      let ttl = try #require(message["android"]?["ttl"]?.string)
      #expect(ttl == "3600s" || ttl == "3599s")
    }
  }

  @Test func reportsAllMistakesAtOnce() async throws {
    try await GatewayFixture.run { fixture in
      let answer = try fixture.client.post(
        "/v1/notifications",
        [
          "template": "new_message", "to": ["token": "", "topic": "a b"], "args": ["count": "three", "x": 1],
          "ttl": "29d", "send_at": "yesterday", "colour": "red",
        ])
      #expect(answer.status == 422)
      #expect(answer.header("Content-Type") == "application/problem+json")
      #expect(answer.json["type"] == "/problems/invalid-request")
      let errors = answer.json["errors"]?.array ?? []
      let found = Set(errors.map { "\($0["pointer"]?.string ?? "") \($0["code"]?.string ?? "")" })
      #expect(
        found.isSuperset(of: [
          "/to invalid", "/to/token invalid", "/to/topic invalid", "/args/count wrong_type",
          "/args/x unknown",
          "/args/sender missing", "/ttl out_of_range", "/send_at invalid", "/colour unknown",
        ]), "\(answer.text)")
    }
  }

  @Test(arguments: [
    "", "{", "[1,]", "{\"a\":1,\"a\":2}", "NaN", "{\"template\":\"\\ud800\"}", "\u{FEFF}{}", "{} {}",
    String(repeating: "[", count: 100),
  ])
  func rejectsWhatIsNotJSON(_ body: String) async throws {
    try await GatewayFixture.run { fixture in
      for path in ["/v1/notifications", "/v1/notifications/batch"] {
        let answer = try fixture.client.post(path, bytes: Array(body.utf8))
        #expect(answer.status == 400)
        #expect(answer.json["type"] == "/problems/malformed-json")
      }
    }
  }

  @Test func equalTargetsAreOneDelivery() async throws {
    try await GatewayFixture.run { fixture in
      var request = try #require(newMessage.object)
      request["to"] = ["tokens": ["t-1", "t-2", "t-1", "t-1"]]
      let deliveries = try fixture.client.post("/v1/notifications", .object(request)).json["deliveries"]
      #expect(deliveries?.array?.compactMap { $0["target"]?["token"]?.string } == ["t-1", "t-2"])
    }
  }

  @Test(arguments: [" t", "t ", "t\n", "\t"])
  func aTokenInWhiteSpaceIsInvalid(_ token: String) async throws {
    try await GatewayFixture.run { fixture in
      var request = try #require(newMessage.object)
      request["to"] = ["token": .string(token)]
      let answer = try fixture.client.post("/v1/notifications", .object(request))
      #expect(answer.status == 422)
      #expect(answer.json["errors"]?[0]?["pointer"] == "/to/token")
      #expect(answer.json["errors"]?[0]?["code"] == "invalid")
    }
  }

  @Test func refusesUnknownTemplatesAndApps() async throws {
    try await GatewayFixture.run { fixture in
      let template = try fixture.client.post("/v1/notifications", ["template": "nope", "to": ["token": "t"]])
      #expect(template.status == 422)
      #expect(template.json["type"] == "/problems/unknown-template")
      let app = try fixture.client.post(
        "/v1/notifications", ["template": "welcome", "app": "nope", "to": ["token": "t"]])
      #expect(app.status == 422)
      #expect(app.json["type"] == "/problems/unknown-app")
    }
  }

  @Test func rejectsAnEmptyTemplateWithItsPlace() async throws {
    try await GatewayFixture.run { fixture in
      let answer = try fixture.client.post("/v1/notifications", ["template": "", "to": ["token": "t"]])
      #expect(answer.status == 422)
      #expect(answer.json["errors"]?.array?.count == 1)
      #expect(answer.json["errors"]?[0]?["pointer"] == "/template")
    }
  }

  @Test func reportsByHowMuchAMessageIsTooLarge() async throws {
    let catalog = """
      version: 1
      templates:
        long: {params: {text: {type: string}}, body: {android: k, ios: K, args: [text]}}
      """
    try await GatewayFixture.run(catalog: catalog) { fixture in
      let answer = try fixture.client.post(
        "/v1/notifications",
        [
          "template": "long", "to": ["token": "t"],
          "args": ["text": .string(String(repeating: "x", count: 5000))],
        ])
      #expect(answer.status == 422)
      #expect(answer.json["type"] == "/problems/message-too-large")
      let bytes = try #require(answer.json["message_bytes"]?.int64)
      #expect(answer.json["detail"]?.string?.contains("\(bytes - 4096) more") == true)
    }
  }

  @Test func processesABatchInOrderAndReportsRejections() async throws {
    try await GatewayFixture.run { fixture in
      let answer = try fixture.client.post(
        "/v1/notifications/batch",
        ["notifications": [newMessage, ["template": "nope", "to": ["token": "t"]], newMessage]])
      #expect(answer.status == 202)
      #expect(answer.json["accepted"] == 2)
      #expect(answer.json["rejected"] == 1)
      let results = try #require(answer.json["results"]?.array)
      #expect(results[1]["problem"]?["type"] == "/problems/unknown-template")
      #expect(results[1]["problem"]?["errors"]?[0]?["pointer"] == "/notifications/1/template")
      for index in [0, 2] {
        let id = try #require(results[index]["id"]?.string)
        #expect(try await fixture.settled(id)["status"] == "sent")
      }
      let refused = try fixture.client.post(
        "/v1/notifications/batch", ["notifications": [["template": "nope"]]])
      #expect(refused.status == 422)
      #expect(refused.json["accepted"] == 0)
      let empty = try fixture.client.post("/v1/notifications/batch", ["notifications": []])
      #expect(empty.status == 422)
    }
  }

  @Test func validatesWithoutQueueing() async throws {
    try await GatewayFixture.run { fixture in
      var request = newMessage.object ?? .init()
      request["validate_only"] = true
      let answer = try fixture.client.post("/v1/notifications", .object(request))
      #expect(answer.status == 200, "\(answer.text)")
      #expect(answer.json["valid"] == true)
      let delivery = answer.json["deliveries"]?[0]
      let message = try #require(delivery?["message"])
      #expect(delivery?["message_bytes"]?.int64 == Int64(message.serialized.count))
      #expect(try fixture.inbox().isEmpty)
    }
  }

  @Test func showsWhyADeliveryFailed() async throws {
    try await GatewayFixture.run { fixture in
      let rules: JSON = ["rules": [["token": "dead*", "status": 404, "error_code": "UNREGISTERED"]]]
      let put = try fixture.emulator.send(
        "PUT", "/faults", headers: [("Content-Type", "application/json")], body: rules.serialized)
      #expect(put.status == 200)
      var request = newMessage.object ?? .init()
      request["to"] = ["tokens": ["dead-1", "alive"]]
      let answer = try fixture.client.post("/v1/notifications", .object(request))
      let settled = try await fixture.settled(try #require(answer.json["id"]?.string))
      #expect(settled["status"] == "partial")
      let failed = settled["deliveries"]?[0]
      #expect(failed?["status"] == "failed")
      #expect(failed?["error"]?["code"] == "UNREGISTERED")
      #expect(failed?["error"]?["http_status"] == 404)
    }
  }

  @Test func findsNoNotificationByAnUnknownID() async throws {
    try await GatewayFixture.run { fixture in
      for id in ["x", "019938a0-0000-7000-8000-000000000000", "%20"] {
        let answer = try fixture.client.get("/v1/notifications/\(id)")
        #expect(answer.status == 404)
        #expect(answer.json["type"] == "/problems/not-found")
      }
    }
  }

  @Test func boundsTheTargetsOfABatch() async throws {
    var used: GatewayConfiguration?
    try await GatewayFixture.run(adjust: {
      $0.queue.batchTargetsMax = 5
      used = $0
    }) { fixture in
      func send(_ targets: [JSON]) throws -> HTTPTestClient.Answer {
        let list = targets.map { to -> JSON in ["template": "welcome", "to": to, "args": ["name": "A"]] }
        return try fixture.client.post("/v1/notifications/batch", ["notifications": .array(list)])
      }
      let tokens: JSON = ["tokens": ["a", "b"]]
      let fids: JSON = ["fids": ["c", "d"]]
      #expect(try send([tokens, fids, ["topic": "t"]]).status == 202)
      let refused = try send([tokens, fids, ["topic": "t"], ["token": "e"]])
      #expect(refused.status == 422)
      #expect(refused.json["errors"]?[0]?["pointer"] == "/notifications")
      #expect(refused.json["errors"]?[0]?["code"] == "out_of_range")
      #expect(refused.text.contains("6 targets") && refused.text.contains("queue.max_batch_targets"))
      // Nothing of it was kept.
      let list = try fixture.client.get("/v1/notifications").json["notifications"]?.array
      #expect(list?.count == 3)
      var changed = try #require(used)
      changed.queue.batchTargetsMax = 6
      await fixture.gateway.reload(.success(changed))
      #expect(try send([tokens, fids, ["topic": "t"], ["token": "e"]]).status == 202)
    }
  }
}
