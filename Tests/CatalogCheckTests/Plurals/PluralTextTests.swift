import Catalog
import FCMMessage
import Testing

@testable import CatalogCheck

/// The text that a plural has for a class of numbers.
@Suite struct PluralTextTests {
  private static let polish = [
    ("one", "%1$d wiadomość od %2$s"), ("few", "%1$d wiadomości od %2$s"),
    ("many", "%1$d wiadomości (wiele) od %2$s"),
    ("other", "%1$d wiadomości (ułamek) od %2$s"),
  ]

  @Test func eachLanguageHasTheTextOfItsCategory() throws {
    let app = try PluralApp([
      "res/values/strings.xml": PluralApp.android([("one", "One from %2$s"), ("other", "%1$d from %2$s")]),
      "res/values-pl/strings.xml": PluralApp.android(Self.polish),
    ])
    #expect(
      try app.texts() == [
        "android default n0": "%1$s from %2$s", "android default n1": "One from %2$s",
        "android default n2": "%1$s from %2$s", "android default n5": "%1$s from %2$s",
        "android pl n0": "%1$s wiadomości (wiele) od %2$s", "android pl n1": "%1$s wiadomość od %2$s",
        "android pl n2": "%1$s wiadomości od %2$s", "android pl n5": "%1$s wiadomości (wiele) od %2$s",
      ])
  }

  /// French has no plural of its own, but the texts to which that of `values/` refers.
  @Test func aLanguageHasThePluralWhoseTextsItTranslates() throws {
    let app = try PluralApp([
      "res/values/strings.xml": PluralApp.android(
        [("one", "@string/p1"), ("other", "@string/p2")],
        more: "<string name=\"p1\">one from %2$s</string><string name=\"p2\">%1$d from %2$s</string>"),
      "res/values-fr/more.xml":
        "<resources><string name=\"p1\">%1$d seul de %2$s</string><string name=\"p2\">%1$d de %2$s</string></resources>",
    ])
    #expect(try app.findings().filter { $0.hasPrefix("MissingTranslation") } == [])
    try app.report().write()
    let french = try #require(app.text("res/values-fr/dragoman_plurals.xml"))
    #expect(french.contains("<string name=\"messages_n0\">%1$s seul de %2$s</string>"))
    #expect(french.contains("<string name=\"messages_n2\">%1$s de %2$s</string>"))
    #expect(try app.findings() == [])
    #expect(try app.shown(5)["android fr"] == "5 de Bob")
    #expect(try app.shown(0)["android fr"] == "0 seul de Bob")
    #expect(try app.report().entries.allSatisfy { $0.state == .same })
    // As the key of a string, the plural is wrong in each language.
    let plain = try PluralApp(
      ["res/values/strings.xml": "values/strings.xml", "res/values-fr/more.xml": "values-fr/more.xml"]
        .mapValues {
          app.text("res/\($0)") ?? ""
        }, body: "{android: messages, args: [count]}")
    #expect(
      try plain.findings() == [
        "PluralKey t body android default messages res/values/strings.xml:3",
        "PluralKey t body android fr messages res/values/strings.xml:3",
      ])
  }

  /// Android shows `other` for a category without a form, and never `zero` for 0 in English.
  @Test func aMissingFormIsOther() throws {
    let app = try PluralApp([
      "res/values/strings.xml": PluralApp.android([("zero", "none"), ("other", "%d")]),
      "res/values-ar/strings.xml": PluralApp.android([("zero", "صفر"), ("other", "%d و")]),
    ])
    let texts = try app.texts()
    #expect(texts["android default n0"] == "%1$s")
    #expect(texts["android default n1"] == "%1$s")
    #expect(texts["android ar n0"] == "صفر")
    #expect(texts["android ar n11"] == "%1$s و")
  }

  @Test func iOSUsesZeroInEveryLanguage() throws {
    let forms = [("zero", "none"), ("one", "one"), ("other", "%d from %@")]
    let app = try PluralApp([
      "app/en.lproj/Localizable.stringsdict": PluralApp.stringsDict(forms),
      "app/lv.lproj/Localizable.stringsdict": PluralApp.stringsDict(forms),
    ])
    let texts = try app.texts()
    #expect(texts["ios en n0"] == "none")
    #expect(texts["ios en n2"] == "%1$@ from %2$@")
    // 10 is `zero` in Latvian.
    #expect(texts["ios lv n10"] == "none")
    #expect(texts["ios lv n2"] == "%1$@ from %2$@")
  }

  /// The other form of a plural, and what a slot sends to show it.
  @Test(arguments: [
    ("%d new", "%1$s new"), ("%1$d new", "%1$s new"), ("%s new", "%1$s new"), ("%,d new", "%1$s new"),
    ("%2$s: %1$d", "%2$s: %1$s"), ("%d from %s", "%1$s from %2$s"), ("%1$03d %2$S", "%1$s %2$S"),
    ("%1$s %2$-5s", "%1$s %2$-5s"), ("No number", "No number"), ("100%% of %d", "100%% of %1$s"),
    ("50% off", "50%% off"), ("100%", "100%%"), ("%d, 5 % d", "%1$s, 5 %% d"),
    ("%@ and %ld", "%2$s and %1$s"),
    ("%d %&lt;s", "%1$s %1$s"), ("%.1f MB of %d", "%2$s MB of %1$s"), ("a%nb %d", "a%nb %1$s"),
  ])
  func placeholdersBecomeThoseOfStrings(form: String, text: String) throws {
    let app = try PluralApp(
      ["res/values/strings.xml": PluralApp.android([("other", form)])],
      body: "{android: messages, args: [count, sender], plural: count}")
    #expect(try app.texts()["android default n1"] == text)
  }

  /// The number has its place in the slot's args, and the others keep their order.
  @Test(arguments: [
    ("%d new", "sender, count", "%2$s new"), ("%d from %s", "sender, count", "%2$s from %1$s"),
    ("%1$d from %2$s", "sender, count", "%2$s from %1$s"),
    ("%2$s sent %1$d", "sender, count", "%1$s sent %2$s"),
    ("%s sent %d", "sender, count", "%1$s sent %2$s"), ("%1$s sent %2$d", "sender, count", "%1$s sent %2$s"),
    // Both are numbers, so their places in the slot's args say which is which.
    ("%1$d of %2$d", "total, count", "%1$s of %2$s"), ("%1$s of %2$d", "count, total", "%1$s of %2$s"),
  ])
  func theNumberHasThePlaceThatTheSlotSays(form: String, args: String, text: String) throws {
    let app = try PluralApp(
      ["res/values/strings.xml": PluralApp.android([("one", "x"), ("other", form)])],
      body: "{android: messages, args: [\(args)], plural: count}")
    #expect(try app.texts()["android default n2"] == text)
  }

  @Test(arguments: [
    ("%#@n@", "%d from %@", "count, sender", "%1$@ from %2$@"), ("%#@n@", "%1$ld", "count, sender", "%1$@"),
    ("%#@n@ from %@", "%d new", "count, sender", "%1$@ new from %2$@"),
    ("%2$@: %1$#@n@", "%d new", "count, sender", "%2$@: %1$@ new"),
    ("%@: %#@n@", "%d new", "sender, count", "%1$@: %2$@ new"),
    ("%@: %#@n@", "%d new", "count, sender", "%2$@: %1$@ new"),
    ("%#@n@", "%d from %@", "sender, count", "%2$@ from %1$@"),
    ("%1$#@n@", "%2$@ sent %1$lu", "count, sender", "%2$@ sent %1$@"),
    ("%#@n@!", "one", "count, sender", "one!"),
    ("100%% %#@n@", "50%% %d", "count, sender", "100%% 50%% %1$@"),
    ("%#@n@", "50% off", "count, sender", "50%% off"),
    ("%1$#@n@ %1$#@n@", "%d", "count, sender", "%1$@ %1$@"),
  ])
  func aStringsDictIsFilledIn(format: String, form: String, args: String, text: String) throws {
    let app = try PluralApp(
      ["app/en.lproj/Localizable.stringsdict": PluralApp.stringsDict([("other", form)], format: format)],
      body: "{ios: MESSAGES, args: [\(args)], plural: count}")
    #expect(try app.texts()["ios en n1"] == text)
    #expect(try app.findings().contains { $0.contains("PluralUnreadable") } == false)
  }

  @Test(arguments: [
    (
      #""variations":{"plural":{"one":{"stringUnit":{"value":"One from %2$@"}},"other":{"stringUnit":{"value":"%2$@ sent %1$lld"}}}}"#,
      "%2$@ sent %1$@"
    ),
    (#""variations":{"plural":{"other":{"stringUnit":{"value":"%lld from %@"}}}}"#, "%1$@ from %2$@"),
    (
      #""variations":{"plural":{"other":{"stringUnit":{"value":"%arg from %2$@, 5%%arg"}}}}"#,
      "%1$@ from %2$@, 5%%arg"
    ),
    (
      #""stringUnit":{"value":"%2$@ sent %#@files.count@"},"substitutions":{"files.count":{"argNum":1,"formatSpecifier":"lld","variations":{"plural":{"other":{"stringUnit":{"value":"%arg files"}}}}}}"#,
      "%2$@ sent %1$@ files"
    ),
    (
      #""stringUnit":{"value":"%#@files@ from %@"},"substitutions":{"files":{"variations":{"plural":{"other":{"stringUnit":{"value":"%arg files"}}}}}}"#,
      "%1$@ files from %2$@"
    ),
    (
      #""variations":{"device":{"other":{"stringUnit":{"value":"x"}},"iphone":{"variations":{"plural":{"other":{"stringUnit":{"value":"%lld here"}}}}}}}"#,
      "%1$@ here"
    ),
    (#""stringUnit":{"value":"%lld everywhere"}"#, "%1$@ everywhere"),
  ])
  func aStringCatalogIsFilledIn(localization: String, text: String) throws {
    let german = #""de":{"variations":{"plural":{"other":{"stringUnit":{"value":"%lld"}}}}}"#
    let catalog =
      #"{"sourceLanguage":"en","strings":{"MESSAGES":{"localizations":{\#(german),"en":{\#(localization)}}}},"version":"1.0"}"#
    let app = try PluralApp(
      ["app/Localizable.xcstrings": catalog], body: "{ios: MESSAGES, args: [count, sender], plural: count}")
    #expect(try app.texts()["ios en n2"] == text)
  }

  /// What no push message can show.
  @Test(arguments: [
    PluralApp.stringsDict([("one", "x")]), PluralApp.stringsDict([("other", "x")], format: "%#@n@ %#@m@"),
    PluralApp.stringsDict([("other", "x %#@m@")]), PluralApp.stringsDict([("other", "x")], format: "%#@m@"),
    PluralApp.stringsDict([("other", "x")], format: "%0$#@n@"),
  ])
  func somePluralsAreUnreadable(stringsDict: String) throws {
    let app = try PluralApp(
      ["app/en.lproj/Localizable.stringsdict": stringsDict],
      body: "{ios: MESSAGES, args: [count, sender], plural: count}")
    let report = try app.report()
    #expect(report.isIncomplete)
    #expect(report.entries.isEmpty)
    #expect(report.findings.map(\.rule) == [.pluralUnreadable])
    #expect(report.findings.first?.locale == "en")
    #expect(
      try app.findings().contains { $0.hasPrefix("PluralUnreadable t body ios en MESSAGES app/en.lproj") })
  }
}
