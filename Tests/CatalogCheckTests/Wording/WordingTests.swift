import AppStrings
import Catalog
import FCMMessage
import JSON
import Testing

@testable import CatalogCheck

/// What `check` says of texts that are not what their authors meant readers to see.
@Suite struct WordingTests {
  /// One template with a title without args and a body with one, on Android and iOS.
  private func fixture(
    android: [String: (title: String, body: String)] = [:], ios: [String: (title: String, body: String)] = [:]
  ) -> CheckFixture {
    var fixture = CheckFixture()
    fixture.templates = """
        t:
          params: {name: {type: string, max_length: 20}}
          title: {android: title, ios: TITLE}
          body: {android: body, ios: BODY, args: [name]}
          fallback: {title: News, body: News.}
      """
    fixture.android = android.mapValues { [("title", .string($0.title)), ("body", .string($0.body))] }
    fixture.ios = ios.mapValues { [("TITLE", .string($0.title)), ("BODY", .string($0.body))] }
    return fixture
  }

  private func findings(_ fixture: CheckFixture, _ rules: CheckRule...) throws -> [Finding] {
    try fixture.report().findings.filter { rules.isEmpty || rules.contains($0.rule) }
  }

  private func verdicts(_ fixture: CheckFixture) throws -> VerdictTable.Row? {
    try fixture.report().verdicts?.templates.first?.row
  }

