import AppStrings
import Catalog
import Testing

@testable import CatalogCheck

/// Texts of Android that only some phones show, because their folders have further qualifiers.
@Suite struct CheckAlternativeTests {
  @Test func reportsFaultsInThem() throws {
    var fixture = CheckFixture()
    fixture.alternatives = [
      "default": [("k", "v31", "%1$s: %2$d"), ("k", "sw600dp", "%1$s: %2$s 100%"), ("k", "night", "")],
      "de": [("k", "land", "%2$s von %3$s")],
    ]
    let report = try fixture.report()
    #expect(
      report.findings.map(CheckFixture.short) == [
        "EmptyValue t body android default k default-night/strings.xml:7",
        "StringFormatMatches t body android default k default-v31/strings.xml:7",
        "StringFormatInvalid t body android default k default-sw600dp/strings.xml:7",
        "StringFormatCount t body android de k de-land/strings.xml:7",
        "LostArg t body android de k de-land/strings.xml:7",
      ])
    let phones = report.findings.compactMap { $0.message.split(separator: ". Only ").last }
    #expect(
      phones == [
        "phones that match night show this text.", "phones with API level 31 or later show this text.",
        "phones that match sw600dp show this text.", "phones that match land show this text.",
        "phones that match land show this text.",
      ])
    #expect(report.findings[1].impact == .crash)
  }

  @Test func correctOnesAreFine() throws {
    var fixture = CheckFixture()
    fixture.alternatives = ["default": [("k", "v31", "%1$s has %2$s")], "de": [("k", "v31", "%2$s: %1$s")]]
    #expect(try fixture.findings() == [])
  }

  /// An arg that only newer phones show is sent for them.
  @Test func theyUseArgs() throws {
    var fixture = CheckFixture()
    fixture.android = ["default": [("k", "%1$s")]]
    fixture.ios = [:]
    fixture.templates = """
          t: {params: {name: {type: string, max_length: 20}, n: {type: integer}}, body: {android: k, args: [name, n]}}
      """
    #expect(try fixture.findings() == ["UnusedArg t body android k catalog.yaml:4"])
    fixture.alternatives = ["default": [("k", "v31", "%1$s: %2$s")]]
    #expect(try fixture.findings() == [])
  }

  /// The gateway writes the text that most phones show.
  @Test func theyCountForTheLongestMessage() throws {
    var fixture = CheckFixture()
    fixture.templates = "  t: {render: gateway, body: {android: k}, fallback: {body: News.}}"
    fixture.android = ["default": [("k", "short")]]
    fixture.ios = [:]
    let long = String(repeating: "long ", count: 900)
    fixture.alternatives = ["default": [("k", "v31", long)]]
    #expect(try fixture.report().findings.map(\.rule).contains(.messageTooLarge))
    fixture.alternatives = ["default": [("k", "land", long)]]
    #expect(try !fixture.report().findings.map(\.rule).contains(.messageTooLarge))
  }

  @Test func otherKeysDoNotMatter() throws {
    var fixture = CheckFixture()
    fixture.alternatives = ["default": [("other", "v31", "%1$d")]]
    #expect(try fixture.findings() == [])
  }

  @Test func aTextThatExistsOnlyForSomePhonesSaysForWhich() throws {
    var fixture = CheckFixture()
    fixture.android = ["default": [("k", "%1$s: %2$d")]]
    fixture.conditional = ["k"]
    let findings = try fixture.report().findings
    #expect(findings.map(\.rule) == [.missingDefaultKey, .stringFormatMatches])
    #expect(findings.first?.message.contains("Only phones that match") == false)
    #expect(findings.last?.message.hasSuffix("Only phones that match land show this text.") == true)
  }
}
