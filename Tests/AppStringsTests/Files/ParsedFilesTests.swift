import FCMMessage
import Foundation
import TestSupport
import Testing

@testable import AppStrings

struct ParsedFilesTests {
  private let kept = ParsedFiles(sourceBytesMax: 1 << 20)

  @Test func parsesOnlyChangedLanguagesAgain() throws {
    let folder = try TemporaryFolder()
    func write(_ text: String, to file: String) throws {
      try folder.write("<resources><string name=\"k\">\(text)</string></resources>", to: file)
      try folder.settle()
    }
    func read(_ table: String) -> StringEntry? {
      AndroidResourceReader.read(folder: folder.path, limits: .init(), kept: kept).table(table)?["k"]
    }
    try write("one", to: "values/s.xml")
    try write("un", to: "values-fr/s.xml")
    let (source, french) = (try #require(read("default")), try #require(read("fr")))
    #expect(read("default")?.isIdentical(to: source) == true)
    #expect(read("fr")?.isIdentical(to: french) == true)
    // The same size, and the same time of modification.
    try write("UN", to: "values-fr/s.xml")
    #expect(read("default")?.isIdentical(to: source) == true)
    #expect(read("fr")?.text == "UN")
    try FileManager.default.removeItem(atPath: "\(folder.path)/values-fr/s.xml")
    #expect(read("fr") == nil)
  }

  @Test func parsesFilesOfIPhonesOnlyOnce() throws {
    let folder = try TemporaryFolder()
    try folder.write("\"k\" = \"one\";", to: "en.lproj/Localizable.strings")
    try folder.write("\"k\" = \"un\";", to: "fr.lproj/Localizable.strings")
    try folder.settle()
    func entries() -> [StringEntry] {
      AppleResourceReader.read(folder: folder.path, limits: .init(), kept: kept).tables.compactMap { $0["k"] }
    }
    let (first, second) = (entries(), entries())
    #expect(first.count == 2)
    #expect(zip(first, second).allSatisfy { $0.isIdentical(to: $1) })
  }

  /// While a reload goes on, what was read before and what is read now are in memory together.
  @Test(arguments: [
    (AppPlatform.android, "values/s.xml", #"<string name="%@">%@</string>"#, "<resources>%@</resources>"),
    (.ios, "en.lproj/Localizable.strings", #""%@" = "%@";"#, "%@"),
    (
      .ios, "Localizable.xcstrings",
      #""%@": {"localizations": {"en": {"stringUnit": {"state": "translated", "value": "%@"}}}}"#,
      #"{"sourceLanguage": "en", "version": "1.0", "strings": {%@}}"#
    ),
  ])
  func sharesWhatAChangeLeftAsItWas(
    _ platform: AppPlatform, file: String, entry: String, whole: String
  ) throws {
    let folder = try TemporaryFolder()
    func read(_ texts: KeyValuePairs<String, String>) throws -> StringTable {
      let entries = texts.map { String(format: entry, $0.key, $0.value) }
      let separator = file.hasSuffix("xcstrings") ? ",\n" : "\n"
      // Changed just now, so that what was parsed stands for no later question.
      try folder.write(String(format: whole, entries.joined(separator: separator)), to: file)
      let resources =
        switch platform {
        case .android: AndroidResourceReader.read(folder: folder.path, limits: .init(), kept: kept)
        case .ios: AppleResourceReader.read(folder: folder.path, limits: .init(), kept: kept)
        }
      return try #require(resources.tables.first)
    }
    let before = try read(["same": "a text", "changed": "one text"])
    let after = try read(["same": "a text", "changed": "another text", "new": "a third"])
    let (same, changed) = (try #require(before["same"]), try #require(after["changed"]))
    #expect(after["same"]?.isIdentical(to: same) == true)
    #expect((changed.text, after["new"]?.text) == ("another text", "a third"))
    // Further down, but the same otherwise.
    let moved = try read(["first": "1", "same": "a text"])
    #expect(moved["same"]?.text == "a text")
    #expect(moved["same"]?.line == same.line.map { $0 + 1 })
    #expect(moved["changed"] == nil)
  }

  @Test func keepsNothingOfFilesThatChangedJustNow() throws {
    let folder = try TemporaryFolder()
    try folder.write("x", to: "s.xml")
    #expect(values(of: folder, [1, 2], kept) == [1, 2])
  }

  @Test func holdsAtMostTheBytesThatItMay() throws {
    let kept = ParsedFiles(sourceBytesMax: 100)
    func file(of bytes: Int) throws -> TemporaryFolder {
      let folder = try TemporaryFolder()
      try folder.write(String(repeating: " ", count: bytes), to: "s.xml")
      try folder.settle()
      return folder
    }
    let (small, other, large) = (try file(of: 60), try file(of: 60), try file(of: 101))
    #expect(values(of: small, [1, 2], kept) == [1, 1])
    #expect(values(of: large, [1, 2], kept) == [1, 2])
    #expect(values(of: small, [3], kept) == [1])
    #expect(values(of: other, [1, 2], kept) == [1, 1])
    #expect(values(of: small, [4], kept) == [4])
  }

  /// What is answered for the file of a folder, where each parse would make the next of these numbers.
  private func values(of folder: TemporaryFolder, _ numbers: [Int], _ kept: ParsedFiles) -> [Int] {
    numbers.map { number in
      kept.value(ParsedFiles.Question(.android, ["\(folder.path)/s.xml"])) { number }
    }
  }
}
