import AppStrings
import Catalog
import FCMMessage
import JSON
import Testing

@testable import CatalogCheck

/// What each reader gets, and that a finding says so.
@Suite struct VerdictTests {
  private struct Result {
    let report: CheckReport
    let resources: AppResources
    let catalog: Catalog

    init(_ app: PluralApp) throws {
      let loaded = try app.load()
      (catalog, resources) = (loaded.catalog, try #require(loaded.resources))
      report = Check(
        catalog, against: resources, releases: AppReleases(of: catalog)
      ).report()
    }

    var ios: [Verdict: [String]]? { report.verdicts?.templates.first?.row[.ios] }
    var errors: [String] { report.findings.filter { $0.severity == .error }.map(\.rule.rawValue) }

    func preview(_ args: JSON.Object? = nil, locales: [String]? = nil) throws -> [Preview] {
      try TemplatePreview(
        of: #require(catalog.template("t")), args: args, PreviewQuestion(locales: locales),
        texts: RecipientTexts(resources, support: report.support), findings: report.findings(of: "t")
      ).previews
    }
  }

  /// The way in which Mastodon's iOS app is built: one stray table.
  private static let strayTable = [
    "T.app/Info.plist": "<plist><dict><key>CFBundleDevelopmentRegion</key><string>en</string></dict></plist>",
    "T.app/en.lproj/InfoPlist.strings": "N = x;", "T.app/fr.lproj/InfoPlist.strings": "N = x;",
    "T.app/de.lproj/InfoPlist.strings": "N = x;", "T.app/pt-BR.lproj/InfoPlist.strings": "N = x;",
    "T.app/pt-BR.lproj/Localizable.strings": "K = Texto;",
  ]

  @Test func languagesWithoutATableShowTheRawKey() throws {
    let files = Dictionary(
      uniqueKeysWithValues: Self.strayTable.map { ($0.replacing("T.app", with: "App"), $1) })
    let app = try PluralApp(
      files, body: "{ios: K, args: []}", top: "resources: {ios: App, development_language: en}",
      hasFallback: false)
    let result = try Result(app)
    #expect(result.ios == [.rawKey: ["de", "en", "fr"]])
    #expect(result.errors == ["MissingTranslation", "MissingTranslation", "MissingTranslation"])
    #expect(result.report.findings.filter { $0.verdict == .rawKey }.map(\.locale) == ["de", "en", "fr"])
    let previews = try result.preview()
    #expect(previews.map(\.locale) == ["de", "en", "fr", "pt-BR"])
    #expect(previews.map(\.verdict) == [.rawKey, .rawKey, .rawKey, .ok])
    #expect(previews.first?.json["verdict"] == "raw_key")
  }

  /// As in apps that keep `Base` beside the folder of their development language, and whose folders have the
  /// names that a translation service gives them.
  @Test func previewsAndFindingsCallAReaderTheSame() throws {
    let app = try PluralApp(
      [
        "App/Base.lproj/Localizable.strings": "O = x;", "App/en.lproj/Localizable.strings": "O = x;",
        "App/fr.lproj/Localizable.strings": "K = Texte;", "App/pt-br.lproj/InfoPlist.strings": "N = x;",
        "App/zh-hans.lproj/Localizable.strings": "O = x;",
      ], body: "{ios: K, args: []}", top: "resources: {ios: App, development_language: en}",
      hasFallback: false)
    let result = try Result(app)
    let readers = ["en", "pt-br", "zh-hans"]
    #expect(result.ios == [.rawKey: readers])
    #expect(result.report.findings.filter { $0.verdict == .rawKey }.map(\.locale) == readers)
    for preview in try result.preview() where preview.verdict != .ok {
      #expect(preview.findings.contains { $0.verdict == preview.verdict }, "\(preview.locale)")
    }
  }

  @Test func aBuiltAppWithoutTablesIsNotOK() throws {
    let app = try PluralApp(
      Self.strayTable, body: "{ios: K, args: []}",
      top: "resources: {ios: T.app}\nreleases: {ios: [{version: \"1\", resources: T.app}]}",
      hasFallback: false)
    let cell = try Result(app).report.releases?.json["templates"]?["t"]?["ios"]?["releases"]?["1"]
    #expect(cell?["state"] == "partial")
    #expect(cell?["locales"] == ["de", "en", "fr"])
    #expect(cell?["verdicts"] == ["raw_key": ["de", "en", "fr"]])
  }

