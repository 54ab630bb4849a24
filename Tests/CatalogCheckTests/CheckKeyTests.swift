import AppStrings
import Catalog
import JSON
import Testing

@testable import CatalogCheck

@Suite struct CheckKeyTests {
  @Test func findsNothingInACorrectCatalog() throws {
    #expect(try CheckFixture().findings() == [])
  }

  @Test func reportsAKeyThatNoLanguageHas() throws {
    var fixture = CheckFixture()
    fixture.android = ["default": [("k2", "x")], "de": [("k2", "x")]]
    #expect(try fixture.findings() == ["MissingKey t body android k catalog.yaml:6"])
    #expect(try fixture.report().findings.first?.message.contains("did you mean k2?") == true)
    fixture.android = [:]
    fixture.ios = [:]
    #expect(
      try fixture.findings() == [
        "MissingKey t body android k catalog.yaml:6", "MissingKey t body ios K catalog.yaml:6",
      ])
  }

  @Test func reportsAKeyThatIsMissingFromValues() throws {
    var fixture = CheckFixture()
    fixture.android["default"] = [("other", "x")]
    #expect(try fixture.findings() == ["MissingDefaultKey t body android default k de/strings.xml:1"])
  }

  @Test func aKeyForSomePhonesHasNoDefault() throws {
    var fixture = CheckFixture()
    fixture.conditional = ["k"]
    let finding = try #require(try fixture.report().findings.first)
    #expect(finding.rule == .missingDefaultKey)
    #expect(finding.message.contains("Resources$NotFoundException"))
  }

  @Test func aShippedKeyWithoutDefaultCrashes() throws {
    var fixture = CheckFixture()
    fixture.android["default"] = [("other", "x")]
    fixture.shipped = ShippedApp(version: "1", package: "p")
    let finding = try #require(try fixture.report().findings.first)
    #expect(finding.rule == .missingDefaultKey)
    #expect(finding.message.contains("Resources$NotFoundException"))
  }

  /// `shouldTranslate: false` spares the translators, not the iPhones in other languages.
  @Test func anUntranslatableKeyMustBeInEveryLanguageOfAnIPhone() throws {
    var fixture = CheckFixture()
    fixture.templates = "  t: {body: {android: k, ios: K}}"
    fixture.android = ["default": [("k", "x")], "de": [("other", "x")]]
    fixture.ios = ["en": [("K", "x")], "de": [("other", "x")]]
    fixture.untranslatable = ["k", "K"]
    let findings = try fixture.report().findings.filter { $0.rule == .missingTranslation }
    #expect(
      findings.map(CheckFixture.short) == ["MissingTranslation t body ios de K en/Localizable.strings:1"])
    #expect(findings.first?.severity == .error)
    #expect(findings.first?.impact == .rawKey)
    #expect(findings.first?.help.contains("shouldTranslate") == true)
  }

  @Test func aKeyThatIsItsTextNeedsNoEntryInTheDevelopmentLanguage() throws {
    var fixture = CheckFixture()
    fixture.templates = """
          t: {body: {ios: Good morning}, fallback: {body: News.}}
      """
    fixture.ios = ["en": [], "de": [("Good morning", "Guten Morgen")], "fr": []]
    let findings = try fixture.report().findings
    #expect(findings.map(\.locale) == ["en", "fr"])
    #expect(findings.map(\.severity) == [.warning, .warning])
    #expect(findings.map(\.impact) == [.wrongText, .wrongText])
  }

  @Test func reportsEachLanguageWithoutTheKey() throws {
    var fixture = CheckFixture()
    fixture.android["fr"] = [("other", "x")]
    fixture.android["he"] = []
    fixture.ios["fr"] = [("OTHER", "x")]
    let report = try fixture.report()
    #expect(
      report.findings.map(CheckFixture.short) == [
        "MissingTranslation t body android fr k default/strings.xml:1",
        "MissingTranslation t body android he k default/strings.xml:1",
        "MissingTranslation t body ios fr K en/Localizable.strings:1",
      ])
    #expect(report.findings.map(\.severity) == [.warning, .warning, .warning])
    #expect(report.findings[2].message.contains("see the fallback"))
  }

  @Test func withoutAFallbackAnIPhoneShowsTheRawKey() throws {
    var fixture = CheckFixture()
    fixture.ios["fr"] = [("OTHER", "x")]
    fixture.templates = fixture.templates.replacing("    fallback: {body: News.}", with: "")
    let finding = try #require(try fixture.report().findings.first { $0.rule == .missingTranslation })
    #expect(finding.severity == .error)
    #expect(finding.impact == .rawKey)
    #expect(finding.message.contains("see the raw key"))
  }

  @Test func regionFallsBackToItsLanguageOnlyOnAndroid() throws {
    var fixture = CheckFixture()
    fixture.android["de-AT"] = [("other", "x")]
    fixture.android["en-GB"] = []
    #expect(try fixture.findings() == [])
    fixture.ios["de-AT"] = [("OTHER", "x")]
    #expect(
      try fixture.findings() == ["MissingTranslation t body ios de-AT K en/Localizable.strings:1"])
  }

  @Test func anotherScriptOfTheDevelopmentLanguageNeedsTranslation() throws {
    var fixture = CheckFixture()
    fixture.developmentLanguage = "zh-Hans"
    fixture.android["zh-Hant"] = [("other", "x")]
    fixture.android["zh-SG"] = [("other", "x")]
    fixture.ios["zh-Hans"] = fixture.ios["en"]
    #expect(try fixture.findings() == ["MissingTranslation t body android zh-Hant k default/strings.xml:1"])
  }

  /// Nobody finds the text elsewhere: `Base` is the development language.
  @Test func baseNeedsTheKeyUnlessTheDevelopmentLanguageHasAFolder() throws {
    var fixture = CheckFixture()
    let texts = try #require(fixture.ios["en"])
    fixture.ios = ["Base": [("OTHER", "x")], "fr": texts]
    #expect(try fixture.findings() == ["MissingTranslation t body ios Base K fr/Localizable.strings:1"])
    fixture.ios["en"] = texts
    #expect(try fixture.findings() == [])
  }

  @Test func untranslatableStringNeedsNoTranslationOnAndroid() throws {
    var fixture = CheckFixture()
    fixture.android["fr"] = []
    fixture.untranslatable = ["k", "K"]
    #expect(try fixture.findings() == [])
  }

  @Test func pluralDoesNotHideTheStringOfItsNameOnAndroid() throws {
    var fixture = CheckFixture()
    fixture.android["de"] = [("k", .plural([.init(category: "other", text: "%1$s %2$s")]))]
    #expect(try fixture.findings() == ["MissingTranslation t body android de k default/strings.xml:1"])
  }

  @Test func reportsThatTheBuildRemovesAStringMissingFromValues() throws {
    var fixture = CheckFixture()
    fixture.android["default"] = [("other", "x")]
    let message = try #require(try fixture.report().findings.first?.message)
    #expect(message.contains("Android drops the line"))
    #expect(!message.contains("crash"))
  }

  @Test func reportsFoldersThatNoPhoneLooksForAsWarnings() throws {
    var fixture = CheckFixture()
    fixture.problems = [
      ResourceProblem(
        kind: .unreachable, file: "values-no", table: "no", FindingText(english: "No phone looks here."))
    ]
    let report = try fixture.report()
    #expect(report.findings.map(CheckFixture.short) == ["UnreachableLocale android no values-no:0"])
    #expect(report.findings.map(\.severity) == [.warning])
  }

  @Test func reportsPluralsAndArraysInEveryLanguage() throws {
    var fixture = CheckFixture()
    let plural = StringEntry.Value.plural([.init(category: "other", text: "%1$s %2$s")])
    fixture.android = ["default": [("k", plural)], "de": [("k", plural)]]
    fixture.ios = ["en": [("K", .array(["a"]))], "de": [("K", .array(["a"]))]]
    #expect(
      try fixture.findings() == [
        "PluralKey t body android default k default/strings.xml:1",
        "PluralKey t body android de k de/strings.xml:1",
        "PluralKey t body ios de K de/Localizable.strings:1",
        "PluralKey t body ios en K en/Localizable.strings:1",
      ])
  }

  @Test func reportsEmptyTexts() throws {
    var fixture = CheckFixture()
    fixture.android["de"] = [("k", "")]
    fixture.ios["de"] = [("K", "")]
    #expect(
      try fixture.findings() == [
        "EmptyValue t body android de k de/strings.xml:1",
        "EmptyValue t body ios de K de/Localizable.strings:1",
      ])
  }

  @Test(arguments: ["42", "a:b", "string/k", "-k", "k k", "é", "a-b"])
  func reportsKeysThatAndroidCannotHave(key: String) throws {
    var fixture = CheckFixture()
    fixture.templates = """
        t:
          body: {android: "\(key)"}
      """
    #expect(try fixture.findings() == ["KeySyntax t body android \(key) catalog.yaml:5"])
  }

  @Test func acceptsANameThatTheAppHas() throws {
    var fixture = CheckFixture()
    fixture.android = ["default": [("a-b", "x"), ("é", "x"), ("42", "x")]]
    fixture.templates = """
        t:
          title: {android: a-b}
          body: {android: é}
        u:
          body: {android: "42"}
      """
    #expect(try fixture.findings() == ["KeySyntax u body android 42 catalog.yaml:8"])
  }

  @Test func unreadableStringIsNotAlsoReportedAsMissing() throws {
    var fixture = CheckFixture()
    fixture.android = ["default": []]
    fixture.problems = [
      ResourceProblem(
        kind: .unparsable, file: "values/strings.xml", line: 1, table: "default", FindingText(english: "Bad.")
      )
    ]
    #expect(try fixture.findings() == ["UnparsableStrings android default values/strings.xml:1"])
    fixture.android["de"] = [("other", "x")]
    #expect(
      try fixture.findings() == [
        "MissingKey t body android k catalog.yaml:6",
        "UnparsableStrings android default values/strings.xml:1",
      ])
    fixture.android = [:]
    fixture.problems = [ResourceProblem(kind: .noResources, file: "res", FindingText(english: "None."))]
    #expect(try fixture.findings() == ["UnparsableStrings android catalog.yaml:2"])
  }

  @Test func regionOfEnglishNeedsNoTranslationWithoutADevelopmentLanguage() throws {
    var fixture = CheckFixture()
    fixture.developmentLanguage = nil
    fixture.android["en-GB"] = []
    #expect(try fixture.findings() == [])
    fixture.developmentLanguage = "de"
    #expect(
      try fixture.findings() == ["MissingTranslation t body android en-GB k default/strings.xml:1"])
  }

  @Test func reportsAKeyInATableThatPushDoesNotRead() throws {
    var fixture = CheckFixture()
    fixture.ios = ["en": [("OTHER", "x")]]
    fixture.outOfReach = ["K": .init(table: "Push", file: "en/Push.strings", line: 3)]
    #expect(try fixture.findings() == ["WrongTable t body ios K en/Push.strings:3"])
  }

  @Test func reportsAKeyThatTheShrinkerMayRemove() throws {
    var fixture = CheckFixture()
    fixture.kept = [.init("push_*")]
    #expect(try fixture.findings() == ["ResourceShrinker t body android k catalog.yaml:6"])
    fixture.kept = nil
    #expect(try fixture.findings() == ["ResourceShrinker t body android k catalog.yaml:6"])
  }

  @Test(arguments: [StringEntry.State.new, .needsReview, .stale])
  func reportsUnfinishedTranslations(state: StringEntry.State) throws {
    var fixture = CheckFixture()
    fixture.states = ["fr": state]
    fixture.ios["fr"] = [("K", "%1$@ %2$@")]
    #expect(try fixture.findings() == ["StaleTranslation t body ios fr K fr/Localizable.strings:1"])
  }

  @Test func reportsProblemsOfReading() throws {
    var fixture = CheckFixture()
    fixture.problems = [
      ResourceProblem(
        kind: .unparsable, file: "values-fr/strings.xml", line: 7, table: "fr", FindingText(english: "Bad.")),
      ResourceProblem(kind: .localeFolder, file: "values-en_GB", FindingText(english: "Bad.")),
      ResourceProblem(
        kind: .duplicateKey, file: "values/strings.xml", line: 9, table: "default", key: "k",
        FindingText(english: "Twice.")),
      ResourceProblem(
        kind: .duplicateKey, file: "values/strings.xml", line: 9, table: "default", key: "x",
        FindingText(english: "Twice.")),
      ResourceProblem(
        kind: .duplicateKey, file: "values/strings.xml", line: 9, table: "default", key: "K",
        FindingText(english: "Twice, but this one is iOS's.")),
      ResourceProblem(
        kind: .unparsable, file: "values/strings.xml", line: 10, table: "default", key: "x",
        FindingText(english: "Bad.")),
      ResourceProblem(
        kind: .suspicious, file: "values/strings.xml", line: 11, table: "default", key: "x",
        FindingText(english: "Odd.")),
      ResourceProblem(
        kind: .suspicious, file: "values/strings.xml", line: 12, table: "default", key: "k",
        FindingText(english: "Odd.")),
      ResourceProblem(kind: .remark, file: "English.lproj", table: "English", FindingText(english: "Old.")),
    ]
    #expect(
      try fixture.findings() == [
        "DuplicateKey t body android default k values/strings.xml:9",
        "UnparsableStrings t body android default k values/strings.xml:12",
        "UnparsableStrings android fr values-fr/strings.xml:7", "LocaleFolder android values-en_GB:0",
        "UnparsableStrings android default x values/strings.xml:10",
      ])
  }

  @Test func reportsEveryTemplateThatUsesAKey() throws {
    var fixture = CheckFixture()
    fixture.templates = """
        a:
          body: {ios: K}
          fallback: {body: x}
        b:
          title: {ios: K}
          fallback: {title: x}
      """
    fixture.ios = ["en": [("K", "x")], "de": [("OTHER", "x")]]
    #expect(
      try fixture.findings() == [
        "MissingTranslation a body ios de K en/Localizable.strings:1",
        "MissingTranslation b title ios de K en/Localizable.strings:1",
      ])
  }
}
