/// Chooses configurations for a locale as Android 7 and later does.
package enum AndroidLocaleMatcher {
  /// Indices of `available` (nil is `values/`) that match `requested`, best first; `values/` always matches.
  ///
  /// For each entry Android uses the first of them that has it (AOSP ResTable_config::match and
  /// isLocaleBetterThan).
  package static func ranking(of available: [LocaleTag?], for requested: LocaleTag) -> [Int] {
    let request = AndroidLocaleRequest(requested)
    return available.indices.filter { request.isMatched(by: available[$0]) }
      .sorted { request.prefers(available[$0], to: available[$1]) }
  }

  /// The locale of the user's list that Android uses: the first whose language and likely script the app has,
  /// assuming that every app has English (AOSP LocaleList.getFirstMatchWithEnglishSupported); otherwise the
  /// user's first.
  ///
  /// `appLocales` are those of the whole package, including libraries. For an app without any, Android uses
  /// the system's locales, which include every user's.
  package static func chosen(of user: [LocaleTag], appLocales: [LocaleTag]) -> LocaleTag? {
    guard user.count > 1, !appLocales.allSatisfy(isPseudo) else { return user.first }
    let supported = Dictionary(
      grouping: [LocaleTag(language: "en", script: "Latn")] + appLocales.map(withFilipino), by: \.language)
    return user.first { wanted in
      guard let candidates = supported[wanted.language] else { return false }
      let wantedScript = LikelySubtags(wanted).script
      return candidates.contains { candidate in
        if candidate == wanted { return true }
        if isPseudo(candidate) || isPseudo(wanted) { return false }
        guard let script = LikelySubtags(candidate).script else {
          return candidate.region == nil || candidate.region == wanted.region
        }
        return script == wantedScript
      }
    } ?? user.first
  }

  /// Pseudo-locales, English with accents and mirrored Arabic, which only developers use for tests.
  static func isPseudo(_ tag: LocaleTag) -> Bool {
    tag.variants.isEmpty && tag.script == nil
      && (tag.language == "en" && tag.region == "XA" || tag.language == "ar" && tag.region == "XB")
  }

  /// The asset manager lists its locales with the newer of two codes for one language.
  private static func withFilipino(_ tag: LocaleTag) -> LocaleTag {
    guard tag.language == "tl" else { return tag }
    return LocaleTag(language: "fil", script: tag.script, region: tag.region, variants: tag.variants)
  }
}
