import AppStrings
import Testing

/// Which of the user's locales an Android phone uses (AOSP: LocaleList.getFirstMatchWithEnglishSupported).
@Suite struct LocaleAndroidChoiceTests {
  private func chosen(_ user: [String], _ app: [String]) -> String? {
    AndroidLocaleMatcher.chosen(
      of: user.compactMap { LocaleTag($0) }, appLocales: app.compactMap { LocaleTag($0) })?
      .description
  }

  @Test(arguments: [
    (["fr-CH", "de-CH"], ["de", "it"], "de-CH"),
    (["fr-CH", "de-CH"], ["de", "fr-CA"], "fr-CH"),
    (["de-CH", "en-GB"], ["fr", "it"], "en-GB"),
    (["ja-JP", "ko-KR"], ["fr"], "ja-JP"),
    (["zh-TW", "zh-CN"], ["zh-Hans", "fr"], "zh-CN"),
    (["zh-Hant-HK", "fr"], ["zh-TW", "fr"], "zh-Hant-HK"),
    (["sr-Latn-RS", "hr-HR"], ["sr", "hr"], "hr-HR"),
    (["fil-PH", "es-ES"], ["tl", "es"], "fil-PH"),
    (["tl-PH", "es-ES"], ["tl", "es"], "es-ES"),
    (["iw-IL", "ar"], ["iw"], "he-IL"),
    (["en-XA", "fr"], ["fr"], "fr"),
    (["en-XA", "fr"], ["fr", "en-XA"], "en-XA"),
    (["qaa-CA", "fr"], ["qaa-FR", "fr"], "fr"),
    (["qaa-CA", "fr"], ["qaa", "fr"], "qaa-CA"),
  ])
  func usesTheFirstLocaleThatTheAppHas(user: [String], app: [String], expected: String) {
    #expect(chosen(user, app) == expected)
  }

  @Test func usesAnOnlyLocaleAsItIs() {
    #expect(chosen(["ja"], ["fr"]) == "ja")
    #expect(chosen([], ["fr"]) == nil)
  }

  @Test func appWithoutLocalesGetsTheUsersFirst() {
    #expect(chosen(["fr", "en"], []) == "fr")
    #expect(chosen(["fr", "en"], ["en-XA", "ar-XB"]) == "fr")
    #expect(chosen(["fr", "en"], ["de"]) == "en")
  }
}
