import Foundation
import Gateway
import JSON
import TestSupport
import Testing

/// Notifications to topics by language: what FCM gets for each language, and what is refused.
@Suite(.blocking, .timeLimit(.minutes(2))) struct LanguageTopicTests {
  private func run(
    _ app: LanguageApp, adjust: (inout GatewayConfiguration) -> Void = { _ in },
    _ body: (GatewayFixture) async throws -> Void
  ) async throws {
    let folder = try TemporaryFolder()
    for (name, text) in app.files { try folder.write(text, to: name) }
    try await GatewayFixture.run(
      adjust: {
        $0.apps[0].catalog = "\(folder.path)/catalog.yaml"
        adjust(&$0)
      }, body)
  }

  private func request(
    _ template: String = "plain", to target: JSON = ["topic": "news"], args: JSON = ["name": "Bob"],
    with members: [JSON.Object.Member] = []
  ) -> JSON {
    .object(.init([("template", .string(template)), ("to", target), ("args", args)] + members))
  }

  /// What FCM got, by topic, as if each had been the first.
  private func received(_ fixture: GatewayFixture, _ answer: JSON) async throws -> [String: JSON] {
    _ = try fixture.emulator.send("DELETE", "/inbox")
    let sent = try fixture.client.post("/v1/notifications", answer)
    #expect(sent.status == 202, "\(sent.text)")
    let settled = try await fixture.settled(sent.json["id"]?.string ?? "")
    #expect(settled["status"] == "sent")
    let targets = sent.json["deliveries"]?.array?.compactMap { $0["target"]?["topic"]?.string } ?? []
    let messages = try fixture.inbox()
    #expect(messages.count == targets.count)
    return Dictionary(
      uniqueKeysWithValues: messages.map { ($0["topic"]?.string ?? "", $0.withoutIdentity) })
  }

  /// The promise itself, over random templates, args and languages: what the fake FCM got for each language
  /// is what the preview says.
  @Test(arguments: UInt64(1)...6)
  func eachLanguageGetsWhatThePreviewSays(seed: UInt64) async throws {
    let app = LanguageApp(seed: seed)
    var sentCount = 0
    try await run(app) { fixture in
      for (template, args) in app.requests {
        let body: JSON = ["args": args, "topic": "news"]
        let preview = try fixture.client.post("/v1/templates/\(template)/preview", body)
        #expect(preview.status == 200, "\(preview.text)")
        let messages = try #require(preview.json["messages"]?.array)
        if messages.contains(where: { $0["error"] != nil }) {
          let refused = try fixture.client.post("/v1/notifications", request(template, args: args))
          #expect(refused.json["type"] == "/problems/not-renderable", "\(template) \(args)")
          continue
        }
        let received = try await received(fixture, request(template, args: args))
        sentCount += 1
        #expect(received.keys.sorted() == app.languages.map { "news.\($0)" }.sorted())
        for message in messages {
          let topic = try #require(message["topic"]?.string)
          #expect(received[topic] == message["message"]?.withoutIdentity, "\(template) \(args) \(topic)")
        }
        for one in preview.json["previews"]?.array ?? [] {
          let message = try #require(received[one["topic"]?.string ?? ""])
          let isAndroid = one["platform"] == "android"
          let part =
            isAndroid ? message["android"]?["notification"] : message["apns"]?["payload"]?["aps"]?["alert"]
          for slot in ["title", "body"] where one[slot]?["outcome"] == "text" {
            #expect(part?[slot] == one[slot]?["text"], "\(template) \(args) \(topicAndSlot(one, slot))")
          }
          #expect(["gateway", "fallback"].contains(one["rendered_by"]?.string))
        }
      }
    }
    #expect(sentCount >= app.requests.count / 2)
  }

  private func topicAndSlot(_ preview: JSON, _ slot: String) -> String {
    "\(preview["topic"]?.string ?? "") \(preview["platform"]?.string ?? "") \(slot)"
  }

  @Test func isOneNotificationWithADeliveryForEachLanguage() async throws {
    try await run(.plain) { fixture in
      let key = [("Idempotency-Key", "once")]
      let first = try fixture.client.post("/v1/notifications", request(), headers: key)
      let targets = first.json["deliveries"]?.array?.map { $0["target"] }
      #expect(targets == [["topic": "news.en"], ["topic": "news.de"], ["topic": "news.pt-BR"]])
      let again = try fixture.client.post("/v1/notifications", request(), headers: key)
      #expect(again.text == first.text)
      _ = try await fixture.settled(first.json["id"]?.string ?? "")
      let bodies = try Dictionary(
        uniqueKeysWithValues: fixture.inbox().map {
          ($0["topic"]?.string ?? "", $0["android"]?["notification"]?["body"]?.string ?? "")
        })
      #expect(bodies == ["news.en": "Bob wrote", "news.de": "Bob schrieb", "news.pt-BR": "Bob escreveu"])
      #expect(try fixture.client.get("/v1/notifications").json["notifications"]?.array?.count == 1)
      let template = try fixture.client.get("/v1/templates").json
      #expect(template["topics"]?["news"]?["pt-BR"] == "news.pt-BR")
    }
  }

  @Test func sendsToOneLanguageAsToAnyTopic() async throws {
    try await run(.plain) { fixture in
      let received = try await received(fixture, request(to: ["topic": "news.de"]))
      #expect(received.keys.sorted() == ["news.de"])
      #expect(received["news.de"]?["android"]?["notification"]?["body_loc_key"] == "k")
      let german: JSON = ["locale": "de"]
      let written = request(to: ["topic": "news.de"], with: [("recipient", german), ("render", "gateway")])
      let text = try await self.received(fixture, written)
      #expect(text["news.de"]?["android"]?["notification"]?["body"] == "Bob schrieb")
    }
  }

  @Test func keepsWhatAllReadersHaveInCommon() async throws {
    try await run(.plain) { fixture in
      let recipient: JSON = ["platform": "android", "time_zone": "Asia/Tokyo"]
      let args: JSON = ["at": "2026-11-22T18:30:00Z"]
      let received = try await received(
        fixture, request("timed", args: args, with: [("recipient", recipient), ("render", "gateway")]))
      #expect(received["news.de"]?["android"]?["notification"]?["body"] == "um 23.11.26, 03:30")
      #expect(received.values.allSatisfy { $0["apns"] == nil && $0["webpush"] == nil })
    }
  }

  @Test func refusesWhatDoesNotFit() async throws {
    try await run(.plain) { fixture in
      func errors(_ body: JSON) throws -> [String] {
        let answer = try fixture.client.post("/v1/notifications", body)
        #expect(answer.status == 422)
        return answer.json["errors"]?.array?.compactMap { $0["pointer"]?.string } ?? []
      }
      let french: JSON = ["locale": "fr"]
      #expect(try errors(request(with: [("recipient", french)])) == ["/recipient/locale"])
      #expect(try errors(request(with: [("render", "device")])) == ["/render"])
      let condition: JSON = ["condition": "'news' in topics || 'sport' in topics"]
      #expect(try errors(request(to: condition)) == ["/to/condition"])
      let both: JSON = ["topic": "news", "condition": "'sport' in topics"]
      #expect(try errors(request(to: both)) == ["/to", "/to/condition"])
      let batch = try fixture.client.post(
        "/v1/notifications/batch", ["notifications": [request(with: [("recipient", french)]), request()]])
      #expect(batch.json["accepted"] == 1)
      let problem = batch.json["results"]?[0]?["problem"]
      #expect(problem?["errors"]?[0]?["pointer"] == "/notifications/0/recipient/locale")
      let others: JSON = ["condition": "'news.de' in topics"]
      #expect(try fixture.client.post("/v1/notifications", request(to: others)).status == 202)
    }
  }

  @Test func eachMessageMustFit() async throws {
    try await run(.plain) { fixture in
      let long = String(repeating: "x", count: 2_100)
      let answer = try fixture.client.post("/v1/notifications", request(args: ["name": .string(long)]))
      #expect(answer.status == 422)
      #expect(answer.json["type"] == "/problems/message-too-large")
      #expect(try fixture.client.get("/v1/notifications").json["notifications"] == [])
      let missing = try fixture.client.post("/v1/notifications", request("lacking"))
      #expect(missing.json["type"] == "/problems/not-renderable")
      let details = missing.json["errors"]?.array?.compactMap { $0["detail"]?.string } ?? []
      #expect(details.map { $0.prefix(3) } == ["de:", "pt-"], "\(details)")
    }
  }

  @Test func asksFCMAboutEachLanguage() async throws {
    try await run(.plain) { fixture in
      let answer = try fixture.client.post("/v1/notifications", request(with: [("validate_only", true)]))
      #expect(answer.status == 200)
      let bodies = answer.json["deliveries"]?.array?.map {
        $0["message"]?["android"]?["notification"]?["body"]
      }
      #expect(bodies == ["Bob wrote", "Bob schrieb", "Bob escreveu"])
      #expect(answer.json["deliveries"]?[1]?["message"]?["topic"] == "news.de")
    }
  }

  @Test func aBatchCountsEachLanguage() async throws {
    try await run(.plain, adjust: { $0.queue.batchTargetsMax = 5 }) { fixture in
      let one = try fixture.client.post("/v1/notifications/batch", ["notifications": [request()]])
      #expect(one.json["accepted"] == 1)
      let two = try fixture.client.post(
        "/v1/notifications/batch", ["notifications": [request(), request()]])
      #expect(two.json["errors"]?[0]?["detail"]?.string?.hasPrefix("They have 6 targets") == true)
    }
  }

  @Test func languagesFailAndAreSentAgainAlone() async throws {
    try await run(.plain) { fixture in
      let rule: JSON = ["rules": [["topic": "news.de", "status": 400, "error_code": "INVALID_ARGUMENT"]]]
      let faults = try fixture.emulator.send(
        "PUT", "/faults", headers: [("Content-Type", "application/json")], body: rule.serialized)
      #expect(faults.status == 200)
      let id = try fixture.client.post("/v1/notifications", request()).json["id"]?.string ?? ""
      let settled = try await fixture.settled(id)
      #expect(settled["status"] == "partial")
      #expect(settled["deliveries"]?.array?.map { $0["status"] } == ["sent", "failed", "sent"])
      _ = try fixture.emulator.send(
        "PUT", "/faults", headers: [("Content-Type", "application/json")], body: Array(#"{"rules":[]}"#.utf8))
      _ = try fixture.emulator.send("DELETE", "/inbox")
      #expect(try fixture.client.send("POST", "/v1/notifications/\(id)/retry").status == 202)
      #expect(try await fixture.settled(id)["status"] == "sent")
      let inbox = try fixture.inbox()
      #expect(inbox.map { $0["topic"] } == ["news.de"])
      #expect(inbox.first?["android"]?["notification"]?["body"] == "Bob schrieb")
    }
  }

  @Test func waitingLanguagesAreCancelled() async throws {
    try await run(.plain) { fixture in
      let later = Date(timeIntervalSinceNow: 3_600).formatted(.iso8601)
      let id =
        try fixture.client.post("/v1/notifications", request(with: [("send_at", .string(later))]))
        .json["id"]?.string ?? ""
      let cancelled = try fixture.client.send("DELETE", "/v1/notifications/\(id)")
      #expect(
        cancelled.json["deliveries"]?.array?.map { $0["status"] } == ["cancelled", "cancelled", "cancelled"])
    }
  }

  @Test func previewsNameTopicsThatThereAre() async throws {
    try await run(.plain) { fixture in
      func pointers(_ body: JSON) throws -> [String] {
        let answer = try fixture.client.post("/v1/templates/plain/preview", body)
        #expect(answer.status == 422)
        return answer.json["errors"]?.array?.compactMap { $0["pointer"]?.string } ?? []
      }
      #expect(try pointers(["topic": "new"]) == ["/topic"])
      #expect(try pointers(["topic": "news", "locales": ["de"]]) == ["/locales"])
      #expect(
        try pointers(["topic": "news", "app_language": "de", "render": "auto"]) == [
          "/render", "/app_language",
        ])
      let chosen = try fixture.client.post(
        "/v1/templates/plain/preview",
        ["app_language": "de", "locales": ["en"], "render": "gateway", "args": ["name": "Bob"]])
      #expect(chosen.json["previews"]?[0]?["body"]?["text"] == "Bob schrieb")
    }
  }
}

extension JSON {
  /// Without what differs from delivery to delivery.
  fileprivate var withoutIdentity: JSON {
    guard let object else { return self }
    return .object(
      .init(
        object.members.filter { $0.key != "tag" && $0.key != "apns-collapse-id" }
          .map { ($0.key, $0.value.withoutIdentity) }))
  }
}
