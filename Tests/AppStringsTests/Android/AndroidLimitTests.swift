internal import Foundation
@testable import AppStrings
import Testing

/// Every limit of `AndroidLimits`, and unusual contents of a folder.
@Suite struct AndroidLimitTests {
  private let string = "<string name=\"k\">x</string>"

  private func limits(_ change: (inout AndroidLimits) -> Void) -> AndroidLimits {
    var limits = AndroidLimits()
    change(&limits)
    return limits
  }

  @Test func doesNotReadAFileThatIsTooLarge() throws {
    let resources = try readAndroid(
      [
        "values/a.xml": string + String(repeating: " ", count: 2_000),
        "values/b.xml": "<string name=\"b\">x</string>",
      ],
      limits: limits { $0.fileBytesMax = 1_000 })
    #expect(resources.texts("default") == ["b": "x"])
    #expect(resources.problems.map(\.kind) == [.unparsable])
    #expect(resources.problems.first?.message.contains("larger than 1000 bytes") == true)
  }

  @Test func boundsTheBytesOfAllFiles() throws {
    let resources = try readAndroid(
      ["values/a.xml": string, "values/b.xml": string], limits: limits { $0.totalBytesMax = 300 })
    #expect(resources.texts("default") == ["k": "x"])
    #expect(resources.problems.map(\.kind) == [.unparsable])
  }

  @Test func boundsTheNumberOfFiles() throws {
    let resources = try readAndroid(
      ["values/a.xml": string, "values/b.xml": string, "values/c.xml": string],
      limits: limits { $0.filesMax = 1 })
    #expect(resources.texts("default") == ["k": "x"])
    #expect(resources.problems.map(\.kind) == [.unparsable])
  }

  @Test func boundsTheNestingOfElements() throws {
    let deep = String(repeating: "<b>", count: 9) + String(repeating: "</b>", count: 9)
    let document = ["values/a.xml": "\(string)<string name=\"d\">\(deep)</string>"]
    #expect(try readAndroid(document, limits: limits { $0.elementDepthMax = 11 }).problems.isEmpty)
    let resources = try readAndroid(document, limits: limits { $0.elementDepthMax = 10 })
    #expect(resources.texts("default") == ["k": "x"])
    #expect(resources.problems.map(\.kind) == [.unparsable])
  }

  @Test func readsAHundredThousandOpenElementsWithoutHarm() throws {
    let deep = String(repeating: "<b>", count: 100_000)
    #expect(try readAndroid(["values/a.xml": deep]).problems.map(\.kind) == [.unparsable])
  }

  @Test func boundsTheAttributesOfAnElement() throws {
    let attributes = (0..<4).map { " a\($0)=\"\"" }.joined()
    let document = ["values/a.xml": "<string name=\"k\"\(attributes)>x</string>"]
    #expect(try readAndroid(document, limits: limits { $0.attributesMax = 5 }).problems.isEmpty)
    #expect(try readAndroid(document, limits: limits { $0.attributesMax = 4 }).problems.count == 1)
  }

  @Test func boundsTheProblemsOfAFile() throws {
    let bad = (0..<9).map { "<string name=\"k\($0)\">it's</string>" }.joined()
    let resources = try readAndroid(["values/a.xml": bad], limits: limits { $0.problemsPerFileMax = 3 })
    #expect(resources.problems.count == 3)
    #expect(resources.problems.last?.message.contains("more problems") == true)
    #expect(resources.texts("default").count == 9)
  }

  @Test func boundsTheDuplicatesOfALanguage() throws {
    let strings = (0..<9).map { "<string name=\"k\">x\($0)</string>" }.joined()
    let resources = try readAndroid(["values/a.xml": strings], limits: limits { $0.problemsPerFileMax = 3 })
    #expect(resources.problems.count == 3)
    #expect(resources.problems.last?.message.contains("more problems") == true)
    #expect(resources.texts("default") == ["k": "x0"])
  }

  @Test func pipesAndDanglingLinksDoNotBlock() throws {
    let fixture = try AndroidFixture(["values/a.xml": Array("<resources>\(string)</resources>".utf8)])
    #expect(mkfifo("\(fixture.folder)/values/pipe.xml", 0o600) == 0)
    #expect(symlink("/nonexistent", "\(fixture.folder)/values/link.xml") == 0)
    #expect(mkdir("\(fixture.folder)/values/folder.xml", 0o700) == 0)
    let resources = AndroidResourceReader.read(folder: fixture.folder)
    #expect(resources.texts("default") == ["k": "x"])
    #expect(resources.problems.map(\.kind) == [.unparsable, .unparsable, .unparsable])
    #expect(resources.unreadableTables == ["default"])
  }

  @Test func readsHugeAttributesAndTextsInLinearTime() throws {
    let huge = String(repeating: "x", count: 2_000_000)
    let resources = try readAndroid(["values/a.xml": "<string name=\"k\" a=\"\(huge)\">\(huge)</string>"])
    #expect(resources.texts("default")["k"]?.utf8.count == 2_000_000)
    #expect(resources.problems == [])
  }
}

extension AndroidLimitTests {
  @Test func messagesQuoteLittleOfALongCharacter() throws {
    let long = "a" + String(repeating: "\u{301}", count: 10_000)
    let resources = try readAndroid([
      "values/a.xml":
        "<string name=\"\(long)\">&\(long);</string><string name=\"\(long)\">@string/\(long)</string>"
        + "<plurals name=\"p\"><item quantity=\"\(long)\">x</item></plurals>"
    ])
    #expect(resources.problems.count == 3)
    #expect(resources.problems.allSatisfy { $0.message.unicodeScalars.count < 500 })
  }
}
