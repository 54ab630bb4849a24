import JSON
import Testing

@testable import AppStrings

/// `Localizable` files in no `.lproj` folder, which iPhones find before those of all languages.
@Suite struct AppleGlobalTableTests {
  private static let plural = StringsDictText.file(
    "<key>N</key><dict>" + StringsDictText.format("%#@n@")
      + StringsDictText.variable("n", [("one", "%d x"), ("other", "%d y")]) + "</dict>")

  private func entry(_ resources: StringResources, _ key: String, _ language: String) -> StringEntry? {
    resources.lookUp(key, preferring: [language], developmentLanguage: "en").entry
  }

  @Test func itHidesTheTextsOfAllLanguages() throws {
    let folder = try AppleAppFolder([
      "App/Localizable.strings": "T = Hello;", "App/fr.lproj/Localizable.strings": "T = Bonjour; K = x;",
      "App/Base.lproj/Localizable.strings": "T = Base;", "App/de.lproj/InfoPlist.strings": "N = x;",
    ])
    let resources = folder.read()
    #expect(resources.tables.map(\.name) == ["Base"])
    #expect(resources.otherLocalizations == ["de", "fr"])
    for language in ["en", "fr", "ja"] {
      #expect(entry(resources, "T", language)?.text == "Hello")
      #expect(entry(resources, "K", language) == nil)
    }
    #expect(resources.problems.map(\.kind) == [.globalTable])
    #expect(resources.problems.map { folder.relative($0.file) } == ["App/Localizable.strings"])
    #expect(resources.problems.first?.message.contains("before those of Base, fr, whose") == true)
  }

  @Test func itIsTheTableOfAnAppWithoutLanguages() throws {
    let folder = try AppleAppFolder(["App/Localizable.strings": "T = Hello;"])
    let resources = folder.read()
    #expect(resources.problems == [])
    #expect(entry(resources, "T", "fr")?.text == "Hello")
  }

  @Test func itHidesTheTextsOfACatalogButNoPlurals() throws {
    let catalog = """
      {"sourceLanguage": "en", "version": "1.0", "strings": {
        "T": {"localizations": {"fr": {"stringUnit": {"state": "translated", "value": "Bonjour"}}}},
        "N": {"localizations": {"fr": {"variations": {"plural": {
          "other": {"stringUnit": {"state": "translated", "value": "%d fr"}}}}}}}}}
      """
    let resources = try AppleAppFolder([
      "Localizable.strings": "T = Hello; N = n;", "Localizable.xcstrings": catalog,
      "de.lproj/Localizable.stringsdict": Self.plural,
    ]).read()
    #expect(resources.tables.filter(\.hasPluralsOnly).map(\.name) == ["de", "fr"])
    for language in ["de", "fr"] {
      #expect(entry(resources, "T", language)?.text == "Hello")
      #expect(entry(resources, "N", language)?.text == nil)
    }
    #expect(entry(resources, "N", "en")?.text == "n")
    #expect(resources.problems.map(\.kind) == [.globalTable])
  }

  @Test func globalPluralsAreThoseOfAllLanguages() throws {
    let resources = try AppleAppFolder([
      "Localizable.stringsdict": Self.plural, "en.lproj/Localizable.strings": "T = Hello;",
      "fr.lproj/Localizable.strings": "T = Bonjour; N = x;",
      "fr.lproj/Localizable.stringsdict": StringsDictText.file(""),
    ]).read()
    #expect(resources.tables.map(\.name) == ["en", "fr"])
    #expect(entry(resources, "T", "fr")?.text == "Bonjour")
    #expect(entry(resources, "N", "fr")?.formatKey == "%#@n@")
    #expect(entry(resources, "N", "en")?.formatKey == "%#@n@")
    #expect(entry(resources, "N", "fr")?.text == nil)
  }

  @Test func filesElsewhereDoNotHideTheAppsTables() throws {
    let resources = try AppleAppFolder([
      "Localizable.strings": "T = no; O = 1;", "App/en.lproj/Localizable.strings": "T = Hello;",
      "App/Kit/Localizable.strings": "T = no;", "Other/Localizable.strings": "T = no;",
    ]).read()
    #expect(resources.problems == [])
    #expect(entry(resources, "T", "en")?.text == "Hello")
    #expect(resources.outOfReach[.init("O")]?.table == "Localizable")
  }

  @Test func foldersThatAreNoBundlesAreNoTables() throws {
    let folder = try AppleAppFolder([
      "en/Localizable.strings": "T = Hello;", "fr/Localizable.strings": "T = Bonjour;",
      "de.lproj/Localizable.strings": "T = Hallo;",
    ])
    #expect(folder.read().tables.map(\.name) == ["de"])
    for name in ["de.lproj", "de.lproj/"] {
      let resources = AppleResourceReader.read(folder: "\(folder.path)/\(name)")
      #expect(resources.problems.map(\.kind) == [.noResources])
    }
    let others = try AppleAppFolder(["en/Localizable.strings": "T=a;", "fr/Localizable.strings": "T=b;"])
      .read()
    #expect(others.problems.map(\.kind) == [.noResources])
  }
}
