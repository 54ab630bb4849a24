package import AppStrings
internal import Catalog
internal import FCMMessage
internal import JSON
internal import Plurals

/// A first catalog made from the apps' keys, for `dragoman init`. Its author has to correct what it guesses.
package struct FirstCatalog: Sendable {
  package let yaml: String
  package let templateCount: Int

  fileprivate struct Text {
    let key: String
    /// Of a plural, the form for most numbers.
    let format: FormatString
    /// The index of a plural's number among its args; nil for a string.
    var number: Int?

    var argumentCount: Int { Swift.max(format.argumentCount, (number ?? -1) + 1) }
  }

  private struct Slot {
    var android: Text?
    var ios: Text?
  }

  private typealias Draft = [TextSlot.Name: Slot]

  /// Uses the keys that begin with the words of `prefix`, such as `push_`, which the templates' names omit;
  /// all keys if it is nil. `origin` says where the catalog will be, so that it names relative folders from
  /// there. Throws if no key remains.
  package init(
    android: StringResources?, ios: StringResources?, prefix: String?, movedFrom origin: CatalogPlace? = nil
  ) throws(FirstCatalogError) {
    let prefix = KeyWords(prefix ?? "")
    let androidTexts = try Self.texts(android, prefix)
    let iosTexts = try Self.texts(ios, prefix)
    let known = androidTexts.words.union(iosTexts.words)
    var drafts: [String: Draft] = [:]
    var alone: [String] = []
    for (words, text) in androidTexts {
      let other = iosTexts[words]
      guard ios == nil || other != nil && other?.number == text.number else {
        alone.append("Android: \(text.key)")
        continue
      }
      let (template, slot) = words.guess(among: known)
      if template.isEmpty || drafts[template]?[slot] != nil || (slot == .subtitle && ios == nil) {
        alone.append("Android: \(text.key)")
        continue
      }
      drafts[template, default: [:]][slot] = Slot(android: text, ios: other)
    }
    for (words, text) in iosTexts where androidTexts[words] == nil {
      let (template, slot) = words.guess(among: known)
      if android != nil || template.isEmpty || drafts[template]?[slot] != nil {
        alone.append("iOS: \(text.key)")
      } else {
        drafts[template, default: [:]][slot] = Slot(ios: text)
      }
    }
    guard !drafts.isEmpty else { throw .noKeys }
    templateCount = drafts.count
    yaml = Self.yaml(
      drafts, alone: prefix.words.isEmpty ? [] : alone.sorted(),
      folders: [("android", android), ("ios", ios)].compactMap { name, resources in
        resources.map { (name, origin?.path(to: $0.folder) ?? $0.folder) }
      }, isEnglish: ios?.table("en") != nil)
  }

  /// The strings of the source language by their words, sorted by key.
  private static func texts(
    _ resources: StringResources?, _ prefix: KeyWords
  ) throws(FirstCatalogError) -> [(KeyWords, Text)].Indexed {
    guard let resources else { return .init([]) }
    let source =
      resources.table(resources.platform == .android ? StringResources.defaultTable : "en")
      ?? resources.table("Base") ?? resources.tables.first
    guard let source else { throw .noStrings(folder: resources.folder) }
    let entries = source.entries.values.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
    return .init(
      entries.compactMap { entry in
        guard let words = KeyWords(entry.key).dropping(prefix), !entry.isGenerated(in: source) else {
          return nil
        }
        return text(of: entry, on: resources.platform).map { (words, $0) }
      })
  }

  /// Nil for an array, and for a plural that push messages cannot show.
  private static func text(of entry: StringEntry, on platform: AppPlatform) -> Text? {
    if let text = entry.text {
      return Text(key: entry.key, format: FormatString(text, platform: platform))
    }
    guard let forms = try? PluralForms(entry, on: platform), !forms.isPlain else { return nil }
    let integers = forms.integerArguments
    let number = forms.numberArgument ?? (integers.count == 1 ? integers.min() : nil) ?? 0
    let position = PluralNumberPosition(app: number, slot: number)
    let text = forms.text(.other, isZero: false, position)
    return Text(key: entry.key, format: FormatString(text, platform: platform), number: number)
  }
}

extension StringEntry {
  /// Whether the key is that of a class of numbers of a plural.
  fileprivate func isGenerated(in table: StringTable) -> Bool {
    let digits = key.utf8.reversed().prefix(while: \.isASCIIDigit)
    let name = key.utf8.dropLast(digits.count)
    guard !digits.isEmpty, name.suffix(2).elementsEqual("_n".utf8) else { return false }
    return table.resources(named: String(decoding: name.dropLast(2), as: UTF8.self)).contains {
      if case .plural = $0.value { true } else { false }
    }
  }
}

extension [(KeyWords, FirstCatalog.Text)] {
  /// The texts in order, with an index by words.
  fileprivate struct Indexed: Sequence {
    private let elements: [(KeyWords, FirstCatalog.Text)]
    private let indices: [KeyWords: Int]

    init(_ elements: [(KeyWords, FirstCatalog.Text)]) {
      self.elements = elements
      indices = Dictionary(
        elements.enumerated().map { ($1.0, $0) }, uniquingKeysWith: { first, _ in first })
    }

    var words: Set<KeyWords> { Set(indices.keys) }

    subscript(words: KeyWords) -> FirstCatalog.Text? { indices[words].map { elements[$0].1 } }

    func makeIterator() -> IndexingIterator<[(KeyWords, FirstCatalog.Text)]> { elements.makeIterator() }
  }
}

