import Testing

@testable import AppStrings

/// What iPhones call an app.
@Suite struct AppleAppNameTests {
  private static func info(_ values: [String: String]) -> String {
    let pairs = values.sorted { $0.key < $1.key }.map { "<key>\($0.key)</key><string>\($0.value)</string>" }
    return "<plist version=\"1.0\"><dict>\(pairs.joined())</dict></plist>"
  }

  private func name(_ resources: StringResources, _ locale: String) -> String? {
    DeviceStrings(resources, preferring: [locale], developmentLanguage: "en").appName
  }

  private static let tables = [
    "App/en.lproj/Localizable.strings": "K = k;", "App/de.lproj/Localizable.strings": "K = k;",
  ]

  private func folder(_ files: [String: String]) throws -> StringResources {
    try AppleAppFolder(Self.tables.merging(files) { _, own in own }).read()
  }

  @Test func isTheDisplayNameInThePhonesLanguage() throws {
    let app = try folder([
      "App/Info.plist": Self.info(["CFBundleDisplayName": "Shop", "CFBundleName": "shop-app"]),
      "App/de.lproj/InfoPlist.strings": "CFBundleDisplayName = Laden; CFBundleName = laden;",
      "App/fr.lproj/InfoPlist.strings": "CFBundleName = boutique;",
      "Widget/Info.plist": Self.info(["NSExtension": "x", "CFBundleDisplayName": "Widget"]),
      "Widget/de.lproj/InfoPlist.strings": "CFBundleDisplayName = Kachel;",
    ])
    #expect(name(app, "de-CH") == "Laden")
    #expect(name(app, "en") == "Shop")
    #expect(name(app, "fr") == "Shop", "a display name wins over the translation of another name")
    #expect(name(app.without(languages: ["de"]), "de") == "Shop")
  }

  @Test func isTheBundlesNameWithoutADisplayName() throws {
    let app = try folder([
      "App/Info.plist": Self.info(["CFBundleName": "Shop"]),
      "App/de.lproj/InfoPlist.strings": "CFBundleName = Laden;",
    ])
    #expect(name(app, "de") == "Laden")
    #expect(name(app, "en") == "Shop")
    let built = try folder(["App/Info.plist": Self.info(["CFBundleName": "$(PRODUCT_NAME)"])])
    #expect(name(built, "en") == nil, "no project tells the product's name")
    #expect(name(try folder([:]), "en") == nil)
  }

  private static func project(
    settings: [String: String], _ files: [String: String] = [:]
  ) throws -> StringResources {
    let names = [
      "Localizable.strings: App/en.lproj/Localizable.strings App/de.lproj/Localizable.strings",
      "App/InfoPlist.xcstrings",
    ]
    let xcode = XcodeFixture(targets: [.init(name: "App", resources: names, settings: settings)])
    let all = tables.merging(files) { _, own in own }
    let fixture = try ProjectFixture(
      Dictionary(uniqueKeysWithValues: all.map { ("ios/\($0)", $1) }).merging(
        ["ios/App.xcodeproj/project.pbxproj": xcode.text]) { own, _ in own })
    return fixture.ios("ios")
  }

  @Test func comesFromTheSettingsOfTheBuild() throws {
    let generated = try Self.project(settings: ["INFOPLIST_KEY_CFBundleDisplayName": "My $(TARGET_NAME)"])
    #expect(name(generated, "de") == "My App")
    let settings = [
      "INFOPLIST_FILE": "App/Info.plist", "SHOP": "${PRODUCT_NAME} now", "PRODUCT_NAME": "Shop",
    ]
    for (value, shown) in [
      ("$(SHOP)", "Shop now"), ("$(NONE)", "Shop"), ("$(SHOP:lower)", "Shop"), ("$", "Shop"), ("$(", "Shop"),
    ] {
      let app = try Self.project(
        settings: settings, ["App/Info.plist": Self.info(["CFBundleDisplayName": value])])
      #expect(name(app, "de") == shown, "\(value)")
    }
    let endless = try Self.project(settings: ["PRODUCT_NAME": "$(PRODUCT_NAME)$(PRODUCT_NAME)"])
    #expect(name(endless, "en") == nil)
    #expect(name(try Self.project(settings: [:]), "en") == "App", "the target's name is the product's")
  }

  @Test func comesFromStringCatalogs() throws {
    let catalog = """
      {"sourceLanguage": "en", "version": "1.0", "strings": {"CFBundleDisplayName": {"localizations": {
        "en": {"stringUnit": {"state": "translated", "value": "Shop"}},
        "de": {"stringUnit": {"state": "translated", "value": "Laden"}}}}}}
      """
    let app = try Self.project(settings: [:], ["App/InfoPlist.xcstrings": catalog])
    #expect(name(app, "de") == "Laden")
    #expect(name(app, "en") == "Shop")
  }
}
