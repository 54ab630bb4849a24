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
    ("%1$s %2$s %3$s", ["StringFormatCount"]), ("%<s %1$s %2$s", ["StringFormatCount"]),
    ("%n%% %<s %1$s %2$s", ["StringFormatCount"]), ("%<s", ["StringFormatCount", "LostArg"]),
    ("%1$s %2$@", ["ForeignPlaceholder"]),
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
    fixture.android["de"] = [("k", .string("%1$s %2$s" + String(repeating: "ä", count: 30)))]
    fixture.ios["de"] = [("K", .string("%1$@ %2$@" + String(repeating: "ä ", count: 90)))]
    #expect(try fixture.findings() == [])
    fixture.android["de"] = [("k", .string("%1$s %2$s" + String(repeating: "ä", count: 40)))]
    fixture.ios["de"] = [("K", .string("%1$@ %2$@" + String(repeating: "ä ", count: 120)))]
    let report = try fixture.report()
    #expect(
      report.findings.map(CheckFixture.short) == [
        "TextTooLong t body android de k de/strings.xml:1",
        "TextTooLong t body ios de K de/Localizable.strings:1",
      ])
    #expect(report.findings.map(\.severity) == [.note, .note])
    #expect(report.summary == "0 errors, 0 warnings, 2 notes")
    #expect(report.github(folder: "/").hasPrefix("::notice "))
    #expect(
      report.findings.last?.message
        == "iPhones show 4 lines of a body until the user expands the notification, and the text is longer, "
        + "even without its args.")
  }

  /// Chinese characters are twice as wide as Latin letters, and an `l` is narrower than a `w`.
  @Test func measuresTextsRatherThanCountingThem() throws {
    var fixture = CheckFixture()
    fixture.android["zh"] = [("k", .string("%1$s %2$s" + String(repeating: "数", count: 20)))]
    fixture.android["nl"] = [("k", .string("%1$s %2$s" + String(repeating: "w", count: 30)))]
    fixture.android["fr"] = [("k", .string("%1$s %2$s" + String(repeating: "l", count: 60)))]
    let findings = try fixture.report().findings.filter { $0.rule == .textTooLong }
    #expect(findings.compactMap(\.locale).sorted() == ["nl", "zh"])
  }

  @Test func isOneCauseInAllLanguages() throws {
    var fixture = CheckFixture()
    for (locale, letter) in [("de", "ä"), ("fr", "é"), ("nl", "w")] {
      fixture.android[locale] = [("k", .string("%1$s %2$s" + String(repeating: letter, count: 60)))]
    }
    #expect(FindingGroup.groups(of: try fixture.report().findings).map(\.locales) == [["de", "fr", "nl"]])
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

  /// Texts that the gateway makes are longer than the keys that they replace.
  @Test func countsTheTextsThatTheGatewayMakes() throws {
    var fixture = CheckFixture()
    let long = String(repeating: "x", count: 1_900)
    (fixture.android["de"], fixture.ios["de"]) = ([("k", "%2$s von %1$s")], [("K", "%2$@ von %1$@")])
    func found(_ render: String?, releases: AppReleases = AppReleases()) throws -> [String] {
      fixture.templates = """
          t:
            \(render.map { "render: \($0)" } ?? "description: x")
            params: {name: {type: string, max_length: 20}, count: {type: integer}}
            body: {android: k, ios: K, args: [name, count]}
            fallback: {body: News.}
            android: {notification: {ticker: \(String(repeating: "t", count: 1_000))}}
        """
      return try Check(fixture.catalog(), against: fixture.resources, releases: releases).report().findings
        .filter { $0.rule == .messageTooLarge }.map(\.message)
    }
    #expect(try found("gateway") == [])
    (fixture.android["de"], fixture.ios["de"]) = (
      [("k", .string("%2$s von %1$s" + long))], [("K", .string("%2$@ von %1$@" + long))]
    )
    #expect(
      try found("gateway").first?.contains(", with the texts that the gateway makes in de. FCM") == true)
    #expect(try found(nil) == [])
    #expect(try found("device") == [])
    // An old release gets a message for its platform alone.
    fixture.android["de"] = [("k", .string("%2$s von %1$s" + long + long.prefix(1_200)))]
    let version = try #require(ReleaseVersion("1.0"))
    let old = AppReleases(
      android: [.init(version: version, line: 1, resources: try #require(fixture.resources.android))])
    #expect(try found(nil) == [])
    #expect(try found(nil, releases: old).count == 1)
    #expect(try found("device", releases: old) == [])
    // Browsers get texts in any case, but nothing of Android's part.
    fixture.android["de"] = [("k", .string("%2$s von %1$s" + long + long))]
    #expect(try found("device").count == 1)
  }

  /// Most templates are told from their keys alone to be short enough; these texts are short only there.
  @Test(arguments: [
    "%1$4090s", String(repeating: "%1$s", count: 11), String(repeating: "\\\"", count: 1_000),
    String(repeating: "%1$S", count: 11), String(repeating: "é", count: 2_000),
  ])
  func countsTextsThatGrow(text: String) throws {
    var fixture = CheckFixture()
    fixture.templates = """
        t:
          params: {name: {type: string, max_length: 100}}
          body: {android: k, args: [name]}
      """
    fixture.android = ["default": [("k", "%1$s")], "de": [("k", .string(text))]]
    #expect(try fixture.report().findings.map(\.rule).contains(.messageTooLarge))
    fixture.android["de"] = [("k", .string(String(text.prefix(4))))]
    #expect(try !fixture.report().findings.map(\.rule).contains(.messageTooLarge))
  }

  /// Each form of a plural counts, with the longest number of its class.
  @Test func countsEachFormOfAPluralThatTheGatewayWrites() throws {
    var fixture = CheckFixture()
    let text = """
      version: 1
      resources: {android: res, development_language: en}
      templates:
        t:
          render: gateway
          params: {count: {type: integer}}
          body: {android: p, args: [count], plural: count}
      """
    let catalog = try Catalog.examine(Array(text.utf8), file: "catalog.yaml") { _ in .success(["en", "pl"]) }
    for (few, isTooLarge) in [(3_700, false), (4_000, true)] {
      let forms = ["one": 1, "few": few, "many": 1, "other": 1].map {
        StringEntry.Form(category: $0, text: String(repeating: "x", count: $1) + "%d")
      }
      fixture.android = ["default": [("p", .plural(forms))], "pl": [("p", .plural(forms))]]
      let rules = Check(catalog, against: fixture.resources).report().findings.map(\.rule)
      #expect(rules.contains(.messageTooLarge) == isTooLarge)
    }
  }

  @Test func countsFormattedArgs() throws {
    func bytes(_ param: String) throws -> Int {
      let catalog = try Catalog.parse(
        Array(
          """
          version: 1
          templates:
            t: {params: {n: \(param)}, body: {android: k, args: [n]}}
          """.utf8), file: "catalog.yaml")
      return try #require(catalog.template("t")).longestMessageBytes
    }
    let plain = try bytes("{type: integer, min: 0, max: 9}")
    let formatted = try bytes("{type: integer, min: 0, max: 9, format: number}")
    #expect(formatted > plain)
    #expect(try bytes("{type: integer, min: 0, max: 99, format: number}") - formatted == 5)
    // All digits of an unlimited integer, with separators, in a script whose digits have four bytes.
    #expect(try bytes("{type: integer, format: number}") - plain >= 19 * 4 + 6 * 3)
    #expect(try bytes("{type: number, format: {currency: EUR}}") > bytes("{type: number}"))
    #expect(try bytes("{type: datetime, format: long}") > bytes("{type: datetime, format: short}"))
    #expect(try bytes("{type: datetime, format: short}") > bytes("{type: datetime}"))
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
        v:
          android: {notification: {body_loc_key: k, body_loc_args: [a]}}
          notification: {body: Hello}
      """)
    #expect(
      found == [
        "LiteralOverridesLocKey t body android k catalog.yaml:7",
        "LiteralOverridesLocKey u title android k catalog.yaml:11",
        "LiteralOverridesLocKey v body android k catalog.yaml:14",
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
