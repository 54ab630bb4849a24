import Catalog
import FCMMessage
import JSON
import JSON
import TestSupport
import Testing

@testable import CatalogCheck

/// `check`, previews and messages of an app whose texts are in sources.
@Suite struct SourceCheckTests {
  private func templates(
    _ body: String, _ params: String = "sender: {type: string}, count: {type: integer}"
  ) -> String {
    "  t:\n    params: {\(params)}\n    body: \(body)\n    fallback: {body: News}"
  }

  @Test func previewsShowTheSources() throws {
    let app = try SourceApp()
    #expect(
      try app.shown("hello", [("sender", "Bob")]) == [
        "android en": "Hello Bob, it's 100% free", "android pl": "Cześć Bob",
        "ios en": "Hello Bob, it's 100% free", "ios pl": "Cześć Bob",
      ])
    #expect(try app.shown("new", [("count", 0), ("sender", "Bob")])["ios pl"] == "0 many Bob")
    #expect(try app.shown("new", [("count", 0), ("sender", "Bob")])["android en"] == "Nothing")
    #expect(try app.shown("new", [("count", 1), ("sender", "Bob")])["android pl"] == "Jeden Bob")
    #expect(
      try app.shown("liked", [("who", "female"), ("sender", "Bob")])["ios en"] == "Bob liked her photo")
    #expect(
      try app.shown("liked", [("who", "male"), ("sender", "Bob")])["ios en"] == "Bob liked their photo")
  }

  @Test func nativeStringsThatAreMissingOrDifferAreErrors() throws {
    let app = try SourceApp()
    let missing = try app.findings()
    #expect(missing.contains("NativeDrift hello title android hello lib/l10n/app_en.arb:2"))
    #expect(missing.allSatisfy { $0.hasPrefix("NativeDrift") })
    try app.report().write()
    #expect(try app.findings() == [])
    try app.folder.write(
      try #require(app.text("res/values-pl/dragoman_strings.xml")).replacing("few", with: "kilka"),
      to: "res/values-pl/dragoman_strings.xml")
    #expect(try app.findings() == ["NativeDrift new body android pl push_new_n2 lib/l10n/app_pl.arb:3"])
  }

  @Test(
    arguments: [
      ("{key: bad, args: [sender]}", "\"bad\": \"Hi {sendr}\""),
      ("{key: bad, args: [sender]}", "\"bad\": \"Hi {sender, number}\""),
      ("{key: bad, args: [sender]}", "\"bad\": \"{sender, plural, other{x}}\""),
      ("{key: bad, args: [sender]}", "\"bad\": \"{sender, select, other{x}}\""),
      ("{key: bad, args: [sender]}", "\"bad\": \"{count, plural, other{x}}\""),
      (
        "{key: bad, args: [sender, count, other]}",
        "\"bad\": \"{count, plural, other{x}} {other, plural, other{x}}\""
      ),
    ])
  func textsThatNoNativeStringCanHaveAreErrors(body: String, text: String) throws {
    let app = try SourceApp(
      sources: ["lib/l10n/app_en.arb": "{\n\(text)}"],
      templates: templates(
        body, "sender: {type: string}, count: {type: integer}, other: {type: integer, default: 1}"))
    let findings = try app.findings()
    #expect(findings.contains("SourceUnsupported t body en bad lib/l10n/app_en.arb:2"), "\(findings)")
    #expect(try app.report().hasErrors)
  }

  @Test func otherArgumentsNameTheFormatOfTheParam() throws {
    let app = try SourceApp(
      sources: ["lib/l10n/app_en.arb": "{\"bad\": \"{count, number}\"}"],
      templates: templates("{key: bad, args: [count]}"))
    let loaded = try app.load()
    let finding = Check(loaded.catalog, against: loaded.resources).report().findings.first {
      $0.rule == .sourceUnsupported
    }
    #expect(finding?.help == "Write {count}, and give the param count a format in the catalog.")
  }

  @Test func aKeyThatNoSourceHasIsMissing() throws {
    let app = try SourceApp(templates: templates("{key: helo, args: [sender]}"))
    #expect(
      try app.findings().filter { $0.hasPrefix("MissingKey") } == [
        "MissingKey t body android helo catalog.yaml:6", "MissingKey t body ios helo catalog.yaml:6",
      ])
    #expect(try app.report().findings.map(\.message) == ["No source has the key helo; did you mean hello?"])
  }

  @Test func nothingIsSuggestedForAKeyThatASourceHas() throws {
    let app = try SourceApp(templates: templates("{key: hello, args: [count]}", "count: {type: integer}"))
    let loaded = try app.load()
    let findings = Check(loaded.catalog, against: loaded.resources).report().findings
    #expect(findings.contains { $0.rule == .missingKey && $0.key == "hello" })
    #expect(findings.allSatisfy { !$0.message.contains("did you mean hello") })
  }

  @Test func aLanguageWithoutATextHasNone() throws {
    let app = try SourceApp(
      sources: [
        "lib/l10n/app_en.arb": "{\"hi\": \"Hi\"}", "lib/l10n/app_fr.arb": "{\"x\": \"y\"}",
        "lib/l10n/app_de.arb": "{\"hi\": \"\"}",
      ],
      templates: templates("{key: hi}", ""))
    let findings = try app.findings()
    #expect(findings.contains { $0.hasPrefix("EmptyValue t body ios de hi lib/l10n/app_de.arb:1") })
    #expect(try app.shown("t", [])["ios fr"] == nil)
  }

  @Test func theNumberOfI18nextIsThatOfTheSlot() throws {
    let files = [
      "locales/en/push.json":
        "{\"new_one\": \"{{count}} new\", \"new_other\": \"{{count}} news\", \"new_zero\": \"None\"}",
      "locales/de/push.json": "{\"new_one\": \"{{count}} Neue\", \"new_other\": \"{{count}} Neues\"}",
    ]
    let list = "[{i18next: \"locales/{locale}/push.json\"}]"
    let app = try SourceApp(
      sources: files, list,
      templates: templates("{key: new, args: [count], plural: count}", "count: {type: integer}"))
    let shown = try app.shown("t", [("count", 0)])
    #expect([shown["ios en"], shown["ios de"]] == ["None", "0 Neues"])
    let other = try SourceApp(
      sources: files, list, templates: templates("{key: new, args: [count]}", "count: {type: integer}"))
    #expect(try other.findings().contains("SourceUnsupported t body en new locales/en/push.json:1"))
  }

  @Test func sourcesAreEnoughForMessages() throws {
    let app = try SourceApp(resources: "")
    #expect(try app.shown("hello", [("sender", "Bob")])["ios pl"] == "Cześć Bob")
    #expect(try app.findings() == [])
  }

  @Test func sourcesThatCannotBeReadAreFindings() throws {
    let app = try SourceApp(sources: ["lib/l10n/app_en.arb": "{\"hello\": \"Hi {sender}\",\n}"])
    #expect(try app.findings().contains("UnparsableStrings lib/l10n/app_en.arb:2"))
  }

  @Test func anExactNumberGetsAClassOfItsOwn() throws {
    let app = try SourceApp(
      sources: [
        "lib/l10n/app_en.arb": "{\"n\": \"{count, plural, =2{pair} other{{count}}}\"}",
        "lib/l10n/app_ja.arb": "{\"n\": \"{count, plural, other{{count}}}\"}",
      ], templates: templates("{key: n, args: [count]}", "count: {type: integer}"))
    let keys = try app.load().catalog.templates.flatMap(\.keyUses).filter { $0.platform == .ios }.map(
      \.text.key)
    #expect(keys == ["n_n0", "n_n1", "n_n2", "n_n3"])
    #expect(try app.shown("t", [("count", 2)])["ios en"] == "pair")
    #expect(try app.shown("t", [("count", 22)])["ios en"] == "22")
  }
}
