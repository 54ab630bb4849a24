import Catalog
import Testing

@testable import CatalogCheck

/// What `check` says of the forms of a plural: the number that one leaves out, forms that no phone uses, and
/// empty ones.
@Suite struct PluralFormTests {
  private static let english = PluralApp.android([("one", "%1$d from %2$s"), ("other", "%1$d from %2$s")])

  /// The findings about forms with one more language on Android, after its texts were written.
  private func findings(
    _ language: String, _ forms: [(String, String)]
  ) throws -> [Finding] {
    var files = ["res/values/strings.xml": Self.english]
    files[language == "en" ? "res/values/strings.xml" : "res/values-\(language)/strings.xml"] =
      PluralApp.android(forms)
    let app = try PluralApp(files, body: "{android: messages, args: [count, sender], plural: count}")
    return try findings(app)
  }

  private func findings(_ app: PluralApp) throws -> [Finding] {
    try app.report().write()
    let loaded = try app.load()
    let rules: [CheckRule] = [.numberMissing, .unusedQuantity, .emptyValue, .lostArg, .pluralUnreadable]
    return Check(loaded.catalog, against: loaded.resources).report().findings.filter {
      rules.contains($0.rule)
    }
  }

  /// French `one` stands for 0 and 1, Russian `one` for 1, 21, 31 and so on.
  @Test(
    arguments: [
      ("fr", [("one", "Un de %2$s"), ("other", "%1$d de %2$s")], ["0 and 1"]),
      (
        "ru",
        [
          ("one", "Одно от %2$s"), ("few", "%1$d от %2$s"), ("many", "%1$d от %2$s"),
          ("other", "%1$d от %2$s"),
        ], ["1 and 21"]
      ),
      ("de", [("one", "Eine von %2$s"), ("other", "%1$d von %2$s")], []),
      ("de", [("one", "Eine von %2$s"), ("other", "Viele von %2$s")], ["0 and 2"]),
      (
        "ar",
        [
          ("zero", "لا شيء %2$s"), ("one", "واحدة %2$s"), ("two", "اثنتان %2$s"), ("few", "%1$d من %2$s"),
          ("many", "%1$d من %2$s"), ("other", "%1$d من %2$s"),
        ], []
      ),
      ("ja", [("one", "x %2$s"), ("other", "%1$d %2$s")], []),
    ] as [(String, [(String, String)], [String])])
  func aFormForSeveralNumbersMustShowThem(
    language: String, forms: [(String, String)], examples: [String]
  ) throws {
    let found = try findings(language, forms)
    #expect(found.map(\.rule) == examples.map { _ in .numberMissing })
    for (finding, example) in zip(found, examples) {
      #expect(finding.message.contains("such as \(example)."))
      #expect(finding.locale == language)
      #expect(finding.file?.hasSuffix("res/values-\(language)/strings.xml") == true)
      #expect(finding.severity == .warning)
      #expect(finding.verdict == nil)
    }
  }

  @Test func numbersThatNoRequestSendsAreNoneOfThem() throws {
    let app = try PluralApp(
      [
        "res/values/strings.xml": Self.english,
        "res/values-fr/strings.xml": PluralApp.android([("one", "Un de %2$s"), ("other", "%1$d de %2$s")]),
      ],
      body: "{android: messages, args: [count, sender], plural: count, "
        + "variants: [{when: {count: 0}, android: none, args: [sender]}]}")
    let rules = try findings(app).map(\.rule)
    #expect(!rules.contains(.numberMissing))
  }

  /// An iPhone takes `zero` for 0 in every language.
  @Test func theZeroOfAnIPhoneIsUsed() throws {
    let app = try PluralApp(
      [
        "app/fr.lproj/Localizable.strings": "\"x\" = \"y\";",
        "app/fr.lproj/Localizable.stringsdict": PluralApp.stringsDict([
          ("zero", "Rien de %2$@"), ("one", "Un de %2$@"), ("other", "%d de %2$@"),
        ]),
      ], body: "{ios: MESSAGES, args: [count, sender], plural: count}",
      top: "resources: {ios: app, development_language: fr}")
    #expect(try findings(app).isEmpty)
  }

