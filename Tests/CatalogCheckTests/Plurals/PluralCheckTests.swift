import Catalog
import FCMMessage
import Foundation
import JSON
import TestSupport
import Testing

@testable import CatalogCheck

/// What `check` finds in slots with `plural`, and what previews of them show.
@Suite struct PluralCheckTests {
  private static let files = [
    "res/values/strings.xml": PluralApp.android([("one", "One from %2$s"), ("other", "%1$d from %2$s")]),
    "res/values-pl/strings.xml": PluralApp.android([
      ("one", "%1$d list od %2$s"), ("few", "%1$d listy od %2$s"), ("many", "%1$d listów od %2$s"),
      ("other", "%1$d listu od %2$s"),
    ]),
    "app/en.lproj/Localizable.stringsdict": PluralApp.stringsDict([
      ("one", "One from %2$@"), ("other", "%d from %@"),
    ]),
    "app/pl.lproj/Localizable.stringsdict": PluralApp.stringsDict([
      ("zero", "nic od %2$@"), ("one", "%d list od %@"), ("few", "%d listy od %@"),
      ("other", "%d listów od %@"),
    ]),
  ]

  private func written(_ files: [String: String] = Self.files) throws -> PluralApp {
    let app = try PluralApp(files)
    try app.report().write()
    return app
  }

  @Test func findsNothingAfterTheTextsAreWritten() throws {
    #expect(try written().findings() == [])
  }

  @Test func oneFileKeepsTheKeysOfAllClasses() throws {
    let written = try written()
    func rules() throws -> Set<CheckRule> {
      let app = try written.load()
      return Set(Check(app.catalog, against: app.resources).report().findings.map(\.rule))
    }
    #expect(try rules().contains(.resourceShrinker))
    let file = try KeepFile(written.load())
    #expect(try file.write())
    #expect(try file.content.contains("    @string/messages_n*\" />"))
    #expect(try !rules().contains(.resourceShrinker))
    let fresh = try PluralApp(Self.files)
    let early = try KeepFile(fresh.load())
    #expect(try early.write())
    #expect(try early.content == file.content, "The texts may be written later.")
  }

  @Test func findsKeysThatNoLanguageHas() throws {
    let app = try PluralApp(Self.files)
    let expected = ["android messages", "ios MESSAGES"].flatMap { name in
      ["n0", "n1", "n2", "n5"].map { "PluralClassMissing t body \(name)_\($0) catalog.yaml:6" }
    }
    #expect(try app.findings() == expected)
  }

