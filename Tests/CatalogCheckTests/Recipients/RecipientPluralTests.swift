import Catalog
import FCMMessage
import JSON
import Testing

@testable import CatalogCheck

/// The app's own plurals in messages that the gateway writes, and previews of such messages.
@Suite struct RecipientPluralTests {
  private static let template = """
      t:
        params: {count: {type: integer}, name: {type: string}}
        body: {android: messages, args: [count, name], plural: count}
        fallback: {body: News.}
    """

  private func app() throws -> RecipientApp {
    try RecipientApp(
      Self.template,
      android: [
        "default": ["messages": "one=%1$d message from %2$s|other=%1$d messages from %2$s"],
        "pl": [
          "messages": "one=%d wiadomość od %s|few=%d wiadomości od %s|many=%d wiadomości! od %s|other=?"
        ],
        "lv": ["messages": "one=%2$s: %1$d ziņa|zero=%2$s: %1$d ziņu|other=%2$s: %1$d ziņas"],
      ], ios: nil)
  }

  private func shown(_ count: Int64, _ locale: String) throws -> String {
    try app().shown(
      Recipient("android \(locale)"), .gateway, args: ["count": JSON(count), "name": "Bob"])
  }

  /// The catalog's classes are those of English and French; the forms are those of each language.
  @Test func choosesTheFormOfTheLanguagesCategory() throws {
    #expect(try shown(1, "en") == "- | 1 message from Bob")
    #expect(try shown(1, "pl") == "- | 1 wiadomość od Bob")
    #expect(try shown(22, "pl") == "- | 22 wiadomości od Bob")
    #expect(try shown(112, "pl") == "- | 112 wiadomości! od Bob")
    #expect(try shown(-3, "pl") == "- | -3 wiadomości od Bob")
    #expect(try shown(20, "lv") == "- | Bob: 20 ziņu")
    #expect(try shown(21, "lv") == "- | Bob: 21 ziņa")
    // Japanese phones find the plural in `values/`, and its texts are English.
    #expect(try shown(1, "ja") == "- | 1 message from Bob")
  }

  @Test func theIPhonesFormForZeroStandsForZero() throws {
    let app = try PluralApp([
      "app/en.lproj/Localizable.stringsdict": PluralApp.stringsDict([
        ("zero", "nothing from %2$@"), ("one", "%1$d from %2$@"), ("other", "%1$d of them from %2$@"),
      ])
    ])
    let loaded = try app.load()
    let texts = RecipientTexts(loaded.resources, support: nil)
    for (count, expected) in [(0, "nothing from B"), (1, "1 from B"), (7, "7 of them from B")] {
      let args = JSON.Object([("count", JSON(count)), ("sender", "B")])
      let prepared = try loaded.catalog.prepare(AssemblyRequest(template: "t", args: args)).get()
      let content = try texts.content(of: prepared, for: Recipient("ios en"), render: .gateway)
      #expect(content.ios?[.body] == expected)
    }
  }

  /// A text that the gateway makes is what `plurals --write` gives phones.
  @Test func isWhatTheWrittenKeysShow() throws {
    let app = try PluralApp([
      "res/values/strings.xml": PluralApp.android([("one", "%1$d from %2$s"), ("other", "%1$d of %2$s")]),
      "res/values-pl/strings.xml": PluralApp.android([
        ("one", "%d list od %s"), ("few", "%d listy od %s"), ("many", "%d listów od %s"),
        ("other", "%d listu od %s"),
      ]),
      "app/en.lproj/Localizable.strings": "",
      "app/en.lproj/Localizable.stringsdict": PluralApp.stringsDict([
        ("one", "%d by %@"), ("other", "%d of %@"),
      ]),
    ])
    let report = try app.report()
    let loaded = try app.load()
    let texts = RecipientTexts(loaded.resources, support: nil)
    let languages = ["android default": "en", "android pl": "pl", "ios en": "en"]
    #expect(report.entries.count > 8)
    for entry in report.entries {
      let platform = entry.platform
      let number = Int64(entry.key.split(separator: "n").last ?? "") ?? -1
      let args = JSON.Object([("count", JSON(number)), ("sender", "B")])
      let prepared = try loaded.catalog.prepare(AssemblyRequest(template: "t", args: args)).get()
      let language = try #require(languages["\(platform.rawValue) \(entry.locale)"])
      let content = try texts.content(
        of: prepared, for: Recipient("\(platform.rawValue) \(language)"), render: .gateway)
      let written = platform == .android ? content.android : content.ios
      let expected = entry.text.replacing(platform == .android ? "%1$s" : "%1$@", with: "\(number)")
        .replacing(platform == .android ? "%2$s" : "%2$@", with: "B")
      #expect(written?[.body] == expected)
    }
  }

