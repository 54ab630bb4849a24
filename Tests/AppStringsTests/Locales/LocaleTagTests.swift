import AppStrings
import Testing

@Suite struct LocaleTagTests {
  @Test(arguments: [
    ("fr", "fr"), ("FR-ca", "fr-CA"), ("zh-hant-hk", "zh-Hant-HK"), ("es-419", "es-419"), ("iw", "he"),
    ("in_ID", "id-ID"), ("sl-rozaj-1994", "sl-rozaj-1994"), ("de-DE-u-co-phonebk", "de-DE"),
    ("ar-EG-u-nu-latn", "ar-EG"), ("en-x-klingon", "en"), ("ji", "yi"), ("fil-ph", "fil-PH"),
    ("de-1901", "de-1901"),
    ("en-Latn-419", "en-Latn-419"), ("UND-cyrl", "und-Cyrl"), ("zh_hans_cn", "zh-Hans-CN"),
    ("ca-ES-valencia", "ca-ES-valencia"),
  ])
  func readsATag(text: String, tag: String) {
    #expect(LocaleTag(text)?.description == tag)
  }

  @Test(arguments: [
    "", "f", "Base", "en-", "en--GB", "en_rGB-x!", "12", "en-é", "français", "-fr", "fr-", "default",
    "English", "en-GB-", "en-toolongsubtag", "fr\u{301}-CA", "zh-Hant-Hans", "e\u{0}n", "fr CA", "123-FR",
    "b+sr+Latn",
  ])
  func rejectsInvalidTags(text: String) {
    #expect(LocaleTag(text) == nil)
  }

  @Test func tagsOfOneLocaleAreEqual() {
    #expect(LocaleTag("IW_il") == LocaleTag(language: "he", region: "il"))
    #expect(LocaleTag("sr-LATN") == LocaleTag(language: "SR", script: "latn"))
    #expect(LocaleTag("sr-Latn") != LocaleTag("sr"))
  }

  @Test func readsAHugeTagInLinearTime() {
    let variants = String(repeating: "-fonipa", count: 20_000)
    #expect(LocaleTag("fr" + variants)?.variants.count == 20_000)
    #expect(LocaleTag("fr" + variants + "-!") == nil)
  }
}
