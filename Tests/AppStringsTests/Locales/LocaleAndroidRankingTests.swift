import AppStrings
import Testing

/// Which of two configurations an Android phone takes. The cases are those of AOSP's
/// libs/androidfw/tests/ConfigLocale_test.cpp (isLocaleBetterThan) and some that follow from them.
@Suite struct LocaleAndroidRankingTests {
  /// `default` is `values/`.
  private func ranking(_ available: [String], _ requested: String) throws -> [String] {
    let tags = available.map { $0 == "default" ? nil : LocaleTag($0) }
    let requested = try #require(LocaleTag(requested))
    return AndroidLocaleMatcher.ranking(of: tags, for: requested).map { available[$0] }
  }

  /// Requested, better, worse.
  @Test(arguments: [
    ("fr-CA", "fr-FR", "default"),
    ("de-DE", "de-DE", "de-DE-1901"), ("de-DE-1901", "de-DE-1901", "de-DE"),
    ("fil-PH", "tl-PH", "fil-US"), ("fil-PH-fonipa", "tl-PH-fonipa", "fil-PH"), ("fil-PH", "fil-PH", "tl-PH"),
    ("es-AR", "es-AR", "es-419"), ("es-AR", "es-419", "es"), ("es-AR", "es-419", "es-ES"),
    ("es-AR", "es", "es-ES"), ("es-AR", "es-PE", "es-ES"),
    ("es-AR", "es-US", "es"), ("es-MX", "es-US", "es"), ("es-AR", "es-MX", "es"), ("es-US", "es-MX", "es"),
    ("es-AR", "es-419", "es-MX"), ("es-US", "es-419", "es-MX"), ("es-MX", "es-419", "es-US"),
    ("es-AR", "es-MX", "es-BO"), ("es-AR", "es-US", "es-BO"),
    ("es-IC", "es-ES", "es-GQ"), ("es-AR", "es-MX", "es-US"), ("es-GQ", "es-IC", "es-419"),
    ("en-GB", "en-001", "en"), ("en-PR", "en", "en-001"), ("en-DE", "en-150", "en-001"),
    ("en-IN", "en-AU", "en-US"), ("en-PR", "en-001", "en-GB"), ("en-IN", "en-GB", "en-AU"),
    ("en-IN", "en-AU", "en-CA"),
    ("pt-MZ", "pt-PT", "pt"), ("pt-MZ", "pt-PT", "pt-BR"), ("pt-AO", "pt-PT", "pt-BR"),
    ("zh-Hant-MO", "zh-Hant-HK", "zh-Hant-TW"), ("zh-Hant-US", "zh-Hant-TW", "zh-Hant-HK"),
    ("zh-MO", "zh-HK", "zh-TW"), ("zh-Hant-MO", "zh-HK", "zh-Hant"),
    ("ar-DZ", "ar-015", "ar"), ("ar-EG", "ar", "ar-015"), ("ar-QA", "ar-EG", "ar-BH"),
    ("ar-QA", "ar-SA", "ar-015"),
    ("en-US", "default", "en-001"), ("en-US", "default", "en-GB"), ("en-PR", "default", "en-001"),
    ("en-US", "en", "default"), ("en-PR", "en", "default"), ("en-US", "default", "en-PR"),
    ("en-PR", "en-PH", "default"), ("en", "default", "en-GB"), ("en-GB", "en-AU", "default"),
    ("en-AU", "en", "en-GB"), ("fr-CH", "fr-FR", "fr-CA"), ("fr-CH", "fr", "fr-FR"),
    ("de", "de-AT", "default"),
    ("sr-Latn-ME", "sr-Latn", "default"), ("pt-BR", "pt", "pt-PT"), ("pt", "pt-BR", "pt-PT"),
  ])
  func choosesTheBetterOfTwo(requested: String, better: String, worse: String) throws {
    #expect(try ranking([better, worse], requested) == [better, worse])
    #expect(try ranking([worse, better], requested) == [better, worse])
  }

  @Test(arguments: [
    ("es-AR", ["es-419", "es-419"]), ("fr-CA", ["default", "default"]),
    ("de-DE", ["de-DE-1901", "de-DE-1996"]), ("de-DE-1901", ["de-DE", "de-DE-1996"]),
    ("de", ["de", "de-Latn"]),
  ])
  func firstInTheAppsTableWinsAmongEquals(requested: String, available: [String]) throws {
    #expect(try ranking(available, requested) == available)
    #expect(try ranking(available.reversed(), requested) == available)
  }

  @Test(arguments: [
    ("en-GB", ["en-GB", "en-001", "en", "en-AU", "en-US", "default"]),
    ("en-US", ["en-US", "en", "default", "en-001", "en-GB", "en-AU"]),
    ("es-AR", ["es-AR", "es-419", "es-MX", "es-US", "es", "es-BO", "es-ES", "default"]),
    ("es-ES", ["es-ES", "es", "es-419", "es-MX", "es-US", "es-AR", "default"]),
    ("pt-AO", ["pt-AO", "pt-PT", "pt", "pt-MZ", "pt-BR", "default"]),
    ("zh-Hant-MO", ["zh-MO", "zh-HK", "zh-Hant", "zh-TW", "default"]),
  ])
  func ranksManyFromAnyOrder(requested: String, expected: [String]) throws {
    let others = ["ja", "zh-CN", "fr", "he"]
    #expect(try ranking(expected + others, requested) == expected)
    #expect(try ranking((others + expected).reversed(), requested) == expected)
  }

  @Test(arguments: [
    ("zh-SG", ["zh-SG", "zh-Hans-SG"]), ("zh-Hans-SG", ["zh-SG", "zh-Hans-SG"]),
    ("zh-Hant-TW", ["zh-TW", "zh-Hant-TW"]), ("sr-Latn-ME", ["sr-ME", "sr-Latn-ME"]),
  ])
  func ofTwoSpellingsTheOneWithoutAScriptWins(requested: String, expected: [String]) throws {
    #expect(try ranking(expected, requested) == expected)
    #expect(try ranking(expected.reversed(), requested) == expected)
  }

  private static let locales = """
    ar ar-015 ar-DZ ar-EG ar-SA de de-AT en en-001 en-150 en-AU en-CA en-DE en-GB en-IN en-PH en-PR en-US \
    es es-419 es-AR es-BO es-ES es-GQ es-IC es-MX es-PH es-US fil fil-PH tl tl-PH fil-US pt pt-AO pt-BR pt-MO \
    pt-PT sr sr-Latn sr-ME zh zh-CN zh-HK zh-Hant zh-MO zh-SG zh-TW
    """.split(separator: " ").map(String.init)

  @Test(arguments: locales)
  func nothingIsBetterThanWhatComesBefore(requested: String) throws {
    let ranked = try ranking(["default"] + Self.locales, requested)
    #expect(ranked.first == requested)
    for (index, worse) in ranked.enumerated() {
      for better in ranked.prefix(index) {
        #expect(try ranking([better, worse], requested) == [better, worse])
      }
    }
  }
}
