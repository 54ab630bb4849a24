import AppStrings
import Catalog
import Testing

@testable import CatalogCheck

@Suite struct CheckTextTests {
  private func rules(android text: String, args: Int = 2) throws -> [String] {
    var fixture = CheckFixture()
    fixture.templates = template(args)
    fixture.android["fr"] = [("k", .string(text))]
    fixture.ios = args == 0 ? ["en": [("K", "x")]] : fixture.ios
    fixture.android["default"] = args == 0 ? [("k", "x")] : fixture.android["default"]
    fixture.android["de"] = nil
    return try fixture.findings().filter { $0.contains(" fr ") }.map { String($0.prefix { $0 != " " }) }
  }

  private func rules(ios text: String, args: Int = 2) throws -> [String] {
    var fixture = CheckFixture()
    fixture.templates = template(args)
    fixture.ios["fr"] = [("K", .string(text))]
    fixture.ios["en"] = args == 0 ? [("K", "x")] : fixture.ios["en"]
    fixture.ios["de"] = nil
    fixture.android = args == 0 ? ["default": [("k", "x")]] : fixture.android
    return try fixture.findings().filter { $0.contains(" fr ") }.map { String($0.prefix { $0 != " " }) }
  }

  private func template(_ args: Int) -> String {
    """
      t:
        params: {name: {type: string, max_length: 20}, count: {type: integer}}
        body: {android: k, ios: K, args: [\(["name", "count"].prefix(args).joined(separator: ", "))]}
        fallback: {body: News.}
    """
  }

  @Test(arguments: [
    ("%1$s %2$s", []), ("%2$s %1$s", []), ("%1$s %2$s 50%%", []), ("%1$s%n%2$S", []), ("%1$s %<s %2$s", []),
    ("%1$s %2$d", ["StringFormatMatches"]), ("%1$s %2$,d", ["StringFormatMatches"]),
    ("%1$s %2$.2f", ["StringFormatMatches"]), ("%1$s %2$c", ["StringFormatMatches"]),
    ("%1$b %2$s", ["StringFormatMatches"]), ("%1$s %2$s 100%", ["StringFormatInvalid"]),
    ("%1$s %2$s 50% off", ["StringFormatInvalid"]), ("%1$s %2$s 100% sure", ["StringFormatInvalid"]),
    ("%1$s %2$s %!", ["StringFormatInvalid"]), ("%1$s ％2$s", ["StringFormatInvalid"]),
    ("%1$s %2$s %3$s", ["StringFormatCount"]), ("%1$s %2$@", ["ForeignPlaceholder"]),
    ("%1$s %@ %2$s", ["ForeignPlaceholder", "MixedPositional"]),
    ("%1$s %ld", ["ForeignPlaceholder", "MixedPositional", "LostArg"]),
    ("%1$s", ["LostArg"]), ("both", ["LostArg"]),
    ("%s %2$s", ["MixedPositional"]), ("%s %s", ["MixedPositional", "ArgOrderChanged"]),
    ("%1$s %2$d %3$s 5%", ["StringFormatMatches", "StringFormatInvalid", "StringFormatCount"]),
  ])
  func checksAndroidTextsWithTheFormatter(text: String, rules: [String]) throws {
    #expect(try self.rules(android: text) == rules)
  }

  @Test(arguments: [
    ("%1$@ %2$@", []), ("%2$@ %1$@ 50%%", []), ("%2$@", ["LostArg"]), ("%1$@ %2$d", ["StringFormatMatches"]),
    ("%1$@ %2$ld", ["StringFormatMatches"]), ("%1$@ %2$s", ["ForeignPlaceholder"]),
    ("%1$@ %2$@ 100%", ["StringFormatInvalid"]), ("%1$@ %2$@ %0$@", ["StringFormatInvalid"]),
    ("%1$@ %2$@ %3$@", ["StringFormatCount"]), ("%@ %@ %@", ["StringFormatCount", "ArgOrderChanged"]),
    ("%@ %2$@", ["MixedPositional"]), ("%@ %@", ["ArgOrderChanged"]), ("%1$@ %#@count@", ["PluralKey"]),
  ])
  func checksAppleTextsWithTheFormatter(text: String, rules: [String]) throws {
    #expect(try self.rules(ios: text).filter { $0 != "MixedPositional" || rules.contains($0) } == rules)
  }

  @Test(arguments: [
    ("plain", []), ("100% sure", []), ("100%", []), ("%s", ["PercentWithoutArgs"]),
    ("%1$d", ["PercentWithoutArgs"]), ("50%%", ["PercentWithoutArgs"]), ("%1$@", ["PercentWithoutArgs"]),
  ])
  func checksTextsWithoutArgsOnBothPlatforms(text: String, rules: [String]) throws {
    #expect(try self.rules(android: text, args: 0) == rules)
    #expect(try self.rules(ios: text, args: 0) == rules)
  }

