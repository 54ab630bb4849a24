import AppStrings
import Catalog
import FCMMessage
import JSON

@testable import CatalogCheck

/// A catalog and string resources in memory. A text's line is its place among the keys of its table, from 1.
struct CheckFixture {
  var templates = """
      t:
        params: {name: {type: string, max_length: 20}, count: {type: integer}}
        body: {android: k, ios: K, args: [name, count]}
        fallback: {body: News.}
    """
  var ignore = ""
  var android: [String: [(String, StringEntry.Value)]] = [
    "default": [("k", "%1$s: %2$s")], "de": [("k", "%2$s von %1$s")],
  ]
  var ios: [String: [(String, StringEntry.Value)]] = [
    "en": [("K", "%1$@: %2$@")], "de": [("K", "%2$@ von %1$@")],
  ]
  var states: [String: StringEntry.State] = [:]
  var untranslatable: Set<String> = []
  /// Keys whose texts refer to a library of the app.
  var unresolved: Set<String> = []
  /// Keys with `formatted="false"`.
  var unformatted: Set<String> = []
  /// The format of an entry that varies by device, by key.
  var formatKeys: [String: String] = [:]
  var developmentLanguage: String? = "en"
  /// `resources.locales`, of both the catalog and the resources.
  var locales: [String]?
  var kept: [Glob]? = [Glob("*")]
  /// Keys that only some phones find (`values-land`).
  var conditional: Set<String> = []
  /// Texts of Android that only some phones show, by table.
  var alternatives: [String: [(key: String, qualifiers: String, text: String)]] = [:]
  /// What the Android resources say about the built app that they come from.
  var shipped: ShippedApp?
  var outOfReach: [String: StringResources.OutOfReach] = [:]
  var problems: [ResourceProblem] = []

  func report() throws -> CheckReport { Check(try catalog(), against: resources).report() }

  func catalog() throws -> Catalog {
    let locales = locales.map { ", locales: [\($0.joined(separator: ", "))]" } ?? ""
    let text = """
      version: 1
      resources: {android: res, ios: app, development_language: en\(locales)}
      templates:
      \(templates)
      \(ignore)
      """
    return try Catalog.examine(Array(text.utf8), file: "catalog.yaml")
  }

  var resources: AppResources {
    AppResources(
      android: StringResources(
        platform: .android, folder: "res", tables: tables(android, "strings.xml", alternatives),
        problems: problems, keptNames: kept, shipped: shipped),
      ios: StringResources(
        platform: .ios, folder: "app", tables: tables(ios, "Localizable.strings"), problems: [],
        outOfReach: Dictionary(uniqueKeysWithValues: outOfReach.map { (ExactText($0), $1) })),
      developmentLanguage: developmentLanguage,
      locales: locales.map { LanguageList(languages: $0, line: 2) })
  }

  private func tables(
    _ texts: [String: [(String, StringEntry.Value)]], _ file: String,
    _ alternatives: [String: [(key: String, qualifiers: String, text: String)]] = [:]
  ) -> [StringTable] {
    texts.sorted { ($0.key == "default" ? "" : $0.key) < ($1.key == "default" ? "" : $1.key) }.map {
      name, entries in
      let entries = entries.enumerated().map { index, entry in
        let entry = StringEntry(
          key: entry.0, value: entry.1, file: "\(name)/\(file)", line: index + 1,
          isTranslatable: !untranslatable.contains(entry.0), state: states[name],
          isFormatted: !unformatted.contains(entry.0), formatKey: formatKeys[entry.0],
          qualifiers: conditional.contains(entry.0) ? "land" : nil, isUnresolved: unresolved.contains(entry.0)
        )
        return (ExactText(entry.key), entry)
      }
      let others = (alternatives[name] ?? []).map { alternative in
        StringEntry(
          key: alternative.key, value: .string(alternative.text),
          file: "\(name)-\(alternative.qualifiers)/\(file)", line: 7, qualifiers: alternative.qualifiers)
      }
      return StringTable(
        name: name, locale: name == "default" ? nil : LocaleTag(name),
        entries: Dictionary(uniqueKeysWithValues: entries),
        alternatives: Dictionary(grouping: others) { ExactText($0.key) })
    }
  }

  /// A finding in short: `StringFormatMatches t body android de k de/strings.xml:1`.
  static func short(_ finding: Finding) -> String {
    let parts = [
      finding.rule.rawValue, finding.template, finding.slot?.rawValue, finding.platform?.rawValue,
      finding.locale, finding.key, finding.file.map { "\($0):\(finding.line ?? 0)" },
    ]
    return parts.compactMap(\.self).joined(separator: " ")
  }

  /// All findings in short.
  func findings() throws -> [String] { try report().findings.map(Self.short) }
}

extension StringEntry.Value: ExpressibleByStringLiteral {
  public init(stringLiteral value: String) { self = .string(value) }
}
