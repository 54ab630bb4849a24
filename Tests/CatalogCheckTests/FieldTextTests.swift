import AppStrings
import Catalog
import FCMMessage
import JSON
import Testing

@testable import CatalogCheck

/// Loc keys that stand in FCM's fields rather than in slots, and those of Live Activities.
@Suite struct FieldTextTests {
  private func fixture(_ templates: String) -> CheckFixture {
    var fixture = CheckFixture()
    fixture.templates = templates
    fixture.android = ["default": [("k", "%1$s")], "de": [("k", "%d")]]
    fixture.ios = ["en": [("K", "%@")], "de": [("L", "%1$@ %2$@")]]
    return fixture
  }

  @Test func checksKeysOfAlertsAndNotifications() throws {
    let fixture = fixture(
      """
          t:
            params: {name: {type: string}}
            android:
              notification: {body_loc_key: k, body_loc_args: [{$param: name}]}
            apns:
              payload:
                aps:
                  alert:
                    subtitle-loc-key: K
                    subtitle-loc-args: [{$param: name}]
                    title-loc-key: gone
                    loc-key: L
                    loc-args: [Anna]
      """)
    let findings = try fixture.findings()
    #expect(findings.contains("StringFormatMatches t body android de k de/strings.xml:1"))
    #expect(findings.contains("MissingTranslation t subtitle ios de K en/Localizable.strings:1"))
    #expect(findings.contains("MissingKey t title ios gone catalog.yaml:14"))
    #expect(findings.contains("StringFormatCount t body ios de L de/Localizable.strings:1"))
    #expect(!findings.contains { $0.hasPrefix("UnusedParam") })
  }

  @Test func checksAndPreviewsALiveActivity() throws {
    var fixture = fixture(
      """
          t:
            params: {home: {type: integer}}
            live_activity: {attributes_type: A, content_state: {home: {$param: home}}}
            title: {ios: K, args: [home]}
            apns: {payload: {aps: {alert: {body: {loc-key: gone}}}}}
      """)
    fixture.android = [:]
    let findings = try fixture.findings()
    #expect(findings.contains("MissingTranslation t title ios de K en/Localizable.strings:1"))
    #expect(findings.contains("MissingKey t body ios gone catalog.yaml:8"))
    // A key and a literal never stand together there.
    #expect(!findings.contains { $0.hasPrefix("MissingFallback") })
    let preview = try TemplatePreview(
      of: #require(fixture.catalog().template("t")), args: .init([("home", 2)]),
      PreviewQuestion(locales: ["en"], platforms: [.ios]),
      texts: RecipientTexts(fixture.resources, support: nil), findings: [])
    let slots = try #require(preview.previews.first).slots
    #expect(slots.first { $0.name == .title }?.outcome == .text("2"))
    #expect(slots.first { $0.name == .body }?.outcome == .rawKey)
  }
}