// MARK: YAML

extension FirstCatalog {
  private static func yaml(
    _ drafts: [String: Draft], alone: [String], folders: [(name: String, path: String)], isEnglish: Bool
  ) -> String {
    var lines = [
      "# A first catalog, made by `dragoman init` from the apps' strings. Correct what it guessed: which "
        + "texts belong",
      "# together, and the names and types of the params. `dragoman check` then finds what is still wrong.",
      "version: 1",
    ]
    let folders = folders.map { "\($0.name): \(scalar($0.path))" }
    let language = isEnglish ? ["development_language: en"] : []
    lines.append("resources: {\((folders + language).joined(separator: ", "))}")
    lines += ["defaults: {ttl: 24h, priority: high}", "templates:"]
    for (name, draft) in drafts.sorted(by: { $0.key < $1.key }) { lines += template(name, draft) }
    if !alone.isEmpty {
      lines.append("# Not used, because the other platform has no such key or another key has its slot:")
      lines += alone.map { "#   \($0.printable)" }
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private static func template(_ name: String, _ draft: Draft) -> [String] {
    var params: [String] = []
    var texts: [String] = []
    var fallbacks: [String] = []
    for slotName in TextSlot.Name.allCases {
      guard let slot = draft[slotName] else { continue }
      let both = [slot.android, slot.ios].compactMap(\.self)
      let count = both.map(\.argumentCount).max() ?? 0
      let names = (0..<count).map { "\(slotName.rawValue)_\($0 + 1)" }
      for (index, param) in names.enumerated() {
        let placeholders = both.flatMap(\.format.placeholders).filter { $0.argument == index }
        let isNumber = placeholders.contains { $0.conversion == .number }
        let type = isNumber ? "{type: number}" : "{type: string, max_length: 100}"
        params.append("      \(param): \(both.first?.number == index ? "{type: integer}" : type)")
      }
      if let source = both.first { texts.append("    # \(excerpt(source.format.text))") }
      // Only iOS has subtitles.
      let android = slotName == .subtitle ? nil : slot.android
      texts.append("    \(slotName.rawValue): \(slotYAML(android, slot.ios, names))")
      if slot.ios != nil, slotName != .subtitle, let plain = both.first(where: isFallback) {
        fallbacks.append("\(slotName.rawValue): \(quoted(plain.format.text))")
      }
    }
    var lines = ["  \(scalar(name)):"]
    if !params.isEmpty { lines += ["    params:"] + params }
    lines += texts
    if !fallbacks.isEmpty { lines.append("    fallback: {\(fallbacks.joined(separator: ", "))}") }
    return lines
  }

  /// Whether the text can be a fallback: it takes no args and is short enough for the message.
  private static func isFallback(_ text: Text) -> Bool {
    !text.format.hasPercent && (1...fallbackBytesMax).contains(text.format.text.utf8.count)
  }

  private static let fallbackBytesMax = 500

  /// The beginning of a text, for a comment.
  private static func excerpt(_ text: String) -> String {
    let scalars = text.unicodeScalars.prefix(101)
    let isWhole = scalars.count <= 100
    return String(String.UnicodeScalarView(scalars.prefix(100))).printable + (isWhole ? "" : "…")
  }

  private static func slotYAML(_ android: Text?, _ ios: Text?, _ names: [String]) -> String {
    let counts = Set([android, ios].compactMap { $0?.argumentCount })
    func key(_ text: Text) -> String {
      guard counts.count > 1 else { return scalar(text.key) }
      let args = names.prefix(text.argumentCount).joined(separator: ", ")
      return "{key: \(scalar(text.key)), args: [\(args)]}"
    }
    var parts: [String] = []
    if let android { parts.append("android: \(key(android))") }
    if let ios { parts.append("ios: \(key(ios))") }
    if counts.count == 1, !names.isEmpty { parts.append("args: [\(names.joined(separator: ", "))]") }
    if let number = (android ?? ios)?.number { parts.append("plural: \(names[number])") }
    return "{\(parts.joined(separator: ", "))}"
  }

  /// A plain scalar where YAML's core schema reads it as a string, otherwise a quoted one.
  private static func scalar(_ text: String) -> String {
    var bytes = Array(text.utf8)[...]
    let isPlain =
      bytes.popFirst().map { $0.isASCIILetter || $0 == UInt8(ascii: "_") } ?? false
      && bytes.allSatisfy { $0.isASCIIAlphanumeric || "_.-/".utf8.contains($0) }
    let isWord = ["true", "false", "null"].contains(text.lowercased())
    return isPlain && !isWord ? text : quoted(text)
  }

  /// JSON strings are double-quoted YAML scalars, except for characters that YAML does not print (YAML 1.2,
  /// 5.1).
  private static func quoted(_ text: String) -> String {
    String(decoding: JSON.string(text).serialized, as: UTF8.self).unicodeScalars.reduce(into: "") {
      switch $1.value {
      case 0x7F...0x9F, 0x2028...0x2029, 0xFEFF, 0xFFFE...0xFFFF:
        let digits = String($1.value, radix: 16, uppercase: true)
        $0 += "\\u" + String(repeating: "0", count: 4 - digits.utf8.count) + digits
      default: $0.unicodeScalars.append($1)
      }
    }
  }
}
