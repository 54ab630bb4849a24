import Catalog
import FCMMessage
import JSON
import Testing

@testable import CatalogCheck

/// Readers who choose a language in the app, and those of topics by language.
@Suite struct ReaderLanguageTests {
  private func preview(
    _ app: RecipientApp, _ change: (inout PreviewQuestion) throws -> Void = { _ in }
  ) throws -> TemplatePreview {
    var question = PreviewQuestion(locales: ["en", "fr"], platforms: [.android])
    try change(&question)
    return try TemplatePreview(
      of: #require(app.catalog.template("t")), args: .init([("name", "Bob")]), question, texts: app.texts,
      findings: app.report.findings(of: "t"))
  }

  private func texts(_ preview: TemplatePreview) -> [String] {
    preview.previews.map { preview in
      let texts = preview.slots.filter { $0.name != .subtitle }.map(\.outcome.shownText).joined(
        separator: " | ")
      return "\(preview.locale) \(preview.renderedBy) \(preview.verdict.rawValue): \(texts)"
    }
  }

  @Test(arguments: ["language: app", ""])
  func aKnownLanguageOfTheAppMakesTexts(_ top: String) throws {
    let templates = top.isEmpty ? RecipientApp.templates + "\n    language: app" : RecipientApp.templates
    let app = try RecipientApp(templates, top: top)
    #expect(try app.shown(Recipient("android fr")) == "Bienvenue | Bob a écrit")
    #expect(try app.shown(Recipient("ios fr")) == "Bienvenue ! | Bob a écrit !")
    #expect(try app.shown(Recipient("fr")) == "Bienvenue | Bob a écrit")
    // Without it, nothing is known of the reader's choice.
    #expect(try app.shown(Recipient("android")) == "[title] | [body Bob]")
    #expect(try app.shown(Recipient()) == "[title] | [body Bob]")
    #expect(try app.shown(Recipient("android fr"), .device) == "[title] | [body Bob]")
  }

  @Test func aTemplateMayHaveTheLanguageOfThePhone() throws {
    let app = try RecipientApp(
      RecipientApp.templates + "\n    language: device", top: "language: app")
    #expect(try app.shown(Recipient("android fr")) == "[title] | [body Bob]")
  }

  @Test func previewsWhatThoseWhoChoseALanguageGet() throws {
    let app = try RecipientApp(top: "language: app")
    #expect(
      try texts(preview(app)) == [
        "en gateway ok: Welcome | Bob wrote", "fr gateway ok: Bienvenue | Bob a écrit",
      ])
    #expect(
      try texts(preview(app) { $0.appLanguages = ["fr"] }) == [
        "en gateway ok: Bienvenue | Bob a écrit", "fr gateway ok: Bienvenue | Bob a écrit",
      ])
    // What a request without the reader's language leads to: the phone's.
    #expect(
      try texts(
        preview(app) { question in
          question.appLanguages = ["fr"]
          question.render = .device
        }) == ["en device other_language: Welcome | Bob wrote", "fr device ok: Bienvenue | Bob a écrit"])
  }

  @Test func checkSaysOnceThatSomeReadThePhonesLanguage() throws {
    let two = RecipientApp.templates + "\n  u: {body: {android: body, args: []}}"
    func notes(_ top: String, _ templates: String) throws -> [Finding] {
      try RecipientApp(templates, top: top).report.findings.filter { $0.rule == .deviceLanguage }
    }
    let found = try notes("language: app", two)
    #expect(found.map(\.severity) == [.note])
    #expect(found.map(\.template) == [nil])
    #expect(found.map(\.verdict) == [nil])
    #expect(found.map(\.line) == [4])
    #expect(try notes("", two) == [])
    #expect(try notes("", RecipientApp.templates + "\n    language: app").map(\.line) == [6])
    #expect(try notes("language: app", RecipientApp.templates + "\n    language: device") == [])
  }

  /// French lacks the body on the iPhone.
  private func withoutFrenchBody(_ template: String = RecipientApp.templates) throws -> RecipientApp {
    var ios = RecipientApp.ios
    ios["fr"]?["BODY"] = nil
    return try RecipientApp(
      template, top: "resources: {android: res}\ntopics: {news: {by_language: [en, fr]}}", ios: ios)
  }

  @Test func previewsTheMessageOfEachTopic() throws {
    let app = try withoutFrenchBody()
    let topic = try #require(app.catalog.languageTopic("news"))
    let shown = try preview(app) { question in
      question.platforms = AppPlatform.allCases
      question = question.about(topic)
    }
    #expect(
      texts(shown) == [
        "en gateway ok: Welcome | Bob wrote", "fr gateway ok: Bienvenue | Bob a écrit",
        "en gateway ok: Welcome! | Bob wrote!", "fr fallback fallback: Bienvenue ! | News.",
      ])
    #expect(shown.previews.map(\.topic) == ["news.en", "news.fr", "news.en", "news.fr"])
    let messages = try #require(shown.json["messages"]?.array)
    #expect(messages.map { $0["topic"] } == ["news.en", "news.fr"])
    #expect(messages.map { $0["message"]?["topic"] } == ["news.en", "news.fr"])
    #expect(messages[1]["message"]?["android"]?["notification"]?["body"] == "Bob a écrit")
    #expect(messages[1]["message"]?["apns"]?["payload"]?["aps"]?["alert"]?["body"] == "News.")
    let bytes = try #require(messages[1]["message"]).serialized.count
    #expect(messages[1]["message_bytes"]?.int64 ?? 0 >= Int64(bytes))
  }

  @Test func checkSaysWhereATopicHasNoText() throws {
    let found = try withoutFrenchBody().report.findings.filter { $0.rule == .topicFallback }
    #expect(
      found.map(\.message) == [
        "Readers of the topic news get the fallback in fr, where the gateway cannot make a text from the app's strings."
      ])
    let bare = try withoutFrenchBody(
      "  t:\n    params: {name: {type: string}}\n    body: {android: body, ios: BODY, args: [name]}")
    #expect(
      bare.report.findings.filter { $0.rule == .topicFallback }.map(\.message) == [
        "The template has neither a text nor a fallback in fr, so that the gateway rejects a send to the topic news."
      ])
    let topic = try #require(bare.catalog.languageTopic("news"))
    let messages = try preview(bare) { $0 = $0.about(topic) }.json["messages"]?.array
    #expect(messages?.first?["message"] != nil)
    #expect(messages?.last?["message"] == nil)
    #expect(messages?.last?["error"]?.string?.contains("slot body") == true)
  }
}
