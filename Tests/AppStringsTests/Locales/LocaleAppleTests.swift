import AppStrings
import Testing

/// Which `.lproj` folders an iPhone searches. The behaviour tables are those of ICU's ualoc.h (Apple) and of
/// runs.
@Suite struct LocaleAppleTests {
  private func localizations(
    _ preferred: String, _ available: String, development: String? = "xx"
  ) -> [String] {
    AppleLocaleMatcher.localizations(
      for: preferred.split(separator: ",").map(String.init),
      available: available.split(separator: ",").map(String.init), developmentLanguage: development)
  }

  @Test(arguments: [
    ("fr-CA", "en,fr", "fr"), ("fr-FR", "en,fr-CA", "fr-CA"),
    ("pt-BR", "en,pt-PT", "pt-PT"), ("pt-PT", "en,pt-BR", "pt-BR"), ("pt-AO", "en,pt,pt-PT", "pt-PT,pt"),
    ("es-AR", "en,es,es-419", "es-419,es"), ("es-US", "en,es-419,es", "es-419,es"),
    ("zh-HK", "en,zh-Hant", "zh-Hant"), ("nb-NO", "en,no", "no"), ("nn-NO", "en,nb", "nb"),
    ("he-IL", "en,iw", "iw"), ("iw", "en,he", "he"), ("id-ID", "en,in", "in"), ("fil-PH", "en,tl", "tl"),
    ("yue-HK", "en,zh-Hant", "zh-Hant"), ("en-AU", "en,en-GB", "en-GB,en"), ("ja,fr", "en,fr", "fr"),
    ("uk,ru", "en,ru", "ru"), ("fr_CA", "en,fr", "fr"), ("de-DE-u-co-phonebk", "en,de", "de"),
  ])
  func followsTheUsersLanguages(preferred: String, available: String, expected: String) {
    #expect(localizations(preferred, available).joined(separator: ",") == expected)
  }

  @Test(arguments: [
    ("zh-Hant-TW", "zh-Hans,ar"), ("zh-Hans-CN", "zh-Hant,ar"), ("sr-Latn-RS", "sr,ar"),
    ("sr-Cyrl-RS", "sr-Latn,ar"), ("ja", "fr,ar"), ("gsw-CH", "de,ar"), ("x", "ar"), ("", "ar"),
  ])
  func usesTheDevelopmentLanguageWhenNoneMatches(preferred: String, available: String) {
    #expect(localizations(preferred, available, development: "ar") == ["ar"])
  }

  @Test(arguments: [
    ("zh", "zh_CN", "zh_CN", "zh_CN", "zh_Hans"), ("zh-Hant", "zh_TW", "zh_TW", "zh_TW", "zh_Hant"),
    ("zh-Hant-HK", "zh_TW", "zh_HK,zh_TW", "zh_HK,zh_TW", "zh_Hant_HK,zh_Hant"),
    ("zh-Hant-MO", "zh_TW", "zh_HK,zh_TW", "zh_MO,zh_TW,zh_HK", "zh_Hant_HK,zh_Hant"),
    ("zh-Hans-SG", "zh_CN", "zh_CN", "zh_CN", "zh_Hans"), ("zh-TW", "zh_TW", "zh_TW", "zh_TW", "zh_Hant"),
  ])
  func findsChineseByOldAndNewNames(
    preferred: String, first: String, second: String, third: String, fourth: String
  ) {
    let sets = ["zh_CN,zh_TW", "zh_CN,zh_TW,zh_HK", "zh_CN,zh_TW,zh_HK,zh_MO", "zh_Hans,zh_Hant,zh_Hant_HK"]
    for (available, expected) in zip(sets, [first, second, third, fourth]) {
      #expect(localizations(preferred, available).joined(separator: ",") == expected, "\(available)")
    }
  }

  @Test(arguments: [
    ("en-AU", "English,fr", "English"), ("es-MX", "Spanish,English", "Spanish"),
    ("nb", "Norwegian,en", "Norwegian"),
    ("pt-BR", "Portuguese,en", "Portuguese"), ("zh-Hans-CN", "Chinese,en", "Chinese"),
    ("ja", "Japanese", "Japanese"),
  ])
  func findsNamesFromBeforeLanguageCodes(preferred: String, available: String, expected: String) {
    #expect(localizations(preferred, available) == [expected])
  }

