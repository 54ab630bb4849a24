import AppStrings
import Catalog
import JSON
import Testing

@testable import CatalogCheck

/// The order and the causes of findings.
@Suite struct FindingGroupTests {
  /// One fault of each impact, in the order in which the catalog names them, which is the reverse.
  private static func fixture() -> CheckFixture {
    var fixture = CheckFixture()
    fixture.templates = """
          rest: {params: {idle: {type: string}}, body: {android: fine, ios: FINE}, fallback: {body: x}}
          wrong: {body: {ios: WRONG}, fallback: {body: x}}
          dropped: {body: {android: gone}}
          raw: {title: {ios: GONE}}
          crash: {params: {n: {type: string}}, body: {android: crash, args: [n]}}
      """
    fixture.android = [
      "default": [("fine", "x"), ("crash", "%1$s")], "de": [("fine", "x"), ("crash", "%1$d")],
    ]
    fixture.ios = ["en": [("FINE", "x"), ("WRONG", "%1$@")], "de": [("FINE", "x"), ("WRONG", "x")]]
    return fixture
  }

  @Test func ranksByWhatUsersSuffer() throws {
    let report = try Self.fixture().report()
    #expect(report.groups.map(\.impact) == [.crash, .rawKey, .dropped, .wrongText, .other, .other])
    #expect(report.groups.map { $0.templates[0] } == ["crash", "raw", "dropped", "wrong", "rest", "raw"])
    #expect(report.json["findings"]?[0]?["impact"] == "crash")
    let text = report.text(TerminalStyle(hasColours: false)).split(
      separator: "\n", omittingEmptySubsequences: false)
    #expect(text[0] == "4 errors, 2 warnings in 5 templates")
    #expect(text[1] == "6 causes: 1 crash, 1 raw key, 1 dropped line, 1 wrong text, 2 other")
    #expect(text[2] == "0 of 2 languages read every template right; not en, de")
    #expect(text[3] == "")
    #expect(text[4] == "The Android app crashes")
    #expect(text[5] == "  error StringFormatMatches body android crash [de]")
    #expect(text[6] == "    in crash")
  }

  @Test func putsErrorsBeforeWarningsOfOneImpact() throws {
    var fixture = CheckFixture()
    fixture.android["fr"] = []
    fixture.ios["de"] = [("K", "%1$@ %2$@ %3$@")]
    let findings = try fixture.report().ranked
    #expect(findings.map(\.impact) == [.wrongText, .wrongText])
    #expect(findings.map(\.severity) == [.error, .warning])
  }

  @Test func listsTheTemplatesAndLanguagesOfOneFault() throws {
    var fixture = CheckFixture()
    fixture.templates = """
          a: {params: {n: {type: string}}, body: {android: k, args: [n]}}
          b: {params: {n: {type: string}}, body: {android: k, args: [n]}}
      """
    fixture.android = ["default": [("k", "%1$s")], "de": [("k", "%1$d")], "fr": [("k", "%1$d")]]
    let report = try fixture.report()
    #expect(report.findings.count == 4)
    let group = try #require(report.groups.first)
    #expect(report.groups.count == 1)
    #expect(group.templates == ["a", "b"])
    #expect(group.locales == ["de", "fr"])
    #expect(group.places.map(\.file) == ["de/strings.xml", "fr/strings.xml"])
    #expect(report.json["findings"]?.array?.count == 4, "JSON keeps one finding for each place.")
    #expect(group.json["findings"] == 4)
  }

  @Test func keepsDifferentKeysApartUnlessOneStepCorrectsThem() throws {
    var fixture = CheckFixture()
    fixture.templates = """
          a: {params: {n: {type: string}}, title: {android: k, args: [n]}, body: {android: l, args: [n]}}
      """
    fixture.android = [
      "default": [("k", "%1$s"), ("l", "%1$s")], "de": [("k", "%1$d"), ("l", "%1$d")], "fr": [], "it": [],
    ]
    let groups = try fixture.report().groups
    #expect(groups.map(\.keys) == [["k"], ["l"], ["k", "l"]])
    #expect(groups[2].rule == .missingTranslation)
    #expect(groups[2].locales == ["fr", "it"])
    #expect(groups[2].slots == [.title, .body])
  }

  @Test func oneFileKeepsAllStringsFromTheShrinker() throws {
    var fixture = CheckFixture()
    fixture.templates = """
          a: {title: {android: k}, body: {android: l}}
          b: {body: {android: m}}
      """
    fixture.android = ["default": [("k", "x"), ("l", "x"), ("m", "x")]]
    fixture.kept = nil
    let report = try fixture.report()
    #expect(report.findings.map(\.key) == ["k", "l", "m"])
    let groups = report.groups
    #expect(groups.count == 1)
    #expect(
      groups[0].help
        == "Run `dragoman check --write-keep`, which names all strings of the catalog in "
        + "res/raw/dragoman_keep.xml.")
  }

  @Test func shortensLongLists() throws {
    var fixture = CheckFixture()
    let names = (10..<40).map { "k\($0)" }
    fixture.templates = names.map { "    t\($0): {body: {android: \($0)}}" }.joined(separator: "\n")
    fixture.android = ["default": names.map { ($0, "x") }, "de": []]
    let report = try fixture.report()
    let text = report.text(TerminalStyle(hasColours: false))
    #expect(report.groups.count == 1)
    #expect(text.contains("k20, k21 and 18 more [de]"))
    #expect(text.contains("tk20, tk21 and 18 more\n"))
    #expect(text.contains("and 27 more places"))
  }

  /// GitHub shows 10 annotations of each level for a step.
  @Test func annotatesAsManyCausesAsGitHubShows() throws {
    var fixture = CheckFixture()
    let names = (10..<24).map { "k\($0)" }
    fixture.templates = names.map { "    \($0): {body: {android: \($0)}}" }.joined(separator: "\n")
    fixture.android = ["default": []]
    let lines = try fixture.report().github(folder: "/work").split(separator: "\n")
    #expect(lines.count { $0.hasPrefix("::error ") } == 10)
    #expect(lines[10] == "Beyond the annotations that GitHub shows:")
    #expect(lines.count { $0.hasPrefix("error MissingKey k") } == 4)
    #expect(lines.suffix(3).first == "14 errors, 0 warnings in 14 templates")
  }
}
