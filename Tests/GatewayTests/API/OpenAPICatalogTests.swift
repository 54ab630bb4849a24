import Foundation
import JSON
import TestSupport
import Testing

@testable import API
@testable import Gateway

/// `/openapi.json` with a key: its schemas accept exactly what this gateway accepts.
@Suite(.blocking) struct OpenAPICatalogTests {
  private static let catalog = """
    version: 1
    templates:
      order_sent:
        params:
          s: {type: string, max_length: 3}
          e: {type: string, enum: [a, b], default: a}
          i: {type: integer, min: -2, max: 9, default: 1}
          n: {type: number, min: 0.5, max: 1e3, default: 2}
          f: {type: number, default: 0}
          b: {type: boolean, default: false}
          o: {type: integer, optional: true}
        data: {o: {$param: o}}
        body: {android: b, ios: B, args: [s, e, i, n, f, b]}
      plain: {body: {android: p, ios: P, args: []}}
    """

  private func client(
    _ name: String, _ scopes: Set<APIScope>, templates: [String]? = nil
  ) -> ClientGrant {
    .init(
      name: name, keyHash: sha256(Array("key-\(name)".utf8)), scopes: scopes, apps: nil,
      templates: templates, rate: nil)
  }

  private func bearer(_ name: String) -> [(String, String)] { [("Authorization", "Bearer key-\(name)")] }

