/// How Android 7 and later finds the configuration for a locale.
package enum AndroidLocaleMatcher {
  /// Indices of `available` (nil is `values/`) that match `requested`, best first; `values/` always matches.
  ///
  /// Per entry, the first of them that has it is used (AOSP: ResTable_config::match and isLocaleBetterThan).
  package static func ranking(of available: [LocaleTag?], for requested: LocaleTag) -> [Int] {
    let request = AndroidLocaleRequest(requested)
    return available.indices.filter { request.isMatched(by: available[$0]) }
      .sorted { request.prefers(available[$0], to: available[$1]) }
  }

  /// The one locale of the user's list that is used: the first whose language and likely script the app has, English
  /// being taken for granted (AOSP: LocaleList.getFirstMatchWithEnglishSupported); else the user's first.
  ///
  /// `appLocales` are those of the whole package, libraries and all. An app that has none is asked by the system's
  /// own, which are every user's.
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

  /// English with accents and mirrored Arabic, which developers test with and nobody else reads.
  static func isPseudo(_ tag: LocaleTag) -> Bool {
    tag.variants.isEmpty && tag.script == nil
      && (tag.language == "en" && tag.region == "XA" || tag.language == "ar" && tag.region == "XB")
  }

  /// The asset manager tells its locales with the newer of two names for one language.
  private static func withFilipino(_ tag: LocaleTag) -> LocaleTag {
    guard tag.language == "tl" else { return tag }
    return LocaleTag(language: "fil", script: tag.script, region: tag.region, variants: tag.variants)
  }
}
