import AppStrings
import Catalog
import FCMMessage
import JSON
import LocaleRules

@testable import CatalogCheck

/// An app with random faults, and a catalog for it. The same seed makes the same app.
struct RandomApp {
  private struct Generator: RandomNumberGenerator {
    var state: UInt64

    /// SplitMix64.
    mutating func next() -> UInt64 {
      state &+= 0x9E37_79B9_7F4A_7C15
      var bits = state
      bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
      bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
      return bits ^ (bits >> 31)
    }

    mutating func flip(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &self) < percent }
  }

  let catalog: Catalog
  let resources: AppResources
  let report: CheckReport

  /// A number of each class. For 1, the templates can have variants.
  let counts: [UInt64]

  /// Whether its Android app has flavors, of which a preview shows one.
  let hasFlavors: Bool

  private static let flavors = ["free", "pro", "gold"]
  private static let languages = [
    "ar", "de", "en-GB", "es", "es-AR", "fr", "fr-CA", "nb", "pt-BR", "sr", "zh-Hans", "zh-Hant",
  ]
  private static let texts: [AppPlatform: [String]] = [
    .android: [
      "%1$s: %2$s", "%2$s (%1$s)", "%s", "%d %s", "%1$d", "%3$s", "100%", "50% off", "%%", "%@", "%b", "％s",
      "",
      "plain", "k_own", "%1$s %<s", "% 1$s", "1%$s", "%1 $s", "%<s", "%1$с", "%%1$s", "&nbsp;%s", "{name} %s",
      "<b>%1$s</b>", "You have new messages", "Новое сообщение для вас", "新しいメッセージが届いています",
    ],
    .ios: [
      "%1$@: %2$@", "%2$@ (%1$@)", "%@", "%d %@", "%1$s", "%3$@", "100%", "50% off", "%%", "%é", "％@", "",
      "plain",
      "K_OWN", "%0$@", "%1$@ %@", "%#@n@", "%", "1%$@", "%1 $@", "%%1$@", "&nbsp;%@", "{name} %@",
      "<b>%1$@</b>",
      "You have new messages", "Новое сообщение для вас", "新しいメッセージが届いています",
    ],
  ]

  init(seed: UInt64) throws {
    var random = Generator(state: seed)
    let text = Self.catalog(&random)
    catalog = try Catalog.examine(Array(text.utf8), file: "catalog.yaml")
    let plural = catalog.template("plural")?.slots.first?.plural
    counts = plural?.partition.smallestMembers ?? []
    let suffixes = (plural?.partition).map { partition in
      partition.smallestMembers.indices.map { partition.keySuffix(ofClass: $0) }
    }
    let quality = Int.random(in: 0...100, using: &random)
    let hasFlavors = random.flip(40)
    self.hasFlavors = hasFlavors
    func tables(_ platform: AppPlatform, _ first: String) -> [StringTable] {
      let names = [first] + Self.languages.filter { $0 != first && random.flip(40) }
      return names.map { name in
        let entries = Self.entries(platform, name, suffixes ?? [], quality, &random)
        var texts: (entries: [ExactText: StringEntry], others: [ExactText: [StringEntry]]) = (entries, [:])
        if platform == .android, hasFlavors { texts = Self.inFlavors(entries, &random) }
        return StringTable(
          name: name, locale: name == "default" ? nil : LocaleTag(name), entries: texts.entries,
          alternatives: texts.others)
      }
    }
    let ios = tables(.ios, ["en", "Base", "de"].randomElement(using: &random) ?? "en")
    let folders = Self.languages.filter { name in random.flip(20) && !ios.contains { $0.name == name } }
    resources = AppResources(
      android: StringResources(
        platform: .android, folder: "res", tables: tables(.android, "default"), problems: [],
        keptNames: [Glob("*")],
        shipped: !hasFlavors && random.flip(30) ? ShippedApp(version: "1", package: "p") : nil,
        project: hasFlavors ? StringResources.Project(variants: Self.flavors) : nil),
      ios: StringResources(
        platform: .ios, folder: "app", tables: ios, problems: [], otherLocalizations: folders),
      developmentLanguage: "en")
    report = Check(catalog, against: resources).report()
  }

  private static func catalog(_ random: inout Generator) -> String {
    let fallback =
      ["", "fallback: {title: News, body: Text}", "fallback: {body: Text}"].randomElement(using: &random)
      ?? ""
    let render = random.flip(25) ? random.flip(50) ? "render: gateway" : "language: app" : ""
    let least = random.flip(30) ? ", min: 1" : ""
    let variants =
      random.flip(60) ? "[{when: {count: 1}, android: k_one, ios: K_ONE, args: [name]}]" : "[]"
    return """
      version: 1
      resources: {android: res, ios: app, development_language: en}
      plurals: {languages: [ar, de, en, pl]}
      templates:
        text:
          params: {name: {type: string, max_length: 9}, count: {type: integer\(least)}}
          title: {android: k_title, ios: K_TITLE}
          body: {android: k_own, ios: K_OWN, args: [name, count], variants: \(variants)}
          \(fallback)
          \(render)
        plural:
          params: {name: {type: string, max_length: 9}, count: {type: integer\(least)}}
          body: {android: m, ios: M, args: [count, name], plural: count, variants: \(variants)}
          \(fallback)
          \(render)
      """
  }

  /// Leaves some texts to some flavors, and gives others of these another text.
  private static func inFlavors(
    _ entries: [ExactText: StringEntry], _ random: inout Generator
  ) -> (entries: [ExactText: StringEntry], others: [ExactText: [StringEntry]]) {
    var (own, others) = (entries, [ExactText: [StringEntry]]())
    for key in entries.keys.sorted(by: { $0.text < $1.text }) {
      guard let entry = entries[key], entry.text != nil, random.flip(40) else { continue }
      func made(_ text: String?, _ flavors: some Sequence<String>) -> StringEntry {
        StringEntry(
          key: entry.key, value: .string(text ?? ""), file: entry.file, line: entry.line,
          isTranslatable: entry.isTranslatable, variants: Array(flavors))
      }
      let split = Int.random(in: 1...2, using: &random)
      own[key] = made(entry.text, flavors.prefix(split))
      if random.flip(70) {
        let text = random.flip(50) ? "%1$s" : texts[.android]?.randomElement(using: &random)
        others[key] = [made(text, flavors.dropFirst(split))]
      }
    }
    return (own, others)
  }

  private static func entries(
    _ platform: AppPlatform, _ table: String, _ suffixes: [String], _ quality: Int, _ random: inout Generator
  ) -> [ExactText: StringEntry] {
    let pool = texts[platform] ?? []
    var found: [ExactText: StringEntry] = [:]
    func add(_ key: String, _ value: StringEntry.Value, isTranslatable: Bool = true) {
      found[ExactText(key)] = StringEntry(
        key: key, value: value, file: "\(table)/strings", line: found.count + 1,
        isTranslatable: isTranslatable)
    }
    let names = ["k_title", "k_own", "k_one"].map { platform == .android ? $0 : $0.uppercased() }
    let plural = platform == .android ? "m" : "M"
    for name in names + suffixes.map({ plural + $0 }) where random.flip(60 + quality * 2 / 5) {
      let fine = name.lowercased() == "k_title" ? "Title" : pool.first ?? ""
      let text = random.flip(quality) ? fine : pool.randomElement(using: &random) ?? ""
      add(name, random.flip(2) ? .array(["x"]) : .string(text), isTranslatable: !random.flip(2))
    }
    if platform == .android, random.flip(70) {
      let other = random.flip(quality) ? "%d x %s" : pool.randomElement(using: &random) ?? ""
      add("m", .plural([.init(category: "one", text: "%d %s"), .init(category: "other", text: other)]))
    }
    return found
  }

  /// The previews of a template, by the count that a caller gives or, without one, with the example args; nil
  /// if the template takes no such count.
  func previews(_ template: Template, count: UInt64?) throws -> [Preview]? {
    let args = count.map { JSON.Object([("name", "Bob"), ("count", JSON($0))]) }
    do throws(AssemblyError) {
      return try TemplatePreview(
        of: template, args: args, PreviewQuestion(), texts: RecipientTexts(resources, support: nil),
        findings: report.findings(of: template.name)
      ).previews
    } catch {
      guard error.code == .invalidRequest, count == 0 else { throw error }
      return nil
    }
  }
}
