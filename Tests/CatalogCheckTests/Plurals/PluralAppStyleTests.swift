import FCMMessage
import Foundation
import TestSupport
import Testing

@testable import AppStrings
@testable import CatalogCheck

/// Plurals as well-known apps have them, with other texts.
@Suite struct PluralAppStyleTests {
  /// Delta Chat: `%d` everywhere, one variable with a generated name on iOS, many languages, each form with
  /// its number.
  private static let delta: [String: String] = {
    func android(_ forms: [(String, String)]) -> String {
      PluralApp.android(forms, name: "n_letters", more: "<!-- menu -->\n<string name=\"menu\">x</string>")
    }
    func iOS(_ forms: [(String, String)]) -> String {
      PluralApp.stringsDict(forms, format: "%#@n@", name: "n_letters")
    }
    let czech = [("one", "%d dopis"), ("few", "%d dopisy"), ("many", "%d dopisu"), ("other", "%d dopisů")]
    let arabic = [
      ("zero", "لا رسائل"), ("one", "رسالة %d"), ("two", "رسالتان %d"), ("few", "%d رسائل"),
      ("many", "%d رسالة"),
      ("other", "%d رسالة أخرى"),
    ]
    let english = [("one", "%d letter"), ("other", "%d letters")]
    return [
      "res/values/strings.xml": android(english), "res/values-cs/strings.xml": android(czech),
      "res/values-ar/strings.xml": android(arabic),
      "res/values-zh-rCN/strings.xml": android([("other", "%d 封信")]),
      "app/en.lproj/Localizable.stringsdict": iOS(english),
      "app/cs.lproj/Localizable.stringsdict": iOS(czech),
      "app/ar.lproj/Localizable.stringsdict": iOS(arabic),
      "app/zh-Hans.lproj/Localizable.stringsdict": iOS([("other", "%d 封信")]),
      "app/en.lproj/Localizable.strings": "\"menu\" = \"x\";\n",
    ]
  }()

  @Test func deltaChat() throws {
    let app = try PluralApp(
      Self.delta, body: "{android: n_letters, ios: n_letters, args: [count], plural: count}")
    try app.report().write()
    #expect(try app.findings() == [])
    let expected: [(Int64, String, String)] = [
      (0, "0 dopisů", "لا رسائل"), (1, "1 dopis", "رسالة 1"), (2, "2 dopisy", "رسالتان 2"),
      (3, "3 dopisy", "3 رسائل"),
      (5, "5 dopisů", "5 رسائل"), (11, "11 dopisů", "11 رسالة"), (100, "100 dopisů", "100 رسالة أخرى"),
      (103, "103 dopisů", "103 رسائل"), (1_000_002, "1000002 dopisů", "1000002 رسالة أخرى"),
    ]
    for (number, czech, arabic) in expected {
      let shown = try app.shown(number)
      for platform in ["android", "ios"] {
        #expect(shown["\(platform) cs"] == czech)
        #expect(shown["\(platform) ar"] == arabic)
        #expect(shown["\(platform) en"] == (number == 1 ? "1 letter" : "\(number) letters"))
      }
      #expect(shown["android zh-CN"] == "\(number) 封信")
    }
  }

