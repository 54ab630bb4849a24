import Catalog
import FCMMessage
import JSON
import Testing
import YAML

@Suite struct CatalogTests {
  @Test func aDevelopmentLanguageIsATag() throws {
    func problems(_ language: String) -> [String] {
      Fixture.problems(
        "version: 1\nresources: {android: res, development_language: \(language)}\ntemplates: {}\n")
    }
    #expect(
      problems("deutsch") == [
        "catalog.yaml:2:49: resources.development_language: must be a BCP 47 tag such as en or pt-BR"
      ])
    for language in ["de", "zh-Hant-TW", "fil", "German"] { #expect(problems(language) == []) }
  }

  @Test func suggestsParamsWhoseDefinitionIsWrong() throws {
    let text =
      "version: 1\ntemplates: {t: {params: {count: {type: integr}}, body: {ios: K, args: [cuont, x]}}}"
    let found = Fixture.problems(text).dropFirst()
    #expect(found.first?.hasSuffix("args[0]: unknown param; did you mean \"count\"?") == true, "\(found)")
    #expect(found.last?.hasSuffix("args[1]: unknown param; declare it in the template's params") == true)
  }

  @Test func reportsAllProblemsAtOnce() {
    #expect(
      Fixture.problems(
        """
        version: 2
        resource: {}
        defaults: {ttl: 29d, priority: hihg}
        templates:
          bad name: {titel: {android: k}}
          a: {title: {android: k, android: l}}
          b: {ttl: 5 minutes, collapse_key: ""}
          a: {}
        ignore:
          - {rule: MissingKeys, reason: x}
          - {rule: MissingKey, template: c}
        """) == [
          "catalog.yaml:1:10: version: unsupported version; this Dragoman reads only version 1",
          "catalog.yaml:2:1: resource: unknown field; did you mean \"resources\"?",
          "catalog.yaml:3:17: defaults.ttl: out of range: must be 0 to 2419200 seconds",
          "catalog.yaml:3:32: defaults.priority: must be one of high, normal; did you mean \"high\"?",
          "catalog.yaml:5:3: templates[\"bad name\"]: a name must be 1 to 128 letters (a-z, A-Z), digits, "
            + "\"_\", \".\" or \"-\"",
          "catalog.yaml:5:14: templates[\"bad name\"].titel: unknown field; did you mean \"title\"?",
          "catalog.yaml:6:27: templates.a.title.android: duplicate key, first used in line 6",
          "catalog.yaml:7:12: templates.b.ttl: must be a duration such as 90s, 15m, 24h or 7d",
          "catalog.yaml:7:37: templates.b.collapse_key: must not be empty",
          "catalog.yaml:8:3: templates.a: duplicate key, first used in line 6",
          "catalog.yaml:10:12: ignore[0].rule: must be one of "
            + CheckRule.allCases.map(\.rawValue).joined(separator: ", ") + "; did you mean \"MissingKey\"?",
          "catalog.yaml:11:5: ignore[1].reason: missing",
          "catalog.yaml:11:34: ignore[1].template: unknown template",
        ])
  }

  @Test func requiresAVersionAndTemplates() {
    #expect(
      Fixture.problems("{}") == [
        "catalog.yaml:1:1: version: missing", "catalog.yaml:1:1: templates: missing",
      ])
    #expect(Fixture.problems("[]") == ["catalog.yaml:1:1: expected a mapping, not a list"])
    #expect(Fixture.problems("") == ["catalog.yaml:1:1: the file is empty"])
  }

  @Test func describesItsTemplates() throws {
    let catalog = try Fixture.catalog(Fixture.newMessage)
    let template = try #require(catalog.template("new_message"))
    #expect(template.description == "Somebody wrote to the user.")
    #expect(template.params.map(\.name) == ["count", "sender"])
    #expect(template.params.map(\.type) == [.integer, .string])
    #expect(template.params.first { $0.name == "sender" }?.lengthMax == 64)
    #expect(template.slots.map(\.name) == [.title, .body])
    #expect(template.slots[1].texts.android?.key == "new_message_body")
    #expect(template.slots[1].texts.ios?.args == ["count", "sender"])
    #expect(template.fallback?.title == "Welcome!")
    #expect(template.fallback?.subtitle == nil)
    #expect(template.fallback?.body == "You have new messages.")
    #expect(template.ttlSeconds == 86_400)
    #expect(template.priority == .high)
    #expect(template.line == 8)
    #expect(catalog.template("new_messag\u{65}\u{301}") == nil)
    #expect(catalog.templates.count == 1)
  }

  @Test func keepsResourcesAndIgnoreRules() throws {
    let catalog = try Catalog.parse(
      Array(
        """
        version: 1
        resources: {android: app/res, ios: /abs/App, development_language: no, locales: [no, en], strict: true}
        templates: {t: {title: {android: k}}}
        ignore: [{rule: MissingTranslation, locale: he, key: k, template: t, reason: not yet}]
        """.utf8), file: "config/catalog.yaml")
    #expect(catalog.resources?.android?.paths == ["config/app/res"])
    #expect(catalog.resources?.ios?.paths == ["/abs/App"])
    #expect(catalog.resources?.developmentLanguage == "no")
    #expect(catalog.resources?.isStrict == true)
    #expect(catalog.resources?.locales == LanguageList(languages: ["no", "en"], line: 2))
    #expect(catalog.ignored.map(\.rule) == [.missingTranslation])
    #expect(catalog.ignored.first?.reason == "not yet")
    #expect(catalog.ignored.first?.template == "t")
  }

  @Test func reportsAnUnreadableFile() {
    #expect(throws: CatalogError.self) { try Catalog.load(file: "/nonexistent/catalog.yaml") }
    do {
      _ = try Catalog.load(file: "/nonexistent/catalog.yaml")
    } catch {
      #expect("\(error)" == "/nonexistent/catalog.yaml: cannot be read: no such file")
    }
  }

  @Test func findsOnlyItsOwnTemplates() throws {
    let catalog = try Fixture.catalog(Fixture.newMessage)
    #expect(throws: AssemblyError.unknownTemplate) {
      try catalog.assemble(AssemblyRequest(template: "other")).get()
    }
  }

  @Test func boundsMessagesToFCMsSize() throws {
    let template = "{params: {s: {type: string}}, title: {android: k, args: [s]}, device_identity: false}"
    let catalog = try Fixture.catalog(template: template)
    func assemble(_ length: Int, _ target: Target?) -> Result<AssembledMessage, AssemblyError> {
      let text = String(repeating: "x", count: length)
      return catalog.assemble(
        AssemblyRequest(template: "t", args: .init([("s", .string(text))]), longestTarget: target))
    }
    let empty = try assemble(0, nil).get()
    #expect(empty.byteCount == empty.message.message(to: nil, values: Fixture.placeholderValues).count)
    let room = SealedMessage.byteCountMax - empty.byteCount
    #expect(try assemble(room, nil).get().byteCount == 4096)
    #expect(throws: AssemblyError.tooLarge(byteCount: 4097)) { try assemble(room + 1, nil).get() }
    let error = try #require(throws: AssemblyError.self) { try assemble(room, .topic("T")).get() }
    #expect(error.code == .messageTooLarge)
    #expect(error.byteCount == 4096 + #""topic":"T","#.utf8.count)
  }

  @Test func rejectsATemplateThatIsAlwaysTooLarge() {
    let text = String(repeating: "x", count: 4096)
    let problems = Fixture.problems(template: "{data: {a: \(text)}}")
    #expect(problems.count == 1 && problems[0].contains("templates.t"), "\(problems)")
  }

  @Test func neverQuotesArgsInErrors() throws {
    let secret = "s3cret-text"
    let errors = try Fixture.inputErrors(
      template:
        "{params: {a: {type: integer}, b: {type: string, max_length: 2}, c: {type: string, enum: [x]}}}",
      args: ["a": .string(secret), "b": .string(secret), "c": .string(secret)])
    #expect(errors.count == 3)
    #expect(!errors.contains { $0.contains(secret) })
  }
}
