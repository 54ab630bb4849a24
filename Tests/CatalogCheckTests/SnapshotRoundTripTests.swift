import AppArchives
import AppStrings
import Catalog
import FCMMessage
import Foundation
import JSON
import TestSupport
import Testing

@testable import CatalogCheck

/// What `dragoman strings` prints, read again, says the same about the app.
@Suite struct SnapshotRoundTripTests {
  private func read(
    _ resources: StringResources, keys: Set<String>? = nil
  ) throws -> StringResources {
    let folder = try TemporaryFolder()
    var text = ""
    resources.json(StringSelection()) { text += $0 }
    try folder.write(text, to: "s.json")
    return StringResources.read(resources.platform, from: "\(folder.path)/s.json", keys: keys)
  }

  private func table(_ name: String, _ entries: [StringEntry]) -> StringTable {
    StringTable(
      name: name, locale: LocaleTag(name),
      entries: Dictionary(uniqueKeysWithValues: entries.map { (ExactText($0.key), $0) }))
  }

  private func entry(_ key: String, _ text: String) -> StringEntry {
    StringEntry(key: key, value: .string(text), file: "res", line: 3)
  }

  @Test func keepsTheConditionsOfAndroidsStrings() throws {
    let folder = try TemporaryFolder()
    func write(_ strings: String, to folder: TemporaryFolder, _ values: String) throws {
      try folder.write("<resources>\(strings)</resources>", to: "\(values)/s.xml")
    }
    try write(
      "<string name=\"a\">@string/b</string><string name=\"b\">@string/c</string><string name=\"c\">C</string>"
        + "<string name=\"fixed\" translatable=\"false\">x</string><string name=\"null\">@null</string>"
        + "<string name=\"two\" formatted=\"false\">%s %s</string>", to: folder, "values")
    try write("<string name=\"wide\">w</string>", to: folder, "values-land")
    try write("<string name=\"c\">C fr</string>", to: folder, "values-fr")
    let source = StringResources.read(.android, from: folder.path)
    for keys in [nil, Set(["a", "wide", "fixed", "two", "null"])] {
      let snapshot = try read(source, keys: keys)
      #expect(snapshot.tables.map(\.name) == ["default", "fr"])
      let texts = try #require(snapshot.tables.first)
      #expect(texts["a"]?.text == "C")
      #expect(texts["a"]?.reference == "b")
      #expect(snapshot.table("fr")?["a"]?.text == "C fr")
      #expect(snapshot.table("fr")?["a"]?.isInherited == true)
      #expect(texts["wide"]?.isConditional == true)
      #expect(texts["fixed"]?.isTranslatable == false)
      #expect(texts["null"]?.absence == .null)
      #expect(texts["two"]?.isFormatted == false)
      #expect(texts["two"]?.isConditional == false)
    }
    var text = ""
    source.json(StringSelection(locales: ["fr"])) { text += $0 }
    let french = try JSON.parse(text)["locales"]?["fr"]
    #expect(french?["c"]?["text"] == "C fr")
    #expect(french?["a"] == nil)
  }

  @Test func keepsTheNameOfTheApp() throws {
    for name in [
      AppName("Shop", localized: [ExactText("de"): "Laden"]),
      AppName(nil, localized: [ExactText("de"): "Laden"]),
      AppName("Shop"), nil,
    ] {
      let resources = StringResources(
        platform: .ios, folder: "App", tables: [table("en", [entry("K", "Text")])], problems: [],
        appName: name)
      #expect(try read(resources).appName == name)
    }
  }

