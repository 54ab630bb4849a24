internal import AppStrings
internal import Catalog
internal import FCMMessage

/// The languages that an app ships, where its catalog lists them: `resources.locales`.
struct ShippedLanguages {
  private let tags: Set<LocaleTag>

  /// The development language is always among them: phones show it where they find no other.
  init(_ list: LanguageList, developmentLanguage: String?) {
    let development = AppleLocaleMatcher.locale(of: developmentLanguage ?? "en")
    tags = Set((list.languages.map { LocaleTag($0) } + [development]).compactMap { $0?.canonical })
  }

  /// Tags are compared with their likely scripts and regions, so that `zh-Hans` includes `values-zh-rCN`.
  func contains(_ table: StringTable) -> Bool {
    contains(table.locale ?? AppleLocaleMatcher.locale(of: table.name))
  }

  private func contains(_ locale: LocaleTag?) -> Bool { locale.map { tags.contains($0.canonical) } ?? true }

  /// The resources without the languages that are not shipped, and the names of these.
  func shipped(of resources: StringResources) -> (resources: StringResources, others: [String]) {
    let others = resources.tables.filter { !contains($0) }.map(\.name)
    let withoutTable = resources.otherLocalizations.filter { !contains(AppleLocaleMatcher.locale(of: $0)) }
    return (resources.without(languages: Set(others + withoutTable)), others)
  }
}

extension AppResources {
  /// The differences between `resources.locales` and the languages of the app's strings.
  func shippedLocaleFindings(_ catalog: Catalog) -> [Finding] {
    guard let list = locales else { return [] }
    return AppPlatform.allCases.flatMap { platform -> [Finding] in
      guard let resources = self[platform] else { return [] }
      let present = Set(resources.languageTables.compactMap { LocaleTag(language(of: $0))?.canonical })
      let absent =
        resources.isUnreadable
        ? [] : list.languages.filter { LocaleTag($0).map { !present.contains($0.canonical) } ?? false }
      return
        (absent.map { absence(of: $0) } + (unshipped[platform] ?? []).map { surplus($0) }).map { finding in
          var finding = finding
          finding.platform = platform
          (finding.file, finding.line) = (catalog.file, list.line)
          return finding
        }
    }
  }

  private func absence(of language: String) -> Finding {
    var finding = Finding(
      .shippedLocales, severity: .warning, impact: .wrongText, .localeWithoutStrings, [language],
      help: .addTranslations)
    finding.locale = language
    return finding
  }

  private func surplus(_ table: String) -> Finding {
    var finding = Finding(.shippedLocales, .localeNotListed, help: .addToLocales)
    finding.locale = table
    return finding
  }
}
