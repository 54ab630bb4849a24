import Foundation
import Testing
import TestSupport

@testable import AppStrings

@Suite struct AppleLimitsTests {
  private let one = "A=1;"

  @Test func boundsTheSizeOfAFile() throws {
    let folder = try AppleAppFolder([
      "en.lproj/Localizable.strings": "A = \"twelve\";", "fr.lproj/Localizable.strings": one,
      "Localizable.xcstrings": "{\"strings\":{}      }",
    ])
    var limits = AppleResourceLimits()
    limits.fileSizeBytesMax = 4
    let resources = folder.read(limits: limits)
    #expect(resources.text("fr", "A") == "1")
    #expect(resources.table("en")?.entries.isEmpty == true)
    #expect(resources.problems.map(\.kind) == [.unparsable, .unparsable])
    #expect(resources.problems.allSatisfy { $0.message.contains("larger than") })
  }

  @Test func boundsTheDepthOfFolders() throws {
    let folder = try AppleAppFolder([
      "a/en.lproj/Localizable.strings": one, "a/b/c/d/en.lproj/Push.strings": "B=1;",
    ])
    var limits = AppleResourceLimits()
    limits.folderDepthMax = 2
    let resources = folder.read(limits: limits)
    #expect(resources.text("en", "A") == "1")
    #expect(resources.outOfReach.isEmpty)
    #expect(resources.problems.map(\.kind) == [.remark])
    #expect(resources.problems.map { folder.relative($0.file) } == ["a/b/c"])
  }

  @Test func boundsTheNumberOfFolders() throws {
    let folder = try AppleAppFolder([
      "a/en.lproj/Localizable.strings": one, "b/en.lproj/Localizable.strings": "B=1;",
    ])
    var limits = AppleResourceLimits()
    limits.folderCountMax = 2
    let resources = folder.read(limits: limits)
    #expect(resources.table("en")?.entries.count == 1)
    #expect(resources.problems.map(\.message).contains { $0.contains("after 2 folders") })
  }

  /// Through `/proc/1/root`, a search would go through every file system of every process.
  @Test func doesNotSearchWhatTheKernelMakesUp() throws {
    let folder = try AppleAppFolder(["en.lproj/Localizable.strings": one])
    try FileManager.default.createSymbolicLink(
      atPath: "\(folder.path)/link", withDestinationPath: "/proc")
    let resources = folder.read(limits: AppleResourceLimits())
    #expect(resources.text("en", "A") == "1")
    #expect(resources.problems.map(\.kind) == [.remark])
    #expect(resources.problems.map { folder.relative($0.file) } == ["link"])
    for path in ["/proc", "/proc/self", "/sys"] {
      let search = AppleFolderSearch(folder: path, limits: AppleResourceLimits())
      #expect(search.problems.map(\.kind) == [.noResources], "\(path)")
      #expect(search.folderCount == 1, "\(path)")
    }
  }

  /// Links to folders above make no difference: each folder is searched once.
  @Test func searchesAFolderOnceHoweverManyLinksLeadToIt() throws {
    let folder = try AppleAppFolder([
      "a/en.lproj/Localizable.strings": one, "b/fr.lproj/Localizable.strings": one,
    ])
    for (name, target) in [("a/up", ".."), ("a/self", "."), ("b/up", ".."), ("b/a", "../a"), ("x", "x")] {
      try FileManager.default.createSymbolicLink(
        atPath: "\(folder.path)/\(name)", withDestinationPath: target)
    }
    let resources = folder.read(limits: AppleResourceLimits())
    #expect(resources.tables.map(\.name).sorted() == ["en", "fr"])
    #expect(resources.problems == [])
  }

  @Test func boundsTheNumberOfTables() throws {
    let folder = try AppleAppFolder([
      "en.lproj/Localizable.strings": one, "fr.lproj/Localizable.strings": one,
      "x/de.lproj/Localizable.strings": one,
    ])
    var limits = AppleResourceLimits()
    limits.fileCountMax = 1
    let resources = folder.read(limits: limits)
    #expect(resources.tables.map(\.name) == ["en"])
    #expect(resources.problems.map(\.message).contains { $0.contains("after 1 string tables") })
  }

  @Test func boundsTheNumberOfProblems() throws {
    let folder = try AppleAppFolder(["en.lproj/Localizable.strings": String(repeating: "A=1;\n", count: 20)])
    var limits = AppleResourceLimits()
    limits.problemCountMax = 5
    let resources = folder.read(limits: limits)
    #expect(resources.problems.count == 6)
    #expect(resources.problems.last?.message.contains("19 problems") == true)
  }

  @Test func boundsTheNumberOfLanguages() throws {
    let folder = try AppleAppFolder([
      "en.lproj/Localizable.strings": one, "fr.lproj/Localizable.strings": one,
    ])
    var limits = AppleResourceLimits()
    limits.languageCountMax = 1
    let resources = folder.read(limits: limits)
    #expect(resources.tables.map(\.name) == ["en"])
    #expect(resources.problems.map(\.message).contains { $0.contains("more than 1 languages") })
  }

