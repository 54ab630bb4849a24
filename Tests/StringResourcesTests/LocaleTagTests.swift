import StringResources
import Testing

@Suite struct LocaleTagTests {
  @Test(arguments: [
    ("fr", "fr"), ("FR-ca", "fr-CA"), ("zh-hant-hk", "zh-Hant-HK"), ("es-419", "es-419"), ("iw", "he"),
    ("in_ID", "id-ID"), ("sl-rozaj-1994", "sl-rozaj-1994"), ("de-DE-u-co-phonebk", "de-DE"),
  ])
  func readsATag(text: String, tag: String) {
    #expect(LocaleTag(text)?.description == tag)
  }

  @Test(arguments: ["", "f", "Base", "en-", "en--GB", "en_rGB-x!", "12", "en-é", "français"])
  func refusesWhatIsNone(text: String) {
    #expect(LocaleTag(text) == nil)
  }
}