  @Test func aLanguageWithoutATableReadsAnother() throws {
    let app = try PluralApp(
      ["app/en.lproj/Localizable.strings": "K = Hello;", "app/fr.lproj/InfoPlist.strings": "N = x;"],
      body: "{ios: K, args: []}", top: "resources: {ios: app, development_language: en}")
    let result = try Result(app)
    #expect(result.ios == [.otherLanguage: ["fr"]])
    #expect(
      try app.findings().filter { $0.hasPrefix("MissingTranslation") }
        == ["MissingTranslation t body ios fr K app/en.lproj/Localizable.strings:1"])
    #expect(result.errors == [])
    // Of French, the app offers no other kind. Japanese it does not offer.
    #expect(try result.preview(locales: ["fr-CA", "ja"]).map(\.verdict) == [.otherLanguage, .ok])
  }

  /// Nobody has run `dragoman plurals --write`.
  @Test(arguments: [(true, Verdict.fallback), (false, .rawKey)])
  func keysOfAPluralThatWereNeverWritten(hasFallback: Bool, verdict: Verdict) throws {
    let app = try PluralApp(
      [
        "app/en.lproj/Localizable.stringsdict": PluralApp.stringsDict([("one", "%d a"), ("other", "%d b")]),
        "app/de.lproj/Localizable.stringsdict": PluralApp.stringsDict([("one", "%d c"), ("other", "%d d")]),
      ], body: "{ios: MESSAGES, args: [count, sender], plural: count}", hasFallback: hasFallback)
    let result = try Result(app)
    #expect(result.ios == [verdict: ["de", "en"]])
    let missing = result.report.findings.filter { $0.rule == .pluralClassMissing }
    #expect(!missing.isEmpty && missing.allSatisfy { $0.verdict == verdict })
    #expect(try result.preview().map(\.verdict) == [verdict, verdict])
    #expect(result.report.text(TerminalStyle(hasColours: false)).contains("0 of 2 languages read every"))
  }

  @Test func aTextThatIsItsKeyIsGarbled() throws {
    let catalog = """
      {"sourceLanguage": "en", "version": "1.0", "strings": {
        "PUSH_TITLE": {"extractionState": "manual"}, "New messages": {}}}
      """
    let app = try PluralApp(
      ["app/Localizable.xcstrings": catalog, "res/values/s.xml": PluralApp.android([("other", "x")])],
      body: "{ios: PUSH_TITLE, args: []}", top: "resources: {ios: app, development_language: en}")
    let result = try Result(app)
    #expect(result.ios == [.garbled: ["en"]])
    #expect(result.report.findings.first { $0.rule == .textIsKey }?.verdict == .garbled)
    #expect(result.errors == ["TextIsKey"])
    // A sentence is meant to be read.
    let readable = try PluralApp(
      ["app/Localizable.xcstrings": catalog], body: "{ios: New messages, args: []}",
      top: "resources: {ios: app, development_language: en}")
    #expect(try Result(readable).ios == [:])
  }

  @Test(arguments: [
    ("push_title", true), ("PUSH.TITLE", true), ("E", false), ("Welcome", false), ("Good morning", false),
    ("bytes", false), ("OK", false), ("Wi-Fi", false), ("iPhone", false), ("and/or", false), ("Name:", false),
    ("a.m.", false), ("https://example.com", false), ("push.new_message", true),
  ])
  func aWordForReadersIsNoName(key: String, isName: Bool) {
    #expect(key.isKeyShown(key) == isName)
    #expect(!"Text".isKeyShown(key))
  }

  /// A region without the text takes it from its language, with all its faults.
  @Test func everyReaderOfAFaultIsNamed() throws {
    var fixture = CheckFixture()
    fixture.android["de"] = [("k", "%2$d von %1$s")]
    fixture.android["de-AT"] = []
    let report = try fixture.report()
    #expect(report.verdicts?.templates.first?.row[.android] == [.crash: ["de", "de-AT"]])
    #expect(
      report.findings.map(CheckFixture.short) == [
        "StringFormatMatches t body android de k de/strings.xml:1",
        "StringFormatMatches t body android de-AT k de/strings.xml:1",
      ])
  }

  @Test func theGatewaysReadersGetTheFallback() throws {
    var fixture = CheckFixture()
    fixture.templates += "\n    render: gateway"
    fixture.android["fr"] = [("k", "%1$d: %2$s")]
    fixture.ios["fr"] = []
    let report = try fixture.report()
    #expect(
      report.verdicts?.templates.first?.row == [.android: [.fallback: ["fr"]], .ios: [.fallback: ["fr"]]])
    #expect(report.findings.map(\.verdict) == [.fallback, .fallback])
  }

  @Test func jsonHasLocalesAndVerdicts() throws {
    var fixture = CheckFixture()
    fixture.android["fr"] = [("k", "%1$d: %2$s")]
    let json = try fixture.report().json
    #expect(json["locales"] == ["android": ["en", "de", "fr"], "ios": ["de", "en"]])
    #expect(json["verdicts"] == ["t": ["android": ["crash": ["fr"]], "ios": [:]]])
    #expect(json["findings"]?[0]?["verdict"] == "crash")
  }
}
