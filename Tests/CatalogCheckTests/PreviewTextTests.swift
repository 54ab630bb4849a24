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
      of: "t", args: .init([("name", .string(name)), ("count", 3)]), PreviewQuestion(locales: locales),
      catalog: catalog, texts: RecipientTexts(fixture.resources, support: nil), findings: [])
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
    fixture.ios["de"] = [("K", .string("%1$@ %2$@" + String(repeating: "x", count: 173)))]
    var preview = try preview(fixture, locales: ["de"])
    #expect(preview.previews.last?.json["body"]?["shown_characters"] == nil)
    fixture.ios["de"] = [("K", .string("%1$@ %2$@" + String(repeating: "x", count: 174)))]
    preview = try self.preview(fixture, locales: ["de"])
    #expect(preview.previews.last?.json["body"]?["shown_characters"] == 178)
    #expect(preview.previews.first?.json["body"]?["shown_characters"] == nil)
    let text = preview.text(TerminalStyle(hasColours: false))
    #expect(text.contains("cut after about 178 characters until expanded"))
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
}
