package import AppStrings
internal import Catalog
package import FCMMessage
package import JSON
internal import LocaleRules

/// A first catalog made from the apps' keys, for `dragoman init`. Its author has to correct what it guesses.
package struct FirstCatalog: Sendable {
  package let yaml: String
  package let templateCount: Int
  /// How many more templates `all` would make.
  package let leftOutCount: Int

  /// The keys that become templates.
  package struct Selection: Sendable {
    /// Only keys that begin with these words, in either platform's spelling. The templates' names omit them.
    package var prefix = ""
    /// Only keys that one of these matches, on either platform; all keys if there is none.
    package var keys: [Glob] = []
    /// Also strings that look like no push message, and without a limit.
    package var isAll = false

    package init(prefix: String = "", keys: [Glob] = [], isAll: Bool = false) {
      (self.prefix, self.keys, self.isAll) = (prefix, keys, isAll)
    }

    fileprivate func includes(_ key: String?) -> Bool {
      guard let key else { return false }
      return keys.isEmpty || keys.contains { $0.matches(key) }
    }
  }

  /// The most templates, unless the caller chooses keys.
  static let templatesMax = 30

  struct Text {
    let key: String
    /// Of a plural, the form for most numbers.
    let format: FormatString
    /// The index of a plural's number among its args; nil for a string.
    var number: Int?
    /// What the file says about the placeholders.
    var hints: [StringEntry.PlaceholderHint] = []

    var argumentCount: Int { Swift.max(format.argumentCount, (number ?? -1) + 1) }

    /// What the file says about the arg at `index`. Of equal placeholders without a position each has its own
    /// hint, in order.
    func hint(_ index: Int) -> StringEntry.PlaceholderHint? {
      var left = hints.compactMap { hint in
        FormatString(hint.placeholder, platform: format.platform).placeholders.first.map { (hint, $0) }
      }
      for placeholder in format.placeholders {
        let place = left.firstIndex { _, hinted in
          if case .explicit = hinted.numbering { return hinted.numbering == placeholder.numbering }
          return hinted.text.hasSameBytes(as: placeholder.text)
        }
        if let place, placeholder.argument == index { return left[place].0 }
        if let place, case .ordinary = placeholder.numbering { left.remove(at: place) }
      }
      // The number of a plural has another placeholder in the file.
      return index == number ? left.first { $1.conversion == .number && $1.numbering == .ordinary }?.0 : nil
    }
  }

  struct Slot {
    var android: Text?
    var ios: Text?
  }

  typealias Draft = [TextSlot.Name: Slot]

  /// Uses the selected keys, those first whose texts are most likely those of push messages. Keys of both
  /// apps belong together if their names or their texts are equal. `origin` says where the catalog will be,
  /// so that it names relative folders from there; `locations` says what it names where a path is not enough.
  /// Throws if no key remains, and without a selection if none looks like a push message.
  package init(
    android: StringResources?, ios: StringResources?, _ selection: Selection = Selection(),
    movedFrom origin: CatalogPlace? = nil, locations: [AppPlatform: ResourceLocation] = [:]
  ) throws(FirstCatalogError) {
    let prefix = KeyWords(selection.prefix)
    let androidTexts = try Self.texts(android, prefix)
    let iosTexts = try Self.texts(ios, prefix)
    let known = androidTexts.words.union(iosTexts.words)
    let iosByText = Dictionary(
      iosTexts.filter { androidTexts[$0.0] == nil }.map { ($0.1.content, $0.1) },
      uniquingKeysWith: { first, _ in first })
    var drafts: [String: Draft] = [:]
    var alone: [String] = []
    var matched: Set<ExactText> = []
    for (words, text) in androidTexts {
      let other = iosTexts[words] ?? iosByText[text.content]
      guard selection.includes(text.key) || selection.includes(other?.key) else { continue }
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
      if let other { matched.insert(ExactText(other.key)) }
    }
    for (words, text) in iosTexts
    where androidTexts[words] == nil && !matched.contains(ExactText(text.key)) && selection.includes(text.key)
    {
      let (template, slot) = words.guess(among: known)
      if android != nil || template.isEmpty || drafts[template]?[slot] != nil {
        alone.append("iOS: \(text.key)")
      } else {
        drafts[template, default: [:]][slot] = Slot(ios: text)
      }
    }
    guard !drafts.isEmpty else { throw .noKeys }
    let isChosen = !prefix.words.isEmpty || !selection.keys.isEmpty
    let byRank = drafts.map { (name: $0.key, draft: $0.value, rank: PushLikelihood($0.value)) }
    let ranked = byRank.sorted { isChosen || $0.rank == $1.rank ? $0.name < $1.name : $0.rank > $1.rank }
    var kept = ranked[...]
    if !isChosen, !selection.isAll {
      kept = ranked.prefix { $0.rank.isLikely }.prefix(Self.templatesMax)
      guard !kept.isEmpty else { throw .noPushTexts }
    }
    templateCount = kept.count
    leftOutCount = ranked.count - kept.count
    yaml = Self.yaml(
      push: kept.filter { $0.rank.isLikely }.map { ($0.name, $0.draft) },
      others: kept.filter { !$0.rank.isLikely }.map { ($0.name, $0.draft) }, leftOutCount: leftOutCount,
      alone: isChosen ? alone.sorted() : [],
      folders: Self.places([android, ios], locations, origin), language: Self.sourceLanguage(of: ios))
  }

  /// How a catalog at `origin` names the apps' strings, with their platforms.
  static func places(
    _ apps: [StringResources?], _ locations: [AppPlatform: ResourceLocation], _ origin: CatalogPlace?
  ) -> [(String, String)] {
    apps.compactMap(\.self).map { resources in
      let location = locations[resources.platform] ?? ResourceLocation(resources.folder)
      return (resources.platform.rawValue, scalar(location, origin))
    }
  }

  /// The development language, as far as an iOS app tells: the language that the texts are taken from.
  static func sourceLanguage(of ios: StringResources?) -> String? {
    guard let ios else { return nil }
    if let known = ios.developmentLanguage(named: nil) {
      return AppleLocaleMatcher.locale(of: known)?.description ?? known
    }
    if ios.table("en") != nil { return "en" }
    return ios.table("Base") == nil ? ios.tables.first?.locale?.description : nil
  }

  /// The strings of the source language by their words, sorted by key.
  private static func texts(
    _ resources: StringResources?, _ prefix: KeyWords
  ) throws(FirstCatalogError) -> [(KeyWords, Text)].Indexed {
    guard let resources else { return .init([]) }
    guard let source = source(of: resources) else { throw .noStrings(folder: resources.folder) }
    let entries = source.entries.values.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
    return .init(
      entries.compactMap { entry in
        guard let words = KeyWords(entry.key).dropping(prefix), !entry.isGenerated(in: source),
          entry.isTranslatable, entry.text?.isEmpty != true
        else {
          return nil
        }
        return text(of: entry, on: resources.platform).map { (words, $0) }
      })
  }

  /// The table of the language that the app is written in.
  static func source(of resources: StringResources) -> StringTable? {
    resources.developmentLanguage(named: nil).flatMap(resources.table)
      ?? resources.table(resources.platform == .android ? StringResources.defaultTable : "en")
      ?? resources.table("Base") ?? resources.tables.first
  }

  /// Nil for an array, and for a plural that push messages cannot show.
  static func text(of entry: StringEntry, on platform: AppPlatform) -> Text? {
    if let text = entry.text {
      return Text(key: entry.key, format: FormatString(text, platform: platform), hints: entry.hints)
    }
    guard let forms = try? PluralForms(entry, on: platform), !forms.isPlain else { return nil }
    let integers = forms.integerArguments
    let number = forms.numberArgument ?? (integers.count == 1 ? integers.min() : nil) ?? 0
    let position = PluralNumberPosition(app: number, slot: number)
    let text = forms.text(.other, isZero: false, position)
    return Text(
      key: entry.key, format: FormatString(text, platform: platform), number: number, hints: entry.hints)
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

extension FirstCatalog.Text {
  /// The text with its placeholders as both platforms mean them.
  fileprivate struct Content: Hashable {
    let parts: [ExactText]
    let arguments: [Int?]
    let number: Int?
  }

  fileprivate var content: Content {
    let bytes = Array(format.text.utf8)
    let placeholders = format.placeholders.sorted { $0.range.lowerBound < $1.range.lowerBound }
    var (parts, start) = ([ExactText](), 0)
    for range in placeholders.map({ $0.range.clamped(to: bytes.indices) }) + [bytes.count..<bytes.count] {
      parts.append(
        ExactText(String(decoding: bytes[start..<Swift.max(start, range.lowerBound)], as: UTF8.self)))
      start = Swift.max(start, range.upperBound)
    }
    return Content(parts: parts, arguments: placeholders.map(\.argument), number: number)
  }
}
