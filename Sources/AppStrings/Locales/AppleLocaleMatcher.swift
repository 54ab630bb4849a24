internal import JSON

/// How iOS finds the `.lproj` folders for a user's languages.
package enum AppleLocaleMatcher {
  /// The folder whose files belong to the development language.
  package static let base = "Base"

  /// The lproj names to search, best first, as CFBundle makes the list (CFBundle_Locale.c,
  /// _CFBundleCopyLanguageSearchListInBundle; CFBundle_Resources.c puts `Base` after the first language).
  ///
  /// Only names that are in `available`: others have no folder. A file is taken from the first folder that has it.
  package static func localizations(
    for preferred: [String], available: [String], developmentLanguage: String?
  ) -> [String] {
    let hasBase = available.contains { $0.hasSameBytes(as: base) }
    let localizations = localizations(available, developmentLanguage: hasBase ? developmentLanguage : nil)
    var languages = LocalizationsToUse.names(for: preferred, of: localizations)
    let backstops = [developmentLanguage, "en-US", localizations.first].compactMap(\.self)
    for backstop in backstops where languages.isEmpty {
      languages = LocalizationsToUse.names(for: [backstop], of: localizations)
    }
    if languages.isEmpty, let first = localizations.first { languages = [first] }
    let last =
      developmentLanguage
      ?? ["en", "English", "en_US"].first { name in localizations.contains { $0.hasSameBytes(as: name) } }
    if let last, !languages.contains(where: { $0.hasSameBytes(as: last) }) { languages.append(last) }
    if hasBase { languages.insert(base, at: min(1, languages.count)) }
    let folders = Set(available.map(ExactText.init))
    return languages.filter { folders.contains(ExactText($0)) }
  }

  /// The language that a folder's name stands for, `English` and `zh_CN` included; nil for `Base` and for garbage.
  package static func locale(of localization: String) -> LocaleTag? {
    LocaleTag(localization)
      ?? LocalizationsToUse.oldNames[localization.lowercased()].flatMap { LocaleTag($0) }
  }

  /// `Base` holds the development language, so it counts as a localization where no folder is named after it
  /// (CFBundleCopyBundleLocalizations).
  private static func localizations(_ available: [String], developmentLanguage: String?) -> [String] {
    let folders = available.filter { !$0.hasSameBytes(as: base) }
    guard let developmentLanguage, let locale = locale(of: developmentLanguage),
      !folders.contains(where: { self.locale(of: $0) == locale })
    else { return folders }
    return folders + [developmentLanguage]
  }
}
