import AppStrings
import Catalog
import FCMMessage
import Foundation
import JSON
import TestSupport
import Testing

@testable import CatalogCheck

/// An app whose texts are in sources, with a catalog that uses them.
struct SourceApp {
  let folder: TemporaryFolder
  var path: String { folder.path }

  static let arb = [
    "lib/l10n/app_en.arb": """
    {
      "hello": "Hello {sender}, it's 100% free",
      "push.new": "{count, plural, =0{Nothing} one{One from {sender}} other{{count} from {sender}}}",
      "liked": "{who, select, female{{sender} liked her photo} other{{sender} liked their photo}}"
    }
    """,
    "lib/l10n/app_pl.arb": """
    {
      "hello": "Cześć {sender}",
      "push.new": "{count, plural, one{Jeden {sender}} few{{count} few {sender}} other{{count} many {sender}}}",
      "liked": "{sender}: {who, select, other{?}}"
    }
    """,
  ]
  static let native = [
    "res/values/strings.xml": "<resources><string name=\"app\">App</string></resources>\n",
    "app/en.lproj/Localizable.strings": "\"APP\" = \"App\";\n",
    "app/pl.lproj/InfoPlist.strings": "\"A\" = \"b\";\n",
  ]

  static let templates = """
      hello:
        params: {sender: {type: string, max_length: 20, bidi: isolate}}
        title: {key: hello, args: [sender]}
        fallback: {title: Hello}
      new:
        params: {sender: {type: string, max_length: 20, bidi: isolate}, count: {type: integer}}
        body: {key: push.new, args: [count, sender]}
        fallback: {body: News}
      liked:
        params: {sender: {type: string, max_length: 20, bidi: isolate}, who: {type: string, enum: [female, male]}}
        body: {key: liked, args: [sender, who]}
        fallback: {body: News}
    """

  init(
    _ files: [String: String] = Self.native, sources: [String: String] = Self.arb,
    _ list: String = "[{arb: lib/l10n}]", templates: String = Self.templates,
    resources: String = "android: res, ios: app, "
  ) throws {
    folder = try TemporaryFolder()
    for (name, text) in files.merging(sources, uniquingKeysWith: { $1 }) { try folder.write(text, to: name) }
    let catalog = """
      version: 1
      resources: {\(resources)development_language: en, sources: \(list)}
      templates:
      \(templates)
      """
    try folder.write(catalog, to: "catalog.yaml")
  }

  func load() throws -> AppCatalog { try AppCatalog.load(file: "\(path)/catalog.yaml") }
  func report() throws -> SourceReport { try SourceReport(load()) }

  /// The findings of `check` in short, without those that any app has.
  func findings() throws -> [String] {
    let app = try load()
    return Check(app.catalog, against: app.resources).report().findings.filter {
      $0.rule != .resourceShrinker
    }.map { CheckFixture.short($0).replacing("\(path)/", with: "") }
  }

  /// What phones show of a template, by platform and locale: `android pl`.
  func shown(_ template: String, _ args: [(String, JSON)]) throws -> [String: String] {
    let app = try load()
    let preview = try TemplatePreview(
      of: #require(app.catalog.template(template)), args: .init(args), PreviewQuestion(),
      texts: RecipientTexts(app.resources, support: nil), findings: [])
    return Dictionary(
      preview.previews.map { preview in
        let text = preview.slots.first { $0.outcome.name != "none" }?.outcome.shownText ?? "-"
        return (
          "\(preview.platform.rawValue) \(preview.locale)", text.filter { !"\u{2068}\u{2069}".contains($0) }
        )
      }, uniquingKeysWith: { first, _ in first })
  }

  func text(_ name: String) -> String? { folder.text(name) }
  func contents() -> [String: Data] { folder.contents() }
}