  /// One command writes all of them.
  @Test func theKeysOfAllClassesAreOneCauseOnEachPlatform() throws {
    let app = try PluralApp(Self.files).load()
    let groups = Check(app.catalog, against: app.resources).report().groups
      .filter { $0.rule == .pluralClassMissing }
    #expect(
      groups.map(\.keys)
        == ["messages", "MESSAGES"].map { name in ["n0", "n1", "n2", "n5"].map { "\(name)_\($0)" } })
  }

  @Test func findsKeysThatOneLanguageLacks() throws {
    let app = try written()
    let file = "res/values-pl/dragoman_plurals.xml"
    let text = try #require(app.text(file))
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    try app.folder?.write(lines.filter { !$0.contains("messages_n5") }.joined(separator: "\n"), to: file)
    #expect(
      try app.findings() == ["PluralClassMissing t body android pl messages_n5 res/values-pl/strings.xml:3"])
  }

  @Test func findsTextsThatThePluralNoLongerSays() throws {
    let app = try written()
    try app.folder?.write(
      PluralApp.android([("one", "Just one from %2$s"), ("other", "%1$d from %2$s")]),
      to: "res/values/strings.xml")
    #expect(
      try app.findings() == [
        "PluralTextDiffers t body android default messages_n1 res/values/strings.xml:3"
      ])
  }

  @Test func findsPluralsThatDoNotExist() throws {
    let app = try PluralApp(
      [
        "res/values/strings.xml": PluralApp.android(
          [("other", "%d")], more: #"<string name="message">x</string>"#),
        "app/en.lproj/Localizable.strings": #""MESSAGES" = "%@";"#,
      ], body: "{android: mesages, ios: MESSAGES, args: [count], plural: count}")
    #expect(
      try app.findings() == [
        "PluralUnreadable t body android mesages catalog.yaml:6",
        "PluralUnreadable t body ios MESSAGES catalog.yaml:6",
      ])
    let message = try app.report().findings.first?.message
    #expect(message?.hasSuffix("; did you mean messages?") == true)
  }

  /// Some translation services export Slavic plurals so. No whole number is `other` there.
  @Test func makesTextsWithoutOtherWhereNoWholeNumberIsOther() throws {
    let polish = [("one", "%d list"), ("few", "%d listy"), ("many", "%d listów")]
    let english = [("one", "%d letter"), ("other", "%d letters")]
    let app = try written([
      "res/values/strings.xml": PluralApp.android(english),
      "res/values-pl/strings.xml": PluralApp.android(polish),
      "res/values-cs/strings.xml": PluralApp.android(polish),
      "app/en.lproj/Localizable.stringsdict": PluralApp.stringsDict(english),
      "app/pl.lproj/Localizable.stringsdict": PluralApp.stringsDict(polish),
    ])
    for (number, text) in [(0, "0 listów"), (1, "1 list"), (22, "22 listy"), (25, "25 listów")] {
      let shown = try app.shown(Int64(number))
      #expect(shown["android pl"] == text)
      #expect(shown["ios pl"] == text)
    }
    // In Czech, 5 is other.
    #expect(try app.shown(5)["android cs"] == "5 letters")
    #expect(
      try app.findings().filter { $0.hasPrefix("PluralUnreadable") } == [
        "PluralUnreadable t body android cs messages res/values-cs/strings.xml:3",
        "PluralUnreadable t body android pl messages res/values-pl/strings.xml:3",
        "PluralUnreadable t body ios pl MESSAGES app/pl.lproj/Localizable.stringsdict:5",
      ])
    // One cause is one finding, although reading the file finds it too.
    #expect(try !app.findings().contains { $0.hasPrefix("UnparsableStrings") })
    #expect(try app.report().isIncomplete)
    #expect(try app.report().changedFiles == [])
  }

  /// Weblate exports the forms that nobody has translated as empty ones.
  @Test func anEmptyFormIsToBeTranslatedInThePlural() throws {
    let app = try written([
      "res/values/strings.xml": PluralApp.android([("one", "%d letter"), ("other", "%d letters")]),
      "res/values-pl/strings.xml": PluralApp.android([("one", "%d list"), ("few", ""), ("other", "%d listu")]
      ),
    ])
    let loaded = try app.load()
    let findings = Check(loaded.catalog, against: loaded.resources).report().findings.filter {
      $0.rule == .emptyValue
    }
    #expect(findings.map(\.key) == ["messages"])
    #expect(findings.map(\.locale) == ["pl"])
    #expect(findings.map(\.help) == ["Write its text, or remove the form."])
    #expect(try app.texts()["android pl n2"] == "%1$s listu")
  }

  @Test func findsEntriesThatVaryByDeviceOnly() throws {
    let catalog = """
      {"sourceLanguage" : "en", "strings" : {"MESSAGES" : {"localizations" : {"en" : {"variations" : {"device" : {
        "iphone" : {"stringUnit" : {"state" : "translated", "value" : "iPhone"}},
        "other" : {"stringUnit" : {"state" : "translated", "value" : "Mac"}}}}}}}}, "version" : "1.0"}
      """
    let app = try PluralApp(
      ["app/Localizable.xcstrings": catalog], body: "{ios: MESSAGES, args: [count], plural: count}")
    let finding = try #require(app.report().findings.first)
    #expect(finding.rule == .pluralUnreadable)
    #expect(finding.message == "The entry of this name is no plural: its text is the same for all numbers.")
  }

  @Test func findsTwoUsesWithOtherArgs() throws {
    let app = try PluralApp([:], body: PluralApp.body)
    let catalog = """
      version: 1
      \(PluralApp.resources)
      templates:
        a: {params: {count: {type: integer}, s: {type: string}}, body: {android: messages, args: [count, s], plural: count}}
        b: {params: {count: {type: integer}, s: {type: string}}, body: {android: messages, args: [s, count], plural: count}}
      """
    for (name, text) in Self.files { try app.folder?.write(text, to: name) }
    try app.folder?.write(catalog, to: "catalog.yaml")
    #expect(try app.findings().last == "PluralUnreadable b body android messages catalog.yaml:5")
  }

  @Test func findsLanguagesThatTheListLacks() throws {
    let app = try PluralApp(
      [
        "res/values/strings.xml": PluralApp.android([("other", "%d")]),
        "res/values-pl/strings.xml": PluralApp.android([("other", "%d")]),
        "res/values-en-rGB/strings.xml": PluralApp.android([("other", "%d")]),
        "res/values-pt/strings.xml": PluralApp.android([("other", "%d")]),
        "res/values-pt-rPT/strings.xml": PluralApp.android([("other", "%d")]),
        "res/values-iw/strings.xml": PluralApp.android([("other", "%d")]),
      ], body: "{android: messages, args: [count], plural: count}",
      top: "resources: {android: res, development_language: en}\nplurals: {languages: [en, pt, iw, fr]}")
    let findings = try app.findings().filter { !$0.hasPrefix("PluralClassMissing") }
    #expect(
      findings == ["PluralLanguage android pl catalog.yaml:3", "PluralLanguage android pt-PT catalog.yaml:3"])
  }

  @Test func aLanguageWithoutThePluralShowsTheDefaultOnAndroidAndNothingOnIOS() throws {
    var files = Self.files
    files["res/values-de/strings.xml"] = #"<resources><string name="x">x</string></resources>"#
    files["app/de.lproj/Localizable.strings"] = #""X" = "x";"#
    let app = try written(files)
    #expect(app.text("res/values-de/dragoman_plurals.xml") == nil)
    #expect(app.text("app/de.lproj/Localizable.strings") == #""X" = "x";"#)
    #expect(
      try app.findings() == [
        "MissingTranslation t body android de messages res/values/strings.xml:3",
        "MissingTranslation t body ios de MESSAGES app/en.lproj/Localizable.stringsdict:5",
      ])
    let shown = try app.shown(1)
    #expect(shown["android de"] == "One from Bob")
    #expect(shown["ios de"] == "News.")
  }

  @Test func previewsShowTheRightForm() throws {
    let app = try written()
    #expect(
      try app.shown(0) == [
        "android en": "0 from Bob", "android pl": "0 listów od Bob", "ios en": "0 from Bob",
        "ios pl": "nic od Bob",
      ])
    #expect(try app.shown(1)["android pl"] == "1 list od Bob")
    #expect(try app.shown(22)["ios pl"] == "22 listy od Bob")
    #expect(try app.shown(1_000_000)["android pl"] == "1000000 listów od Bob")
    let loaded = try app.load()
    let preview = try TemplatePreview(
      of: #require(loaded.catalog.template("t")), args: .init([("count", 22), ("sender", "B")]),
      PreviewQuestion(locales: ["pl"], platforms: [.android]),
      texts: RecipientTexts(loaded.resources, support: nil), findings: [])
    #expect(preview.previews.first?.slots.last?.key == "messages_n2")
  }

  /// A form for one number need not show it; one for 21 and others must.
  @Test func aFormMayLeaveOutItsOnlyNumber() throws {
    let app = try written([
      "res/values/strings.xml": PluralApp.android([("one", "%1$d from %2$s"), ("other", "%1$d from %2$s")]),
      "res/values-ru/strings.xml": PluralApp.android([
        ("one", "Одно от %2$s"), ("few", "%1$d от %2$s"), ("many", "%1$d от %2$s"), ("other", "%1$d от %2$s"),
      ]),
      "app/en.lproj/Localizable.stringsdict": PluralApp.stringsDict([("other", "%d from %@")]),
    ])
    #expect(
      try app.findings() == ["NumberMissing t body android ru messages res/values-ru/strings.xml:3"])
  }

  @Test func argsThatNoFormShowAreReportedOnce() throws {
    let app = try written([
      "res/values/strings.xml": PluralApp.android([("one", "One"), ("other", "%1$d")]),
      "app/en.lproj/Localizable.stringsdict": PluralApp.stringsDict([("other", "%d from %@")]),
    ])
    #expect(try app.findings() == ["UnusedArg t body android messages catalog.yaml:6"])
  }
}

extension KeepFile {
  fileprivate var content: String { get throws { try String(contentsOfFile: path, encoding: .utf8) } }
}
