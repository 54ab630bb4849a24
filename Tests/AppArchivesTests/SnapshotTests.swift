import AppStrings
import FCMMessage
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
       "k": {"kind": "string", "text": "a\\n\\u00e9\\ud83c\\udf89", "file": "x", "line": null},
       "p": {"kind": "plural", "text": null, "forms": {"one": "1", "other": "n"}, "file": "x", "line": 3},
       "b": {"kind": "string", "text": "t", "forms": {"other": "n"}, "items": ["a", "b"], "file": "x", "line": 1},
       "a": {"kind": "array", "text": null, "items": [], "file": "x", "line": 1}},
      "fr-CA": {}}, "problems": []}
    """

  @Test func readsEverything() throws {
    let resources = try read(text)
    #expect(resources.shipped?.version == "4.1.0")
    #expect(resources.shipped?.package == "a.b")
    #expect(resources.tables.map(\.name) == ["default", "fr-CA"])
    let table = try #require(resources.tables.first)
    #expect(table["k"]?.text == "a\né🎉")
    #expect(
      table["p"]?.value == .plural([.init(category: "one", text: "1"), .init(category: "other", text: "n")]))
    #expect(
      table.resources(named: "b").map(\.value) == [
        .string("t"), .plural([.init(category: "other", text: "n")]), .array(["a", "b"]),
      ])
    #expect(table["a"]?.value == .array([]))
    #expect(resources.tables.last?.locale?.description == "fr-CA")
  }

  @Test func readsOnlyTheKeysThatAreNeeded() throws {
    let table = try read(text, keys: ["p"]).tables.first
    #expect(table?.entries.count == 1)
    #expect(table?["p"] != nil)
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