  @Test func searchesBaseAfterTheFirstLanguage() {
    #expect(localizations("fr-CA", "Base,en,fr", development: "en") == ["fr", "Base", "en"])
    #expect(localizations("pt-AO", "Base,en,pt,pt-PT", development: "en") == ["pt-PT", "Base", "pt", "en"])
    #expect(localizations("fr", "Base", development: "en") == ["Base"])
  }

  @Test func usesBaseAsTheDevelopmentLanguage() {
    #expect(localizations("en-GB,fr", "Base,fr", development: "en") == ["Base"])
    #expect(localizations("en-GB,fr", "Base,fr", development: "de") == ["fr", "Base"])
    #expect(localizations("en-GB", "Base,English", development: "en") == ["English", "Base"])
  }

  @Test func fallsBackToEnglishAndThenToTheFirst() {
    #expect(localizations("ja", "de,en,fr", development: "it") == ["en"])
    #expect(localizations("ja", "de,en,fr", development: nil) == ["en"])
    #expect(localizations("ja", "de,fr", development: "it") == ["de"])
    #expect(localizations("fr", "de,en,fr", development: nil) == ["fr", "en"])
    #expect(localizations("fr", "de,English,fr", development: nil) == ["fr", "English"])
    #expect(localizations("fr", "de,en,fr", development: "de") == ["fr", "de"])
    #expect(localizations("ja", "garbage name,Base", development: "it") == ["Base"])
  }

  @Test func findsNothingWithoutLocalizations() {
    #expect(localizations("fr", "", development: "en").isEmpty)
    #expect(localizations("fr", "", development: nil).isEmpty)
  }

  @Test func ignoresInvalidNames() {
    let long = String(repeating: "a", count: 100_000)
    let garbage = [
      "", "-", "_fr", "fr_", "é", "\u{0}", "fr\u{0}x", "en@x", "root", long, "en-" + long, "zxx-", "💥",
      "FR\n",
    ]
    #expect(
      AppleLocaleMatcher.localizations(
        for: garbage + ["fr-CA"], available: garbage + ["fr", "en"], developmentLanguage: "de") == ["fr"])
    #expect(
      AppleLocaleMatcher.localizations(for: garbage, available: garbage, developmentLanguage: nil) == [""])
    let variants = "sl" + String(repeating: "-rozaj", count: 1_000)
    #expect(localizations(variants, "de,sl," + variants, development: variants).first == "sl")
  }

  @Test func hundredsOfLocalizationsMatchEachItself() {
    let letters = (UInt8(ascii: "a")...UInt8(ascii: "z")).map { String(UnicodeScalar($0)) }
    let names = ["de", "fr", "es", "nl"].flatMap { language in
      letters.map { "\(language)-\("A\($0)".uppercased())" }
        + letters.map { "\(language)-\("B\($0)".uppercased())" }
    }
    for name in names.prefix(60) {
      #expect(
        AppleLocaleMatcher.localizations(for: [name], available: names, developmentLanguage: nil).first
          == name)
    }
    let many = (0..<20_000).map { "q\(letters[$0 % 26])\(letters[$0 / 26 % 26])-\(100 + $0 % 900)" } + ["fr"]
    #expect(
      AppleLocaleMatcher.localizations(for: many, available: ["fr"] + many, developmentLanguage: nil) != [])
  }

  @Test func givesTheSameAnswerOnManyThreads() async {
    await withTaskGroup(of: [String].self) { group in
      for index in 0..<200 {
        group.addTask {
          index.isMultiple(of: 2)
            ? AppleLocaleMatcher.localizations(
              for: ["pt-AO"], available: ["en", "pt", "pt-PT"], developmentLanguage: nil)
            : AndroidLocaleMatcher.ranking(
              of: [LocaleTag("pt"), LocaleTag("pt-PT")], for: LocaleTag(language: "pt", region: "AO")
            ).map { ["pt", "pt-PT"][$0] } + ["en"]
        }
      }
      for await names in group { #expect(Set(names) == ["pt-PT", "pt", "en"]) }
    }
  }

  @Test(arguments: [
    ("pt-BR", "pt-BR"), ("zh_CN", "zh-CN"), ("English", "en"), ("Chinese", "zh-Hans"), ("iw", "he"),
    ("no", "no"),
  ])
  func findsTheLanguageOfAName(name: String, tag: String) {
    #expect(AppleLocaleMatcher.locale(of: name)?.description == tag)
  }

  @Test(arguments: ["Base", "", "en-rGB-", "Klingon"])
  func recognizesANameThatIsNoLanguage(name: String) {
    #expect(AppleLocaleMatcher.locale(of: name) == nil)
  }
}
