import AppStrings
import Catalog
import FCMMessage
import JSON
import Testing

@testable import CatalogCheck

/// What `preview` adds to the texts: where they are cut, and how they are printed.
@Suite struct PreviewTextTests {
  private func preview(
    _ fixture: CheckFixture, name: String = "Bob", locales: [String]
  ) throws -> TemplatePreview {
    let text = """
      version: 1
      templates:
      \(fixture.templates)
      """
    let catalog = try Catalog.examine(Array(text.utf8), file: "catalog.yaml")
    return try TemplatePreview(
      of: #require(catalog.template("t")), args: .init([("name", .string(name)), ("count", 3)]),
      PreviewQuestion(locales: locales),
      texts: RecipientTexts(fixture.resources, support: nil), findings: [])
  }

  @Test func escapesControlCharactersInTheMessageToo() throws {
    let text = try preview(CheckFixture(), name: "a\u{85}\u{202E}b", locales: ["de"]).text(
      TerminalStyle(hasColours: false))
    #expect(!text.unicodeScalars.contains("\u{85}"))
    #expect(text.contains("\u{2068}3 von a\\u{85}\u{202E}b\u{202C}\u{2069}"))
    #expect(text.contains(#""a\u0085\u202Eb\u202C""#))
    let message = "{" + (text.split(separator: "\n{", maxSplits: 1).last ?? "")
    #expect(!message.unicodeScalars.contains("\u{202E}"))
    #expect(throws: Never.self) { try JSON.parse(message) }
  }

  @Test func saysWhereABannerCutsAText() throws {
    var fixture = CheckFixture()
    fixture.ios["de"] = [("K", .string("%1$@ %2$@" + String(repeating: "x ", count: 80)))]
    var preview = try preview(fixture, locales: ["de"])
    #expect(preview.previews.last?.json["body"]?["shown_characters"] == nil)
    fixture.ios["de"] = [("K", .string("%1$@ %2$@" + String(repeating: "x ", count: 130)))]
    preview = try self.preview(fixture, locales: ["de"])
    let shown = try #require(preview.previews.last?.json["body"]?["shown_characters"]?.int64)
    #expect((180...220).contains(shown))
    #expect(preview.previews.first?.json["body"]?["shown_characters"] == nil)
    let text = preview.text(TerminalStyle(hasColours: false))
    #expect(text.contains("cut after about \(shown) characters until expanded"))
  }

  /// The texts of FCM's newer Android part are shown like those of the older one, literals included.
  @Test func previewsAndroidV2() throws {
    var fixture = CheckFixture()
    fixture.templates += """

          android_v2: {remote_notification: {notification: {title: "Bob's", channel_id: chat}}}
      """
    let preview = try preview(fixture, locales: ["de"])
    let android = try #require(preview.previews.first { $0.platform == .android })
    #expect(android.slots.map(\.outcome) == [.text("Bob's"), .none, .text("3 von Bob")])
    #expect(android.slots.last?.key == "k")
    let notification = preview.message["android_v2"]?["remote_notification"]?["notification"]
    #expect(notification?["body_loc_key"] == "k" && notification?["body_loc_args"] == ["Bob", "3"])
    #expect(preview.message["android"] == nil)
    let question = PreviewQuestion(locales: ["de"], platforms: [.android], render: .gateway)
    let written = try TemplatePreview(
      of: #require(fixture.catalog().template("t")), args: .init([("name", "Bob"), ("count", 3)]), question,
      texts: RecipientTexts(fixture.resources, support: nil), findings: [])
    #expect(written.previews.first?.slots.last?.outcome == .text("3 von Bob"))
    #expect(
      written.message["android_v2"]?["remote_notification"]?["notification"]?["body"] == "3 von Bob")
  }

  @Test func previewsAUsersLanguagesInOrder() throws {
    var fixture = CheckFixture()
    fixture.android["fr"] = [("k", "%2$s de %1$s")]
    let preview = try preview(fixture, locales: ["ja,fr", "ja,fr,de", "ja"])
    #expect(
      preview.previews.map(\.resolvedLocale) == ["fr", "fr", "default", "en", "de", "en"])
    #expect(preview.previews.first?.json["body"]?["text"] == "3 de Bob")
  }

  @Test(arguments: [
    ("ja,fr", true), ("fr-CA", true), ("default", true), ("ja,", false), (",", false), ("ja, fr", false),
    (Array(repeating: "fr", count: 20).joined(separator: ","), true),
    (Array(repeating: "fr", count: 21).joined(separator: ","), false),
  ])
  func acceptsListsOfLanguages(list: String, isAccepted: Bool) {
    #expect(DeviceStrings.isLocaleList(list) == isAccepted)
  }

  @Test func claimsNoTextThatOnlyThePhoneKnows() throws {
    var fixture = CheckFixture()
    fixture.unresolved = ["k"]
    fixture.android["de"] = [("k", "@string/lib_text")]
    let preview = try preview(fixture, locales: ["de"])
    let body = try #require(preview.previews.first?.json["body"])
    #expect(body["outcome"] == "text")
    #expect(body["text"] == nil && body["documented"] == nil)
    #expect(body["reason"]?.string?.contains("@string/lib_text") == true)
    #expect(preview.text(TerminalStyle(hasColours: false)).contains("only the phone knows"))
    #expect(try fixture.findings() == [])
  }
}
