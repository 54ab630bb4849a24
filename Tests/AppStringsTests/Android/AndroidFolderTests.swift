internal import FCMMessage
@testable import AppStrings
import Testing

/// Names of `values` folders (AOSP ConfigDescription.cpp, Locale.cpp).
@Suite struct AndroidFolderTests {
  @Test(arguments: [
    ("values", nil, 0), ("values-fr", "fr", 0), ("values-FR-rca", "fr-CA", 0), ("values-fil", "fil", 0),
    ("values-b+sr+Latn", "sr-Latn", 0), ("values-b+es+419", "es-419", 0),
    ("values-b+zh+Hant+HK", "zh-Hant-HK", 0),
    ("values-B+EN+us", "en-US", 0), ("values-b+de+1996", "de-1996", 0), ("values-b+ar+u+nu+arab", "ar", 1),
    ("values-iw", "he", 0), ("values-in-rID", "id-ID", 0), ("values-ji", "yi", 0), ("values-he", "he", 0),
    ("values-night", nil, 1), ("values-v21", nil, 1), ("values-v21.1", nil, 1), ("values-fr-v21", "fr", 1),
    (
      "values-mcc310-mnc004-en-rUS-ldrtl-sw600dp-w820dp-h1280dp-xlarge-long-round-widecg-highdr-land-car-night"
        + "-xhdpi-finger-keyssoft-qwerty-navhidden-trackball-1024x768-v30", "en-US", 22
    ),
    ("values-car", nil, 1), ("values-fr-car", "fr", 1), ("values-watch", nil, 1), ("values-notnight", nil, 1),
    ("values-hdpi", nil, 1), ("values-240dpi", nil, 1), ("values-notround", nil, 1),
    ("values-fr-feminine", "fr", 1),
    ("values-any-fr", "fr", 0), ("values-", nil, 0), ("values-en-rXA", "en-XA", 0),
  ])
  func readsAConfiguration(folder: String, locale: String?, qualifiers: Int) throws {
    let configuration = try AndroidConfiguration(folder: folder)
    #expect(configuration.locale?.description == locale)
    #expect(configuration.qualifiers.count == qualifiers)
  }