  @Test func schemaAcceptsWhatTheGatewayAccepts() async throws {
    try await GatewayFixture.run(catalog: Self.catalog) { fixture in
      let document = try fixture.client.get("/openapi.json").json
      let schema = JSONSchema(document: document)
      let notification = try #require(document["components"]?["schemas"]?["NotificationRequest"])
      let date = try #require(
        document["components"]?["schemas"]?["SendAt"]?["pattern"]?.string?.split(separator: "|").last?.prefix(
          10))
      var fitting = 0
      for (name, arg) in Self.args {
        for (template, app) in [("order_sent", "default"), ("plain", "default"), ("plain", "x"), ("x", nil)] {
          var request = JSON.Object([("template", .string(template)), ("to", ["token": "t"])])
          if let app { request["app"] = .string(app) }
          var args = JSON.Object([(name, arg)])
          if name != "s" { args["s"] = "ab" }
          if template == "order_sent" { request["args"] = .object(args) }
          if name == "i" { request["send_at"] = .string("\(date)T00:00:00Z") }
          let answer = try fixture.client.post("/v1/notifications", .object(request))
          let complaints = schema.complaints(about: .object(request), against: notification)
          #expect((answer.status == 202) == complaints.isEmpty, "\(request) \(answer.text) \(complaints)")
          fitting += complaints.isEmpty ? 1 : 0
        }
      }
      #expect(fitting > Self.args.count)
    }
  }

  private static let args: [(String, JSON)] = [
    ("s", ""), ("s", "äöü"), ("s", "abcd"), ("s", 1), ("s", .null), ("e", "a"), ("e", "c"), ("i", -2),
    ("i", 9),
    ("i", 10), ("i", "1"), ("i", true), ("n", 0), ("n", 2), ("n", "1000"), ("n", 1001), ("n", "x"),
    ("n", false),
    ("f", "11.80"), ("f", "-1e-7"), ("f", "1,5"), ("f", "01"), ("f", ""), ("f", 123_456), ("b", true),
    ("b", "true"), ("o", 1), ("o", .null), ("nope", 1),
  ]

  @Test func schemaAsksForTheLanguageThatTheGatewayNeeds() async throws {
    let catalog = """
      version: 1
      templates:
        told: {render: gateway, body: {android: b, ios: B}, fallback: {body: Hello}}
      """
    try await GatewayFixture.run(catalog: catalog) { fixture in
      let document = try fixture.client.get("/openapi.json").json
      let notification = try #require(document["components"]?["schemas"]?["NotificationRequest"])
      for (name, value, isAccepted) in [
        ("render", "gateway", false), ("render", "auto", true), ("recipient", ["platform": "ios"], false),
        ("recipient", ["locale": "fr"], true),
      ] as [(String, JSON, Bool)] {
        let request = JSON.object(
          JSON.Object([("template", "told"), ("to", ["token": "t"]), (name, value)]))
        let answer = try fixture.client.post("/v1/notifications", request)
        let complaints = JSONSchema(document: document).complaints(about: request, against: notification)
        #expect((answer.status == 202) == isAccepted, "\(request) \(answer.text)")
        #expect(complaints.isEmpty == isAccepted, "\(request) \(complaints)")
      }
    }
  }

  /// An alert starts a Live Activity, and only iPhones have any.
  @Test func schemaAcceptsWhatTheGatewayAcceptsOfLiveActivities() async throws {
    let catalog = """
      version: 1
      templates:
        score: {live_activity: {attributes_type: M, content_state: {home: 1}}}
        goal: {live_activity: {attributes_type: M, content_state: {home: 1}}, body: {ios: GOAL, args: []}}
      """
    try await GatewayFixture.run(catalog: catalog) { fixture in
      let document = try fixture.client.get("/openapi.json").json
      let schema = JSONSchema(document: document)
      let notification = try #require(document["components"]?["schemas"]?["NotificationRequest"])
      var fitting = 0
      for (template, event, platform) in [
        ("score", "start", nil), ("score", "update", nil), ("score", "end", "ios"), ("score", "end", "web"),
        ("goal", "start", nil), ("goal", "update", "ios"), ("goal", "start", "android"),
      ] as [(String, String, String?)] {
        var request = JSON.Object([
          ("template", .string(template)), ("to", ["token": "t"]),
          ("live_activity", ["token": "a", "event": .string(event)]),
        ])
        if let platform { request["recipient"] = ["platform": .string(platform)] }
        let answer = try fixture.client.post("/v1/notifications", .object(request))
        let complaints = schema.complaints(about: .object(request), against: notification)
        #expect((answer.status == 202) == complaints.isEmpty, "\(request) \(answer.text) \(complaints)")
        fitting += complaints.isEmpty ? 1 : 0
      }
      #expect(fitting == 4)
    }
  }

  @Test func listsOnlyWhatTheKeyMaySee() async throws {
    let clients = [
      client("all", [.preview]), client("orders", [.preview, .send], templates: ["order_*"]),
      client("sender", [.send, .read]), client("none", [.preview], templates: ["nothing"]),
    ]
    try await GatewayFixture.run(catalog: Self.catalog, adjust: { $0.auth.clients = clients }) { fixture in
      func served(_ headers: [(String, String)]) throws -> HTTPTestClient.Answer {
        let answer = try fixture.client.get("/openapi.json", headers: headers)
        #expect(answer.status == 200)
        #expect(answer.header("Vary") == "Authorization, Accept-Encoding")
        return answer
      }
      func names(_ answer: HTTPTestClient.Answer) -> JSON? {
        answer.json["components"]?["parameters"]?["template"]?["schema"]?["enum"]
      }
      #expect(names(try served(bearer("all"))) == ["order_sent", "plain"])
      #expect(names(try served(bearer("orders"))) == ["order_sent"])
      let orders = try served(bearer("orders")).text
      #expect(!orders.contains("\"plain\""))
      let again = try served(bearer("orders")).text
      #expect(again == orders)
      for headers in [
        [], bearer("sender"), bearer("none"), bearer("unknown"), [("Authorization", "Basic eA==")],
      ] {
        let general = try served(headers).text
        #expect(general == OpenAPIDocument.text)
      }
    }
  }

  @Test func followsAReload() async throws {
    var used: GatewayConfiguration?
    try await GatewayFixture.run(adjust: { used = $0 }) { fixture in
      func document() throws -> JSON { try fixture.client.get("/openapi.json").json }
      func names() throws -> JSON? {
        try document()["components"]?["parameters"]?["template"]?["schema"]?["enum"]
      }
      #expect(try names() == ["match_goal", "match_score", "new_message", "stock", "welcome"])
      let post = try document()["paths"]?["/v1/notifications"]?["post"]?["requestBody"]
      let examples = post?["content"]?["application/json"]?["examples"]?.object
      #expect(examples?.count == 5)
      var fresh = try #require(used)
      fresh.apps[0].catalog = "\(fixture.folder)/other.yaml"
      try Data(Self.catalog.utf8).write(to: URL(filePath: fresh.apps[0].catalog))
      var second = fresh.apps[0]
      second.name = "second"
      fresh.apps[0].name = "first"
      fresh.apps.append(second)
      await fixture.gateway.reload(.success(fresh))
      #expect(try names() == ["order_sent", "plain"])
      let parameters = try document()["components"]?["parameters"]
      #expect(parameters?["template"]?["example"] == "order_sent")
      // Neither app is the default one, so that each request has to name its own.
      #expect(parameters?["app"]?["required"] == true)
      #expect(parameters?["app"]?["schema"]?["enum"] == ["first", "second"])
      #expect(parameters?["filterApp"]?["required"] == nil)
      let body = try document()["paths"]?["/v1/notifications"]?["post"]?["requestBody"]
      #expect(body?["content"]?["application/json"]?["examples"] == nil)
      let schema = JSONSchema(document: try document())
      let request = try #require(schema.document["components"]?["schemas"]?["NotificationRequest"])
      #expect(schema.complaints(about: ["template": "plain", "to": ["topic": "t"]], against: request) != [])
      #expect(
        schema.complaints(
          about: ["template": "plain", "app": "second", "to": ["topic": "t"]], against: request)
          == [])
    }
  }
}
