import AppStrings
import Catalog
import JSON
import Testing

@testable import CatalogCheck

/// Known findings, and the choice of templates and languages.
@Suite struct FindingBaselineTests {
  private static func faulty() -> CheckFixture {
    var fixture = CheckFixture()
    fixture.android["de"] = [("k", "%1$d: %2$s")]
    fixture.ios["fr"] = []
    return fixture
  }

  private static func read(_ baseline: FindingBaseline) throws -> FindingBaseline {
    try FindingBaseline(parsing: Array(baseline.text.utf8))
  }

  @Test func holdsWhatItWasMadeOf() throws {
    let report = try Self.faulty().report()
    #expect(report.findings.count == 2)
    let baseline = try Self.read(FindingBaseline(report.findings))
    #expect(baseline.count == 2)
    let compared = report.without(baseline)
    #expect(compared.findings.isEmpty)
    #expect(compared.known?.findings.count == 2)
    #expect(compared.known?.stale == [])
    #expect(
      compared.text(TerminalStyle(hasColours: false))
        == "No new findings.\n1 of 3 languages read every template right; not de, fr\nbaseline: 2 known findings"
    )
    #expect(compared.json["baseline"] == ["known": 2, "stale": 0])
  }

  @Test func movedLinesAreTheSameFindings() throws {
    let baseline = FindingBaseline(try Self.faulty().report().findings)
    var moved = Self.faulty()
    moved.android["de"] = [("first", "x"), ("k", "%1$x: %2$s")]
    moved.templates = "\n\n" + moved.templates
    let report = try moved.report()
    #expect(report.findings.first?.line == 2)
    #expect(report.without(baseline).findings.isEmpty)
  }

  @Test func reportsWhatIsNew() throws {
    let baseline = FindingBaseline(try Self.faulty().report().findings)
    var worse = Self.faulty()
    worse.android["it"] = [("k", "%1$d: %2$s")]
    let report = try worse.report().without(baseline)
    #expect(report.findings.map(\.locale) == ["it"])
    #expect(report.count(of: .error) == 1)
  }

  @Test func aSecondFaultOfTheSameNameIsNew() throws {
    var fixture = CheckFixture()
    fixture.templates = "    t: {params: {a: {type: string}}, body: {android: k}}"
    fixture.android = ["default": [("k", "x")]]
    let baseline = FindingBaseline(try fixture.report().findings)
    #expect(baseline.count == 1)
    fixture.templates = "    t: {params: {a: {type: string}, b: {type: string}}, body: {android: k}}"
    #expect(try fixture.report().without(baseline).findings.count == 1)
  }

  @Test func aWarningThatBecomesAnErrorIsNew() throws {
    let baseline = FindingBaseline(try Self.faulty().report().findings)
    var worse = Self.faulty()
    worse.templates = worse.templates.replacing("    fallback: {body: News.}", with: "")
    let found = try worse.report().without(baseline).findings
    #expect(found.map(\.rule) == [.missingFallback, .missingTranslation])
    // The reverse is an improvement.
    let errors = FindingBaseline(try worse.report().findings)
    #expect(try Self.faulty().report().without(errors).findings.isEmpty)
  }

  /// Both are `StringFormatMatches` of one text: `%b` shows `true`, `%d` ends the app.
  @Test func aWrongTextThatBecomesACrashIsNew() throws {
    var fixture = CheckFixture()
    fixture.android["de"] = [("k", "%1$b: %2$s")]
    let baseline = try Self.read(FindingBaseline(try fixture.report().findings))
    #expect(try fixture.report().without(baseline).findings.isEmpty)
    fixture.android["de"] = [("k", "%1$d: %2$s")]
    let crashing = try fixture.report()
    #expect(crashing.without(baseline).findings.map(\.impact) == [.crash])
    let (kept, refusedCount) = baseline.updated(with: crashing.findings, acceptsCrashes: false)
    #expect((kept.count, refusedCount) == (0, 1))
    let accepted = try Self.read(baseline.updated(with: crashing.findings, acceptsCrashes: true).baseline)
    #expect(accepted.summary == "1 finding, 1 of them crashes the app: 1 crash")
    #expect(crashing.without(accepted).findings.isEmpty)
    #expect(accepted.updated(with: crashing.findings, acceptsCrashes: false).refusedCount == 0)
  }

  @Test func namesWhatNoLongerOccurs() throws {
    let baseline = FindingBaseline(try Self.faulty().report().findings)
    let report = try CheckFixture().report().without(baseline)
    #expect(
      report.known?.stale == [
        "MissingTranslation t body, ios fr, K", "StringFormatMatches t body, android de, k",
      ])
    let text = report.text(TerminalStyle(hasColours: false))
    #expect(text.contains("baseline: 0 known findings, 2 that no longer occur"))
    #expect(text.contains("remove them with --update-baseline"))
  }

  @Test(arguments: [
    "", "{", "[]", "{\"version\":2,\"findings\":[]}", "{\"version\":1}",
    "{\"version\":1,\"findings\":[1]}", "{\"version\":1,\"findings\":[{\"rule\":\"MissingKey\"}]}",
    "{\"version\":1,\"findings\":[{\"rule\":\"MissingKey\",\"severity\":\"bad\"}]}",
    "{\"version\":1,\"findings\":[{\"rule\":\"MissingKey\",\"severity\":\"error\",\"line\":\"1\"}]}",
    "{\"version\":1,\"findings\":[{\"rule\":\"MissingKey\",\"severity\":\"error\",\"key\":1}]}",
    "{\"version\":1,\"findings\":[{\"rule\":\"MissingKey\",\"severity\":\"error\",\"count\":0}]}",
  ])
  func rejectsWhatIsNoBaseline(_ text: String) {
    #expect(throws: FindingBaselineError.self) { try FindingBaseline(parsing: Array(text.utf8)) }
  }

  @Test func acceptsARuleOfAnotherVersion() throws {
    let text = "{\"version\":1,\"findings\":[{\"rule\":\"Future\",\"severity\":\"error\"}]}"
    let baseline = try FindingBaseline(parsing: Array(text.utf8))
    let stale = try CheckFixture().report().without(baseline).known?.stale
    #expect(stale == ["Future, a rule that this Dragoman does not have"])
  }

  @Test func surviveWithCountsThatAreTooLarge() throws {
    let line = "{\"rule\":\"UnusedParam\",\"severity\":\"warning\",\"count\":9223372036854775807}"
    let text = "{\"version\":1,\"findings\":[\(line),\(line)]}"
    #expect(try FindingBaseline(parsing: Array(text.utf8)).count > 0)
  }

  // MARK: Selections

  private static func select(
    _ fixture: CheckFixture, templates: [String] = [], locales: [String] = []
  ) throws -> [String] {
    let app = AppCatalog(catalog: try fixture.catalog(), resources: fixture.resources)
    let selection = try FindingSelection(templates: templates, locales: locales, of: app)
    return try fixture.report().selecting(selection).findings.map(CheckFixture.short)
  }

  @Test func selectsALanguage() throws {
    var fixture = Self.faulty()
    fixture.android["default"] = [("k", "%1$d %2$s")]
    fixture.android["fr"] = []
    #expect(
      try Self.select(fixture, locales: ["fr"]) == [
        "MissingTranslation t body android fr k default/strings.xml:1",
        "MissingTranslation t body ios fr K en/Localizable.strings:1",
      ])
    // values/ is the development language.
    #expect(
      try Self.select(fixture, locales: ["en"]) == [
        "StringFormatMatches t body android default k default/strings.xml:1"
      ])
    #expect(try Self.select(fixture, locales: ["fr", "de"]).count == 3)
    let error = #expect(throws: FindingSelectionError.self) { try Self.select(fixture, locales: ["xx"]) }
    #expect(error?.code == .unknownLocale)
  }

  @Test func selectsTemplates() throws {
    var fixture = Self.faulty()
    fixture.templates += "\n  u: {body: {android: none}}"
    #expect(try Self.select(fixture, templates: ["u*"]) == ["MissingKey u body android none catalog.yaml:8"])
    #expect(throws: FindingSelectionError.self) { try Self.select(fixture, templates: ["x*"]) }
  }

  @Test func aBaselineIsUpdatedOnlyWhereItWasChecked() throws {
    let fixture = Self.faulty()
    let all = FindingBaseline(try fixture.report().findings)
    let app = AppCatalog(catalog: try fixture.catalog(), resources: fixture.resources)
    let french = try FindingSelection(templates: [], locales: ["fr"], of: app)
    #expect(all.filter(french, includes: true).count == 1)
    let kept = all.filter(french, includes: false)
    #expect(kept.count == 1)
    #expect(kept.merging(FindingBaseline([])).text == kept.text)
  }
}
