import Glibc
import JSON
import Testing

@testable import AppStrings

@Suite struct AppleFolderTests {
  @Test func shallowestLocalizableTableBelongsToTheMainBundle() throws {
    let folder = try AppleAppFolder([
      "App/Resources/fr.lproj/Localizable.strings": "A=main;",
      "App/Kit/Sub/fr.lproj/Localizable.strings": "A=deep;\nK=deep;",
      "fr.lproj/InfoPlist.strings": "P=1;",
      "App/Push.xcstrings": "{\"sourceLanguage\":\"en\",\"version\":\"1.0\",\"strings\":{\n\"Q\":{}}}",
    ])
    let resources = folder.read()
    #expect(resources.problems == [])
    #expect(resources.tables.map(\.name) == ["fr"])
    #expect(resources.text("fr", "A") == "main")
    let unreached = resources.outOfReach
    #expect(Set(unreached.keys.map(\.text)) == ["A", "K", "P", "Q"])
    #expect(unreached[.init("K")]?.table == "Localizable")
    #expect(unreached[.init("K")]?.line == 2)
    #expect(unreached[.init("P")]?.table == "InfoPlist")
    #expect(unreached[.init("Q")] == .init(table: "Push", file: "\(folder.path)/App/Push.xcstrings", line: 2))
  }

  @Test func equallyShallowFoldersAreMergedAndTheFirstWins() throws {
    let folder = try AppleAppFolder([
      "A/en.lproj/Localizable.strings": "A=1;B=1;", "B/en.lproj/Localizable.strings": "C=2;\nB=2;",
      "B/de.lproj/Localizable.strings": "C=3;",
    ])
    let resources = folder.read()
    #expect(resources.tables.map(\.name) == ["de", "en"])
    #expect(["A", "B", "C"].map { resources.text("en", $0) } == ["1", "1", "2"])
    #expect(resources.problems.map(\.kind) == [.duplicateKey])
    #expect(resources.problems.first?.line == 2)
    #expect(resources.problems.map { folder.relative($0.file) } == ["B/en.lproj/Localizable.strings"])
  }

  /// The layout of Xcode's projects: the folders of all targets side by side.
  @Test func noPushMessageReachesTheTablesOfExtensions() throws {
    func info(_ key: String) -> String { StringsDictText.file("<key>\(key)</key><dict/>") }
    let folder = try AppleAppFolder([
      "Main/App/en.lproj/Localizable.strings": "A=main;", "Main/App/Info.plist": info("CFBundleName"),
      "AutoFill/Info.plist": info("NSExtension"), "AutoFill/en.lproj/Localizable.strings": "A=auto;F=1;",
      "Push/SupportingFiles/Info.plist": info("NSExtension"), "Push/en.lproj/Localizable.strings": "P=1;",
      "Clip/Info.plist": info("NSAppClip"), "Clip/en.lproj/Localizable.strings": "A=clip;C=1;",
      "Watch/Info.plist": info("WKApplication"), "Watch/Sub/Localizable.xcstrings": "not JSON",
      "Broken/Info.plist": "<plist><dict>", "Broken/x/y/en.lproj/Localizable.strings": "D=1;",
    ])
    let resources = folder.read()
    #expect(resources.tables.map(\.name) == ["en"])
    #expect(resources.table("en")?.entries.keys.map(\.text) == ["A"])
    #expect(resources.text("en", "A") == "main")
    #expect(Set(resources.outOfReach.keys.map(\.text)) == ["A", "C", "F", "P", "D"])
    #expect(resources.problems.map(\.kind) == [.remark])
    let named = AppleResourceReader.read(folder: "\(folder.path)/Push")
    #expect(named.text("en", "P") == "1")
  }

  @Test func mergesCatalogsAndFoldersOfOneBundle() throws {
    let resources = try AppleAppFolder([
      "Localizable.xcstrings":
        "{\"sourceLanguage\":\"en\",\"version\":\"1.0\",\"strings\":{\"A\":{},\"B\":{}}}",
      "en.lproj/Localizable.strings": "B=2;C=3;",
    ]).read()
    #expect(["A", "B", "C"].map { resources.text("en", $0) } == ["A", "B", "3"])
    #expect(resources.problems.map(\.key) == ["B"])
  }

