internal import AppStrings
internal import FCMMessage
internal import JSON
internal import StringSources

/// Which table of an app has the texts of each language of its sources.
struct SourceTables {
  private let languages: [LocaleTag]
  private let android: StringResources?
  private let ios: StringResources?
  /// The language of `values/` and `Base`, as far as the sources have it.
  let ownLanguage: LocaleTag?

  init(_ strings: SourceStrings, _ resources: AppResources) {
    let languages = strings.languages.map(\.locale)
    (self.languages, android, ios) = (languages, resources.android, resources.ios)
    let named = resources.developmentLanguage(on: .ios).flatMap { AppleLocaleMatcher.locale(of: $0) }
    func known(_ locale: LocaleTag?) -> LocaleTag? {
      languages.first { $0 == locale } ?? languages.first { $0.canonical == locale?.canonical }
    }
    ownLanguage = known(named) ?? strings.sourceLanguage ?? known(LocaleTag("en")) ?? languages.first
  }

  /// The name of a language's table, which may be a new one.
  func name(of language: LocaleTag, on platform: AppPlatform) -> String {
    switch platform {
    case .android:
      if language == ownLanguage { return StringResources.defaultTable }
      let known = (android?.tables ?? []).compactMap { table in table.locale.map { (table.name, $0) } }
      return match(language, among: known) ?? language.description
    case .ios:
      let names = (ios?.tables.map(\.name) ?? []) + (ios?.otherLocalizations ?? [])
      let known = names.compactMap { name in AppleLocaleMatcher.locale(of: name).map { (name, $0) } }
      let base = names.first { $0 == AppleLocaleMatcher.base }
      return match(language, among: known) ?? (language == ownLanguage ? base : nil) ?? language.description
    }
  }

  /// The table of the language, or of the same language by another tag that no source has.
  private func match(_ language: LocaleTag, among known: [(name: String, locale: LocaleTag)]) -> String? {
    let canonical = language.canonical
    return known.first { $0.locale == language }?.name
      ?? known.first { $0.locale.canonical == canonical && !languages.contains($0.locale) }?.name
  }
}
