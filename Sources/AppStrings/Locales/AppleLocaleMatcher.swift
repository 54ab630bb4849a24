internal import JSON

/// Chooses `.lproj` folders for a user's languages as iOS does.
package enum AppleLocaleMatcher {
  /// The folder of the development language's files.
  package static let base = "Base"

  /// The names of the `.lproj` folders to search, best first, as CFBundle lists them (CFBundle_Locale.c,
  /// _CFBundleCopyLanguageSearchListInBundle; CFBundle_Resources.c puts `Base` after the first language).
  ///
  /// Contains only names in `available`, which have a folder. A file is read from the first folder that has
  /// it.
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

  /// The first of a user's languages that an app has, otherwise the first of all.
  static func language(
    of preferred: [String], available: [String], developmentLanguage: String?
  ) -> String? {
    guard preferred.count > 1 else { return preferred.first }
    let hasBase = available.contains { $0.hasSameBytes(as: base) }
    let localizations = localizations(available, developmentLanguage: hasBase ? developmentLanguage : nil)
    return preferred.first { !LocalizationsToUse.names(for: [$0], of: localizations).isEmpty }
      ?? preferred.first
  }

  /// The language of a folder's name, including `English` and `zh_CN`; nil for `Base` and invalid names.
  package static func locale(of localization: String) -> LocaleTag? {
    LocaleTag(localization)
      ?? LocalizationsToUse.oldNames[localization.lowercased()].flatMap { LocaleTag($0) }
  }

  /// `Base` contains the development language, so it counts as that localization where no folder has its name
  /// (CFBundleCopyBundleLocalizations).
  private static func localizations(_ available: [String], developmentLanguage: String?) -> [String] {
    let folders = available.filter { !$0.hasSameBytes(as: base) }
    guard let developmentLanguage, let locale = locale(of: developmentLanguage),
      !folders.contains(where: { self.locale(of: $0) == locale })
    else { return folders }
    return folders + [developmentLanguage]
  }
}
