import Foundation
import JSON
import TestSupport
import Testing

@testable import API
@testable import Gateway

@Suite(.blocking) struct PreviewTests {
  private func preview(
    _ fixture: GatewayFixture, _ template: String, _ body: JSON
  ) throws -> HTTPTestClient.Answer {
    try fixture.client.post("/v1/templates/\(template)/preview", body)
  }

  private let args: JSON = ["name": "Alice", "count": 3, "sender": "Bob"]

  @Test func showsWhatEachPhoneDisplays() async throws {
    try await GatewayFixture.run { fixture in
      let answer = try preview(
        fixture, "new_message",
        ["args": args, "locales": ["fr", "de", "ja"], "platforms": ["android", "ios"]])
      #expect(answer.status == 200)
      let previews = answer.json["previews"]?.array ?? []
      #expect(
        previews.compactMap { $0["platform"]?.string } == [
          "android", "android", "android", "ios", "ios", "ios",
        ])
      #expect(
        previews.compactMap { $0["resolved_locale"]?.string } == ["fr", "de", "default", "fr", "de", "en"])
      #expect(
        previews.compactMap { $0["title"]?["text"]?.string } == [
          "Bienvenue, Alice!", "Willkommen, Alice!", "Welcome, Alice!",
          "Bienvenue, Alice!", "Willkommen, Alice!", "Welcome, Alice!",
        ])
      #expect(previews[0]["body"]?["key"] == "new_message_body_n3")
      #expect(previews[0]["body"]?["file"]?.string?.hasSuffix("res/values-fr/dragoman_plurals.xml") == true)
      #expect(previews[3]["subtitle"] == ["outcome": "none"])
      #expect(previews.allSatisfy { $0["findings"] == [] && $0["app_name"] == "Chat" })
      let message = answer.json["message"]
      #expect(message?["android"]?["notification"]?["title_loc_key"] == "welcome_title")
      #expect(answer.json["message_bytes"]?.int64 ?? 0 >= Int64(message?.serialized.count ?? 0))
    }
  }

  @Test func showsAllLocalesByDefault() async throws {
    try await GatewayFixture.run { fixture in
      let answer = try preview(fixture, "welcome", ["args": ["name": "A"], "platforms": ["ios"]])
      #expect(
        answer.json["previews"]?.array?.compactMap { $0["locale"]?.string } == [
          "de", "en", "es", "fr", "he", "id", "pl", "pt-BR", "zh-Hant",
        ])
    }
  }

  @Test func reportsEveryMistakeOfTheRequestAtOnce() async throws {
    try await GatewayFixture.run { fixture in
      let answer = try preview(
        fixture, "new_message",
        [
          "args": ["count": "x", "nope": 1], "locales": ["fr", "!", 5], "platforms": ["windows"],
          "extra": true,
        ])
      #expect(answer.status == 422)
      #expect(answer.json["type"] == "/problems/invalid-request")
      let pointers = Set((answer.json["errors"]?.array ?? []).compactMap { $0["pointer"]?.string })
      #expect(
        pointers == [
          "/args/count", "/args/nope", "/args/sender", "/locales/1", "/locales/2", "/platforms/0", "/extra",
        ])
    }
  }

  @Test func reportsWhatIsMissing() async throws {
    try await GatewayFixture.run { fixture in
      let unknown = try preview(fixture, "nope", [:])
      #expect(unknown.status == 404)
      let elsewhere = try preview(fixture, "welcome", ["app": "nope"])
      #expect(elsewhere.json["type"] == "/problems/unknown-app")
    }
    let catalog = "version: 1\ntemplates: {t: {body: {android: k}}}\n"
    try await GatewayFixture.run(catalog: catalog) { fixture in
      let answer = try preview(fixture, "t", [:])
      #expect(answer.status == 409)
      #expect(answer.json["type"] == "/problems/no-resources")
      let unknown = try preview(fixture, "u", [:])
      #expect(unknown.status == 404)
    }
  }

  @Test func previewsAnyMessage() async throws {
    let message: JSON = [
      "token": "t",
      "android": ["notification": ["title_loc_key": "welcome_title", "title_loc_args": ["Eve"]]],
      "apns": ["payload": ["aps": ["alert": ["loc-key": "NOPE"]]]],
    ]
    try await GatewayFixture.run { fixture in
      let answer = try fixture.client.post(
        "/v1/messages/preview", ["message": message, "locales": ["fr"]])
      #expect(answer.status == 200)
      let previews = answer.json["previews"]?.array ?? []
      #expect(previews.map { $0["platform"] } == ["android", "ios"])
      #expect(previews.first?["title"]?["text"] == "Bienvenue, Eve!")
      #expect(previews.last?["body"]?["outcome"] == "raw_key")
      #expect(previews.last?["verdict"] == "raw_key")
      #expect(answer.json["locales"]?.array?.contains("de") == true)
      let ios = try fixture.client.post("/v1/messages/preview", ["message": message, "platforms": ["ios"]])
      #expect((ios.json["previews"]?.array ?? []).allSatisfy { $0["platform"] == "ios" })
      #expect(ios.json["previews"]?.array?.count == ios.json["locales"]?.array?.count)
      let refused = try fixture.client.post("/v1/messages/preview", ["locales": ["!"], "args": [:]])
      #expect(refused.status == 422)
      let pointers = (refused.json["errors"]?.array ?? []).compactMap { $0["pointer"]?.string }
      #expect(Set(pointers) == ["/message", "/locales/0", "/args"])
    }
    let limited = ClientGrant(
      name: "a", keyHash: sha256(Array("k".utf8)), scopes: [.preview], apps: nil, templates: ["welcome"],
      rate: nil)
    try await GatewayFixture.run(adjust: { $0.auth.clients = [limited] }) { fixture in
      let answer = try fixture.client.send(
        "POST", "/v1/messages/preview",
        headers: [("Content-Type", "application/json"), ("Authorization", "Bearer k")],
        body: (["message": message] as JSON).serialized)
      #expect(answer.status == 403)
    }
    let bare = "version: 1\ntemplates: {t: {body: {android: k}}}\n"
    try await GatewayFixture.run(catalog: bare) { fixture in
      let answer = try fixture.client.post("/v1/messages/preview", ["message": message])
      #expect(answer.json["type"] == "/problems/no-resources")
    }
  }

  private func brokenCatalog(in folder: String, strict: Bool) throws -> String {
    let values = "\(folder)/res/values"
    try FileManager.default.createDirectory(atPath: values, withIntermediateDirectories: true)
    try Data("<resources><string name=\"k\">%1$d new</string></resources>".utf8)
      .write(to: URL(filePath: "\(values)/strings.xml"))
    let catalog = """
      version: 1
      resources: {android: res, strict: \(strict)}
      templates: {t: {params: {n: {type: integer}}, body: {android: k, args: [n]}}}
      """
    let path = "\(folder)/broken.yaml"
    try Data(catalog.utf8).write(to: URL(filePath: path))
    return path
  }

  @Test func servesAFaultyCatalogAndShowsItsFindings() async throws {
    let folder = try TemporaryFolder()
    let path = try brokenCatalog(in: folder.path, strict: false)
    try await GatewayFixture.run(adjust: { $0.apps[0].catalog = path }) { fixture in
      let shown = try fixture.client.get("/v1/templates/t").json["findings"]?.array ?? []
      #expect(shown.compactMap { $0["rule"]?.string } == ["StringFormatMatches", "ResourceShrinker"])
      let preview = try preview(fixture, "t", ["args": ["n": 5]]).json["previews"]?[0]
      #expect(preview?["body"]?["outcome"] == "crash")
      #expect(preview?["body"]?["exception"] == "java.util.IllegalFormatConversionException")
      #expect(preview?["body"]?["documented"] == "5 new")
      #expect(preview?["findings"]?.array?.count == 2)
      let listed = try fixture.client.get("/v1/templates").json["templates"]?[0]
      #expect(listed?["findings"]?.array?.count == 2)
    }
  }

  @Test func refusesToStartOnErrorsWhenConfigured() async throws {
    let folder = try TemporaryFolder()
    let path = try brokenCatalog(in: folder.path, strict: true)
    let error = await #expect(throws: GatewayError.self) {
      try await GatewayFixture.run(adjust: { $0.apps[0].catalog = path }) { _ in }
    }
    #expect(error?.description.contains("StringFormatMatches") == true)
  }
}