  @Test func formattedFalseAllowsSeveralPlaceholdersWithoutPositions() throws {
    var fixture = CheckFixture()
    fixture.android = ["default": [("k", "%s %s")], "de": [("k", "%s %1$s")]]
    #expect(
      try fixture.findings() == [
        "MixedPositional t body android default k default/strings.xml:1",
        "MixedPositional t body android de k de/strings.xml:1",
        "LostArg t body android de k de/strings.xml:1",
      ])
    fixture.unformatted = ["k"]
    #expect(
      try fixture.findings() == [
        "MixedPositional t body android de k de/strings.xml:1",
        "LostArg t body android de k de/strings.xml:1",
      ])
  }

  @Test func reportsSeveralStrayPercentsOfATextOnce() throws {
    #expect(try rules(android: "%1$s %2$s %2$-s 50% 7%") == ["StringFormatInvalid"])
  }

  @Test func reportsArgsThatNoTranslationShows() throws {
    var fixture = CheckFixture()
    fixture.android = ["default": [("k", "%1$s")], "de": [("k", "%1$s")]]
    #expect(try fixture.findings() == ["UnusedArg t body android k catalog.yaml:6"])
    #expect(try fixture.report().findings.first?.message.contains("count") == true)
    fixture.android["de"] = [("k", "%2$s")]
    #expect(try fixture.findings() == ["LostArg t body android de k de/strings.xml:1"])
  }

  @Test func reportsWhichArgATranslationLost() throws {
    var fixture = CheckFixture()
    fixture.android["de"] = [("k", "von %1$s")]
    let finding = try #require(try fixture.report().findings.first)
    #expect(finding.severity == .warning)
    #expect(finding.message == "The source text shows arg 2, but this translation does not.")
    #expect(finding.help == "Add %2$s to the translation.")
  }

  @Test func notesTextsThatABannerCuts() throws {
    var fixture = CheckFixture()
    fixture.android["de"] = [("k", .string("%1$s %2$s" + String(repeating: "ä", count: 239)))]
    fixture.ios["de"] = [("K", .string("%1$@ %2$@" + String(repeating: "ä", count: 177)))]
    #expect(try fixture.findings() == [])
    fixture.android["de"] = [("k", .string("%1$s %2$s" + String(repeating: "ä", count: 240)))]
    fixture.ios["de"] = [("K", .string("%1$@ %2$@" + String(repeating: "ä", count: 178)))]
    let report = try fixture.report()
    #expect(
      report.findings.map(CheckFixture.short) == [
        "TextTooLong t body android de k de/strings.xml:1",
        "TextTooLong t body ios de K de/Localizable.strings:1",
      ])
    #expect(report.findings.map(\.severity) == [.note, .note])
    #expect(report.summary == "0 errors, 0 warnings, 2 notes")
    #expect(report.github(folder: "/").hasPrefix("::notice "))
    #expect(report.findings.last?.message.contains("178") == true)
  }

  @Test func aVariationByDeviceIsATextOnIPhones() throws {
    var fixture = CheckFixture()
    fixture.formatKeys = ["K": "%1$@: %2$@"]
    fixture.ios["en"] = [("K", .plural([.init(category: "iphone", text: "%1$@: %2$@")]))]
    #expect(try fixture.findings() == [])
  }
}

@Suite struct CheckTemplateTests {
  private func rules(_ templates: String) throws -> [String] {
    var fixture = CheckFixture()
    fixture.templates = templates
    fixture.android = ["default": [("k", "%1$s")]]
    fixture.ios = ["en": [("K", "%1$@")]]
    return try fixture.findings()
  }

  @Test func reportsUnusedParams() throws {
    let found = try rules(
      """
        t:
          params:
            name: {type: string, max_length: 9}
            kind: {type: string, max_length: 9}
            idle: {type: integer}
            badge: {type: integer, optional: true}
            ttl: {type: string, optional: true}
          android: {ttl: {$param: ttl}, notification: {notification_count: {$param: badge}}}
          body:
            android: k
            args: [name]
            variants: [{when: {kind: a}, android: k, args: [name]}]
      """)
    #expect(found == ["UnusedParam t catalog.yaml:8"])
  }

  @Test func reportsMissingAndFormattedFallbacks() throws {
    let found = try rules(
      """
        t:
          params: {name: {type: string, max_length: 9}}
          title: {ios: K, args: [name]}
          subtitle: {ios: K, args: [name]}
          body: {ios: K, args: [name]}
          fallback: {body: 100% new}
      """)
    #expect(
      found == [
        "MissingFallback t title ios K catalog.yaml:6", "FallbackPercent t body ios K catalog.yaml:8",
      ])
  }

  @Test func reportsMessagesThatCanBeTooLarge() throws {
    func template(_ limit: Int) -> String {
      """
        t:
          params: {name: {type: string, max_length: \(limit)}}
          body: {android: k, args: [name]}
      """
    }
    #expect(try rules(template(800)) == [])
    #expect(try rules(template(1000)) == ["MessageTooLarge t catalog.yaml:4"])
  }

  @Test func reportsLiteralsThatWinOverKeys() throws {
    let found = try rules(
      """
        t:
          params: {name: {type: string, max_length: 9}}
          body: {android: k, args: [name]}
          android: {notification: {body: Hello}}
        u:
          params: {name: {type: string, max_length: 9}}
          title: {android: k, args: [name]}
          notification: {title: Hello}
      """)
    #expect(
      found == [
        "LiteralOverridesLocKey t body android k catalog.yaml:7",
        "LiteralOverridesLocKey u title android k catalog.yaml:11",
      ])
  }

  @Test func silencesFindingsThatAreIgnoredWithAReason() throws {
    var fixture = CheckFixture()
    fixture.android["fr"] = []
    fixture.android["he"] = []
    fixture.ignore = """
      ignore:
        - {rule: MissingTranslation, locale: fr, reason: later}
        - {rule: EmptyValue, reason: none is}
      """
    let report = try fixture.report()
    #expect(
      report.findings.map(CheckFixture.short) == [
        "MissingTranslation t body android he k default/strings.xml:1"
      ])
    #expect(report.ignored.map(\.locale) == ["fr"])
    #expect(report.idleIgnores.map(\.rule) == [.emptyValue])
  }
}
