import Foundation
import Gateway
import JSON
import TestSupport
import Testing

/// Notifications whose texts come from sources of each kind: what FCM gets, releases and verdicts.
@Suite(.blocking, .timeLimit(.minutes(2))) struct SourceTextTests {
  private func folder(_ kind: SourceKind, top: String, releases: String = "") throws -> TemporaryFolder {
    let folder = try TemporaryFolder()
    for (name, text) in kind.files { try folder.write(text, to: name) }
    try folder.write(kind.catalog(top: top + releases), to: "catalog.yaml")
    return folder
  }

  private func run(
    _ kind: SourceKind, top: String = "language: app\ntopics: {news: {by_language: [en, de, ar]}}\n",
    _ body: (GatewayFixture) async throws -> Void
  ) async throws {
    let folder = try folder(kind, top: top)
    try await GatewayFixture.run(adjust: { $0.apps[0].catalog = "\(folder.path)/catalog.yaml" }, body)
  }

  /// What FCM gets of a request, in the emulator's order.
  private func received(
    _ fixture: GatewayFixture, _ template: String = "new", to target: JSON = ["token": "t"], count: Int = 3,
    recipient: JSON = [:]
  ) async throws -> [JSON] {
    _ = try fixture.emulator.send("DELETE", "/inbox")
    let args: JSON = ["count": JSON(count), "who": "Bob"]
    let request: JSON = ["template": .string(template), "to": target, "args": args, "recipient": recipient]
    let sent = try fixture.client.post("/v1/notifications", request)
    #expect(sent.status == 202, "\(sent.text)")
    #expect(try await fixture.settled(sent.json["id"]?.string ?? "")["status"] == "sent")
    return try fixture.inbox()
  }

  private func text(_ message: JSON?, _ platform: String, _ member: String = "") -> JSON? {
    platform == "android"
      ? message?["android"]?["notification"]?[member.isEmpty ? "body" : "body_loc_key"]
      : message?["apns"]?["payload"]?["aps"]?["alert"]?[member.isEmpty ? "body" : "loc-key"]
  }

  @Test(arguments: SourceKind.allCases)
  func eachReaderGetsTheTextOfTheirLanguage(kind: SourceKind) async throws {
    try await run(kind) { fixture in
      for count in [1, 3, 100] {
        let args: JSON = ["count": JSON(count), "who": "Bob"]
        let preview = try fixture.client.post("/v1/templates/new/preview", ["args": args])
        let previews = try #require(preview.json["previews"]?.array)
        #expect(previews.count == 6)
        let withoutLocale = try await received(fixture, count: count).first
        for shown in previews {
          let (platform, locale) = (shown["platform"]?.string ?? "", shown["locale"]?.string ?? "")
          let wanted = try #require(SourceKind.texts[locale]?[count])
          #expect(shown["body"]?["text"] == .string(wanted))
          let recipient: JSON = ["platform": .string(platform), "locale": .string(locale)]
          let message = try await received(fixture, count: count, recipient: recipient).first
          #expect(text(message, platform) == .string(wanted), "\(platform) \(locale) \(count)")
          #expect(text(message, platform, "key") == nil)
          #expect(text(withoutLocale, platform, "key") == shown["body"]?["key"])
        }
      }
    }
  }

  @Test(arguments: SourceKind.allCases)
  func eachLanguageOfATopicGetsItsText(kind: SourceKind) async throws {
    try await run(kind) { fixture in
      for count in [1, 3, 100] {
        let messages = try await received(fixture, to: ["topic": "news"], count: count)
        let bodies = messages.map { ($0["topic"]?.string ?? "", [text($0, "android"), text($0, "ios")]) }
        let wanted = SourceKind.texts.map { locale, texts in
          ("news.\(locale)", Array(repeating: texts[count].map { JSON.string($0) }, count: 2))
        }
        #expect(Dictionary(uniqueKeysWithValues: bodies) == Dictionary(uniqueKeysWithValues: wanted))
      }
    }
  }

  @Test(arguments: SourceKind.allCases)
  func aTextThatASourceLacksIsInTheVerdicts(kind: SourceKind) async throws {
    try await run(kind) { fixture in
      #expect(
        try fixture.client.get("/v1/matrix").json["verdicts"] == [
          "new": ["android": [:], "ios": [:]],
          "some": ["android": ["other_language": ["ar"]], "ios": ["fallback": ["ar"]]],
        ])
      let previews = try fixture.client.post("/v1/templates/some/preview", ["locales": ["ar"]]).json[
        "previews"]
      #expect(previews?.array?.map { $0["verdict"] } == ["other_language", "fallback"])
      let recipient: JSON = ["platform": "ios", "locale": "ar"]
      let message = try await received(fixture, "some", recipient: recipient).first
      #expect(text(message, "ios") == "News")
    }
  }

  /// Release 1.0 has no text of the sources, and 2.0 has those that were written.
  @Test(arguments: SourceKind.allCases)
  func releasesAreComparedWithTheSources(kind: SourceKind) async throws {
    let releases =
      "releases: {android: [{version: 1.0, resources: a1.json}, {version: 2.0, resources: a2.json}]}\n"
    let folder = try folder(kind, top: "", releases: releases)
    func dragoman(_ arguments: String...) throws -> DragomanProcess.Result {
      try DragomanProcess.run(arguments, in: folder.path)
    }
    try folder.write(dragoman("strings", "--android", "res", "--format", "json").output, to: "a1.json")
    try folder.write("{}", to: "a2.json")
    #expect(try dragoman("strings", "--write").status == 0)
    try folder.write(dragoman("strings", "--android", "res", "--format", "json").output, to: "a2.json")
    let report = try dragoman("releases", "--format", "json")
    #expect(report.status == 1)
    let row = try JSON.parse(report.output)["templates"]?["new"]?["android"]
    #expect(row?["safe_since"] == "2.0")
    #expect(row?["releases"]?["1.0"]?["state"] == "missing")
    #expect(row?["releases"]?["2.0"]?["state"] == "ok")
    try await GatewayFixture.run(adjust: { $0.apps[0].catalog = "\(folder.path)/catalog.yaml" }) { fixture in
      func recipient(_ version: JSON) -> JSON {
        ["platform": "android", "locale": "de", "app_version": version]
      }
      let old = try await received(fixture, recipient: recipient("1.0")).first
      #expect(text(old, "android") == "3 von Bob: 100%")
      let new = try await received(fixture, recipient: recipient("2.0")).first
      #expect(text(new, "android", "key") != nil && text(new, "android") == nil)
    }
  }
}
