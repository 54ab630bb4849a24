import AppStrings
import Catalog
import FCMMessage
import JSON
import TestSupport
import Testing

@testable import CatalogCheck

/// First catalogs of apps whose texts are in sources.
@Suite struct SourceCatalogTests {
  @Test func sourcesAreFoundBelowTheRoot() throws {
    let app = try SourceApp(
      sources: [
        "lib/l10n/app_en.arb": "{}", "web/package.json": "{\"dependencies\": {\"react-native\": \"1\"}}",
        "web/src/locales/en/push.json": "{}", "web/src/locales/de/push.json": "{}", "web/i18n/fr.json": "{}",
        "shared/src/commonMain/composeResources/values/strings.xml": "<resources/>", "po/pt_BR.po": "",
        "locale/de/LC_MESSAGES/app.po": "", "src/de/app.po": "",
      ])
    let search = ProjectSearch(app.path)
    let found = search.sources.map { "\($0.format.rawValue) \($0.path.dropFirst(app.path.count + 1))" }
    #expect(
      Set(found) == [
        "arb lib/l10n", "i18next web/src/locales/{locale}/push.json", "i18next web/i18n/{locale}.json",
        "compose shared/src/commonMain/composeResources", "gettext po/{locale}.po",
        "gettext locale/{locale}/LC_MESSAGES/app.po",
      ])
    #expect(found.count == 6)
    #expect(search.notes.contains { $0.hasPrefix("\(app.path)/lib/l10n: Flutter's own texts (ARB)") })
  }

  @Test func anExpoAppWithoutNativeProjectsGetsFoldersOfItsOwn() throws {
    let files = ["mobile/app.json": "{\"expo\": {}}", "mobile/locales/en/push.json": "{}"]
    let app = try SourceApp([:], sources: files)
    let search = ProjectSearch(app.path)
    #expect(search.expoFolder(.android) == "\(app.path)/mobile/push/android")
    #expect(search.expoFolder(.ios) == "\(app.path)/mobile/push/ios")
    #expect(search.sources.map(\.path) == ["\(app.path)/mobile/locales/{locale}/push.json"])
    let native = try SourceApp(["mobile/android/settings.gradle": ""], sources: files)
    #expect(ProjectSearch(native.path).expoFolder(.android) == nil)
    let plain = try SourceApp([:], sources: ["mobile/app.json": "{\"name\": \"A\"}"])
    #expect(ProjectSearch(plain.path).expoFolder(.ios) == nil)
  }

  @Test func templatesHaveTheParamsOfTheTexts() throws {
    let app = try SourceApp(
      sources: [
        "lib/l10n/app_en.arb": """
        {"pushInviteTitle": "{who, select, a{A} b{B} other{C}} invited you",
         "pushInviteBody": "{count, plural, other{{count} people from {city}, 100%}}", "cancelButton": "Cancel"}
        """
      ])
    let catalog = try SourceCatalog(
      [.init(.arb, "\(app.path)/lib/l10n", line: 0)], resources: [("android", "res"), ("ios", "app")],
      language: nil)
    #expect(catalog.templateCount == 1)
    let lines = catalog.yaml.split(separator: "\n").drop { !$0.hasPrefix("templates") }.dropFirst()
    #expect(
      lines.joined(separator: "\n") == """
          push_invite:
            params:
              who: {type: string, enum: [a, b, other]}
              count: {type: integer, example: 3}
              city: {type: string, max_length: 100, example: \(Param.typicalText(of: "city"))}
            title: {key: pushInviteTitle, args: [who]}
            body: {key: pushInviteBody, args: [count, city]}
            fallback: {title: "C invited you"}
        """)
    try app.folder.write(
      catalog.yaml.replacing("\(app.path)/", with: ""), to: "catalog.yaml")
    #expect(try app.report().findings == [])
  }

  @Test func textsOfScreensBecomeNoTemplates() throws {
    let app = try SourceApp(sources: ["lib/l10n/app_en.arb": "{\"cancelButton\": \"Cancel\"}"])
    #expect(throws: FirstCatalogError.self) {
      try SourceCatalog([.init(.arb, "\(app.path)/lib/l10n", line: 0)], resources: [], language: nil)
    }
  }
}
