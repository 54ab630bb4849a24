import API
import Foundation
import Gateway
import JSON
import TestSupport
import Testing

/// Live Activities through the API and to the emulator, with the example app's match.
@Suite(.blocking) struct LiveActivityTests {
  private func goal(
    _ home: Int, _ event: String = "update", token: String = "activity-1", to: JSON = ["token": "phone"],
    extra: [(String, JSON)] = []
  ) -> JSON {
    let members: [(String, JSON)] = [
      ("template", "match_goal"), ("to", to), ("args", ["home": JSON(home), "away": 1, "scorer": "Ada"]),
      ("live_activity", ["token": .string(token), "event": .string(event)]),
    ]
    return .object(.init(members + extra))
  }

  @Test func followsAMatch() async throws {
    try await GatewayFixture.run { fixture in
      for (index, event) in ["start", "update", "end"].enumerated() {
        let to: JSON = index == 1 ? ["fid": "phone"] : ["token": "phone"]
        let answer = try fixture.client.post("/v1/notifications", goal(index, event, to: to))
        #expect(answer.status == 202)
        #expect(try await fixture.settled(answer.json["id"]?.string ?? "")["status"] == "sent")
      }
      let messages = try fixture.inbox().reversed()
      #expect(messages.map { $0["apns"]?["payload"]?["aps"]?["event"] } == ["start", "update", "end"])
      let times = messages.compactMap { $0["apns"]?["payload"]?["aps"]?["timestamp"]?.int64 }
      #expect(times == times.sorted() && times.count == 3)
      for message in messages {
        #expect(message["apns"]?["live_activity_token"] == "activity-1")
        #expect(message["apns"]?["headers"]?["apns-priority"] == "10")
        #expect(message["apns"]?["headers"]?["apns-collapse-id"] == nil)
        #expect(message["android"] == nil)
        let alert = message["apns"]?["payload"]?["aps"]?["alert"]
        #expect(alert?["title"] == ["loc-key": "GOAL_TITLE", "loc-args": ["Ada"]])
      }
    }
  }