  @Test func theZeroThatNoAndroidPhoneUsesIsANote() throws {
    let forms = [("zero", "Nothing from %2$s"), ("one", "%1$d from %2$s"), ("other", "%1$d from %2$s")]
    let found = try findings("en", forms)
    #expect(found.map(\.rule) == [.unusedQuantity])
    #expect(found.first?.severity == .note)
    #expect(found.first?.help.contains("{when: {count: 0}, android: KEY}") == true)
    #expect(
      try findings("lv", [("zero", "x %1$d %2$s"), ("one", "y %1$d %2$s"), ("other", "z %1$d %2$s")]).isEmpty)
    #expect(
      try findings("en", [("zero", "%1$d from %2$s"), ("one", "1 %2$s"), ("other", "%1$d from %2$s")]).isEmpty
    )
  }

  @Test func anEmptyFormCountsAsAbsent() throws {
    let app = try PluralApp(
      ["res/values/strings.xml": PluralApp.android([("one", ""), ("other", "%1$d from %2$s")])],
      body: "{android: messages, args: [count, sender], plural: count}")
    let found = try findings(app)
    #expect(
      found.map(CheckFixture.short).map { $0.replacing("\(app.path)/", with: "") } == [
        "EmptyValue t body android default messages res/values/strings.xml:3"
      ])
    #expect(found.first?.severity == .warning)
    #expect(try app.texts()["android default n1"] == "%1$s from %2$s")
  }

  @Test func anEmptyOtherLeavesNothingToStandIn() throws {
    let app = try PluralApp(
      ["res/values/strings.xml": PluralApp.android([("one", "%1$d"), ("other", "")])],
      body: "{android: messages, args: [count], plural: count}")
    let loaded = try app.load()
    let rules = Check(loaded.catalog, against: loaded.resources).report().findings.map(\.rule)
    #expect(rules.contains(.pluralUnreadable))
  }

  @Test func twoNumbersAreAdvisedToBecomeTwoTexts() throws {
    let more = """
      <key>m</key><dict><key>NSStringFormatSpecTypeKey</key><string>NSStringPluralRuleType</string>
      <key>NSStringFormatValueTypeKey</key><string>d</string><key>other</key><string>%d</string></dict>
      """
    let app = try PluralApp(
      [
        "app/en.lproj/Localizable.strings": "\"x\" = \"y\";",
        "app/en.lproj/Localizable.stringsdict": PluralApp.stringsDict(
          [("other", "%d")], format: "%#@n@ in %#@m@", more: more),
      ], body: "{ios: MESSAGES, args: [count, total], plural: count}")
    let loaded = try app.load()
    let finding = Check(loaded.catalog, against: loaded.resources).report().findings
      .first { $0.rule == .pluralUnreadable }
    #expect(finding?.help.contains("two texts") == true)
  }

  /// A fault of a generated text is corrected in the plural.
  @Test func faultsOfGeneratedTextsAreReportedAtThePlural() throws {
    let app = try PluralApp(
      [
        "res/values/strings.xml": PluralApp.android([("one", "&amp;amp; %1$d"), ("other", "&amp;amp; %1$d")])
      ],
      body: "{android: messages, args: [count], plural: count}")
    try app.report().write()
    let loaded = try app.load()
    let found = Check(loaded.catalog, against: loaded.resources).report().findings
      .filter { $0.rule == .visibleMarkup }
    #expect(found.count == 1)
    #expect(found.first?.file?.hasSuffix("res/values/strings.xml") == true)
    #expect(found.first?.line == 3)
    #expect(found.first?.help.contains("dragoman plurals --write") == true)
  }
}
