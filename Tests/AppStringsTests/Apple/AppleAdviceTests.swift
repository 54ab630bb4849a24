import FCMMessage
import TestSupport
import Testing

@testable import AppStrings

/// What people are told whose files of strings cannot be read: what is wrong, at its line.
@Suite struct AppleAdviceTests {
  private func problems(
    _ text: String, in file: String = "en.lproj/Localizable.strings"
  ) throws -> [ResourceProblem] {
    let folder = try TemporaryFolder()
    try folder.write(text, to: "App/\(file)")
    return StringResources.read(.ios, folder: "\(folder.path)/App").problems.filter { $0.kind != .remark }
  }

  @Test(arguments: [
    ("\"a\" = \"x\";\n\"b\" = \"Créer \"%@\" ici\";\n", 2, "write \\\" for it"),
    ("\"a\" = \"Da %@;\n\"z\"=\"z\";\n", 1, "no closing quotation mark"),
    (
      "\"a\" = \"x\";\n\"b\" = “Hallo”;\n", 2,
      "\"“\" cannot begin a text; put texts between straight quotation marks"
    ),
    ("\"a\" = \"x\";\nfoo\n", 3, "the file ends after the key \"foo\", which has no text"),
    ("\"a\" : \"x\",\n", 1, "not \":\""),
    ("\"a\" = \"x\";;\n\"b\" = \"y\";\n", 1, "\";\" cannot begin a key"),
    ("\"a\" = \"x\"\n\"b\" = \"y\";\n", 1, "\";\" is missing"),
    ("<<<<<<< HEAD\n\"a\" = \"x\";\n=======\n\"a\" = \"y\";\n>>>>>>> x\n", 1, "merge conflict"),
    ("\"a\" = \"x\";\n<<<<<<< HEAD\n\"b\" = \"x\";\n=======\n>>>>>>> x\n", 2, "merge conflict"),
  ])
  func stringsFilesNameTheCause(text: String, line: Int, advice: String) throws {
    let found = try problems(text)
    #expect(found.map(\.kind) == [.unparsable])
    #expect(found.first?.line == line)
    #expect(found.first?.message.contains(advice) == true, "\(found)")
  }

  private func catalog(_ strings: String, beside: String = "") -> String {
    "{\"sourceLanguage\": \"en\",\n\"strings\": {\(strings)},\n\(beside)\"version\": \"1.0\"}"
  }

  private static let unit = "{\"stringUnit\": {\"state\": \"translated\", \"value\": \"x\"}}"

  @Test func aKeyOutsideTheStringsIsMisplaced() throws {
    let text = catalog(
      "", beside: "\"K\": {\"localizations\": {\"en\": \(Self.unit)}},\n\"other\": {\"a\": 1},\n")
    let found = try problems(text, in: "Localizable.xcstrings")
    #expect(found.map(\.kind) == [.misplacedKey])
    #expect(found.first?.key == "K")
    #expect(found.first?.line == 3)
  }

  @Test func membersThatXcodeIgnoresAreNamed() throws {
    let misspelt = catalog("\n\"K\": {\n\"localisations\": {\"en\": \(Self.unit)}}")
    var found = try problems(misspelt, in: "Localizable.xcstrings")
    #expect(found.map(\.kind) == [.suspicious])
    #expect(found.first?.line == 4)
    #expect(found.first?.message.contains("\"localizations\"") == true)
    found = try problems(
      catalog(
        "\"K\": {\"localizations\": {\"en\": {\"value\": \"x\"}, \"de\": \"y\", \"fr\": \(Self.unit)}}"),
      in: "Localizable.xcstrings")
    #expect(found.map(\.table) == ["en", "de"])
    #expect(found.allSatisfy { $0.kind == .suspicious && $0.message.contains("stringUnit") })
  }

  @Test func aMergeConflictInACatalogIsCalledOne() throws {
    let found = try problems(
      "{\"sourceLanguage\":\"en\",\n<<<<<<< HEAD\n\"strings\":{},\n=======\n\"strings\":{\"a\":{}},\n>>>>>>> x\n}",
      in: "Localizable.xcstrings")
    #expect(found.first?.line == 2)
    #expect(found.first?.message.contains("merge conflict") == true)
  }
}
