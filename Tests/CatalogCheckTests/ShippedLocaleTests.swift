import AppStrings
import Catalog
import Testing

@testable import CatalogCheck

/// `resources.locales`.
@Suite struct ShippedLocaleTests {
  private static func fixture(_ locales: [String]) -> CheckFixture {
    var fixture = CheckFixture()
    fixture.locales = locales
    return fixture
  }

  @Test func reportsALanguageThatIsNotShippedOnce() throws {
    var fixture = Self.fixture(["en", "de"])
    fixture.android["fr"] = [("k", "%1$d"), ("other", "")]
    fixture.ios["fr"] = []
    fixture.problems = [
      ResourceProblem(
        kind: .unparsable, file: "values-fr/x.xml", line: 1, table: "fr", FindingText(english: "Bad."))
    ]
    let report = try fixture.report()
    #expect(
      report.findings.map(CheckFixture.short) == [
        "ShippedLocales android fr catalog.yaml:2", "ShippedLocales ios fr catalog.yaml:2",
      ])
    #expect(report.findings.map(\.severity) == [.note, .note])
    #expect(report.groups.count == 2)
  }

  @Test func reportsAListedLanguageWithoutStrings() throws {
    let report = try Self.fixture(["en", "de", "it"]).report()
    #expect(
      report.findings.map(CheckFixture.short) == [
        "ShippedLocales android it catalog.yaml:2", "ShippedLocales ios it catalog.yaml:2",
      ])
    #expect(report.findings.map(\.severity) == [.warning, .warning])
  }

  @Test func theDevelopmentLanguageIsAlwaysShipped() throws {
    #expect(try Self.fixture(["de"]).findings() == [])
  }

  @Test func comparesTheCodesThatPhonesHave() throws {
    var fixture = Self.fixture(["en", "de", "nb", "fil"])
    for name in ["tl", "nb"] { fixture.android[name] = [("k", "%1$s %2$s")] }
    for name in ["fil", "no"] { fixture.ios[name] = [("K", "%1$@ %2$@")] }
    #expect(try fixture.findings() == [])
    fixture.ios["no"] = [("K", "%1$@ %2$@ %3$@")]
    #expect(try fixture.findings() == ["StringFormatCount t body ios no K no/Localizable.strings:1"])
  }

  @Test func comparesLikelyScriptsAndRegions() throws {
    var fixture = Self.fixture(["en", "de", "zh-Hans", "id"])
    fixture.android["zh-CN"] = [("k", "%1$s %2$s")]
    fixture.android["in"] = [("k", "%1$s %2$s")]
    fixture.ios["zh-Hans"] = [("K", "%1$@ %2$@")]
    fixture.ios["id"] = [("K", "%1$@ %2$@")]
    #expect(try fixture.findings() == [])
    fixture.android["zh-TW"] = [("k", "%1$s %2$s")]
    #expect(try fixture.findings() == ["ShippedLocales android zh-TW catalog.yaml:2"])
  }
}