  @Test func skipsFilesOfBuildsAndPackageManagers() throws {
    let skipped = [
      ".git", "build", "Pods", "Carthage", "DerivedData", "node_modules", "A.xcassets", ".build",
    ]
    let files = skipped.map { ("\($0)/x/en.lproj/Localizable.strings", "A=1;") }
    let resources = try AppleAppFolder(Dictionary(uniqueKeysWithValues: files)).read()
    #expect(resources.tables.isEmpty)
    #expect(resources.outOfReach.isEmpty)
    #expect(resources.problems.map(\.kind) == [.noResources])
  }

  @Test func reportsWhatItLookedForWhenNothingIsFound() throws {
    let folder = try AppleAppFolder(["a/b.txt": ""])
    let problem = try #require(folder.read().problems.first)
    #expect(problem.kind == .noResources)
    #expect(problem.file == folder.path)
    #expect(problem.message.contains("X.lproj/Localizable.strings"))
    #expect(problem.message.contains("Localizable.xcstrings"))
  }

  @Test func reportsWhenThereAreOnlyOtherTables() throws {
    let resources = try AppleAppFolder(["en.lproj/Push.strings": "A=1;"]).read()
    #expect(resources.problems.map(\.kind) == [.noResources])
    #expect(resources.outOfReach.count == 1)
  }

  @Test func reportsAMissingFolder() {
    let resources = AppleResourceReader.read(folder: "/nowhere/at/all")
    #expect(resources.problems.map(\.kind) == [.noResources])
    #expect(resources.problems.first?.message.contains("No such file") == true)
  }

  @Test func suggestsTheParentOfALanguageFolder() throws {
    let folder = try AppleAppFolder(["en.lproj/Localizable.strings": "A=1;"])
    let resources = AppleResourceReader.read(folder: folder.path + "/en.lproj")
    #expect(resources.problems.first?.message.contains("name the folder that holds") == true)
  }

  @Test func aTrailingSlashChangesNothing() throws {
    let folder = try AppleAppFolder(["en.lproj/Localizable.strings": "A=1;"])
    let resources = AppleResourceReader.read(folder: folder.path + "/")
    #expect(resources.table("en")?["A"]?.file == "\(folder.path)/en.lproj/Localizable.strings")
  }

  @Test func followsLinksOnceAndEndsLoops() throws {
    let folder = try AppleAppFolder(["real/en.lproj/Localizable.strings": "A=1;"])
    try folder.link("real/again", to: "..")
    try folder.link("z-linked", to: "real")
    try folder.link("self", to: "self")
    let resources = folder.read()
    #expect(resources.text("en", "A") == "1")
    #expect(resources.problems == [])
    #expect(resources.outOfReach.isEmpty)
  }

  @Test func brokenTableThatNothingReadsIsNoError() throws {
    let resources = try AppleAppFolder([
      "en.lproj/Localizable.strings": "A=1;", "en.lproj/Push.strings": "B",
      "sub/fr.lproj/Localizable.strings": "A=\"\\u00e9\";A=2;",
    ]).read()
    #expect(resources.problems.map(\.kind) == [.remark])
    #expect(resources.problems.first?.message.contains("never read this table") == true)
  }

  @Test func tablesAreSortedByName() throws {
    let names = ["zh-Hant", "Base", "pt-BR", "en"]
    let files = names.map { ("\($0).lproj/Localizable.strings", "A=1;") }
    #expect(
      try AppleAppFolder(Dictionary(uniqueKeysWithValues: files)).read().tables.map(\.name) == [
        "Base", "en", "pt-BR", "zh-Hant",
      ])
  }
}