  @Test func keepsTheReferencesOfPlurals() throws {
    let folder = try TemporaryFolder()
    try folder.write(
      "<resources><plurals name=\"p\"><item quantity=\"one\">@string/p1</item><item quantity=\"other\">n</item>"
        + "</plurals><string name=\"p1\">one</string></resources>", to: "values/s.xml")
    try folder.write("<resources><string name=\"p1\">un</string></resources>", to: "values-fr/s.xml")
    let source = StringResources.read(.android, from: folder.path)
    for keys in [nil, Set(["p"])] {
      let snapshot = try read(source, keys: keys)
      #expect(snapshot.tables.first?["p"]?.value == source.tables.first?["p"]?.value)
      #expect(
        snapshot.table("fr")?["p"]?.value
          == .plural([
            .init(category: "one", text: "un", reference: "p1"), .init(category: "other", text: "n"),
          ]))
    }
    var text = ""
    source.json(StringSelection(locales: ["fr"])) { text += $0 }
    #expect(try JSON.parse(text)["locales"]?["fr"]?["p"] == nil)
  }

  @Test func keepsTheTextsForSomePhones() throws {
    let folder = try TemporaryFolder()
    func write(_ text: String, _ values: String, name: String = "k") throws {
      try folder.write(
        "<resources><string name=\"\(name)\">\(text)</string></resources>", to: "\(values)/\(name).xml")
    }
    try write("A {%1$s}", "values")
    try write("@string/x", "values-v31")
    try write("B %1$d", "values", name: "x")
    try write("@null", "values-sw600dp-night")
    try write("fr", "values-fr")
    try write("B fr %1$s", "values-fr", name: "x")
    let source = StringResources.read(.android, from: folder.path)
    for keys in [nil, Set(["k"])] {
      let snapshot = try read(source, keys: keys)
      let texts = try #require(snapshot.tables.first?.alternatives(of: "k"))
      #expect(texts.compactMap(\.qualifiers).sorted() == ["sw600dp-night", "v31"])
      let newer = try #require(texts.first { $0.qualifiers == "v31" })
      #expect(newer.text == "B %1$d")
      #expect(texts.first { $0 != newer }?.absence == .null)
      #expect(snapshot.table("fr")?.alternatives(of: "k") == [])
      #expect(snapshot.tables.first?["k"]?.text == "A {%1$s}")
    }
    var text = ""
    source.text(StringSelection(keys: ["k"]), TerminalStyle(hasColours: false)) { text += $0 }
    #expect(text.contains("values-v31/k.xml:1 (v31)\n    B %1$d\n"))
  }

  @Test func keepsThePluralsOfIPhones() throws {
    let forms = [
      StringEntry.Form(category: "one", text: "%d file"), .init(category: "other", text: "%d \"files\""),
    ]
    let format = PluralFormat(
      format: "%#@n@ of %2$@",
      variables: [.init(name: "n", position: nil, forms: forms), .init(name: "m", position: 2, forms: [])],
      hasArgSign: true)
    let plural = StringEntry(
      key: "P", value: .plural(forms), file: "app", line: nil, formatKey: "%#@n@ of %2$@",
      pluralFormat: format)
    let whole = StringEntry(
      key: "W", value: .plural(forms), file: "app", line: nil,
      pluralFormat: PluralFormat(
        format: nil, variables: [.init(name: "", position: nil, forms: forms)], hasArgSign: false))
    let app = StringResources(
      platform: .ios, folder: "app", tables: [table("en", [plural, whole, entry("T", "Text")])], problems: [],
      shipped: ShippedApp(version: "7.0", package: "org.example", developmentLanguage: "de"))
    let snapshot = try read(app)
    let english = try #require(snapshot.tables.first)
    #expect(english["P"]?.value == .plural(forms))
    #expect(english["P"]?.formatKey == "%#@n@ of %2$@")
    #expect(english["P"]?.pluralFormat == format)
    #expect(english["W"]?.pluralFormat == whole.pluralFormat)
    #expect(english["T"]?.pluralFormat == nil)
    #expect(snapshot.shipped?.developmentLanguage == "de")
    #expect(snapshot.shipped?.version == "7.0")
  }

  /// The next app whose catalog lists its languages, and releases, choose among them too.
  @Test func keepsTheLanguagesWithoutATable() throws {
    let app = StringResources(
      platform: .ios, folder: "app",
      tables: [table("en", [entry("T", "English")]), table("pt-PT", [entry("T", "pt")])], problems: [],
      otherLocalizations: ["ja", "pt-BR"])
    let snapshot = try read(app)
    #expect(snapshot.otherLocalizations == ["ja", "pt-BR"])
    #expect(snapshot.lookUp("T", preferring: ["pt-BR"], developmentLanguage: "en").entry?.text == "English")
    let some = AppResources(ios: snapshot, locales: LanguageList(languages: ["en", "pt-PT"], line: 1))
    #expect(some.ios?.otherLocalizations == [])
    let release = snapshot.keeping([ExactText("T")])
    #expect(release.lookUp("T", preferring: ["pt-BR"], developmentLanguage: "en").entry?.text == "English")
  }

  /// In a build that collapses names, all strings have one, so that only one of them is in the table.
  @Test func keepsTheTextsThatWereRenamed() throws {
    let renamed = [ExactText("T \"1\""): "0_resource_name_obfuscated", ExactText("T2"): "b"]
    let app = StringResources(
      platform: .android, folder: "app", tables: [table("default", [entry("kept", "x")])], problems: [],
      shipped: ShippedApp(version: "1", package: "a", renamedTexts: renamed, hasObfuscatedNames: true))
    let snapshot = try read(app, keys: ["other"])
    #expect(snapshot.shipped?.renamedTexts == renamed)
    #expect(snapshot.shipped?.hasObfuscatedNames == true)
  }

  /// `elsewhere`, and the bundle of each key in it.
  @Test(arguments: [AppPlatform.android, .ios]) func keepsWhatDoesNotReachTheApp(
    _ platform: AppPlatform
  ) throws {
    let places = ["core", nil].map { owner in
      StringResources.Elsewhere(path: "there/strings", owner: owner, reason: "nothing packs it")
    }
    let app = StringResources(
      platform: platform, folder: "app", tables: [], problems: [],
      outOfReach: [
        ExactText("K"): .init(table: "T", file: "there/strings", line: 1, place: places[0]),
        ExactText("L"): .init(table: "T", file: "there/strings", line: 2),
      ], elsewhere: places)
    let snapshot = try read(app)
    #expect(snapshot.elsewhere == places)
    #expect(snapshot.outOfReach == app.outOfReach)
    #expect(try read(snapshot).elsewhere == places)
  }

  @Test func keepsTextsThatTheBuildCut() throws {
    let app = StringResources(
      platform: .android, folder: "app", tables: [table("default", [entry("k", "STRING_TOO_LARGE")])],
      problems: [], shipped: ShippedApp(version: "1", package: "a"))
    var keys = KeyChecks(resources: AppResources(android: try read(app)))
    let use = try #require(
      try CheckFixture(templates: "  t: {body: {android: k}}").catalog().templates.first?.keyUses.first)
    #expect(keys.findings(of: use).map(\.rule) == [.unparsableStrings])
  }

  /// `check` finds the same in the snapshot as in the app, but what depends on its code.
  @Test func keepsWhatCheckFinds() throws {
    var fixture = CheckFixture()
    fixture.android["de"] = [("k", "@string/lib")]
    fixture.unresolved = ["k"]
    fixture.problems = [
      ResourceProblem(kind: .unparsable, file: "a.xml", line: 2, table: "fr", FindingText(english: "m")),
      ResourceProblem(kind: .localeFolder, file: "values-xx", FindingText(english: "m")),
      ResourceProblem(kind: .unreachable, file: "values-no", table: "no", FindingText(english: "m")),
      ResourceProblem(
        kind: .duplicateKey, file: "a.xml", line: 3, table: "default", key: "k", FindingText(english: "m")),
      ResourceProblem(
        kind: .suspicious, file: "a.xml", line: 4, table: "de", key: "k", FindingText(english: "m")),
      ResourceProblem(kind: .remark, file: "a.xml", line: 5, FindingText(english: "m")),
    ]
    fixture.ios = ["en": [("other", "x")], "de": [("other", "x")]]
    fixture.states = ["de": .needsReview]
    fixture.outOfReach = ["K": .init(table: "Push", file: "app/Push.strings", line: 7)]
    let app = fixture.resources
    let snapshot = AppResources(
      android: try read(try #require(app.android)), ios: try read(try #require(app.ios)),
      developmentLanguage: "en")
    func rules(_ resources: AppResources) throws -> [String] {
      Check(try fixture.catalog(), against: resources).report().findings.map { "\($0.rule) \($0.key ?? "")" }
    }
    #expect(try rules(snapshot) == rules(app))
    #expect(try rules(app).contains { $0.hasPrefix("wrongTable") })
    #expect(snapshot.android?.problems == app.android?.problems)
    #expect(snapshot.android?.table("de")?["k"]?.isUnresolved == true)
    #expect(snapshot.ios?.table("de")?["other"]?.state == .needsReview)
  }
}
