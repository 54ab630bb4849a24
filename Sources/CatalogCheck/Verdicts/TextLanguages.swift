internal import AppStrings
internal import FCMMessage
internal import JSON

/// Which texts of an app are in another language than that of their table: copies of the source text, and
/// texts in the letters of another language.
struct TextLanguages: Sendable {
  enum Fault: Equatable, Sendable {
    /// The text is a sentence of the source language, with the name of its table.
    case untranslated(source: String)
    /// Scripts as ISO 15924 codes.
    case otherScript(found: String, expected: [String])
  }

  private struct Table: Sendable {
    /// Empty if nothing tells.
    let scripts: Set<String>
    let language: LocaleTag?
    /// Whether translations come from it.
    let isSource: Bool
  }

  private let tables: [ExactText: Table]
  /// Where the source of a translation is looked for, in this order.
  private let sources: [StringTable]

  /// `developmentLanguage` is that of the app; nil if nothing tells it.
  init(_ resources: StringResources, developmentLanguage: String?) {
    let source = AppleLocaleMatcher.locale(of: developmentLanguage ?? "en")
    let sources = resources.sourceTableNames(of: developmentLanguage).compactMap(resources.table)
    self.sources = sources
    tables = Dictionary(
      resources.tables.map { table in
        let own = table.locale ?? AppleLocaleMatcher.locale(of: table.name)
        let scripts = own == nil && developmentLanguage == nil ? nil : (own ?? source)?.writtenScripts
        let isSource = sources.first?.name.hasSameBytes(as: table.name) ?? false
        return (
          ExactText(table.name), Table(scripts: scripts ?? [], language: own ?? source, isSource: isSource)
        )
      }, uniquingKeysWith: { first, _ in first })
  }

  /// What is wrong with the language of a text that a table has; nil if nothing is, or nothing can be told.
  func fault(of entry: StringEntry, in table: String) -> Fault? {
    guard let text = entry.text, !text.isEmpty, let own = tables[ExactText(table)] else { return nil }
    if let fault = copy(entry, text, in: own) { return fault }
    guard !own.scripts.isEmpty, !TextLetters.has(own.scripts, in: text) else { return nil }
    let letters = TextLetters(text)
    guard let found = letters.counts.max(by: { ($0.value, $1.key) < ($1.value, $0.key) }) else { return nil }
    // A name or a word can be in any letters, and Latin ones are in the brands and terms of all languages.
    let isEnough =
      found.key == "Latn"
      ? letters.isSentence : letters.wordCount >= 2 || found.value >= Self.lettersMin
    return isEnough ? .otherScript(found: found.key, expected: own.scripts.sorted()) : nil
  }

  /// More than the name of a language in its own letters, in scripts without spaces between words.
  private static let lettersMin = 10

  private func copy(_ entry: StringEntry, _ text: String, in own: Table) -> Fault? {
    guard !own.isSource, let language = own.language else { return nil }
    let key = ExactText(entry.key)
    guard let source = sources.first(where: { $0.entries[key]?.text != nil }),
      let original = source.entries[key], original.text?.hasSameBytes(as: text) == true,
      original.isTranslatable, entry.isTranslatable, !entry.isInherited,
      let first = tables[ExactText(source.name)]?.language, !first.sharesSentences(with: language),
      TextLetters(text).isSentence
    else { return nil }
    return .untranslated(source: source.name)
  }
}

extension StringResources {
  /// The names of the tables that can have the source of a translation, the likeliest first.
  func sourceTableNames(of developmentLanguage: String?) -> [String] {
    platform == .android
      ? [StringResources.defaultTable]
      : [developmentLanguage, AppleLocaleMatcher.base, "en"].compactMap(\.self)
  }
}

extension LocaleTag {
  /// Languages in which a sentence can be the same word for word.
  private static let siblings: [Set<String>] = [
    ["nb", "nn", "da"], ["bs", "hr", "sr", "cnr"], ["id", "ms"], ["cs", "sk"], ["es", "gl", "ast"],
  ]

  /// The languages that are written in several scripts, beside the one that CLDR takes for the likeliest
  /// (CLDR, supplementalData, languageData).
  private static let severalScripts: Set<String> = [
    "az", "bm", "bs", "cu", "ff", "ha", "iu", "kk", "ks", "ku", "ky", "mn", "ms", "pa", "sa", "sd", "so",
    "sr", "tg",
    "tk", "tt", "ug", "uz", "wo",
  ]

  /// The regions of Android's pseudo-locales, whose texts are changed English.
  private static let pseudoRegions: Set<String> = ["XA", "XB", "XC"]

  fileprivate func sharesSentences(with other: LocaleTag) -> Bool {
    let languages = [canonical.language, other.canonical.language]
    return languages[0] == languages[1] || other.region.map(Self.pseudoRegions.contains) ?? false
      || Self.siblings.contains { $0.isSuperset(of: languages) }
  }

  /// The scripts of texts in the language, as ISO 15924 codes for single scripts; empty if it has several.
  fileprivate var writtenScripts: Set<String> {
    if region.map(Self.pseudoRegions.contains) ?? false { return [] }
    let code = canonical
    // Codes of three letters are of languages that few apps have, often in the letters of their region.
    guard code.language.utf8.count == 2 else { return [] }
    guard script != nil || !Self.severalScripts.contains(code.language), let script = code.script else {
      return []
    }
    return switch script {
    case "Hans", "Hant", "Hani": ["Hani", "Bopo"]
    case "Jpan", "Hrkt": ["Hani", "Hira", "Kana"]
    case "Kore": ["Hang", "Hani"]
    default: [script]
    }
  }
}