@Suite struct AppleLocaleNameTests {
  @Test(arguments: [
    ("fr", "fr"), ("pt-BR", "pt-BR"), ("en_GB", "en-GB"), ("zh-Hant-HK", "zh-Hant-HK"), ("es-419", "es-419"),
    ("nb", "nb"),
  ])
  func acceptsCurrentNames(name: String, tag: String) {
    #expect(AppleLocaleName(name).locale?.description == tag)
    #expect(AppleLocaleName(name).remark == nil)
  }

  @Test func baseIsNeitherALocaleNorAProblem() {
    #expect(AppleLocaleName("Base").locale == nil)
    #expect(AppleLocaleName("Base").remark == nil)
  }

  @Test(arguments: [("in", "id"), ("iw", "he"), ("ji", "yi"), ("iw_IL", "he-IL")])
  func acceptsWithdrawnCodesThatPhonesFind(name: String, today: String) {
    #expect(AppleLocaleName(name).locale?.description == today)
    #expect(AppleLocaleName(name).remark == nil)
    #expect(
      AppleLocaleMatcher.localizations(for: [today], available: ["en", name], developmentLanguage: "en").first
        == name)
  }

  @Test(arguments: ["no", "nn", "tl", "en-UK", "es-419", "zh_CN"])
  func acceptsNamesThatPhonesFind(name: String) {
    #expect(AppleLocaleName(name).remark == nil)
  }

  @Test(arguments: [("English", "en"), ("Japanese", "ja"), ("Portuguese", "pt"), ("Korean", "ko")])
  func acceptsTheOldFullNames(name: String, code: String) {
    #expect(AppleLocaleName(name).locale?.description == code)
    #expect(AppleLocaleName(name).remark?.kind == .remark)
  }

  @Test(arguments: [("en-rGB", "en-GB"), ("b+sr+Latn", "sr-Latn"), ("b+es+419", "es-419")])
  func suggestsTheAppleFormOfAnAndroidName(name: String, right: String) {
    #expect(AppleLocaleName(name).locale == nil)
    #expect(AppleLocaleName(name).remark?.kind == .localeFolder)
    #expect(AppleLocaleName(name).remark?.text.english.contains("iOS has \"\(right)\"") == true)
  }

  @Test(arguments: ["", "x", "français", "values-fr", "-", "base", "Klingonish"])
  func rejectsInvalidLocales(name: String) {
    #expect(AppleLocaleName(name).locale == nil)
    #expect(AppleLocaleName(name).remark?.kind == .localeFolder)
  }

  @Test func readsATableWithAnInvalidName() throws {
    let folder = try AppleAppFolder(["en-rGB.lproj/Localizable.strings": "A=1;"])
    let resources = folder.read()
    #expect(resources.text("en-rGB", "A") == "1")
    #expect(resources.table("en-rGB")?.locale == nil)
    #expect(resources.problems.map(\.kind) == [.localeFolder])
    #expect(resources.problems.map { folder.relative($0.file) } == ["en-rGB.lproj"])
    #expect(resources.problems.map(\.table) == ["en-rGB"])
  }

  @Test func reportsPipesAndDanglingLinksWithoutBlocking() throws {
    let folder = try AppleAppFolder([
      "en.lproj/Localizable.strings": "A=1;", "de.lproj/Localizable.strings/x": "",
      "it.lproj/._x.strings": "\u{0}",
      "fr.lproj/x": "", "es.lproj/x": "",
    ])
    #expect(mkfifo("\(folder.path)/fr.lproj/Localizable.strings", 0o600) == 0)
    try folder.link("es.lproj/Localizable.strings", to: "/nonexistent")
    let resources = folder.read()
    #expect(resources.text("en", "A") == "1")
    #expect(resources.problems.map(\.kind) == [.unparsable, .unparsable, .unparsable])
    #expect(resources.unreadableTables == ["de", "es", "fr"])
  }

  @Test(arguments: ["cz", "jp"])
  func reportsCodesThatNoDeviceUses(name: String) {
    #expect(AppleLocaleName(name).remark?.kind == .localeFolder)
  }
}
