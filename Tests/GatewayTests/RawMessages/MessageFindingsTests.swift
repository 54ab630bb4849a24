import CatalogCheck
import Clock
import FCMMessage
import Foundation
import JSON
import Telemetry
import TestSupport
import Testing

@testable import API
@testable import Gateway

/// `GET /v1/messages/findings`, and `raw.check`.
@Suite(.blocking) struct MessageFindingsTests {
  private func message(_ key: String, args: [String] = [], token: String = "s3cret-token") -> JSON {
    [
      "message": [
        "token": .string(token), "data": ["note": "s3cret-data"],
        "android": [
          "notification": ["body_loc_key": .string(key), "body_loc_args": .array(args.map(JSON.string))]
        ],
      ]
    ]
  }

  private func send(_ fixture: GatewayFixture, _ body: JSON) throws -> HTTPTestClient.Answer {
    try fixture.client.post("/v1/projects/p/messages:send", body)
  }

  /// The findings once there are some; they are found beside the request.
  private func findings(_ fixture: GatewayFixture, count: Int = 1) async throws -> JSON {
    let deadline = ContinuousClock.now + .seconds(30)
    while true {
      let answer = try fixture.client.get("/v1/messages/findings?shapes=1")
      #expect(answer.status == 200)
      if answer.json["findings"]?[0]?["count"]?.int64 == Int64(count) || ContinuousClock.now > deadline {
        return answer.json
      }
      await Task.yield()
    }
  }

  @Test func countsCauses() async throws {
    try await GatewayFixture.run { fixture in
      for _ in 0..<3 { #expect(try send(fixture, message("nope", args: ["s3cret-arg"])).status == 200) }
      #expect(try send(fixture, message("welcome_title", args: ["s3cret-arg"])).status == 200)
      let found = try await findings(fixture, count: 3)
      #expect(found["total"] == 1)
      let cause = found["findings"]?[0]
      #expect(cause?["rule"] == "MissingKey")
      #expect(cause?["severity"] == "error")
      #expect(cause?["verdict"] == "dropped")
      #expect(cause?["platform"] == "android")
      #expect(cause?["key"] == "nope")
      #expect(cause?["locales"] == [])
      let (first, last) = (cause?["first_seen"]?.string ?? "", cause?["last_seen"]?.string ?? "")
      #expect(Timestamp(rfc3339: first) != nil)
      #expect(first <= last)
      #expect(found["shapes"]?.array?.compactMap { $0["count"]?.int64 } == [3, 1])
      let text = String(decoding: found.serialized, as: UTF8.self)
      #expect(!text.contains("s3cret"))
      #expect(
        try fixture.client.get("/metrics").text.contains(
          "dragoman_raw_findings_total{app=\"default\",rule=\"MissingKey\"} 3"))
    }
  }