  @Test(arguments: [
    ("&lt;b&gt;", "<b>%1$s</b> wrote", "<b>"), ("entity", "Tom &amp; %1$s", "&amp;"),
    ("escape", #"%1$s\nwrote"#, #"\n"#), ("placeholder", "Hi {name}, %1$s", "{name}"),
  ])
  func visibleMarkupGarblesTheText(_: String, text: String, shown: String) throws {
    let app = fixture(
      android: ["default": ("News", "From %1$s"), "de": ("Neu", text)],
      ios: ["en": ("News", "From %1$@"), "de": ("Neu", text.replacing("$s", with: "$@"))])
    let found = try findings(app, .visibleMarkup)
    #expect(found.map(\.platform) == [.android, .ios])
    #expect(found.allSatisfy { $0.locale == "de" && $0.severity == .warning && $0.verdict == .garbled })
    #expect(found.allSatisfy { $0.message == "Users see \(shown) as it is." })
    #expect(try verdicts(app) == [.android: [.garbled: ["de"]], .ios: [.garbled: ["de"]]])
  }

  @Test(arguments: [
    ("&#39;", #"Write \'."#, "Write '."), ("&quot;", #"Write \"."#, #"Write \"."#),
    ("&amp;", "Write &amp; once.", "Write &."),
    ("&Eacute;", "Write the character itself.", "Write the character itself."),
    ("&nbsp;", #"Write \u00A0, a no-break space."#, "Write a no-break space itself."),
  ])
  func adviceOnAnEntityNamesTheCharacter(entity: String, android: String, ios: String) throws {
    let app = fixture(android: ["default": ("x\(entity)", "%1$s")], ios: ["en": ("x\(entity)", "%1$@")])
    #expect(try findings(app, .visibleMarkup).map(\.help) == [android, ios])
  }

  @Test(arguments: [("%1 $s von", "%1$s"), ("1%$s von", "%1$s"), ("%1$с von", "%1$s"), ("von % s.", "%s")])
  func aDamagedPlaceholderSaysTheFormThatItShouldHave(text: String, form: String) throws {
    let app = fixture(android: ["default": ("News", "From %1$s"), "de": ("Neu", text)])
    let found = try findings(app, .placeholderDamaged, .stringFormatInvalid, .lostArg, .foreignPlaceholder)
    #expect(found.map(\.rule) == [.placeholderDamaged])
    #expect(found.first?.verdict == .crash)
    #expect(found.first?.help.hasPrefix("Write \(form)") == true)
    #expect(try verdicts(app)?[.android] == [.crash: ["de"]])
  }

  @Test func aDamagedPlaceholderGarblesTextsOfIPhonesAndThoseWithoutArgs() throws {
    let app = fixture(
      android: ["default": ("From %1 $s", "%1$s")],
      ios: ["en": ("News", "From %1$@"), "fr": ("Infos", "De %1 $@")])
    let found = try findings(app, .placeholderDamaged)
    #expect(
      found.map(CheckFixture.short) == [
        "PlaceholderDamaged t title android default title default/strings.xml:1",
        "PlaceholderDamaged t body ios fr BODY fr/Localizable.strings:2",
      ])
    #expect(found.allSatisfy { $0.severity == .error && $0.verdict == .garbled })
    #expect(try verdicts(app) == [.android: [.garbled: ["en"]], .ios: [.garbled: ["fr"]]])
  }

  @Test func copiesOfTheSourceAreOneFindingALanguage() throws {
    let source = (title: "You have a message", body: "A message from %1$s")
    let app = fixture(android: ["default": source, "de": source, "fr": ("Nouveau message", source.body)])
    let found = try findings(app, .untranslated)
    #expect(
      found.map(CheckFixture.short) == [
        "Untranslated t title android de title de/strings.xml:1",
        "Untranslated t body android fr body fr/strings.xml:2",
      ])
    #expect(found.first?.message.contains("title, body") == true)
    #expect(found.allSatisfy { $0.severity == .warning && $0.verdict == .otherLanguage })
    #expect(try verdicts(app)?[.android] == [.otherLanguage: ["de", "fr"]])
    #expect(try findings(app, .missingTranslation).isEmpty)
  }

  @Test(arguments: [
    ("de", "New message"), ("de", "x: y"), ("de", "Signal Private Messenger"),
    ("de", "Powered by Acme"), ("en-GB", "You have a message"), ("de", "OK"),
    ("de", "https://example.org/a/b c"),
  ])
  func aTextThatCanBeTheSameIsNoCopy(locale: String, text: String) throws {
    let app = fixture(android: ["default": (text, "From %1$s"), locale: (text, "Von %1$s")])
    #expect(try findings(app, .untranslated, .wrongScript).isEmpty)
    #expect(try verdicts(app)?[.android] == [:])
  }

  @Test func languagesThatAreAlikeAndUntranslatableTextsAreNoCopies() throws {
    let text = (title: "Du har en melding", body: "Melding fra %1$s")
    var app = fixture(android: ["default": text, "nn": text])
    app.developmentLanguage = "nb"
    #expect(try findings(app, .untranslated).isEmpty)
    let brand = (title: "The best of all apps", body: "From %1$s")
    app = fixture(android: ["default": brand, "de": (brand.title, "Von %1$s")])
    app.untranslatable = ["title"]
    #expect(try findings(app, .untranslated).isEmpty)
  }

  @Test(arguments: [
    ("de", "Новое сообщение", "Cyrillic", "Latin"), ("ru", "Νέο μήνυμα εδώ", "Greek", "Cyrillic"),
    ("ja", "새 메시지가 있습니다", "Hangul", "Han or Hiragana or Katakana"),
    ("ar", "You have new mail", "Latin", "Arabic"),
    ("el", "Nieuw bericht voor jou", "Latin", "Greek"),
  ])
  func aTextInOtherLettersIsInAnotherLanguage(
    locale: String, text: String, found: String, expected: String
  ) throws {
    let app = fixture(android: ["default": ("News", "From %1$s"), locale: (text, "1. %1$s")])
    let findings = try findings(app, .wrongScript)
    #expect(findings.map(\.locale) == [locale])
    #expect(findings.first?.message.contains("in \(found) letters") == true)
    #expect(findings.first?.message.contains("written in \(expected) ones") == true)
    #expect(findings.first?.verdict == .otherLanguage)
    #expect(try verdicts(app)?[.android] == [.otherLanguage: [locale]])
  }

  @Test(arguments: [
    ("ru", "WhatsApp"), ("ru", "Google Play Services"), ("ja", "山田さん"), ("ja", "新着"), ("ko", "알림 OK"),
    ("de", "Русский"),
    ("de", "日本語"), ("sr", "Nova poruka za vas"), ("uz", "Янги хабар бор"), ("zh-Hant", "新訊息 from you"),
    ("tlh", "nuqneH jupwI' maj"), ("de", "1234"), ("de", "😀"), ("ar-XB", "You have a message"),
  ])
  func brandsNamesAndLanguagesOfSeveralScriptsAreFine(locale: String, text: String) throws {
    let app = fixture(android: ["default": ("News", "From %1$s"), locale: (text, "1. %1$s")])
    #expect(try findings(app, .wrongScript).isEmpty)
    #expect(try verdicts(app)?[.android] == [:])
  }

  @Test func theLettersOfValuesCountOnlyWhereItsLanguageIsNamed() throws {
    var app = fixture(android: ["default": ("Новое сообщение", "От %1$s")])
    #expect(try findings(app, .wrongScript).map(\.locale) == ["default"])
    app.developmentLanguage = nil
    #expect(try findings(app, .wrongScript).isEmpty)
  }
}
