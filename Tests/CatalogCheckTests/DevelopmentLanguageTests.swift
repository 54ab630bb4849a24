import AppArchives
import AppStrings
import Catalog
import FCMMessage
import JSON
import TestSupport
import Testing

@testable import CatalogCheck

/// The language to which iPhones fall back: what the built app says, the catalog, or a string catalog.
@Suite struct DevelopmentLanguageTests {
  private static func info(_ region: String) -> String {
    "<plist><dict><key>CFBundleShortVersionString</key><string>7.0</string>"
      + "<key>CFBundleDevelopmentRegion</key><string>\(region)</string></dict></plist>"
  }

  /// Without French in `Base`, which is where the other test has its development language.
  private static let french = [
    "T.app/Info.plist": info("fr"), "T.app/en.lproj/Localizable.strings": "A = Hello;",
    "T.app/fr.lproj/Localizable.strings": "A = Bonjour;",
  ]

  private func texts(_ app: PluralApp) throws -> RecipientTexts {
    let loaded = try app.load()
    let releases = AppReleases(of: loaded.catalog)
    let report = Check(loaded.catalog, against: loaded.resources, releases: releases).report()
    return RecipientTexts(loaded.resources, support: report.support)
  }

  @Test(arguments: ["", ", development_language: en"])
  func aBuiltAppSaysItsOwn(named: String) throws {
    let app = try PluralApp(
      Self.french, body: "{ios: A, args: []}",
      top: """
        resources: {ios: T.app\(named)}
        releases: {ios: [{version: "6.0", resources: T.app}]}
        """)
    let texts = try texts(app)
    for version in [nil, ReleaseVersion("6.0"), ReleaseVersion("7.0")] {
      let strings = try #require(texts.strings(on: .ios, for: ["ja"], inRelease: version))
      #expect(strings.lookUp("A").entry?.text == "Bonjour", "\(version?.text ?? "newest")")
    }
  }

  @Test func whatABuiltAppFallsBackToIsShipped() throws {
    let app = try PluralApp(
      Self.french, body: "{ios: A, args: []}",
      top: "resources: {ios: T.app, development_language: en, locales: [en]}")
    let resources = try #require(try app.load().resources)
    #expect(resources.ios?.tables.map(\.name) == ["en", "fr"])
  }

  @Test func baseOfABuiltAppIsInItsLanguage() throws {
    func plural(_ forms: [(String, String)]) -> String { PluralApp.stringsDict(forms, name: "P") }
    let files = [
      "T.app/Info.plist": Self.info("ru"),
      "T.app/Base.lproj/Localizable.strings": "A = x;", "T.app/en.lproj/Localizable.strings": "A = y;",
      "T.app/Base.lproj/Localizable.stringsdict": plural([("many", "%d файлов"), ("other", "%d файла")]),
      "T.app/en.lproj/Localizable.stringsdict": plural([("one", "%d file"), ("other", "%d files")]),
    ]
    let body = "{ios: P, args: [count], plural: count}"
    let app = try PluralApp(
      files, body: body, top: "resources: {ios: T.app}\nplurals: {languages: [en, ru]}")
    var snapshot = ""
    let built = try #require(try app.load().resources?.ios)
    built.json(StringSelection()) { snapshot += $0 }
    try app.folder?.write(snapshot, to: "s.json")
    for source in ["T.app", "s.json"] {
      try app.folder?.write(
        PluralApp.catalog(body: body, top: "resources: {ios: \(source)}\nplurals: {languages: [en, ru]}"),
        to: "catalog.yaml")
      let loaded = try app.load()
      #expect(loaded.resources?.languages == ["en", "ru"])
      #expect(loaded.resources?.previewLocales == ["ru", "en"])
      let preview = try TemplatePreview(
        of: #require(loaded.catalog.template("t")), args: .init([("count", 5), ("sender", "Bob")]),
        PreviewQuestion(locales: ["ru", "ja"], render: .gateway),
        texts: RecipientTexts(loaded.resources, support: nil), findings: [])
      let shown = preview.previews.map { preview in
        preview.slots.first { $0.name == .body }?.outcome.shownText
      }
      #expect(shown == ["5 файлов", "5 файлов"])
    }
  }

  /// What is in no `.lproj` folder hides the texts of all languages.
  @Test func checkReportsATableThatHidesTheOthers() throws {
    let app = try PluralApp(
      ["app/Localizable.strings": "A = Hello;", "app/fr.lproj/Localizable.strings": "A = Bonjour; B = x;"],
      body: "{ios: B, args: []}", top: "resources: {ios: app}")
    #expect(
      try app.findings() == [
        "MissingKey t body ios B catalog.yaml:6", "UnreachableLocale ios app/Localizable.strings:0",
      ])
  }

  @Test func aStringCatalogNamesIt() throws {
    let strings = """
      {"sourceLanguage": "de", "version": "1.0", "strings": {
        "A": {"localizations": {"en": {"stringUnit": {"state": "translated", "value": "Hello"}},
                                "de": {"stringUnit": {"state": "translated", "value": "Hallo"}}}}}}
      """
    let other = strings.replacing("\"de\"", with: "\"fr\"")
    let app = try PluralApp(
      [
        "app/Localizable.xcstrings": strings, "app/Other.xcstrings": other,
        "app/A/Localizable.xcstrings": other,
      ],
      body: "{ios: A, args: []}", top: "resources: {ios: app}")
    let resources = try #require(try app.load().resources)
    #expect(resources.developmentLanguage(on: .ios) == "de")
    #expect(resources.developmentLanguage(on: .android) == nil)
    var snapshot = ""
    resources.ios?.json(StringSelection()) { snapshot += $0 }
    try app.folder?.write(snapshot, to: "s.json")
    let again = StringResources.read(.ios, from: "\(app.path)/s.json")
    #expect(again.shipped == nil)
    for ios in [resources.ios, again].compactMap(\.self) {
      #expect(ios.lookUp("A", preferring: ["ja"], developmentLanguage: nil).entry?.text == "Hallo")
      // The catalog of templates knows better.
      #expect(ios.lookUp("A", preferring: ["ja"], developmentLanguage: "en").entry?.text == "Hello")
    }
    let first = try FirstCatalog(android: nil, ios: resources.ios, .init(isAll: true))
    #expect(first.yaml.contains("development_language: de"))
  }
}
