import JSON
import Testing

@testable import AppStrings

/// Generated entries in string catalogs.
@Suite struct GeneratedCatalogTests {
  private static let texts = ["de", "en"].flatMap { language in
    [0, 2].map {
      GeneratedText(key: "K_n\($0)", text: "\(language)/\($0) \"x\"", language: language, origin: "K")
    }
  }

  private static let old = """
    {
      "sourceLanguage" : "en",
      "strings" : {
        "A/b" : {

        },
        "K" : {
          "localizations" : {
            "en" : { "variations" : {"plural" : {"other" : {"stringUnit" : {"value" : "%lld { \\" }"}}}} }
          }
        },
        "k_a" : {
          "comment" : "After K_n2."
        },
        "L" : {}
      },
      "version" : "1.0"
    }
    """

  private func update(_ old: String, _ texts: [GeneratedText] = texts) throws -> String {
    String(
      decoding: try GeneratedFile.catalog(Array(old.utf8), path: "x.xcstrings", texts), as: UTF8.self)
  }

  private static func entry(_ number: Int) -> String {
    """
        "K_n\(number)" : {
          "extractionState" : "manual",
          "localizations" : {
            "de" : {
              "stringUnit" : {
                "state" : "translated",
                "value" : "de/\(number) \\"x\\""
              }
            },
            "en" : {
              "stringUnit" : {
                "state" : "translated",
                "value" : "en/\(number) \\"x\\""
              }
            }
          }
        },

    """
  }

  @Test func entriesAreAddedAsXcodeWritesThem() throws {
    let new = try update(Self.old)
    // "k_a" comes before "K_n0" without regard to case.
    let expected = Self.old.replacing(
      "    \"L\" : {}", with: Self.entry(0) + Self.entry(2) + "    \"L\" : {}")
    #expect(new == expected)
    #expect(try update(new) == new)
  }

  @Test func numbersInKeysCountByTheirValue() throws {
    let old = #"{"sourceLanguage":"en","strings":{"K":{},"K_n3":{},"K_n20":{},"Z":{}},"version":"1.0"}"#
    let texts = [10, 100].map { GeneratedText(key: "K_n\($0)", text: "x", language: "en", origin: "K") }
    let new = try update(old, texts)
    let keys = try JSON.parse(new)["strings"]?.object?.map(\.key)
    #expect(keys == ["K", "K_n3", "K_n10", "K_n20", "K_n100", "Z"])
    #expect(
      !new.contains("\n") && new.contains(#""K_n10":{"extractionState":"manual","localizations":{"en":{"#))
  }

  @Test func onlyTextsThatDifferAreReplaced() throws {
    let written = try update(Self.old)
    var changed = Self.texts
    changed[0] = GeneratedText(key: "K_n0", text: "neu", language: "de", origin: "K")
    #expect(try update(written, changed) == written.replacing("\"de/0 \\\"x\\\"\"", with: "\"neu\""))
  }

  @Test func languagesAreInsertedInOrder() throws {
    let written = try update(Self.old)
    let texts = ["cs", "dz", "zh-Hant"].map {
      GeneratedText(key: "K_n0", text: $0, language: $0, origin: "K")
    }
    let new = try update(written, texts)
    let languages = try JSON.parse(new)["strings"]?["K_n0"]?["localizations"]?.object?.map(\.key)
    #expect(languages == ["cs", "de", "dz", "en", "zh-Hant"])
    #expect(
      new.contains(
        "\n        \"cs\" : {\n          \"stringUnit\" : {\n            \"state\" : \"translated\","))
    #expect(try update(new, texts) == new)
  }

  @Test func whateverHasTheKeyBecomesAText() throws {
    let old = """
      {"sourceLanguage": "en", "strings": {"K": {}, "K_n0": {}, "K_n2": {"localizations": {
        "de": {"variations": {"plural": {"other": {"stringUnit": {"value": "x"}}}}},
        "en": {"stringUnit": {"state": "new"}}}}}}
      """
    let new = try update(old)
    let strings = try JSON.parse(new)["strings"]
    for text in Self.texts {
      #expect(
        strings?[text.key]?["localizations"]?[text.language]?["stringUnit"]?["value"]?.string == text.text)
    }
    #expect(try update(new) == new)
  }

  @Test func tabsAndLineEndsStay() throws {
    let old = "{\r\n\t\"sourceLanguage\": \"en\",\r\n\t\"strings\": {\r\n\t\t\"K\": {\"a\": 1}\r\n\t}\r\n}"
    let new = try update(old, [Self.texts[2]])
    #expect(new.hasPrefix(old.dropLast(8)))
    #expect(new.contains("{\"a\": 1},\r\n\t\t\"K_n0\": {\r\n\t\t\t\"extractionState\": \"manual\",\r\n"))
  }

  @Test(arguments: [
    "", "[]", "{}", "{\"strings\": []}", "{\"strings\": {\"K\": {}}",
    #"{"sourceLanguage":"en","strings":{"K":{},"K":{"localizations":{}}}}"#,
  ])
  func aFileThatIsNoCatalogIsRefused(old: String) {
    #expect(throws: GeneratedTextError.self) { try update(old) }
  }

  @Test func placesOfMembersAreFound() throws {
    let json = Array(#" {"a\"b" : [1, {"x": "}"}], "c":{"d":null} , "e":-1.5e3,"f":"\\"}"#.utf8)
    let object = try #require(JSONObjectSpans(json, at: 1))
    #expect(object.members.map(\.key) == ["a\"b", "c", "e", "f"])
    #expect(
      object.members.map { String(decoding: json[$0.valueRange], as: UTF8.self) } == [
        #"[1, {"x": "}"}]"#, #"{"d":null}"#, "-1.5e3", #""\\""#,
      ])
    #expect(object.range == 1..<json.count)
    #expect(JSONObjectSpans(json, at: 2) == nil)
  }
}