  /// Signal: positional placeholders, quotes and entities, a comment before each entry; on iOS a form for 0
  /// and forms that name the other arg first.
  @Test func signal() throws {
    let android = PluralApp.android(
      [
        ("one", "<xliff:g id=\"sender\">%2$s</xliff:g> added you and \"%1$d\" other"),
        ("other", "%2$s added you &amp; %1$d others…\\nDon\\'t reply"),
      ],
      more: "<!-- Removed by excludeNonTranslatables <string name=\"x\" translatable=\"false\">x</string> -->"
    )
    let iOS = PluralApp.stringsDict(
      [
        ("zero", "%2$@ added you."), ("one", "%2$@ added you and %1$ld other."),
        ("other", "%2$@ added you and %1$ld others."),
      ],
      format: "%1$#@n@")
    let app = try PluralApp([
      "res/values/strings.xml": android, "app/en.lproj/Localizable.stringsdict": iOS,
      "app/en.lproj/Localizable.strings": "/* A comment. */\n\"A\" = \"b\";\n",
    ])
    try app.report().write()
    #expect(try app.findings() == [])
    #expect(
      try app.shown(0) == [
        "android en": "Bob added you & 0 others…\nDon't reply", "ios en": "Bob added you.",
      ])
    #expect(
      try app.shown(1) == ["android en": "Bob added you and 1 other", "ios en": "Bob added you and 1 other."])
  }

  /// Telegram: keys that end in `_1`, `_3_10` and `_any` are categories under other names, in plain strings.
  private static let telegram = """
    "PUSH_PHOTOS_1" = "%1$@ sent you a photo";
    "PUSH_PHOTOS_2" = "%1$@ sent you %2$@ photos";
    "PUSH_PHOTOS_3_10" = "%1$@ sent you %2$@ photos";
    "PUSH_PHOTOS_many" = "%1$@ sent you %2$@ photos";
    "PUSH_PHOTOS_any" = "%1$@ sent you %2$d photos";
    "PUSH_VIDEOS" = "%1$@ sent you %2$@ videos";

    """

  @Test func telegram() throws {
    let app = try PluralApp(
      ["app/en.lproj/Localizable.strings": Self.telegram],
      body: "{ios: PUSH_PHOTOS, args: [sender, count], plural: count}")
    #expect(try app.findings() == ["PluralUnreadable t body ios PUSH_PHOTOS catalog.yaml:6"])
    let resources = StringResources.read(.ios, folder: "\(app.path)/app")
    let first = try FirstCatalog(android: nil, ios: resources, .init(prefix: "push_"))
    #expect(!first.yaml.contains("plural"))
  }

  /// `init` proposes a plural of both platforms, and no keys of its classes.
  @Test func aFirstCatalogNamesPlurals() throws {
    let android = PluralApp.android(
      [("one", "One from %2$s"), ("other", "%1$d from %2$s")], name: "push_mail_body",
      more: #"<string name="push_mail_body_n0">x</string><string name="push_x_n0">x</string>"#)
    let iOS = PluralApp.stringsDict([("other", "%d from %@")], name: "PUSH_MAIL_BODY")
    let app = try PluralApp([
      "res/values/strings.xml": android, "app/en.lproj/Localizable.stringsdict": iOS,
      "app/en.lproj/Localizable.strings": #""PUSH_X_N0" = "x"; "PUSH_MAIL_BODY_n0" = "x";"#,
    ])
    let resources = (
      StringResources.read(.android, folder: "\(app.path)/res"),
      StringResources.read(.ios, folder: "\(app.path)/app")
    )
    let first = try FirstCatalog(android: resources.0, ios: resources.1, .init(prefix: "push_"))
    #expect(
      first.yaml.contains(
        """
              count: {type: integer, example: 3}
              sender: {type: string, max_length: 100, example: Bob}

        """))
    #expect(
      first.yaml.contains(
        "body: {android: push_mail_body, ios: PUSH_MAIL_BODY, args: [count, sender], plural: count}"))
    #expect(!first.yaml.contains("mail_body_n0") && first.yaml.contains("push_x_n0"))
    try app.folder?.write(first.yaml, to: "catalog.yaml")
    #expect(try app.report().entries.count == 6)
  }

  /// Element: one stringsdict with several keys, some with two variables, which only their own slot minds.
  @Test func severalKeysInOneFile() throws {
    let entry = PluralApp.stringsDict([("one", "%d room"), ("other", "%d rooms")])
    let other = """
      <key>TWO</key><dict><key>NSStringLocalizedFormatKey</key><string>%#@a@ in %#@b@</string>
      <key>a</key><dict><key>NSStringFormatSpecTypeKey</key><string>NSStringPluralRuleType</string>
      <key>other</key><string>%d</string></dict>
      <key>b</key><dict><key>NSStringFormatSpecTypeKey</key><string>NSStringPluralRuleType</string>
      <key>other</key><string>%d</string></dict></dict>
      <key>WIDE</key><dict><key>NSStringVariableWidthRuleType</key><dict><key>20</key><string>x</string></dict></dict>
      </dict>
      </plist>
      """
    let both = entry.replacing("</dict>\n</plist>", with: other)
    let app = try PluralApp(
      ["app/en.lproj/Localizable.stringsdict": both], body: "{ios: MESSAGES, args: [count], plural: count}")
    try app.report().write()
    #expect(try app.findings() == [])
    #expect(try app.shown(1)["ios en"] == "1 room")
    let two = try PluralApp(
      ["app/en.lproj/Localizable.stringsdict": both], body: "{ios: TWO, args: [count], plural: count}")
    #expect(try two.report().isIncomplete)
  }
}
