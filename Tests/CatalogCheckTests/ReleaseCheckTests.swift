import AppStrings
import Catalog
import FCMMessage
import JSON
import LocaleRules
import Testing

@testable import CatalogCheck

/// Templates against the releases that users may still have.
@Suite struct ReleaseCheckTests {
  /// A release's texts: by table, then by key.
  private typealias Texts = [String: [String: String]]

  private func resources(_ platform: AppPlatform, _ texts: Texts, _ shipped: ShippedApp?) -> StringResources {
    let tables = texts.sorted { ($0.key == "default" ? "" : $0.key) < ($1.key == "default" ? "" : $1.key) }
      .map {
        name, entries in
        StringTable(
          name: name, locale: name == "default" ? nil : LocaleTag(name),
          entries: Dictionary(
            uniqueKeysWithValues: entries.map {
              (ExactText($0), StringEntry(key: $0, value: .string($1), file: "app", line: nil))
            }))
      }
    return StringResources(platform: platform, folder: "app", tables: tables, problems: [], shipped: shipped)
  }

  private func release(
    _ platform: AppPlatform, _ version: String, _ texts: Texts, renamed: [String: String] = [:]
  ) throws -> AppReleases.Release {
    let shipped = ShippedApp(
      version: version, package: "a",
      renamedTexts: Dictionary(uniqueKeysWithValues: renamed.map { (ExactText($0), $1) }))
    return AppReleases.Release(
      version: try #require(ReleaseVersion(version)), line: 1, resources: resources(platform, texts, shipped))
  }

  /// As of a project whose framework has the key, or of its app.
  @Test(arguments: [
    (AppPlatform.android, "It is only in push: app does not depend on push."),
    (.ios, "It is only in Kit.framework: Kit.framework is a framework."),
  ])
  func namesWhereTheKeyIsInstead(_ platform: AppPlatform, _ sentence: String) throws {
    let place =
      platform == .android
      ? StringResources.Elsewhere(path: "push/res", owner: "push", reason: "app does not depend on push")
      : .init(path: "Kit", owner: "Kit.framework", reason: "Kit.framework is a framework")
    let resources = StringResources(
      platform: platform, folder: "app", tables: resources(platform, [:], nil).tables, problems: [],
      outOfReach: [ExactText("k"): .init(table: "Localizable", file: "f", line: nil, place: place)])
    let release = AppReleases.Release(
      version: try #require(ReleaseVersion("1")), line: 1, resources: resources)
    let report = try check(
      AppReleases(android: platform == .android ? [release] : [], ios: platform == .ios ? [release] : []),
      templates: "  t: {body: {\(platform.rawValue): k}}")
    let finding = try #require(report.findings.first { $0.rule == .keyNotInRelease })
    #expect(finding.message.hasSuffix(sentence))
    #expect(report.releases?.templates.first?.rows[platform]?.cells.first?.state == .missing)
  }

  private func check(
    _ releases: AppReleases, since: String = "", templates: String? = nil, android: Texts = [:]
  ) throws -> CheckReport {
    let text =
      templates
        ?? """
          t:
            params: {name: {type: string, max_length: 20}}
            title: {android: title, ios: TITLE}
            body: {android: body, ios: BODY, args: [name]}
            fallback: {title: a, body: b}
            \(since)
        """
    let catalog = try Catalog.parse(
      Array("version: 1\ntemplates:\n\(text)\n".utf8), file: "catalog.yaml")
    let next = AppResources(
      android: android.isEmpty
        ? nil : resources(.android, android, ShippedApp(version: "9", package: "a")),
      developmentLanguage: "en")
    return Check(catalog, against: next, releases: releases).report()
  }

  private func releases() throws -> AppReleases {
    AppReleases(
      android: [
        try release(.android, "4.0", ["default": ["title": "T"], "fr": ["title": "T", "body": "%1$s"]]),
        try release(.android, "4.1", ["default": ["title": "T", "body": "%1$d"]]),
        try release(.android, "4.9", ["default": ["title": "T"]]),
        try release(.android, "4.10", ["default": ["title": "T", "body": "%1$s"], "fr": [:]]),
        try release(.android, "5", ["default": ["title": "T", "body": "%1$s"]]),
      ],
      ios: [
        try release(.ios, "7.0", ["en": ["TITLE": "T", "BODY": "%@"], "de": ["TITLE": "T"]]),
        try release(.ios, "7.1", ["en": ["TITLE": "T", "BODY": "%@"], "de": ["TITLE": "T", "BODY": "%@"]]),
        try release(.ios, "7.2", ["en": ["TITLE": "T", "BODY": "%@"]]),
      ])
  }

  /// aapt2 has no room for a text of more than 32,767 bytes, and puts another one in its place.
  @Test func aTextThatTheBuildCutIsBroken() throws {
    let releases = AppReleases(android: [
      try release(.android, "1", ["default": ["title": "STRING_TOO_LARGE"]]),
      try release(.android, "2", ["default": ["title": "T"]]),
    ])
    let report = try check(releases, templates: "  t: {title: {android: title}}")
    #expect(report.releases?["t"]?[.android]?.cells.map(\.state) == [.broken, .ok])
    let findings = report.findings.filter { $0.severity == .error }
    #expect(findings.map(\.rule) == [.unparsableStrings])
    #expect(findings.first?.release == "1")
    #expect(findings.first?.message.contains("STRING_TOO_LARGE, which users see") == true)
  }

  /// aapt2 takes any letters, so a release can have such a name or lack it.
  @Test func aNameThatJavaForbidsCanBeMissing() throws {
    let releases = AppReleases(android: [
      try release(.android, "1", ["default": ["title": "T"]]),
      try release(.android, "2", ["default": ["éclair": "T"]]),
    ])
    let report = try check(
      releases, templates: "  t: {title: {android: éclair}}", android: ["default": ["éclair": "T"]])
    #expect(report.releases?["t"]?[.android]?.cells.map(\.state) == [.missing, .ok])
    #expect(report.findings.filter { $0.severity == .error }.map(\.rule) == [.keyNotInRelease])
  }

  @Test func saysWhatEachReleaseShows() throws {
    let rows = try #require(try check(releases()).releases?["t"])
    let android = try #require(rows[.android])
    #expect(android.cells.map(\.version.text) == ["4.0", "4.1", "4.9", "4.10", "5"])
    #expect(android.cells.map(\.state) == [.partial, .broken, .missing, .ok, .ok])
    #expect(android.cells[0].locales == ["default"])
    #expect(android.cells[2].keys == ["body"])
    #expect(android.cells[2].locales == [])
    #expect(android.safeSince?.text == "4.10")
    let ios = try #require(rows[.ios])
    #expect(ios.cells.map(\.state) == [.partial, .ok, .ok])
    #expect(ios.cells[0].locales == ["de"])
    #expect(ios.safeSince?.text == "7.1")
  }

  @Test func findsWhatATemplateMayStillBeSentTo() throws {
    let all = try check(releases()).findings
    let found = all.map {
      "\($0.rule.rawValue) \($0.platform?.rawValue ?? "") \($0.release ?? "") \($0.key ?? "")"
    }
    #expect(
      found == [
        "KeyNotInRelease android 4.0 body", "StringFormatMatches android 4.1 body",
        "KeyNotInRelease android 4.9 body", "KeyNotInRelease ios 7.0 BODY",
      ])
    #expect(all.allSatisfy { $0.severity == .error && $0.message.contains($0.release ?? "?") })
    #expect(all.allSatisfy { $0.help.contains("since: {") })
    let some = try check(releases(), since: "since: {android: 4.10, ios: 7.1}")
    #expect(some.findings.isEmpty)
    #expect(some.releases?.hasFaults == false)
    let floor = try check(releases(), since: "since: {android: 4.9, ios: 7.1}")
    #expect(floor.findings.map(\.release) == ["4.9"])
    #expect(floor.releases?.hasFaults == true)
  }

  @Test func aKeyCanBeBrokenInOneLanguageAndMissingInAnother() throws {
    let releases = AppReleases(
      android: [
        try release(.android, "4.0", ["default": ["title": "T"], "fr": ["title": "T", "body": "%1$d"]])
      ],
      ios: [try release(.ios, "7.0", ["en": ["TITLE": "T", "BODY": "%d"], "de": ["TITLE": "T"]])])
    let report = try check(releases)
    let found = report.findings.map {
      "\($0.rule.rawValue) \($0.release ?? "") \($0.locale ?? "") \($0.key ?? "")"
    }
    #expect(
      found == [
        "StringFormatMatches 4.0 fr body", "KeyNotInRelease 4.0  body", "StringFormatMatches 7.0 en BODY",
        "KeyNotInRelease 7.0  BODY",
      ])
    let rows = try #require(report.releases?["t"])
    #expect(rows[.android]?.cells.map(\.state) == [.broken])
    #expect(rows[.android]?.cells.first?.locales == ["default", "fr"])
    #expect(rows[.ios]?.cells.first?.locales == ["de", "en"])
  }