  @Test func boundsTheNumberOfValuesInAFile() throws {
    let xml = StringsDictText.file("<key>C</key><string>1</string><key>D</key><string>2</string>")
    let unit = "{\"localizations\":{\"en\":{\"stringUnit\":{\"value\":\"x\"}}}}"
    let catalog = "{\"sourceLanguage\":\"en\",\"version\":\"1.0\",\"strings\":{\"A\":\(unit),\"B\":\(unit)}}"
    let folder = try AppleAppFolder([
      "de.lproj/Localizable.strings": "A=1;B=(2,3);", "en.lproj/Localizable.strings": xml,
      "Localizable.xcstrings": catalog,
    ])
    try folder.write(
      AppleBinaryPropertyListTests.binary(["A": "1", "B": "2"]), to: "fr.lproj/Localizable.strings")
    var limits = AppleResourceLimits()
    limits.valueCountMax = 1
    let resources = folder.read(limits: limits)
    #expect(resources.tables.allSatisfy { $0.entries.isEmpty })
    #expect(resources.problems.filter { $0.kind == .unparsable }.count == 4)
    #expect(folder.read().problems.isEmpty)
  }

  @Test func messagesQuoteLittleOfALongKey() throws {
    let key = String(repeating: "k", count: 5000)
    let resources = try AppleAppFolder(["en.lproj/Localizable.strings": "\(key)=1;\(key)=2;"]).read()
    #expect(resources.problems.count == 1)
    #expect(resources.problems.allSatisfy { $0.message.utf8.count < 200 })
  }
}

/// Damaged files lead to problems, never to a crash or a long wait.
@Suite struct AppleDamagedFilesTests {
  private static let catalog =
    "{\"sourceLanguage\":\"en\",\"version\":\"1.0\",\"strings\":{\"A\":{\"localizations\":{\"en\":{\"stringUnit\":"
    + "{\"state\":\"new\",\"value\":\"%#@a@ é\"},\"substitutions\":{\"a\":{\"variations\":{\"plural\":{\"other\":"
    + "{\"stringUnit\":{\"value\":\"x\"}}}}}}},\"fr\":{\"variations\":{\"device\":{\"iphone\":{\"stringUnit\":"
    + "{\"value\":\"y\"}}}}}}}}}"

  private static func good() throws -> [(name: String, bytes: [UInt8])] {
    let plural = StringsDictText.variable("n", [("one", "%d &amp; é"), ("other", "%d")])
    let dict = StringsDictText.file("<key>N</key><dict>\(StringsDictText.format("%#@n@"))\(plural)</dict>")
    return [
      ("en.lproj/Localizable.strings", Array("/* é */ \"A\" = \"\\U00e9\\101\";\nB = 'x';\n{C=(1,2);}".utf8)),
      ("en.lproj/Localizable.stringsdict", Array(dict.utf8)),
      ("Localizable.xcstrings", Array(catalog.utf8)),
      ("fr.lproj/Localizable.strings", try AppleBinaryPropertyListTests.binary(["A": "é", "B": ["c", 1]])),
    ]
  }

  @Test func everyTruncationIsRead() throws {
    for (name, bytes) in try Self.good() {
      for length in bytes.indices { Self.read(name, Array(bytes[..<length])) }
    }
  }

  @Test func mutationsAndNoiseAreRead() throws {
    var generator = SeededGenerator(seed: 5)
    let spices = Array("\"'\\;=/*{}()<>&[]:,%#@0aé\n".utf8) + [0, 0xFF, 0xFE]
    for (name, bytes) in try Self.good() {
      for _ in 0..<400 {
        Self.read(name, generator.mutated(bytes, spices: spices))
        let noise = (0..<Int.random(in: 0...200, using: &generator)).map { _ in
          UInt8.random(in: 0...255, using: &generator)
        }
        Self.read(name, noise)
        Self.read(name, Array("bplist00".utf8) + noise)
      }
    }
  }

  /// Inputs of a megabyte each that a reader with backtracking would hang on.
  @Test(
    .timeLimit(.minutes(1)),
    arguments: [
      "/*", "//", "\"", "'", "\\", "a=(", "a={", "a;", "a=(\");", "a=({b=);", "a=\"\\u00e9\";", "<", "<!--",
      "<?", "<a ", "<plist>",
      "<array>", "<dict><key>a</key>", "<!DOCTYPE", "<string>&", "a=\"\\Ud83d\";", "\n", "%",
    ])
  func longRepetitionsTakeLinearTime(piece: String) {
    let bytes = Array(String(repeating: piece, count: 200_000 / piece.utf8.count).utf8)
    Self.read("en.lproj/Localizable.strings", bytes)
    Self.read("en.lproj/Localizable.strings", Array("<plist><dict><key>a</key><string>".utf8) + bytes)
    Self.read("Localizable.xcstrings", bytes)
  }

  private static func read(_ name: String, _ bytes: [UInt8]) {
    let isCatalog = name.hasSuffix("xcstrings")
    let file = AppleFolderSearch.TableFile(
      path: name, table: "Localizable", format: isCatalog ? .catalog : .strings,
      language: isCatalog ? nil : "en", bundle: "",
      depth: 0)
    if isCatalog {
      _ = CatalogTables(bytes, file: file, limits: .init())
    } else {
      _ = StringsFile(bytes, file: file, limits: .init())
    }
  }
}