  @Test func reportsEveryMistakeAtOnce() async throws {
    try await GatewayFixture.run { fixture in
      func pointers(_ request: JSON) throws -> [String] {
        let answer = try fixture.client.post("/v1/notifications", request)
        #expect(answer.status == 422)
        return (answer.json["errors"]?.array ?? []).map {
          "\($0["pointer"]?.string ?? "") \($0["code"]?.string ?? "")"
        }.sorted()
      }
      let activity: JSON = [
        "token": "", "event": "pause", "stale_date": "soon", "dismissal_date": 1, "relevance_score": "1",
        "state": [:],
      ]
      var request = goal(1, to: ["tokens": ["a"]], extra: [("collapse_key", "k")]).object ?? .init()
      request["live_activity"] = activity
      let all = try pointers(.object(request))
      #expect(
        all == [
          "/collapse_key invalid", "/live_activity/dismissal_date wrong_type", "/live_activity/event invalid",
          "/live_activity/relevance_score wrong_type", "/live_activity/stale_date invalid",
          "/live_activity/state unknown", "/live_activity/token invalid", "/to invalid",
        ])
      for to in [["topic": "t"], ["condition": "'t' in topics"], ["fids": ["a"]]] as [JSON] {
        #expect(try pointers(goal(1, to: to)) == ["/to invalid"])
      }
      request = goal(1).object ?? .init()
      request["live_activity"] = nil
      #expect(try pointers(.object(request)) == ["/live_activity missing"])
      request["live_activity"] = [:]
      #expect(
        try pointers(.object(request)) == ["/live_activity/event missing", "/live_activity/token missing"])
      request["live_activity"] = ["token": "a", "event": "update", "dismissal_date": "2030-01-01T00:00:00Z"]
      #expect(try pointers(.object(request)) == ["/live_activity/dismissal_date invalid"])
      request["live_activity"] = [
        "token": "a", "event": "end", "stale_date": "2030-01-01T00:00:00Z", "relevance_score": 1,
      ]
      #expect(
        try pointers(.object(request)) == [
          "/live_activity/relevance_score invalid", "/live_activity/stale_date invalid",
        ])
      let other: JSON = [
        "template": "welcome", "to": ["token": "t"], "args": ["name": "A"],
        "live_activity": ["token": "a", "event": "end"],
      ]
      #expect(try pointers(other) == ["/live_activity invalid"])
      let start: JSON = [
        "template": "match_score", "to": ["token": "t"], "args": ["home": 1, "away": 0],
        "live_activity": ["token": "a", "event": "start"],
      ]
      #expect(try pointers(start) == ["/live_activity/event invalid"])
    }
  }

  @Test func passesOnDatesAndScore() async throws {
    try await GatewayFixture.run { fixture in
      var request = goal(1, extra: [("validate_only", true)]).object ?? .init()
      request["live_activity"] = [
        "token": "a", "event": "update", "stale_date": "2026-11-21T12:00:00.5Z",
        "relevance_score": .number(try #require(JSON.Number(1.5))),
      ]
      let answer = try fixture.client.post("/v1/notifications", .object(request))
      #expect(answer.status == 200)
      #expect(answer.json["valid"] == true)
      let aps = answer.json["deliveries"]?[0]?["message"]?["apns"]?["payload"]?["aps"]
      #expect(aps?["stale-date"] == 1_795_262_400)
      #expect(aps?["relevance-score"]?.double == 1.5)
      let now = Int64(Date.now.timeIntervalSince1970)
      #expect(try #require(aps?["timestamp"]?.int64).magnitude.distance(to: now.magnitude).magnitude < 600)
    }
  }

  /// An end that is accepted while FCM answers slowly, or not at all, comes last; what it replaces says so.
  @Test func anEndIsTheLastThatIsSent() async throws {
    try await GatewayFixture.run { fixture in
      _ = try fixture.emulator.send(
        "PUT", "/faults", headers: [("Content-Type", "application/json")],
        body: Array(#"{"rules":[{"token":"phone","status":503,"error_code":"UNAVAILABLE","times":1}]}"#.utf8))
      let first = try fixture.client.post("/v1/notifications", goal(1)).json["id"]?.string ?? ""
      while try fixture.client.get("/v1/notifications/\(first)").json["deliveries"]?[0]?["attempts"] != 1 {
        await Task.yield()
      }
      let batch: JSON = ["notifications": [goal(2), goal(3), goal(4, "end")]]
      let results = try fixture.client.post("/v1/notifications/batch", batch).json["results"]?.array ?? []
      let ids = results.compactMap { $0["id"]?.string }
      #expect(try await fixture.settled(try #require(ids.last))["status"] == "sent")
      for id in [first] + ids.dropLast() {
        let delivery = try await fixture.settled(id)["deliveries"]?[0]
        #expect(delivery?["status"] == "cancelled")
        #expect(delivery?["error"]?["code"] == "SUPERSEDED")
        #expect(delivery?["error"]?["http_status"] == nil)
      }
      #expect(try fixture.inbox().map { $0["apns"]?["payload"]?["aps"]?["event"] } == ["end"])
    }
  }

  /// The alert's texts follow the recipient like those of any other message, on each event.
  @Test func writesTheAlertForARecipient() async throws {
    try await GatewayFixture.run { fixture in
      func alert(_ event: String, _ recipient: JSON, _ render: String) async throws -> JSON? {
        let request = goal(2, event, extra: [("recipient", recipient), ("render", .string(render))])
        let answer = try fixture.client.post("/v1/notifications", request)
        #expect(answer.status == 202, "\(answer.text)")
        #expect(try await fixture.settled(answer.json["id"]?.string ?? "")["status"] == "sent")
        return try fixture.inbox().first?["apns"]?["payload"]?["aps"]?["alert"]
      }
      for event in ["start", "update", "end"] {
        let german = try await alert(event, ["platform": "ios", "locale": "de-AT"], "gateway")
        #expect(german?["title"] == "Tor durch Ada!")
        #expect(german?["body"] == "Es steht jetzt 2 zu 1.")
        #expect(german?["sound"] == "default")
        let keys = try await alert(event, ["locale": "de"], "device")
        #expect(keys?["title"] == ["loc-key": "GOAL_TITLE", "loc-args": ["Ada"]])
      }
      // Nobody knows a language, and only iPhones have Live Activities.
      for (recipient, render, pointer) in [
        (["platform": "ios"], "gateway", "/recipient/locale"),
        (["platform": "android", "locale": "de"], "auto", "/recipient/platform"),
        (["platform": "web", "locale": "de"], "device", "/recipient/platform"),
      ] as [(JSON, String, String)] {
        let answer = try fixture.client.post(
          "/v1/notifications", goal(2, extra: [("recipient", recipient), ("render", .string(render))]))
        #expect(answer.status == 422)
        #expect(answer.json["errors"]?.array?.map { $0["pointer"]?.string } == [pointer], "\(answer.text)")
      }
      let preview = try fixture.client.post(
        "/v1/templates/match_goal/preview",
        [
          "args": ["home": 2, "away": 1, "scorer": "Ada"], "locales": ["de"], "platforms": ["ios"],
          "render": "gateway",
        ])
      #expect(preview.json["previews"]?[0]?["rendered_by"] == "gateway")
      #expect(preview.json["previews"]?[0]?["title"]?["text"] == "Tor durch Ada!")
      #expect(preview.json["message"]?["apns"]?["payload"]?["aps"]?["alert"]?["title"] == "Tor durch Ada!")
    }
  }

  @Test func tellsOfADeadActivity() async throws {
    try await GatewayFixture.run { fixture in
      let gone = """
        {"error":{"code":404,"message":"Requested entity was not found.","status":"NOT_FOUND","details":[\
        {"@type":"type.googleapis.com/google.firebase.fcm.v1.FcmError","errorCode":"UNREGISTERED"},\
        {"@type":"type.googleapis.com/google.firebase.fcm.v1.ApnsError","statusCode":410,"reason":"Unregistered"}]}}
        """
      let rules: JSON = ["rules": [["token": "phone", "status": 404, "body": .string(gone)]]]
      _ = try fixture.emulator.send(
        "PUT", "/faults", headers: [("Content-Type", "application/json")], body: rules.serialized)
      let id = try fixture.client.post("/v1/notifications", goal(1, token: "gone")).json["id"]?.string ?? ""
      #expect(try await fixture.settled(id)["status"] == "failed")
      let event = try fixture.client.get("/v1/feedback").json["events"]?[0]
      #expect(event?["type"] == "activity.dead")
      #expect(event?["activity_token"] == "gone")
      #expect(event?["token"] == "phone")
      #expect(event?["code"] == "UNREGISTERED")
      #expect(event?["notification_id"] == .string(id))
    }
  }

  @Test func previewsAndDescribesTheAlert() async throws {
    try await GatewayFixture.run { fixture in
      let preview = try fixture.client.post(
        "/v1/templates/match_goal/preview",
        ["args": ["home": 2, "away": 1, "scorer": "Ada"], "locales": ["de"], "platforms": ["ios"]])
      #expect(preview.status == 200)
      let shown = preview.json["previews"]?[0]
      #expect(shown?["title"]?["text"] == "Tor durch Ada!")
      #expect(shown?["body"]?["text"] == "Es steht jetzt 2 zu 1.")
      #expect(preview.json["message"]?["apns"]?["payload"]?["aps"]?["event"] == "update")
      let template = try fixture.client.get("/v1/templates/match_goal").json
      #expect(template["live_activity"] == ["attributes_type": "MatchAttributes"])
      #expect(template["findings"] == [])
    }
  }
}