  @Test func aTextUnderAnObfuscatedNameIsRenamed() throws {
    let collapsed = try release(
      .android, "4.0", ["default": ["title": "T", "a": "x"]], renamed: ["Body of %1$s": "a"])
    let releases = AppReleases(android: [collapsed])
    let next: Texts = ["default": ["title": "T", "body": "Body of %1$s"]]
    let report = try check(releases, android: next)
    let finding = try #require(report.findings.first { $0.release != nil })
    #expect(finding.rule == .keyRenamed)
    #expect(finding.key == "body")
    #expect(report.findings.count { $0.release != nil } == 1)
    #expect(report.releases?["t"]?[.android]?.cells.map(\.state) == [.missing])
    // The source has a string of that short name, so it is no replacement.
    let own: Texts = ["default": ["title": "T", "body": "Body of %1$s", "a": "x"]]
    #expect(try check(releases, android: own).findings.contains { $0.rule == .keyNotInRelease })
  }

  /// The next release can be a built app, too.
  @Test func aRenamedKeyOfTheNextReleaseIsFound() throws {
    let old = try release(.android, "4.0", ["default": ["title": "T", "body": "Body of %1$s"]])
    func next(_ shipped: ShippedApp) -> AppResources {
      AppResources(android: resources(.android, ["default": ["title": "T", "a": "Body of %1$s"]], shipped))
    }
    let renamed = ShippedApp(
      version: "9", package: "a", renamedTexts: [ExactText("Body of %1$s"): "a"])
    let catalog = try catalog("body: {android: body, args: [name]}")
    let releases = AppReleases(android: [old])
    let finding = try #require(
      errors(Check(catalog, against: next(renamed), releases: releases)).first)
    #expect(finding.rule == .keyRenamed)
    #expect(finding.severity == .error)
    #expect(finding.key == "body")
    #expect(finding.release == nil)
    #expect(finding.message.contains("obfuscated name a"))
    // Without a release that has the key, most names tell that it was renamed.
    let collapsed = ShippedApp(version: "9", package: "a", hasObfuscatedNames: true)
    #expect(errors(Check(catalog, against: next(collapsed))).map(\.rule) == [.keyRenamed])
    // A short name of an app that keeps its names is none.
    let kept = ShippedApp(version: "9", package: "a", renamedTexts: [ExactText("T"): "a"])
    #expect(errors(Check(catalog, against: next(kept))).map(\.rule) == [.missingKey])
  }

  private func errors(_ check: Check) -> [Finding] {
    check.report().findings.filter { $0.severity == .error }
  }

  private func catalog(_ slot: String, languages: String? = nil) throws -> Catalog {
    let plurals = languages.map { "plurals: {languages: [\($0)]}\n" } ?? ""
    let text = """
      version: 1
      \(plurals)templates:
        t:
          params: {name: {type: string, max_length: 20}, count: {type: integer}}
          \(slot)
          fallback: {title: a, body: b}
      """
    return try Catalog.parse(Array(text.utf8), file: "catalog.yaml")
  }

  /// A message has the key of a number's class, so every release needs a key for each class.
  @Test func saysWhichClassesOfAPluralAReleaseLacks() throws {
    let catalog = try catalog(
      "body: {android: messages, ios: MESSAGES, args: [count], plural: count}", languages: "en, pl")
    let partition = try #require(catalog.templates.first?.slots.first?.plural).partition
    #expect(partition.smallestMembers == [0, 1, 2, 5])
    func texts(_ name: String, _ classes: [Int], _ placeholder: String) -> [String: String] {
      Dictionary(uniqueKeysWithValues: classes.map { ("\(name)_n\($0)", "\(placeholder) messages") })
    }
    // Polish came with 4.1 and 7.1, and with it the class of 5.
    let releases = AppReleases(
      android: [
        try release(.android, "4.0", ["default": texts("messages", [0, 1, 2], "%1$s")]),
        try release(.android, "4.1", ["default": texts("messages", [0, 1, 2, 5], "%1$s")]),
      ],
      ios: [
        try release(.ios, "7.0", ["en": texts("MESSAGES", [0, 1, 2], "%1$@")]),
        try release(
          .ios, "7.1",
          ["en": texts("MESSAGES", [0, 1, 2, 5], "%1$@"), "pl": texts("MESSAGES", [0, 1, 5], "%1$@")]),
      ])
    let report = Check(catalog, against: nil, releases: releases).report()
    let found = report.findings.filter { $0.release != nil }.map {
      "\($0.rule.rawValue) \($0.release ?? "") \($0.key ?? "")"
    }
    #expect(
      found == [
        "KeyNotInRelease 4.0 messages_n5", "KeyNotInRelease 7.0 MESSAGES_n5",
        "KeyNotInRelease 7.1 MESSAGES_n2",
      ])
    let rows = try #require(report.releases?["t"])
    #expect(rows[.android]?.cells.map(\.state) == [.missing, .ok])
    #expect(rows[.android]?.cells.first?.keys == ["messages_n5"])
    #expect(rows[.android]?.safeSince?.text == "4.1")
    #expect(rows[.ios]?.cells.map(\.state) == [.missing, .partial])
    #expect(rows[.ios]?.cells.last?.locales == ["pl"])
    // The message has those keys and no others.
    let args = try #require(try JSON.parse(Array("{\"name\": \"x\", \"count\": 7}".utf8)).object)
    let message = try catalog.assemble(
      AssemblyRequest(template: "t", args: args, longestTarget: .token("t"))
    ).get()
    let sent = String(
      decoding: message.message.sendRequestBody(
        to: .token("t"), values: .example(ttlSeconds: 60)), as: UTF8.self)
    #expect(sent.contains("\"messages_n5\""))
    #expect(sent.contains("\"MESSAGES_n5\""))
  }

  private func unreadable(_ version: String) throws -> AppReleases.Release {
    let problem = ResourceProblem(kind: .noResources, file: "app.apk", FindingText(english: "No such file."))
    return AppReleases.Release(
      version: try #require(ReleaseVersion(version)), line: 7,
      resources: StringResources(platform: .android, folder: "app.apk", tables: [], problems: [problem]))
  }

  @Test func aReleaseThatCannotBeReadIsOneError() throws {
    let findings = try check(AppReleases(android: [try unreadable("1")])).findings
    #expect(findings.map(\.rule) == [.unparsableStrings])
    #expect(findings.first?.line == 7)
  }

  /// Nothing is known about its keys. The state is one that clients know.
  @Test func aReleaseThatCannotBeReadIsSaidToBeUnreadable() throws {
    let releases = AppReleases(android: [
      try unreadable("1"), try release(.android, "2", ["default": ["title": "T", "body": "%1$s"]]),
    ])
    let matrix = try #require(try check(releases).releases)
    let row = matrix.json["templates"]?["t"]?["android"]
    #expect(row?["safe_since"] == "2")
    #expect(
      row?["releases"]?["1"] == [
        "state": "missing", "keys": ["title", "body"], "locales": [], "verdicts": [:], "unreadable": true,
      ])
    #expect(
      matrix.text(TerminalStyle(hasColours: false)) == """
        Android  1           2           safe since
        t        unreadable  ok          2

        t Android 1: the release cannot be read, so nothing is known about its keys: title, body

        """)
  }

  /// Whatever else is wrong, the first lines of a log have it.
  @Test func aReleaseThatCannotBeReadComesFirst() throws {
    let crash = try release(.android, "2", ["default": ["title": "T", "body": "%1$d"]])
    let report = try check(AppReleases(android: [try unreadable("1"), crash]))
    #expect(report.ranked.map(\.rule) == [.unparsableStrings, .stringFormatMatches])
    #expect(report.groups.first?.rule == .unparsableStrings)
  }

  /// A selected template cannot be checked against a release that cannot be read.
  @Test(arguments: [("t", ["1"]), ("new", []), ("ios", []), ("*", ["1"])])
  func aSelectionKeepsTheReleasesThatItsTemplatesNeed(pattern: String, found: [String]) throws {
    let text = """
      version: 1
      templates:
        t: {title: {android: title}}
        new: {title: {android: title}, since: {android: 2}}
        ios: {title: {ios: TITLE}}
      """
    let catalog = try Catalog.parse(Array(text.utf8), file: "catalog.yaml")
    let report = Check(catalog, against: nil, releases: AppReleases(android: [try unreadable("1")])).report()
    let selection = try FindingSelection(
      templates: [pattern], locales: [], of: AppCatalog(catalog: catalog, resources: nil))
    let selected = report.selecting(selection).findings.filter { $0.rule == .unparsableStrings }
    #expect(selected.compactMap(\.release) == found)
  }

  @Test func writesJSON() throws {
    let json = try #require(try check(releases()).releases).json
    let row = json["templates"]?["t"]?["android"]
    #expect(row?["safe_since"] == "4.10")
    #expect(
      row?["releases"]?["4.9"] == [
        "state": "missing", "keys": ["body"], "locales": [], "verdicts": ["dropped": ["en"]],
      ])
    #expect(
      row?["releases"]?["4.10"] == [
        "state": "ok", "keys": [], "locales": [], "verdicts": ["other_language": ["fr"]],
      ])
  }

  /// A build of sources leaves out a string without a default; an app that was shipped with one crashes.
  @Test func saysWhatAReleaseWithoutADefaultDoes() throws {
    let texts: Texts = ["fr": ["title": "T"]]
    func report(_ shipped: ShippedApp?) throws -> CheckReport {
      let release = AppReleases.Release(
        version: try #require(ReleaseVersion("1")), line: 1,
        resources: resources(.android, texts, shipped))
      return try check(AppReleases(android: [release]), templates: "  t: {title: {android: title}}")
    }
    let style = TerminalStyle(hasColours: false)
    let source = try report(nil)
    #expect(source.findings.first { $0.release != nil }?.message.hasSuffix("Android drops the line.") == true)
    #expect(source.releases?.text(style).contains("the line is dropped: title") == true)
    let app = try report(ShippedApp(version: "1", package: "a"))
    let finding = try #require(app.findings.first { $0.release != nil })
    #expect(finding.message.hasSuffix("phones in other languages crash.") && finding.impact == .crash)
    #expect(app.releases?.text(style).contains("phones in other languages crash: title") == true)
  }

  @Test func writesATable() throws {
    let report = try check(releases(), since: "since: {android: 4.1}")
    let text = try #require(report.releases).text(TerminalStyle(hasColours: false))
    #expect(
      text == """
        Android  4.0        4.1        4.9        4.10       5          safe since
        t        (partial)  broken     missing    ok         ok         4.10

        iOS  7.0        7.1        7.2        safe since
        t    partial    ok         ok         7.1

        t Android 4.1: a text crashes the app or is garbled; dragoman check says how: body (default)
        t Android 4.9: the release lacks the key, and the line is dropped: body
        t iOS 7.0: languages lack the key, and show the raw key or the fallback: BODY (de)

        (In parentheses: the template's since keeps it from that release.)
        """)
  }
}
