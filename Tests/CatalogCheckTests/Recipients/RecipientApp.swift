import AppStrings
import Catalog
import FCMMessage
import Foundation
import JSON

@testable import CatalogCheck

/// An app with strings in memory and older releases, to which messages for recipients are written.
struct RecipientApp {
  /// Texts by table, then by key.
  typealias Texts = [String: [String: String]]

  let catalog: Catalog
  let texts: RecipientTexts
  let report: CheckReport

  static let templates = """
      t:
        params: {name: {type: string, max_length: 20}}
        title: {android: title, ios: TITLE}
        body: {android: body, ios: BODY, args: [name]}
        fallback: {title: Hello, body: News.}
    """

  static let android: Texts = [
    "default": ["title": "Welcome", "body": "%1$s wrote"],
    "fr": ["title": "Bienvenue", "body": "%1$s a écrit"],
  ]
  static let ios: Texts = [
    "en": ["TITLE": "Welcome!", "BODY": "%@ wrote!"], "fr": ["TITLE": "Bienvenue !", "BODY": "%@ a écrit !"],
  ]

  /// `old` are releases by platform and version, and one without tables cannot be read; `next` is the version
  /// of the newest Android strings.
  init(
    _ templates: String = Self.templates, defaults: String = "{}", top: String = "",
    android: Texts? = Self.android,
    ios: Texts? = Self.ios, old: [(AppPlatform, String, Texts)] = [], next: String? = nil
  ) throws {
    let text = """
      version: 1
      defaults: \(defaults)
      plurals: {languages: [en, fr]}
      \(top)
      templates:
      \(templates)
      """
    let languages = Set((android ?? [:]).keys).union((ios ?? [:]).keys).subtracting(["default"]).sorted()
    catalog = try Catalog.parse(
      Array(text.utf8), file: "catalog.yaml", languagesOf: { _ in .success(languages) })
    let shipped = next.map { ShippedApp(version: $0, package: "a") }
    let resources = AppResources(
      android: android.map { Self.resources(.android, $0, shipped) },
      ios: ios.map { Self.resources(.ios, $0, nil) }, developmentLanguage: "en")
    let releases = old.compactMap { platform, version, texts -> AppReleases.Release? in
      ReleaseVersion(version).map {
        AppReleases.Release(
          version: $0, line: 1,
          resources: Self.resources(platform, texts, ShippedApp(version: version, package: "a")))
      }
    }.sorted { $0.version < $1.version }
    report = Check(
      catalog, against: resources,
      releases: AppReleases(
        android: releases.filter { $0.resources.platform == .android },
        ios: releases.filter { $0.resources.platform == .ios })
    ).report()
    self.texts = RecipientTexts(resources, support: report.support)
  }

  static func resources(_ platform: AppPlatform, _ texts: Texts, _ shipped: ShippedApp?) -> StringResources {
    let tables = texts.sorted { ($0.key == "default" ? "" : $0.key) < ($1.key == "default" ? "" : $1.key) }
      .map { name, entries in
        StringTable(
          name: name, locale: name == "default" ? nil : LocaleTag(name),
          entries: Dictionary(
            uniqueKeysWithValues: entries.map {
              (
                ExactText($0),
                StringEntry(
                  key: $0, value: value($1), file: "app", line: 1, isUnresolved: $1.contains("@string/"))
              )
            }))
      }
    let problem = ResourceProblem(kind: .noResources, file: "app", FindingText(english: "No such file."))
    return StringResources(
      platform: platform, folder: "app", tables: tables, problems: tables.isEmpty ? [problem] : [],
      shipped: tables.isEmpty ? nil : shipped)
  }

  /// A text, or Android's plural forms: `one=…|other=…`. One with `@string/` refers to a library.
  private static func value(_ text: String) -> StringEntry.Value {
    guard text.hasPrefix("one=") else { return .string(text) }
    return .plural(
      text.split(separator: "|").map { form in
        let parts = form.split(separator: "=", maxSplits: 1).map(String.init)
        return StringEntry.Form(category: parts[0], text: parts[1])
      })
  }

  /// The message, or the slots that cannot be written.
  func message(
    _ recipient: Recipient, _ render: RenderMode = .auto, args: JSON = ["name": "Bob"], template: String = "t"
  ) throws -> JSON {
    let prepared = try catalog.prepare(AssemblyRequest(template: template, args: args.object ?? .init()))
      .get()
    let content = try texts.content(of: prepared, for: recipient, render: render)
    return try JSON.parse(
      prepared.message(content).get().message.message(
        to: nil,
        values: .init(
          deliveryID: "01990000-0000-7000-8000-000000000000", ttlSeconds: 60, expiration: 1_800_000_000)))
  }

  /// The texts of a message in short: `Bienvenue | Bob a écrit`, or the keys `[title] | [body Bob]`.
  func shown(
    _ recipient: Recipient, _ render: RenderMode = .auto, args: JSON = ["name": "Bob"], template: String = "t"
  ) throws -> String {
    do {
      let message = try message(recipient, render, args: args, template: template)
      let part =
        message["android"]?["notification"] ?? message["apns"]?["payload"]?["aps"]?["alert"]
        ?? message["webpush"]?["notification"]
      return Self.lines(of: part ?? [:])
    } catch let error as NotRenderableError {
      return "not renderable: \(error.slots.map(\.name.rawValue).joined(separator: ", "))"
    }
  }

  private static func lines(of part: JSON) -> String {
    ["title", "body"].map { name in
      let prefix = name == "body" ? "" : "\(name)-"
      let key = part["\(name)_loc_key"]?.string ?? part["\(prefix)loc-key"]?.string
      let args = (part["\(name)_loc_args"] ?? part["\(prefix)loc-args"])?.array?.compactMap(\.string) ?? []
      let literal = part[name]?.string
      guard let key else { return literal ?? "-" }
      let beside = part["\(name)_loc_key"] != nil && literal != nil ? " beside \(literal ?? "")" : ""
      return "[\(([key] + args).joined(separator: " "))]\(beside)"
    }.joined(separator: " | ")
  }
}

extension Recipient {
  /// A recipient in short: `android 4.1 fr,en`.
  init(_ text: String) throws {
    self.init()
    for word in text.split(separator: " ") {
      if let platform = Platform(rawValue: String(word)) {
        self.platform = platform
      } else if let version = ReleaseVersion(String(word)) {
        appVersion = version
      } else {
        locales = word.split(separator: ",").map(String.init)
      }
    }
  }
}