  @Test func aPreviewSaysWhoMakesTheTexts() throws {
    let app = try RecipientApp(old: [(.android, "2", ["default": ["title": "Hi"]])])
    func preview(_ question: PreviewQuestion) throws -> TemplatePreview {
      try TemplatePreview(
        of: #require(app.catalog.template("t")), args: .init([("name", "Bob")]), question, texts: app.texts,
        findings: [])
    }
    var question = PreviewQuestion(locales: ["fr", "de"])
    #expect(try preview(question).previews.map(\.renderedBy) == [.device, .device, .device, .device])
    question.appVersion = ReleaseVersion("2.0")
    let old = try preview(question)
    #expect(old.previews.map(\.renderedBy) == [.gateway, .gateway, .device, .device])
    #expect(old.message["android"]?["notification"]?["body"] == "Bob a écrit")
    #expect(old.message["apns"] == nil)
    #expect(old.previews.first?.json["rendered_by"] == "gateway")
    question.render = .device
    #expect(try preview(question).previews.map(\.renderedBy) == [.device, .device, .device, .device])
  }

  /// What becomes of a message for everybody on the phone of that release.
  @Test func aPreviewForAReleaseLacksWhatItLacks() throws {
    let app = try RecipientApp(old: [
      (.android, "2", ["default": ["title": "Hi"], "fr": ["title": "Salut", "body": "%1$s a écrit"]]),
      (.ios, "2", ["en": ["TITLE": "Hi", "BODY": "%1$@ wrote"], "fr": ["TITLE": "Salut"]]),
    ])
    func bodies(_ version: String?) throws -> [String?] {
      let question = PreviewQuestion(
        locales: ["fr", "de"], appVersion: version.flatMap(ReleaseVersion.init), render: .device)
      let preview = try TemplatePreview(
        of: #require(app.catalog.template("t")), args: .init([("name", "Bob")]), question, texts: app.texts,
        findings: [])
      return preview.previews.map { shown in
        let body = shown.json["body"]
        return body?["text"]?.string ?? body?["outcome"]?.string
      }
    }
    let wrote = try bodies(nil)
    #expect(Set(wrote).isDisjoint(with: ["News.", "crash", "dropped", nil]))
    // Android has no default for a phone in German; an iPhone in French shows the fallback, and one in German
    // the English of that release.
    #expect(try bodies("2.5") == ["Bob a écrit", "crash", "News.", "Bob wrote"])
    // Older than all that is known: nothing is there.
    #expect(try bodies("1") == ["dropped", "dropped", "News.", "News."])
  }

  @Test func aPreviewOfTheGatewaysTextIsTheMessage() throws {
    var android = RecipientApp.android
    android["de"] = ["title": "%1$s", "body": "100%"]
    let app = try RecipientApp(android: android)
    let locales = ["fr", "de", "en", "ja", "fr-CA,de"]
    let preview = try TemplatePreview(
      of: #require(app.catalog.template("t")), args: .init([("name", "Bob")]),
      PreviewQuestion(locales: locales, render: .gateway),
      texts: app.texts, findings: [])
    #expect(preview.previews.count == 10)
    for shown in preview.previews {
      let line = shown.slots.filter { $0.name != .subtitle }.map(\.outcome.shownText)
      let recipient = try Recipient("\(shown.platform.rawValue) \(shown.locale)")
      #expect(try app.shown(recipient, .gateway) == line.joined(separator: " | "))
      let isGerman = shown.locale == "de" && shown.platform == .android
      #expect(shown.renderedBy == (isGerman ? .fallback : .gateway))
    }
  }
}
