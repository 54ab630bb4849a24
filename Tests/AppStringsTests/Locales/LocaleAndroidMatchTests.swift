import AppStrings
import Testing

/// Which configurations an Android phone can use at all. The cases are those of AOSP's
/// libs/androidfw/tests/ConfigLocale_test.cpp (match, match_emptyScript, computeScript).
@Suite struct LocaleAndroidMatchTests {
  private func matches(_ available: String, _ requested: String) throws -> Bool {
    let available = try #require(LocaleTag(available))
    let requested = try #require(LocaleTag(requested))
    return !AndroidLocaleMatcher.ranking(of: [available], for: requested).isEmpty
  }

  @Test(arguments: [
    ("tl-PH", "fil-PH"), ("fil-PH", "tl-PH"),
    ("qaa", "qaa-CA"), ("qaa-CA", "qaa-CA"),
    ("az", "az-Latn"), ("az-IR", "az-Arab"), ("az-Arab", "az-IR"),
    ("en-XA", "en-XA"), ("ar-XB", "ar-XB"), ("ar-EG", "ar-TN"),
    ("fr-FR", "fr-CA"), ("fr-FR", "fr-CH"), ("es-ES", "es-AR"), ("de-AT", "de"),
    ("zh-TW", "zh-Hant-HK"), ("zh-TW", "zh-US"), ("zh-Hant", "zh-TW"), ("zh-CN", "zh"),
    ("zh-CN", "zh-Hans-SG"),
    ("sr", "sr-Cyrl-RS"), ("sr-ME", "sr-Latn-RS"), ("sr-Latn", "sr-ME"), ("peo", "peo-Xpeo"),
    ("iw", "he-IL"), ("he", "iw-IL"), ("in", "id-ID"), ("ji", "yi"), ("ks", "ks-Arab-IN"),
    ("pa-PK", "pa-Arab"), ("uz-AF", "uz-Arab"), ("mn-CN", "mn-Mong"),
  ])
  func matchesTheSameLanguageAndScript(available: String, requested: String) throws {
    #expect(try matches(available, requested))
  }

  @Test(arguments: [
    ("en-CA", "fr-CA"),
    ("qaa-FR", "qaa-CA"), ("qaa-Latn-FR", "qaa-CA"), ("qaa-FR", "qaa-Latn-CA"), ("qaa-CA", "qaa"),
    ("az", "az-Cyrl"), ("az", "az-IR"),
    ("en", "en-XA"), ("en-XA", "en"), ("ar", "ar-XB"), ("ar-XB", "ar"), ("en-XA", "en-US"),
    ("zh-CN", "zh-TW"), ("zh", "zh-HK"), ("zh-TW", "zh-CN"), ("zh-Hant", "zh"),
    ("sr", "sr-Latn-RS"), ("sr-Latn", "sr-RS"), ("sr", "sr-ME"), ("en-Shaw", "en-GB"),
    ("no", "nb-NO"), ("nb", "nn-NO"), ("eng", "en"), ("zh", "yue-HK"), ("pt", "gl-ES"),
  ])
  func doesNotMatchAnotherLanguageOrScript(available: String, requested: String) throws {
    #expect(try !matches(available, requested))
  }

  /// AOSP's LIKELY_SCRIPTS lists these regions separately from their languages, and CLDR still agrees
  /// on them.
  @Test(arguments: [
    ("Arab", "az-IQ az-IR ha-CM ha-SD kk-AF kk-CN kk-IR kk-MN ku-LB ky-CN ms-CC pa-PK tg-PK uz-AF"),
    ("Cyrl", "az-RU ug-KZ ug-MN uz-CN"), ("Latn", "ky-TR sr-ME sr-RO sr-RU sr-TR"),
    ("Deva", "sd-IN unr-NP"), ("Hans", "yue-CN"), ("Mong", "mn-CN"), ("Nkoo", "man-GN"),
    ("Hant", "zh-AU zh-BN zh-GB zh-GF zh-HK zh-ID zh-MO zh-PA zh-PF zh-PH zh-SR zh-TH zh-TW zh-VN"),
  ])
  func findsTheScriptOfARegion(script: String, locales: String) throws {
    for locale in locales.split(separator: " ").map(String.init) {
      let language = try #require(LocaleTag(locale)?.language)
      #expect(try matches(locale, "\(language)-\(script)"), "\(locale)")
      #expect(try !matches(locale, language), "\(locale)")
    }
  }

  @Test(arguments: ["fr-CA", "qaa", "zh-Hant-MO", "en-XA", "und", "und-Cyrl", "de-1996"])
  func defaultMatchesEverything(requested: String) throws {
    let requested = try #require(LocaleTag(requested))
    #expect(AndroidLocaleMatcher.ranking(of: [nil], for: requested) == [0])
  }

  @Test func ranksNothingOfNothing() throws {
    #expect(AndroidLocaleMatcher.ranking(of: [], for: try #require(LocaleTag("fr"))).isEmpty)
  }

  @Test func invalidTagMatchesNothingElse() {
    let garbage = LocaleTag(language: String(repeating: "é\u{0}", count: 1_000), script: "\u{1F600}")
    #expect(AndroidLocaleMatcher.ranking(of: [nil, LocaleTag("fr"), garbage], for: garbage) == [2, 0])
  }
}
