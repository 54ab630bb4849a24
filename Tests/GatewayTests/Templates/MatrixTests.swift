import JSON
import TestSupport
import Testing

@testable import API
@testable import Gateway

@Suite(.blocking) struct MatrixTests {
  private static let files = [
    "broken.yaml": """
    version: 1
    resources: {android: res, ios: app, development_language: en}
    templates:
      bad: {params: {n: {type: integer}}, body: {android: k, ios: K, args: [n]}}
      good: {body: {android: plain, ios: PLAIN}, fallback: {body: News}}
    """,
    "res/values/s.xml":
      "<resources><string name=\"k\">%1$s</string><string name=\"plain\">x</string></resources>",
    "res/values-fr/s.xml":
      "<resources><string name=\"k\">%1$d</string><string name=\"plain\">y</string></resources>",
    "app/en.lproj/Localizable.strings": "K = \"%@\"; PLAIN = x;",
    "app/de.lproj/Localizable.strings": "PLAIN = y;", "app/fr.lproj/InfoPlist.strings": "N = x;",
  ]

  private func run(
    adjust: @escaping (inout GatewayConfiguration) -> Void = { _ in },
    _ body: @escaping (GatewayFixture) throws -> Void
  ) async throws {
    let folder = try TemporaryFolder()
    for (name, text) in Self.files { try folder.write(text, to: name) }
    try await GatewayFixture.run(
      adjust: {
        $0.apps[0].catalog = "\(folder.path)/broken.yaml"
        adjust(&$0)
      }
    ) { try body($0) }
  }

  @Test func saysWhatEachReaderGets() async throws {
    try await run { fixture in
      let answer = try fixture.client.get("/v1/matrix")
      #expect(answer.status == 200)
      #expect(answer.json["locales"] == ["android": ["en", "fr"], "ios": ["de", "en", "fr"]])
      #expect(
        answer.json["verdicts"] == [
          "bad": ["android": ["crash": ["fr"]], "ios": ["raw_key": ["de"], "other_language": ["fr"]]],
          "good": ["android": [:], "ios": ["other_language": ["fr"]]],
        ])
      #expect(answer.json["findings"]?["bad"]?["errors"] == 2)
      #expect(answer.json["findings"]?["good"]?["errors"] == 0)
      // Previews say the same.
      for template in ["bad", "good"] {
        let previews = try fixture.client.post("/v1/templates/\(template)/preview", [:]).json["previews"]
        for preview in previews?.array ?? [] {
          let platform = try #require(preview["platform"]?.string)
          let row = answer.json["verdicts"]?[template]?[platform]?.object
          let verdict = row?.members.first { $0.value.array?.contains(preview["locale"] ?? .null) == true }
          #expect(preview["verdict"] == .string(verdict?.key ?? "ok"))
        }
      }
    }
  }

  @Test func isNotSentAgainUntilTheCatalogChanges() async throws {
    try await run { fixture in
      let first = try fixture.client.get("/v1/matrix")
      let tag = try #require(first.header("ETag"))
      let again = try fixture.client.get("/v1/matrix", headers: [("If-None-Match", tag)])
      #expect(again.status == 304 && again.body.isEmpty)
      #expect(again.header("ETag") == tag)
      #expect(first.header("Cache-Control") == "private, no-cache")
      #expect(try fixture.client.get("/v1/matrix?app=default").header("ETag") == tag)
      #expect(try fixture.client.get("/v1/matrix?nope=1").status == 422)
    }
  }

  @Test func showsAClientOnlyItsTemplates() async throws {
    let grants = [("a", ["good"]), ("b", ["*"])].map { name, templates in
      ClientGrant(
        name: name, keyHash: sha256(Array("key-\(name)".utf8)), scopes: [.preview], apps: nil,
        templates: templates, rate: nil)
    }
    try await run(adjust: { $0.auth.clients = grants }) { fixture in
      func get(_ name: String) throws -> HTTPTestClient.Answer {
        try fixture.client.get("/v1/matrix", headers: [("Authorization", "Bearer key-\(name)")])
      }
      let (some, all) = (try get("a"), try get("b"))
      #expect(some.json["verdicts"]?.object?.members.map(\.key) == ["good"])
      #expect(some.json["findings"]?.object?.members.map(\.key) == ["good"])
      #expect(all.json["verdicts"]?.object?.members.map(\.key) == ["bad", "good"])
      #expect(some.header("ETag") != all.header("ETag"))
      #expect(try fixture.client.get("/v1/matrix").status == 401)
    }
  }
}
