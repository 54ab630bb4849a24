import AppStrings
import FCMMessage
import Foundation
import JSON
import Testing

@testable import AppArchives

/// The JSON of `dragoman strings` as input.
@Suite struct SnapshotTests {
  private func read(
    _ text: String, _ platform: AppPlatform = .android, keys: Set<String>? = nil
  ) throws -> StringResources {
    let keys = keys.map { Set($0.map { ExactText($0) }) }
    return try SnapshotReader(path: "s.json", platform: platform, limits: .init(), keys: keys)
      .read(Array(text.utf8))
  }

  private let text = """
    {"platform": "android", "version": "4.1.0", "package": "a.b", "more": [{"x": [1, "]"]}],
     "locales": {
      "default": {
       "text": {"kind": "string", "text": "a\\n\\u00e9\\ud83c\\udf89", "file": "x", "line": null},
       "plural": {"kind": "plural", "text": null, "forms": {"one": "1", "other": "n"}, "file": "x", "line": 3},
       "both": {"kind": "string", "text": "t", "forms": {"other": "n"}, "items": ["a", "b"], "file": "x", "line": 1},
       "array": {"kind": "array", "text": null, "items": [], "file": "x", "line": 1}},
      "fr-CA": {}}, "problems": []}
    """

  @Test func readsEverything() throws {
    let resources = try read(text)
    #expect(resources.shipped?.version == "4.1.0")
    #expect(resources.shipped?.package == "a.b")
    #expect(resources.tables.map(\.name) == ["default", "fr-CA"])
    let table = try #require(resources.tables.first)
    #expect(table["text"]?.text == "a\né🎉")
    #expect(
      table["plural"]?.value
        == .plural([.init(category: "one", text: "1"), .init(category: "other", text: "n")]))
    #expect(
      table.resources(named: "both").map(\.value) == [
        .string("t"), .plural([.init(category: "other", text: "n")]), .array(["a", "b"]),
      ])
    #expect(table["array"]?.value == .array([]))
    #expect(resources.tables.last?.locale?.description == "fr-CA")
  }

  @Test func readsAFileWithAByteOrderMark() throws {
    let file = FileManager.default.temporaryDirectory.appending(path: "dragoman-\(UUID().uuidString).json")
    try Data("\u{FEFF}\(text)".utf8).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    let resources = StringResources.read(.android, from: file.path)
    #expect(resources.problems == [])
    #expect(resources.shipped?.version == "4.1.0")
  }

  @Test func readsOnlyTheKeysThatAreNeeded() throws {
    let table = try read(text, keys: ["plural"]).tables.first
    #expect(table?.entries.count == 1)
    #expect(table?["plural"] != nil)
  }

  /// Every layout is read alike: that of the command, without its lines, and with the ends of languages where
  /// they are not looked for.
  @Test(arguments: ["asWritten", "compact", "misleading", "nested"]) func theLayoutDoesNotMatter(
    layout: String
  ) throws {
    let written = """
      {
        "platform": "android",
        "version": "1",
        "package": null,
        "locales": {
          "default": {
            "first": {"kind": "string", "text": "A \\"}", "file": "x", "line": 3},
            "later": {"kind": "plural", "text": null, "forms": {"other":"{"}, "file": "x", "line": null}
          },
          "de": {
            "later": {"kind": "string", "text": "B", "file": "x", "line": 3},
            "only_german": {"kind": "string", "text": "}", "file": "x", "line": 3}
          }
        },
        "problems": []
      }
      """
    let text =
      switch layout {
      case "compact": written.replacing("\n", with: "")
      // A bracket at the indentation of a language that ends an entry.
      case "misleading": written.replacing("\"line\": null}", with: "\"line\": null\n    }")
      // A form's bracket at the end of a line.
      case "nested": written.replacing("\"{\"}, ", with: "\"{\"}\n, ")
      default: written
      }
    #expect(layout == "asWritten" || text != written)
    for keys in [nil, Set(["first", "later", "only_german"])] {
      let tables = try read(text, keys: keys).tables
      #expect(tables.map(\.name) == ["default", "de"])
      #expect(tables.first?["first"]?.text == "A \"}")
      #expect(tables.first?["later"]?.value == .plural([.init(category: "other", text: "{")]))
      #expect(tables.last?["first"] == nil)
      #expect(tables.last?["later"]?.text == "B")
      #expect(tables.last?["only_german"]?.text == "}")
    }
    let some = try read(text, keys: ["only_german"]).tables
    #expect(some.map(\.entries.count) == [0, 1])
  }

  @Test func keepsObfuscatedNames() throws {
    let names = (0..<9).map {
      "\"a\($0)\": {\"kind\": \"string\", \"text\": \"T\($0)\", \"file\": \"x\", \"line\": 1}"
    }
    let text =
      "{\"platform\": \"android\", \"version\": \"1\", \"package\": \"a\", \"locales\": {\"default\": {"
      + "\(names.joined(separator: ","))}}}"
    let shipped = try #require(try read(text, keys: ["welcome"]).shipped)
    #expect(shipped.hasObfuscatedNames)
    #expect(shipped.renamedTexts[ExactText("T3")] == "a3")
  }

  /// Languages without lines cost one pass, not one for each language.
  @Test func refusesMoreLanguagesThanAllowed() {
    let locales = (0..<30_000).map { "\"l\($0)\":{}" }.joined(separator: ",")
    let error = #expect(throws: ArchiveError.self) {
      try read("{\"platform\":\"android\",\"locales\":{\(locales)}}")
    }
    #expect(error?.code == .tooLarge)
  }

  @Test func readsWhatIsWrongWithTheApp() throws {
    let text = """
      {"platform": "ios", "locales": {"en": {
        "K": {"kind": "string", "text": "x", "state": "needs_review", "file": "x", "line": 1}}},
       "out_of_reach": {"P": {"table": "Push", "file": "p.strings", "line": 3}},
       "problems": [
        {"file": "a", "line": 2, "message": "m", "kind": "unparsable", "table": "en", "key": "K"},
        {"file": "b", "line": null, "message": "n", "kind": "later"}, {"file": "c", "line": 1, "message": "o"}]}
      """
    let resources = try read(text, .ios)
    #expect(
      resources.problems == [
        ResourceProblem(
          kind: .unparsable, file: "a", line: 2, table: "en", key: "K", FindingText(english: "m")),
        ResourceProblem(kind: .remark, file: "b", FindingText(english: "n")),
        ResourceProblem(kind: .remark, file: "c", line: 1, FindingText(english: "o")),
      ])
    #expect(resources.outOfReach == [ExactText("P"): .init(table: "Push", file: "p.strings", line: 3)])
    #expect(resources.tables.first?["K"]?.state == .needsReview)
    #expect(try read(text, .ios, keys: ["K"]).outOfReach.isEmpty)
    #expect(throws: ArchiveError.self) {
      try read("{\"platform\":\"ios\",\"locales\":{},\"problems\":[{\"file\":1}]}", .ios)
    }
  }

  @Test func aSourceFolderHasNoVersion() throws {
    #expect(try read("{\"platform\":\"ios\",\"locales\":{\"en\":{}}}", .ios).shipped == nil)
  }

  @Test(arguments: [
    "", "{", "{}", "[]", "{\"platform\":\"ios\",\"locales\":{}}", "{\"platform\":\"android\",\"locales\":[]}",
    "{\"platform\":\"android\",\"locales\":{\"en\":{\"k\":{\"kind\":\"other\"}}}}",
    "{\"platform\":\"android\",\"locales\":{\"en\":{\"k\":{\"kind\":\"string\",\"text\":3}}}}",
    "{\"platform\":\"android\",\"locales\":{\"en\":{},\"en\":{}}}", "{\"platform\":\"android\"} x",
    "{\"platform\":\"android\",\"locales\":{\"en\":{\"k\":{\"kind\":\"string\",\"text\":\"\\u00\"}}}}",
  ])
  func refusesWhatIsNone(text: String) {
    #expect(throws: ArchiveError.self) { try read(text) }
  }

  @Test func neverCrashesOnDamage() {
    let bytes = Array(text.utf8)
    for length in bytes.indices { _ = try? read(String(decoding: bytes.prefix(length), as: UTF8.self)) }
    for index in bytes.indices {
      var damaged = bytes
      damaged[index] = 0x22
      _ = try? SnapshotReader(path: "s", platform: .android, limits: .init(), keys: nil).read(damaged)
    }
  }
}
