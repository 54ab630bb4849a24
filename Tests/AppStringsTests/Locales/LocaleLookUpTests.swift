import AppStrings
import FCMMessage
import JSON
import Testing

/// What a phone finds for a key, and what a preview looks up.
@Suite struct LocaleLookUpTests {
  private func entry(_ key: String, _ value: StringEntry.Value) -> StringEntry {
    StringEntry(key: key, value: value, file: "f", line: 1)
  }

  private func resources(
    _ platform: AppPlatform, _ tables: [(String, [String: StringEntry.Value])]
  ) -> StringResources {
    StringResources(
      platform: platform, folder: "res",
      tables: tables.map { name, values in
        StringTable(
          name: name, locale: LocaleTag(name),
          entries: Dictionary(
            uniqueKeysWithValues: values.map { (ExactText($0.key), entry($0.key, $0.value)) }))
      }, problems: [])
  }

  private func android() -> StringResources {
    resources(
      .android,
      [
        ("default", ["all": .string("all"), "base": .string("base"), "mixed": .string("mixed")]),
        ("de", ["all": .string("alle"), "only_de": .string("nur"), "mixed": .plural([])]),
        (
          "fr", ["all": .string("tous"), "list": .array([]), "many": .plural([]), "only_fr": .string("seul")]
        ),
        ("fr-CA", ["all": .string("toutes"), "mixed": .array([]), "only_de": .plural([])]),
      ])
  }

  private func ios() -> StringResources {
    resources(
      .ios,
      [
        ("Base", ["all": .string("all"), "base": .string("base")]),
        ("fr", ["all": .string("tous"), "many": .plural([])]), ("zh_CN", ["all": .string("全部")]),
      ])
  }

  @Test(arguments: [
    ("all", "fr-CA", "fr-CA", "toutes"), ("all", "fr-FR", "fr", "tous"), ("all", "fr-CH", "fr", "tous"),
    ("all", "ja", "default", "all"), ("base", "fr-CA", "default", "base"),
    ("mixed", "de", "default", "mixed"), ("mixed", "fr-CA", "default", "mixed"),
    ("all", "default", "default", "all"),
    ("all", "", "default", "all"),
  ])
  func choosesAndroidsBestStringPerKey(key: String, locale: String, table: String, text: String) {
    let found = android().lookUp(key, preferring: [locale], developmentLanguage: "en")
    #expect(found == .found(entry(key, .string(text)), table: table))
    #expect(found.entry?.text == text)
  }

