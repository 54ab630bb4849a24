internal import JSON

/// The names that an iOS app has: in its Info.plist, in the `InfoPlist` table of each language, and in the
/// settings of its build.
package struct AppleAppNames: Sendable, Equatable {
  /// The table whose texts stand for those of Info.plist.
  package static let table = "InfoPlist"
  private static let bundleName = "CFBundleName"
  /// What iPhones show, and what they show without that.
  private static let keys = ["CFBundleDisplayName", bundleName]

  /// By key.
  private var common: [String: String] = [:]
  /// By key and language.
  private var localized: [String: [ExactText: String]] = [:]

  package init() {}

  /// Adds the names of Info.plist, unless there are some already. What it takes from the build counts if
  /// `settings` have it.
  mutating func add(_ info: PropertyListDictionary, settings: BuildSettings = BuildSettings()) {
    for key in Self.keys where common[key] == nil {
      let product = key == Self.bundleName ? "$(PRODUCT_NAME)" : nil
      let name = info[key]?.string ?? settings["INFOPLIST_KEY_\(key)"] ?? product
      common[key] = name.flatMap(settings.expanded)
    }
  }

  /// Adds the names in a language, unless there are some already.
  mutating func add(_ entries: [StringEntry], in language: String) {
    for entry in entries where Self.keys.contains(entry.key) {
      guard let text = entry.text else { continue }
      localized[entry.key, default: [:]].merge([ExactText(language): text]) { first, _ in first }
    }
  }

  /// Adds other names, unless there are some already.
  mutating func add(_ other: AppleAppNames) {
    common.merge(other.common) { own, _ in own }
    localized.merge(other.localized) { own, others in own.merging(others) { first, _ in first } }
  }

  /// What iPhones show; nil if nothing tells.
  var name: AppName? {
    let displayed = Self.keys.first { common[$0] != nil }
    var shown: [ExactText: String] = [:]
    for key in Self.keys {
      shown.merge(localized[key] ?? [:]) { first, _ in first }
      // A display name without a translation wins over another name with one.
      if key == displayed { break }
    }
    return AppName(displayed.flatMap { common[$0] }, localized: shown)
  }
}

/// The settings of a build that its files may name, as in `$(PRODUCT_NAME)`.
struct BuildSettings: Sendable {
  private var values: [String: String] = [:]
  private static let expansionsMax = 16

  /// No settings, so that only what names none is known.
  init() {}

  /// Those of a target, over those of its project and Xcode's own.
  init(target: String, _ values: [String: String]) {
    self.values = values.merging(["TARGET_NAME": target, "PRODUCT_NAME": target]) { own, _ in own }
  }

  subscript(name: String) -> String? { values[name] }

  /// A text with the values of what it names; nil if one is unknown or is to be changed, as by `:lower`.
  func expanded(_ text: String) -> String? {
    var text = text
    for _ in 0...Self.expansionsMax {
      guard let start = text.firstIndex(of: "$") else { return text }
      let rest = text[text.index(after: start)...]
      guard let open = rest.first, let end = rest.firstIndex(of: open == "(" ? ")" : "}"),
        let value = values[String(rest[..<end].dropFirst())]
      else { return nil }
      text.replaceSubrange(start...end, with: value)
    }
    return nil
  }
}
