import Testing
import YAML

@testable import Catalog

/// `topics` and `language` of a catalog.
@Suite struct LanguageTopicTests {
  private func catalog(
    _ topics: String, resources: String? = "{android: res}",
    languages: [String] = ["de", "en", "he", "pt-BR"]
  ) throws -> Catalog {
    let text = """
      version: 1
      \(resources.map { "resources: \($0)" } ?? "")
      topics: \(topics)
      templates:
        t: {body: {android: k, ios: K}}
      """
    return try Catalog.parse(
      Array(text.utf8), file: "c.yaml",
      languagesOf: { _ in languages == ["?"] ? .failure(.init("res: gone")) : .success(languages) }
    )
  }

  private func problems(
    _ topics: String, resources: String? = "{android: res}", languages: [String] = ["de", "en", "pt-BR"]
  ) throws -> [String] {
    do {
      _ = try catalog(topics, resources: resources, languages: languages)
      return []
    } catch let error as CatalogError {
      return error.problems.map { "\($0.path): \($0.message)" }
    }
  }

  @Test func namesATopicForEachLanguage() throws {
    let catalog = try catalog(
      """
      {news: {by_language: [en, de, pt-BR]}, w: {by_language: [he], pattern: "{locale}-w_{locale}"}}
      """)
    let news = try #require(catalog.languageTopic("news"))
    #expect(news.languages == ["en", "de", "pt-BR"])
    #expect(news.languages.map(news.topic) == ["news.en", "news.de", "news.pt-BR"])
    #expect(catalog.languageTopic("w")?.topic(of: "he") == "he-w_he")
    #expect(catalog.languageTopic("news.en") == nil)
    #expect(catalog.only(catalog.templates[0]).topics == catalog.topics)
  }

  @Test(arguments: [
    (
      #"{n: {by_language: [en], pattern: "n_locale"}}"#,
      "topics.n.pattern: must contain {locale}, which becomes the language, such as news_{locale}"
    ),
    ("{n: {by_language: [en, de, en]}}", "topics.n.by_language[2]: duplicate value"),
    ("{n: {by_language: [pt-BR, pt_br]}}", "topics.n.by_language[1]: duplicate value"),
    (
      "{n: {by_language: [en, fr]}}",
      "topics.n.by_language[1]: the string resources do not have this language; they have de, en, pt-BR"
    ),
    (
      "{n: {by_language: [pt]}}",
      "topics.n.by_language[0]: the string resources do not have this language; they have de, en, pt-BR"
    ),
    ("{n: {by_language: []}}", "topics.n.by_language: must hold at least one language"),
    ("{n: {by_language: en}}", "topics.n.by_language: expected a list, not a string"),
    ("{n: {}}", "topics.n.by_language: missing"),
    ("{n: {by_language: [en], patern: x}}", "topics.n.patern: unknown field"),
    (
      #"{"a b": {by_language: [en]}}"#,
      #"topics["a b"]: Topic name must match the pattern "[a-zA-Z0-9-_.~%]{1,900}"."#
    ),
    (
      #"{n: {by_language: [en], pattern: "a b {locale}"}}"#,
      #"topics.n.pattern: Topic name must match the pattern "[a-zA-Z0-9-_.~%]{1,900}"."#
    ),
  ])
  func rejectsWhatIsNoTopicByLanguage(_ topics: String, _ problem: String) throws {
    #expect(try problems(topics) == [problem])
  }

  @Test func rejectsNamesThatBecomeTooLong() throws {
    let name = String(repeating: "n", count: 897)
    #expect(try problems("{\(name): {by_language: [en]}}") == [])
    #expect(
      try problems("{\(name): {by_language: [pt-BR]}}") == [
        "topics.\(name): makes topics of more than 900 characters"
      ])
  }

  @Test func needsTheLanguagesOfTheApp() throws {
    let topic = "{n: {by_language: [en]}}"
    #expect(
      try problems(topic, resources: nil) == [
        "topics.n.by_language: needs the app's languages; add resources at the top of the catalog"
      ])
    #expect(
      try problems(topic, languages: ["?"]) == [
        "topics.n.by_language: needs the app's languages, which are not known: res: gone; correct this so that they can be read"
      ])
    // `check` reports what it cannot read.
    #expect(try problems(topic, languages: []) == [])
  }

  @Test func saysWhoseLanguageReadersRead() throws {
    let catalog = try Catalog.parse(
      Array(
        """
        version: 1
        language: app
        templates:
          plain: {body: {android: k}}
          device: {language: device, body: {android: k}}
          keys: {render: device, body: {android: k}}
          written: {language: device, render: gateway, body: {android: k}}
        """.utf8), file: nil)
    #expect(catalog.templates.map(\.language) == [.app, .device, .app, .device])
    #expect(catalog.templates.map(\.isRenderedByGateway) == [true, false, false, true])
    #expect(catalog.appLanguageLine == 2)
    #expect(
      Fixture.problems(template: "{language: phone, body: {android: k}}") == [
        "catalog.yaml:4:17: templates.t.language: must be one of device, app"
      ])
  }
}