  @Test(arguments: ["ja", "fr-CA", "de", "default"])
  func buildRemovesAStringMissingFromValues(locale: String) {
    let found = android().lookUp("only_de", preferring: [locale], developmentLanguage: nil)
    #expect(found == .removed(tables: ["de"]))
    #expect(
      AndroidDevice(language: nil).outcome(key: "only_de", lookup: found, args: [])
        == .dropped(reason: "values/ lacks the string, so the build leaves it out of the app"))
  }

  @Test func reportsThatAndroidHasNoStringOfThatName() {
    let french = DeviceStrings(android(), preferring: ["fr"], developmentLanguage: nil)
    #expect(french.lookUp("many") == .notAString(entry("many", .plural([])), table: "fr"))
    #expect(french.lookUp("list") == .notAString(entry("list", .array([])), table: "fr"))
    #expect(french.lookUp("nothing") == .missing)
    #expect(french.lookUp("ALL") == .missing)
    #expect(
      android().lookUp("many", preferring: ["de"], developmentLanguage: nil)
        == .notAString(entry("many", .plural([])), table: "fr"))
  }

  @Test func aFolderThatNamesNoLocaleIsNotTheDefault() {
    let strings = resources(.android, [("default", [:]), ("night", ["dark": .string("dark")])])
    #expect(
      strings.lookUp("dark", preferring: ["fr"], developmentLanguage: nil) == .elsewhere(tables: ["night"]))
    #expect(strings.lookUp("dark", preferring: [], developmentLanguage: nil) == .elsewhere(tables: ["night"]))
  }

  @Test func reportsWhereAKeyIsAString() {
    #expect(android().tables(having: "mixed", asString: true) == ["default"])
    #expect(android().tables(having: "mixed", asString: false) == ["de", "fr-CA"])
    #expect(android().tables(having: "nothing", asString: true).isEmpty)
  }

  @Test func anAndroidUsersListIsReducedToOneLocale() {
    let phone = DeviceStrings(android(), preferring: ["ja-JP", "de-AT", "fr"], developmentLanguage: nil)
    #expect(phone.locale?.description == "de-AT")
    #expect(phone.tables.map(\.name) == ["de", "default"])
    #expect(phone.resolvedLocale == "de")
  }

  @Test(arguments: [
    ("all", "fr-CA", "fr"), ("all", "zh-Hans-SG", "zh_CN"), ("all", "ja", "Base"), ("all", "en-AU", "Base"),
    ("base", "en", "Base"), ("all", "default", "Base"),
  ])
  func usesOneAppleTableForAllKeys(key: String, locale: String, table: String) throws {
    let expected = try #require(ios().table(table)?[key])
    #expect(
      ios().lookUp(key, preferring: [locale], developmentLanguage: "en") == .found(expected, table: table))
  }

  @Test func iPhonesHaveNoFallbackPerKey() {
    let french = DeviceStrings(ios(), preferring: ["fr-FR", "en"], developmentLanguage: "en")
    #expect(french.lookUp("base") == .missing)
    #expect(french.lookUp("many") == .found(entry("many", .plural([])), table: "fr"))
    #expect(french.tables.map(\.name) == ["fr"])
    #expect(french.resolvedLocale == "fr")
  }

  @Test(arguments: [AppPlatform.android, .ios])
  func findsNothingInNothing(platform: AppPlatform) {
    let phone = DeviceStrings(resources(platform, []), preferring: ["fr"], developmentLanguage: "en")
    #expect(phone.lookUp("all") == .missing)
    #expect(phone.resolvedLocale == nil)
    #expect(resources(platform, []).previewLocales(developmentLanguage: "en").isEmpty)
  }

  @Test func keysAreComparedByTheirBytes() {
    let strings = resources(.ios, [("fr", ["caf\u{E9}": .string("x")])])
    #expect(strings.lookUp("cafe\u{301}", preferring: ["fr"], developmentLanguage: nil) == .missing)
    #expect(strings.lookUp("caf\u{E9}", preferring: ["fr"], developmentLanguage: nil).entry?.text == "x")
  }

  @Test func previewsAllLocales() {
    #expect(android().previewLocales(developmentLanguage: nil) == ["default", "de", "fr", "fr-CA"])
    #expect(android().previewLocales(developmentLanguage: "en") == ["en", "de", "fr", "fr-CA"])
    #expect(android().previewLocales(developmentLanguage: "de") == ["default", "de", "fr", "fr-CA"])
    #expect(ios().previewLocales(developmentLanguage: "en") == ["en", "fr", "zh-CN"])
    #expect(ios().previewLocales(developmentLanguage: nil) == ["Base", "fr", "zh-CN"])
    #expect(resources(.ios, [("pt-br", [:])]).previewLocales(developmentLanguage: "pt-BR") == ["pt-br"])
    #expect(
      resources(.ios, [("English", [:]), ("en", [:]), ("what ever", [:])]).previewLocales(
        developmentLanguage: nil)
        == ["en"])
  }

  private static let many = """
    default af am ar ar-EG as az b be bg bn bs ca cs da de de-AT de-CH el en-AU en-CA en-GB en-IN en-XA es es-419 es-AR \
    es-ES es-MX es-US et eu fa fi fil fr fr-CA fr-CH gl gu he hi hr hu hy id is it ja ka kk km kn ko ky lo lt lv mk \
    ml mn mr ms my nb ne nl nn or pa pa-PK pl pt pt-AO pt-BR pt-PT qaa-FR ro ru si sk sl sq sr sr-Latn sr-ME sv sw ta \
    te th tl tr uk ur uz uz-Cyrl vi zh-CN zh-HK zh-Hant zh-MO zh-SG zh-TW zu
    """.split(separator: " ").map(String.init)

  @Test(arguments: [AppPlatform.android, .ios])
  func everyLocaleResolvesToItsOwnTable(platform: AppPlatform) {
    let names = Self.many.filter { platform == .android ? $0 != "b" : $0 != "b" && $0 != "default" }
    let strings = resources(platform, names.map { ($0, ["k": .string($0)]) })
    for name in strings.previewLocales(developmentLanguage: nil) {
      let phone = DeviceStrings(strings, preferring: [name], developmentLanguage: nil)
      #expect(phone.resolvedLocale == name)
      #expect(phone.lookUp("k").entry?.text == name)
    }
  }

  @Test func aThousandKeysForEveryLocaleAreFound() {
    let keys = (0..<1_000).map { "key_\($0)" }
    let values = Dictionary(uniqueKeysWithValues: keys.map { ($0, StringEntry.Value.string($0)) })
    let strings = resources(
      .android, Self.many.map { ($0, $0 == "default" ? values : ["key_0": .string($0)]) })
    for name in strings.previewLocales(developmentLanguage: nil) {
      let phone = DeviceStrings(strings, preferring: [name], developmentLanguage: nil)
      #expect(keys.allSatisfy { phone.lookUp($0).entry != nil })
    }
  }
}
