import AppStrings
import Catalog
import FCMMessage
import Foundation
import JSON
import TestSupport
import Testing

@testable import CatalogCheck

/// An app's folder with a catalog, on which tests run `dragoman plurals`.
struct PluralApp {
  let folder = try? TemporaryFolder()
  var path: String { folder?.path ?? "" }

  /// Files by their path in the folder. The catalog has the template `t`, with the slot `body`.
  init(
    _ files: [String: String], body: String = Self.body, top: String? = nil, hasFallback: Bool = true
  ) throws {
    for (name, text) in files { try folder?.write(text, to: name) }
    let folders = [("android", "res"), ("ios", "app")].filter { folder in
      files.keys.contains { $0.hasPrefix("\(folder.1)/") }
    }.map { "\($0): \($1), " }
    let resources = "resources: {\(folders.joined())development_language: en}"
    let catalog = Self.catalog(body: body, top: top ?? resources)
    try folder?.write(
      hasFallback ? catalog : catalog.replacing("    fallback: {body: News.}", with: ""), to: "catalog.yaml")
  }

  static let body = "{android: messages, ios: MESSAGES, args: [count, sender], plural: count}"
  static let resources = "resources: {android: res, ios: app, development_language: en}"

  static func catalog(body: String, top: String) -> String {
    """
    version: 1
    \(top)
    templates:
      t:
        params: {count: {type: integer}, sender: {type: string, max_length: 20}, total: {type: integer, default: 9}}
        body: \(body)
        fallback: {body: News.}
    """
  }

  /// A values file with a plural.
  static func android(_ forms: [(String, String)], name: String = "messages", more: String = "") -> String {
    let items = forms.map { #"<item quantity="\#($0.0)">\#($0.1)</item>"# }.joined(separator: "\n    ")
    return """
      <?xml version="1.0" encoding="utf-8"?>
      <resources xmlns:xliff="urn:oasis:names:tc:xliff:document:1.2">
        <plurals name="\(name)">
          \(items)
        </plurals>
        \(more)
      </resources>

      """
  }

  /// A stringsdict with one entry.
  static func stringsDict(
    _ forms: [(String, String)], format: String = "%#@n@", name: String = "MESSAGES", more: String = ""
  ) -> String {
    let texts = forms.map { "<key>\($0.0)</key><string>\($0.1)</string>" }.joined(separator: "\n      ")
    return """
      <?xml version="1.0" encoding="UTF-8"?>
      <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
      <plist version="1.0">
      <dict>
        <key>\(name)</key>
        <dict>
          <key>NSStringLocalizedFormatKey</key><string>\(format)</string>
          <key>n</key>
          <dict>
            <key>NSStringFormatSpecTypeKey</key><string>NSStringPluralRuleType</string>
            <key>NSStringFormatValueTypeKey</key><string>d</string>
            \(texts)
          </dict>
          \(more)
        </dict>
      </dict>
      </plist>

      """
  }

  func load() throws -> AppCatalog { try AppCatalog.load(file: "\(path)/catalog.yaml") }
  func report() throws -> PluralReport { try PluralReport(load()) }

  /// The texts by platform, locale and suffix of the key: `android pl n2`.
  func texts() throws -> [String: String] {
    Dictionary(
      try report().entries.map { entry in
        (
          "\(entry.platform.rawValue) \(entry.locale) \(entry.key.split(separator: "_").last ?? "")",
          entry.text
        )
      }, uniquingKeysWith: { first, _ in first })
  }

  /// The findings of `check` in short, without those about the resource shrinker and unused params.
  func findings() throws -> [String] {
    let app = try load()
    return Check(app.catalog, against: app.resources).report().findings.filter {
      $0.rule != .resourceShrinker && $0.rule != .unusedParam && $0.rule != .textTooLong
    }.map {
      let finding = CheckFixture.short($0)
      return finding.replacing("\(path)/", with: "")
    }
  }

  /// What phones show, by platform and locale: `android pl`.
  func shown(_ count: Int64) throws -> [String: String] {
    let app = try load()
    let preview = try TemplatePreview(
      of: #require(app.catalog.template("t")), args: .init([("count", JSON(count)), ("sender", "Bob")]),
      PreviewQuestion(),
      texts: RecipientTexts(app.resources, support: nil), findings: [])
    return Dictionary(
      preview.previews.map { preview in
        let body = preview.slots.first { $0.name == .body }
        return ("\(preview.platform.rawValue) \(preview.locale)", "\(body?.outcome.shownText ?? "-")")
      }, uniquingKeysWith: { first, _ in first })
  }

  func text(_ name: String) -> String? { folder?.text(name) }
  func contents() -> [String: Data] { folder?.contents() ?? [:] }
}

extension SlotOutcome {
  /// The text, or the outcome's name.
  var shownText: String { if case .text(let text) = self { text } else { name } }
}