  @Test(arguments: [
    ("values-en_GB", "values-en-rGB"), ("values-fr-CA", "values-fr-rCA"),
    ("values-zh-Hant", "values-b+zh+Hant"),
    ("values-zh-rHant", "values-b+zh+Hant"), ("values-es-r419", "values-b+es+419"),
    ("values-es-419", "values-b+es+419"),
    ("values-zh-Hans-rCN", "values-b+zh+Hans+CN"), ("values-sr+Latn", "values-b+sr+Latn"),
    ("values-b-sr-Latn", "values-b+sr+Latn"), ("values-night-fr", "values-fr-night"),
    ("values-v21-sw600dp-pt-BR", "values-pt-rBR-sw600dp-v21"), ("values-fr-mcc310", "values-mcc310-fr"),
    ("values-fr-r", "values-fr"), ("values-xx-rYYY", nil), ("values-b+", nil), ("values-b+f", nil),
    ("values-fr-rC1", nil), ("values-french", nil), ("values-mcc0", nil), ("values-w600", nil),
    ("values--fr", "values-fr"),
    ("values-800x1200", nil), ("values-b+en+", "values-en"),
  ])
  func rejectsInvalidConfigurations(folder: String, suggestion: String?) {
    #expect(throws: AndroidConfiguration.FolderNameError(suggestion: suggestion)) {
      try AndroidConfiguration(folder: folder)
    }
  }

  @Test func reportsAnInvalidNameAndReadsTheOthers() throws {
    let text = "<string name=\"k\">x</string>"
    let resources = try readAndroid([
      "values/s.xml": text, "values-en_GB/s.xml": text, "values-fr/s.xml": text, "values_de/s.xml": text,
      "valuesandmore/s.xml": text, "drawable/s.xml": text,
    ])
    #expect(resources.tables.map(\.name) == ["default", "fr"])
    #expect(resources.problems.map(\.kind) == [.localeFolder, .unread])
    let problem = try #require(resources.problems.first)
    #expect(problem.file == "\(resources.folder)/values-en_GB")
    #expect(problem.message.contains("values-en-rGB"))
  }

  @Test(arguments: ["values", "values-fr"])
  func namesTheFolderAboveOneThatIsTooDeep(folder: String) throws {
    let text = "<string name=\"k\">x</string>"
    let fixture = try AndroidFixture(
      ["values/s.xml", "values-fr/s.xml"].reduce(into: [:]) {
        $0[$1] = Array("<resources>\(text)</resources>".utf8)
      })
    let res = fixture.folder
    let problems = withExtendedLifetime(fixture) {
      AndroidResourceReader.read(folder: "\(res)/\(folder)/").problems
    }
    #expect(problems.map(\.message) == ["The folder has no subfolder \"values\". Did you mean \(res)?"])
  }

  @Test(arguments: [
    ("values-cz", "cz", "\"cs\""), ("values-xx", "xx", "ISO 639-1"),
  ])
  func reportsCodesThatNoPhoneUsesButReadsThem(folder: String, table: String, hint: String) throws {
    let resources = try readAndroid(["values/a.xml": "", "\(folder)/s.xml": "<string name=\"k\">x</string>"])
    #expect(resources.texts(table) == ["k": "x"])
    #expect(resources.problems.map(\.kind) == [.localeFolder])
    #expect(resources.problems.first?.message.contains(hint) == true)
  }

  @Test(arguments: [("values-en-rUK", "en-UK", "\"GB\""), ("values-fr-rYY", "fr-YY", "ISO 3166-1")])
  func onlyRemarksOnRegionsWhoseFoldersPhonesUse(folder: String, table: String, hint: String) throws {
    let resources = try readAndroid(["values/a.xml": "", "\(folder)/s.xml": "<string name=\"k\">x</string>"])
    #expect(resources.texts(table) == ["k": "x"])
    #expect(resources.problems.map(\.kind) == [.remark])
    #expect(resources.problems.first?.message.contains(hint) == true)
    let phone = DeviceStrings(
      resources, preferring: [table == "en-UK" ? "en-GB" : "fr-FR"], developmentLanguage: nil)
    #expect(phone.resolvedLocale == table)
  }

  @Test(arguments: [("values-no", "nb"), ("values-nob", "nb"), ("values-b+deu", "de"), ("values-ger", "de")])
  func reportsFoldersThatNoPhoneLooksFor(folder: String, current: String) throws {
    let resources = try readAndroid(["values/a.xml": "", "\(folder)/s.xml": "<string name=\"k\">x</string>"])
    #expect(resources.problems.map(\.kind) == [.unreachable])
    #expect(resources.problems.first?.message.contains("\"\(current)\"") == true)
  }

  @Test(arguments: ["values-fil", "values-tl", "values-kab", "values-iw", "values-nn", "values-ast"])
  func acceptsFoldersThatPhonesLookFor(folder: String) throws {
    let resources = try readAndroid(["values/a.xml": "", "\(folder)/s.xml": "<string name=\"k\">x</string>"])
    #expect(resources.problems == [])
  }

  @Test(arguments: [("values-he", "iw"), ("values-id-rID", "in"), ("values-yi", "ji"), ("values-b+he", "iw")])
  func reportsTheCodesThatAndroidRewrites(folder: String, older: String) throws {
    let resources = try readAndroid(["values/a.xml": "", "\(folder)/s.xml": "<string name=\"k\">x</string>"])
    #expect(resources.problems.map(\.kind) == [.unreachable])
    #expect(resources.problems.first?.message.contains("in values-\(older), not") == true)
    #expect(resources.tables.last?.entries.count == 1)
  }

  @Test func reportsTheFoldersThatAnotherShadows() throws {
    let text = "<string name=\"k\">x</string>"
    let resources = try readAndroid([
      "values/s.xml": text, "values-be/s.xml": text, "values-b+be+x+old/s.xml": text, "values-he/s.xml": text,
      "values-iw/s.xml": text, "values-be-land/s.xml": text,
    ])
    #expect(resources.problems.map(\.kind) == [.unreachable, .unreachable])
    #expect(
      resources.problems.map(\.file) == ["b+be+x+old", "he"].map { "\(resources.folder)/values-\($0)" })
  }

  @Test func readsAFolderWithPrivateUseByItsLanguage() throws {
    let resources = try readAndroid([
      "values/a.xml": "", "values-b+be+x+old/s.xml": "<string name=\"k\">x</string>",
    ])
    #expect(resources.texts("be") == ["k": "x"])
    #expect(resources.problems == [])
  }

  @Test(arguments: [
    ("values-sr", "Nova poruka", [ResourceProblem.Kind.unreachable]), ("values-sr", "Нова порука", []),
    ("values-sr", "OK", []), ("values-b+sr+Latn", "Nova poruka", []), ("values-sr-rME", "Nova poruka", []),
    ("values-sr", "Порука са Android", []),
  ])
  func reportsLatinLettersWherePhonesExpectCyrillic(
    folder: String, text: String, kinds: [ResourceProblem.Kind]
  ) throws {
    let resources = try readAndroid([
      "values/a.xml": "", "\(folder)/s.xml": "<string name=\"k\">\(text)</string>",
    ])
    #expect(resources.problems.map(\.kind) == kinds)
  }

  @Test(arguments: ["en-rXC", "tlh-rAA", "en-rQQ", "sq-rXK"])
  func privateUseRegionIsRejected(folder: String) throws {
    let resources = try readAndroid(["values/a.xml": "", "values-\(folder)/s.xml": ""])
    #expect(resources.problems == [])
  }

  @Test func aFolderWithFewerQualifiersWins() throws {
    let resources = try readAndroid([
      "values-fr-land/s.xml": "<string name=\"a\">land</string><string name=\"b\">land</string>",
      "values-fr/s.xml": "<string name=\"a\">plain</string>",
      "values-fr-land-v21/s.xml": "<string name=\"b\">v21</string><string name=\"c\">v21</string>",
      "values-fr-night/s.xml": "<string name=\"b\">night</string>",
      "values-night/s.xml": "<string name=\"a\">default</string>",
    ])
    #expect(resources.texts("fr") == ["a": "plain", "b": "land", "c": "v21"])
    #expect(resources.texts("default") == ["a": "default"])
    #expect(resources.problems == [])
  }

  @Test func legacyCodeWinsOverTheCurrentOneBecausePhonesLookItUp() throws {
    let resources = try readAndroid([
      "values/s.xml": "", "values-he/s.xml": "<string name=\"a\">he</string><string name=\"b\">he</string>",
      "values-iw/s.xml": "<string name=\"a\">iw</string>",
    ])
    #expect(resources.tables.map(\.name) == ["default", "he"])
    #expect(resources.texts("he") == ["a": "iw", "b": "he"])
  }

  @Test func tablesAreInOrderWithTheDefaultFirst() throws {
    let folders = ["values-zu", "values", "values-b+sr+Latn", "values-am"]
    let resources = try readAndroid(
      Dictionary(uniqueKeysWithValues: folders.map { ("\($0)/s.xml", "<string name=\"k\">x</string>") }))
    #expect(resources.tables.map(\.name) == ["default", "am", "sr-Latn", "zu"])
    #expect(resources.tables.map { $0.locale?.description } == [nil, "am", "sr-Latn", "zu"])
    #expect(resources.platform == .android)
  }

  @Test func reportsWhenThereAreNoResources() throws {
    let missing = AndroidResourceReader.read(folder: "/nonexistent/res")
    #expect(missing.problems.map(\.kind) == [.noResources])
    #expect(missing.tables.isEmpty)
    let project = try readAndroid(["src/main/res/values/s.xml": "<string name=\"k\">x</string>"])
    #expect(project.problems.map(\.kind) == [.noResources])
    #expect(project.problems.first?.message.contains("src/main/res?") == true)
  }

  @Test func readsAFolderWithATrailingSlash() throws {
    let fixture = try AndroidFixture([
      "values/s.xml": Array("<resources><string name=\"k\">x</string></resources>".utf8)
    ])
    let resources = AndroidResourceReader.read(folder: fixture.folder + "//")
    #expect(resources.table("default")?["k"]?.file == "\(fixture.folder)/values/s.xml")
  }

  @Test func reportsAFolderWithTheScriptThatPhonesAssume() throws {
    let text = "<string name=\"k\">x</string>"
    let resources = try readAndroid([
      "values/s.xml": text, "values-zh-rSG/s.xml": text, "values-b+zh+Hans+SG/s.xml": text,
      "values-b+zh+Hant+SG/s.xml": text, "values-b+sr+Cyrl/s.xml": text,
    ])
    let problem = try #require(resources.problems.first)
    #expect(resources.problems.count == 1)
    #expect(problem.kind == .unreachable)
    #expect(problem.file == "\(resources.folder)/values-b+zh+Hans+SG")
    #expect(problem.table == "zh-Hans-SG")
    #expect(problem.message.contains("values-zh-rSG"))
  }

  @Test(arguments: [
    ("values-land", true), ("values-fr-sw600dp", true), ("values-v24", true), ("values-v23", false),
    ("values-fr", false), ("values-b+be+x+old", false), ("values-ldrtl", true),
  ])
  func tellsFoldersForSomePhones(folder: String, isConditional: Bool) throws {
    #expect(try AndroidConfiguration(folder: folder).isConditional == isConditional)
  }

  /// Every phone that receives messages has version 23, and prefers what is for a later version.
  @Test func phonesPreferTheFolderForTheirVersion() throws {
    func strings(_ text: String) -> String { "<string name=\"a\">\(text)</string>" }
    let resources = try readAndroid([
      "values/s.xml": strings("plain") + "<string name=\"b\">plain</string>",
      "values-v21/s.xml": strings("21"), "values-v23/s.xml": strings("23"), "values-v24/s.xml": strings("24"),
      "values-ro-night/s.xml": strings("night"), "values-ro-v23/s.xml": strings("23"),
    ])
    #expect(resources.texts("default") == ["a": "23", "b": "plain"])
    #expect(resources.texts("ro") == ["a": "23"])
    #expect(resources.table("ro")?["a"]?.isConditional == false)
  }

  @Test func aFolderForSomePhonesIsNoDefault() throws {
    let resources = try readAndroid([
      "values/s.xml": "<string name=\"both\">x</string>",
      "values-land/s.xml": "<string name=\"land\">x</string><string name=\"both\">y</string>",
      "values-fr-land/s.xml": "<string name=\"both\">z</string>",
      "values-de/s.xml": "<string name=\"german\">x</string>",
    ])
    func lookUp(_ key: String, _ locale: String) -> StringLookup {
      resources.lookUp(key, preferring: [locale], developmentLanguage: nil)
    }
    #expect(lookUp("land", "en") == .elsewhere(tables: ["default"]))
    #expect(lookUp("german", "de") == .removed(tables: ["de"]))
    #expect(lookUp("both", "fr").entry?.text == "x")
  }
}
