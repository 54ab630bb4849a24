import Testing

@testable import AppStrings

/// An iPhone chooses among all languages of an app, and only then looks for a table.
@Suite struct AppleLocalizationTests {
  private static let files = [
    "App/en.lproj/Localizable.strings": "K = English;", "App/pt-PT.lproj/Localizable.strings": "K = pt;",
    "App/de.lproj/Localizable.strings": "K = Deutsch;", "App/pt-BR.lproj/InfoPlist.strings": "N = x;",
    "App/it.lproj/InfoPlist.strings": "N = x;",
  ]

  private func text(_ resources: StringResources, _ languages: [String]) -> String? {
    DeviceStrings(resources, preferring: languages, developmentLanguage: "en").lookUp("K").entry?.text
  }

  @Test func aFolderWithoutTheTableCounts() throws {
    let resources = try AppleAppFolder(Self.files).read()
    #expect(resources.tables.map(\.name) == ["de", "en", "pt-PT"])
    #expect(resources.otherLocalizations == ["it", "pt-BR"])
    #expect(text(resources, ["pt-BR"]) == "English")
    #expect(text(resources, ["it", "de"]) == "English")
    #expect(text(resources, ["pt-PT"]) == "pt")
    #expect(text(resources, ["ja", "de"]) == "Deutsch")
    let phone = DeviceStrings(resources, preferring: ["ja", "it", "de"], developmentLanguage: "en")
    #expect(phone.textLanguage == "it")
    let some = resources.without(languages: ["it"])
    #expect(some.otherLocalizations == ["pt-BR"])
    #expect(text(some, ["it", "de"]) == "Deutsch")
  }

  /// A storyboard is enough for `Base`, which stands for the development language. It has no texts here.
  @Test func aBaseFolderWithoutTheTableCounts() throws {
    var files = [
      "App/fr.lproj/Localizable.strings": "K = fr;", "App/de.lproj/Localizable.strings": "K = de;",
    ]
    #expect(text(try AppleAppFolder(files).read(), ["en", "fr"]) == "fr")
    files["App/Base.lproj/Launch.storyboard"] = "<document/>"
    #expect(text(try AppleAppFolder(files).read(), ["en", "fr"]) == nil)
  }

  @Test func otherCatalogsAndTheInfoPlistCount() throws {
    var files = Self.files
    files["App/InfoPlist.xcstrings"] = """
      {"sourceLanguage": "en", "version": "1.0", "strings": {"N": {"localizations": {
        "nl": {"stringUnit": {"state": "translated", "value": "x"}}}}}}
      """
    files["App/Info.plist"] = Self.info("<key>CFBundleLocalizations</key>", "ja", "$(LANGUAGES)", "")
    let resources = try AppleAppFolder(files).read()
    #expect(resources.otherLocalizations == ["it", "ja", "nl", "pt-BR"])
    #expect(text(resources, ["ja", "de"]) == "English")
    files["App/Info.plist"] = nil
    files["App/Resources/en.lproj/Localizable.strings"] = "K = English;"
    for name in files.keys where name.hasPrefix("App/") && name.contains(".lproj/Localizable") {
      if !name.contains("Resources") { files[name] = nil }
    }
    files["App/Info.plist"] = Self.info("<key>CFBundleLocalizations</key>", "ja")
    #expect(try AppleAppFolder(files).read().otherLocalizations == ["ja"])
  }

  @Test func otherBundlesDoNotCount() throws {
    var files = Self.files
    files["Pods/Kit/nl.lproj/Kit.strings"] = "N = x;"
    files["App/Kit/fi.lproj/Kit.strings"] = "N = x;"
    files["Share/Info.plist"] = Self.info(
      "<key>NSExtension</key><dict/><key>CFBundleLocalizations</key>", "da")
    files["Share/fr.lproj/Localizable.strings"] = "N = x;"
    files["Tests/Info.plist"] = Self.info("<key>CFBundleLocalizations</key>", "nb")
    files["Tests/sv.lproj/Tests.strings"] = "N = x;"
    #expect(try AppleAppFolder(files).read().otherLocalizations == ["it", "pt-BR"])
  }

  private static func info(_ start: String, _ names: String...) -> String {
    "<plist><dict>\(start)<array>\(names.map { "<string>\($0)</string>" }.joined())</array></dict></plist>"
  }
}