  @Test func countsMessagesThatAreLikeOthers() async throws {
    try await GatewayFixture.run { fixture in
      #expect(try send(fixture, message("nope", args: ["0"])).status == 200)
      _ = try await findings(fixture)
      for number in 1..<8 {
        #expect(try send(fixture, message("nope", args: ["\(number)"], token: "t\(number)")).status == 200)
      }
      let found = try await findings(fixture, count: 8)
      #expect(found["findings"]?[0]?["count"] == 8)
      #expect(found["shapes"]?[0]?["count"] == 8)
      #expect(
        try fixture.client.get("/metrics").text.contains(
          "dragoman_raw_findings_total{app=\"default\",rule=\"MissingKey\"} 8"))
    }
  }

  @Test func countsAMessageOnceHoweverManyOfItsTextsHaveTheCause() async throws {
    let twice: JSON = [
      "message": [
        "token": "t", "android": ["notification": ["title_loc_key": "nope", "body_loc_key": "nope"]],
      ]
    ]
    try await GatewayFixture.run { fixture in
      for _ in 0..<3 { #expect(try send(fixture, twice).status == 200) }
      #expect(try send(fixture, message("gone")).status == 200)
      let found = try await findings(fixture, count: 3)
      #expect(found["findings"]?.array?.compactMap { $0["count"]?.int64 } == [3, 1])
    }
  }

  @Test func rejectsErrors() async throws {
    try await GatewayFixture.run(adjust: { $0.apps[0].raw.check = .reject }) { fixture in
      for _ in 0..<2 {
        let refused = try send(fixture, message("nope"))
        #expect(refused.status == 400)
        #expect(refused.json["error"]?["status"] == "INVALID_ARGUMENT")
        let details = refused.json["error"]?["details"]
        #expect(details?[0]?["errorCode"] == "INVALID_ARGUMENT")
        let violation = details?[1]?["fieldViolations"]?[0]
        #expect(violation?["field"] == "message.android.notification.body_loc_key")
        #expect(violation?["description"]?.string?.hasPrefix("MissingKey: No language has this key") == true)
      }
      // A warning is no reason.
      #expect(try send(fixture, ["message": ["token": "t", "notification": ["title": "Hi"]]]).status == 200)
      #expect(try send(fixture, message("welcome_title", args: ["A"])).status == 200)
      #expect(try fixture.inbox().count == 2)
    }
  }

  @Test func looksAtNothingIfOff() async throws {
    try await GatewayFixture.run(adjust: { $0.apps[0].raw.check = .off }) { fixture in
      #expect(try send(fixture, message("nope")).status == 200)
      let answer = try fixture.client.get("/v1/messages/findings?shapes=1").json
      #expect(answer == ["findings": [], "total": 0, "shapes": []])
    }
  }

  @Test func readsOtherStrings() async throws {
    let folder = try TemporaryFolder()
    try folder.write(
      "<resources><string name=\"nope\">Yes</string></resources>", to: "res/values/strings.xml")
    let raw = GatewayConfiguration.RawMessages(
      check: .reject, resources: .init(android: "\(folder.path)/res"))
    try await GatewayFixture.run(adjust: { $0.apps[0].raw = raw }) { fixture in
      let (known, unknown) = try (send(fixture, message("nope")), send(fixture, message("welcome_title")))
      #expect(known.status == 200)
      #expect(unknown.status == 400)
    }
  }

  @Test func refusesUnknownParameters() async throws {
    try await GatewayFixture.run { fixture in
      for query in ["shapes=2", "app=other", "nope=1"] {
        let answer = try fixture.client.get("/v1/messages/findings?\(query)")
        #expect(answer.status == 422)
      }
    }
  }

  @Test func keepsAThousandCauses() throws {
    let fixtureCatalog = "\(GatewayFixture.repository)/config/catalog.yaml"
    let app = try AppCatalog.load(file: fixtureCatalog)
    let check = RawMessageCheck(app.resources, ignoring: app.catalog)
    let findings = RawFindings(metrics: DragomanMetrics(version: "test", log: .silent), log: .silent)
    @discardableResult func note(_ key: String, at time: Timestamp) throws -> RawFindings.Note {
      let message = try #require(message(key)["message"])
      let texts = check.texts(of: message)
      for text in texts { _ = check.findings(of: text) }
      return try #require(findings.note(message, texts, by: check, app: "default", now: time))
    }
    let start = Timestamp(milliseconds: 1_795_262_400_000)
    let first = try note("k0", at: start)
    for number in 1..<1_100 { try note("k\(number)", at: start.adding(milliseconds: 1)) }
    #expect(findings.causes(of: "default").count == RawFindings.causesMax)
    #expect(findings.shapes(of: "default").count == RawFindings.causesMax)
    #expect(!findings.causes(of: "default").contains { $0.group.keys == ["k1050"] })
    // What nobody has sent for an hour gives way.
    try note("late", at: start.adding(milliseconds: 3_600_001))
    func has(_ key: String) -> Bool { findings.causes(of: "default").contains { $0.group.keys == [key] } }
    #expect(has("late"))
    #expect(!has("k0"))
    #expect(findings.causes(of: "default").count == RawFindings.causesMax)
    // What gave way comes back with the next message.
    findings.note(again: first, app: "default", now: start.adding(milliseconds: 3_600_002))
    #expect(has("k0"))
    #expect(findings.causes(of: "default").count == RawFindings.causesMax)
  }
}
