package import AppStrings
package import FCMMessage
package import JSON

/// The texts of an app as its sources have them, in all languages.
package struct SourceStrings: Sendable {
  /// A key's text in one language.
  package struct Entry: Sendable {
    package let key: String
    package let file: String
    /// From 1.
    package let line: Int
    package let content: Result<SourceMessage, SourceTextError>
  }

  package struct Language: Sendable {
    package let locale: LocaleTag
    package var entries: [ExactText: Entry]

    package subscript(key: String) -> Entry? { entries[ExactText(key)] }
  }

  /// By their tags. An earlier source wins over later ones, key by key.
  package private(set) var languages: [Language] = []
  /// The language from which the others are translated, as far as a source tells it.
  package private(set) var sourceLanguage: LocaleTag?
  /// What cannot be read.
  package private(set) var problems: [ResourceProblem] = []
  /// The folders and files in which a change can change the texts.
  package private(set) var places: [String] = []

  /// Reads the sources. `developmentLanguage` is the catalog's.
  package init(_ locations: [StringSourceLocation], developmentLanguage: String?) {
    let language = LocaleTag(developmentLanguage ?? "en")
    for location in locations {
      switch location.format {
      case .arb: add(ARBFolder(location.path))
      case .i18next: add(I18nextFiles(location.path))
      case .compose: add(ComposeFolder(location.path, language: language))
      case .gettext: add(GettextFiles(location.path, language: language))
      }
    }
    languages.sort { $0.locale.description < $1.locale.description }
  }

  private mutating func add(_ read: some StringSource) {
    sourceLanguage = sourceLanguage ?? read.sourceLanguage
    problems += read.problems
    places += read.places
    for language in read.languages {
      if let index = languages.firstIndex(where: { $0.locale == language.locale }) {
        languages[index].entries.merge(language.entries) { first, _ in first }
      } else {
        languages.append(language)
      }
    }
  }

  /// Whether a file could not be read, so that texts may be missing.
  package var isIncomplete: Bool {
    problems.contains { $0.kind == .unparsable || $0.kind == .noResources }
  }

  /// A key's text in each language that has one, that of the source language first.
  package func entries(_ key: String) -> [(language: Language, entry: Entry)] {
    let found = languages.compactMap { language in language[key].map { (language, $0) } }
    return found.filter { $0.0.locale == sourceLanguage } + found.filter { $0.0.locale != sourceLanguage }
  }

  /// All keys, for suggestions.
  package var keys: Set<String> { Set(languages.flatMap { $0.entries.keys.map(\.text) }) }
}

/// What a reader of one format finds.
protocol StringSource {
  var languages: [SourceStrings.Language] { get }
  var sourceLanguage: LocaleTag? { get }
  var problems: [ResourceProblem] { get }
  var places: [String] { get }
}

/// The bounds of what is read.
enum SourceLimits {
  static let fileBytesMax = 16 << 20
  static let languagesMax = 1_000
  static let problemsPerFileMax = 100
  static let messageBytesMax = 64 << 10
  static let messageDepthMax = 16

  /// Throws if a text is longer than any that a phone shows.
  static func verify(_ text: String) throws(SourceTextError) {
    guard text.utf8.count <= messageBytesMax else {
      throw SourceTextError(FindingText(.tooLong), help: FindingText(.shortenText))
    }
  }
}
