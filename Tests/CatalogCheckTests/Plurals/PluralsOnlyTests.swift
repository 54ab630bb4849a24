import AppArchives
import AppStrings
import Catalog
import FCMMessage
import JSON
import TestSupport
import Testing

@testable import CatalogCheck

/// iOS folders with a `.stringsdict` and no `.strings` file, which services for translators write for each
/// region: phones take all other texts from another folder.
@Suite struct PluralsOnlyTests {
  private static let plural = PluralApp.stringsDict([("one", "%d x from %@"), ("other", "%d y from %@")])
  private static let files = [
    "app/en.lproj/Localizable.stringsdict": plural, "app/en.lproj/Localizable.strings": "A = a; B = b;",
    "app/es.lproj/Localizable.stringsdict": plural, "app/es.lproj/Localizable.strings": "A = una;",
    "app/es-AR.lproj/Localizable.stringsdict": plural, "app/af.lproj/Localizable.stringsdict": plural,
  ]

  private func shown(_ resources: StringResources, _ key: String, _ locale: String) -> String? {
    DeviceStrings(resources, preferring: [locale], developmentLanguage: "en").lookUp(key).entry?.text
  }

  @Test func phonesTakeTextsFromTheNextFolderThatHasStrings() throws {
    let app = try PluralApp(Self.files)
    let source = StringResources.read(.ios, folder: "\(app.path)/app")
    var text = ""
    source.json(StringSelection()) { text += $0 }
    #expect(try JSON.parse(text)["plurals_only"] == ["af", "es-AR"])
    try app.folder?.write(text, to: "s.json")
    for resources in [source, StringResources.read(.ios, from: "\(app.path)/s.json")] {
      #expect(resources.tables.filter(\.hasPluralsOnly).map(\.name) == ["af", "es-AR"])
      #expect(shown(resources, "A", "es-AR") == "una")
      #expect(shown(resources, "B", "es-AR") == nil)
      #expect(shown(resources, "A", "af") == "a")
      let argentine = DeviceStrings(resources, preferring: ["es-AR"], developmentLanguage: "en")
      #expect(argentine.resolvedLocale == "es")
      #expect(argentine.plural(named: "MESSAGES")?.table.name == "es-AR")
    }
  }

  @Test func anEmptyStringsFileIsATable() throws {
    var files = Self.files
    files["app/es-AR.lproj/Localizable.strings"] = ""
    let app = try PluralApp(files)
    let resources = StringResources.read(.ios, folder: "\(app.path)/app")
    #expect(resources.tables.filter(\.hasPluralsOnly).map(\.name) == ["af"])
    #expect(shown(resources, "A", "es-AR") == nil)
  }

  @Test func onlyAnotherLanguageIsMissing() throws {
    let app = try PluralApp(Self.files, body: "{ios: A, args: []}")
    #expect(
      try app.findings() == ["MissingTranslation t body ios af A app/en.lproj/Localizable.strings:1"])
    let loaded = try app.load()
    let finding = Check(loaded.catalog, against: loaded.resources).report().findings.first {
      $0.rule == .missingTranslation
    }
    #expect(
      finding?.message
        == "The language lacks Localizable.strings, so its users see the text of en.")
    #expect(finding?.severity == .warning)
  }

  /// A file with nothing but generated texts would hide all texts that the region shares.
  @Test func aRegionSharesTheTextsOfItsLanguage() throws {
    let app = try PluralApp(Self.files, body: "{ios: MESSAGES, args: [count, sender], plural: count}")
    let report = try app.report()
    #expect(Set(report.entries.map(\.locale)) == ["af", "en", "es"])
    #expect(report.firstStrings.map { "\($0.language) \($0.substitute)" } == ["af en"])
    try report.write()
    #expect(app.text("app/es-AR.lproj/Localizable.strings") == nil)
    #expect(try app.report().changedFiles == [])
    #expect(try app.findings() == [])
    #expect(try app.shown(5)["ios es-AR"] == "5 y from Bob")
  }

  @Test func anAppWithoutAnyStringsGetsThemInEveryLanguage() throws {
    let app = try PluralApp([
      "app/es.lproj/Localizable.stringsdict": Self.plural,
      "app/es-AR.lproj/Localizable.stringsdict": Self.plural,
    ])
    #expect(Set(try app.report().entries.map(\.locale)) == ["es", "es-AR"])
  }
}
