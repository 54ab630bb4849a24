@testable import AppStrings
import TestSupport
import Testing

/// Any XML is either read or reported; it never harms its reader.
@Suite struct AndroidXMLTests {
  @Test func readsEntitiesOfTheInternalSubset() throws {
    let resources = try readAndroid(documents: [
      "values/s.xml": """
      <?xml version="1.0" encoding="utf-8"?>
      <!-- a comment -->
      <!DOCTYPE resources [
        <!-- another ' -->
        <!ENTITY app "My &#65;pp"> <!ENTITY in '[&app;]'> <!ENTITY app "not this">
        <!ENTITY bold "<b>so</b>"> <!ENTITY % p "x"> <!ELEMENT resources ANY> <?pi ]>?>
      ]>
      <resources>
      <string name="a">&app; &in; &bold;!</string>
      <string name="&app2;" product="&app;">x</string>
      </resources>
      """
    ])
    #expect(resources.table("default")?["a"]?.text == "My App [My App] so!")
    #expect(resources.table("default")?["a"]?.line == 9)
    #expect(resources.problems.map(\.line) == [10, 10, 10])
  }

  @Test func neverFetchesExternalEntities() throws {
    let resources = try readAndroid(documents: [
      "values/s.xml": """
      <!DOCTYPE resources SYSTEM "file:///etc/passwd" [<!ENTITY x SYSTEM "file:///etc/passwd">
        <!ENTITY y PUBLIC "-//x" 'file:///etc/passwd'>]>
      <resources><string name="a">[&x;&y;]</string></resources>
      """
    ])
    #expect(resources.texts("default") == ["a": "[]"])
    #expect(resources.problems.map(\.kind) == [.unparsable, .unparsable])
  }

  @Test func boundsTheExpansionOfEntities() throws {
    var limits = AndroidLimits()
    limits.expansionBytesMax = 100_000
    let laughs = (1..<12).map { "<!ENTITY a\($0) \"\(String(repeating: "&a\($0 - 1);", count: 10))\">" }
      .joined()
    let document = "<!DOCTYPE r [<!ENTITY a0 \"lol\">\(laughs)]><resources><string name=\"a\">x</string>"
    for use in ["<string name=\"b\">&a11;</string>", "<string name=\"&a11;\">x</string>"] {
      let resources = try readAndroid(
        documents: ["values/s.xml": "\(document)\(use)</resources>"], limits: limits)
      #expect(resources.texts("default") == ["a": "x"])
      #expect(resources.problems.map(\.kind) == [.unparsable])
      #expect(resources.problems.first?.message.contains("expand to more than") == true)
    }
  }

  @Test(arguments: [
    "<!ENTITY a \"&a;\">", "<!ENTITY a \"&b;\"><!ENTITY b \"&a;\">", "<!ENTITY a \"<b>\">",
    "<!ENTITY a \"</string>\">",
  ])
  func rejectsEntitiesThatReferToThemselvesOrBreakElements(entities: String) throws {
    let resources = try readAndroid(documents: [
      "values/s.xml": "<!DOCTYPE r [\(entities)]><resources><string name=\"k\">&a;</string></resources>"
    ])
    #expect(resources.problems.map(\.kind) == [.unparsable])
    #expect(resources.texts("default").isEmpty)
  }

  @Test func boundsTheDepthOfEntities() throws {
    var limits = AndroidLimits()
    limits.entityDepthMax = 3
    func problems(_ last: Int) throws -> Int {
      let entities = (1...last).map { "<!ENTITY a\($0) \"&a\($0 - 1);\">" }.joined()
      return try readAndroid(
        documents: [
          "values/s.xml":
            "<!DOCTYPE r [<!ENTITY a0 \"x\">\(entities)]><resources><string name=\"k\">&a\(last);</string></resources>"
        ], limits: limits
      ).problems.count
    }
    #expect(try problems(2) == 0)
    #expect(try problems(3) == 1)
  }

  @Test func boundsTheNumberOfEntities() throws {
    var limits = AndroidLimits()
    limits.entitiesMax = 3
    func problems(_ count: Int) throws -> [String] {
      let entities = (0..<count).map { "<!ENTITY a\($0) \"x\">" }.joined()
      let document = "<!DOCTYPE r [\(entities)]><resources><string name=\"k\">x</string></resources>"
      return try readAndroid(documents: ["values/s.xml": document], limits: limits).problems.map(\.message)
    }
    #expect(try problems(3) == [])
    #expect(try problems(4) == ["The file declares more than 3 entities. What follows was not read."])
  }

  @Test func boundsTheCostOfRepairs() throws {
    let strings = (0..<50).map { "<string name=\"k\($0)\">x & y</string>" }.joined()
    func problems(_ limits: AndroidLimits) throws -> Int {
      try readAndroid(documents: ["values/s.xml": "<resources>\(strings)</resources>"], limits: limits)
        .problems.count
    }
    var limits = AndroidLimits()
    #expect(try problems(limits) == 50)
    limits.repairBytesMax = 10 * strings.utf8.count
    #expect(try problems(limits) < 15)
  }

  @Test(arguments: [
    "", " ", "<resources>", "<resources><string name=\"k\">x</string>", "<resources></string>", "<resources",
    "<",
    "<resources><string name=\"k\">x</strin></resources>", "<resources><string name=k>x</string></resources>",
    "<resources><string name>x</string></resources>", "<resources><string name=\"<\">x</string></resources>",
    "<resources/><resources/>", "<resources/>text", "text<resources/>", "<resources><![CDATA[x</resources>",
    "<resources><!-- x</resources>", "<!DOCTYPE resources [<resources/>", "<!DOCTYPE resources",
    "<resources><!x></resources>",
    "<resources><?x</resources>", "<resources a=\"1\" a=\"2\"/>", "<resources a=\"1\"b=\"2\"/>", "<strings/>",
    "\u{0}<resources/>",
    "<resources xmlns=\"urn:x\"/>", "\n<?xml version=\"1.0\"?><resources/>", "<![CDATA[x]]><resources/>",
    "<resources a='&#xD800;'/>", "<resources><string name=\"k\">a < b</string></resources>",
    "<resources/><!-- ",
  ])
  func reportsMalformedXML(document: String) throws {
    let resources = try readAndroid(documents: [
      "values/s.xml": document, "values/t.xml": "<resources><string name=\"t\">t</string></resources>",
    ])
    #expect(resources.texts("default")["t"] == "t")
    #expect(!resources.problems.isEmpty)
    #expect(resources.problems.allSatisfy { $0.kind == .unparsable && $0.line != nil })
  }

  @Test func keepsTheEntriesBeforeAFaultAndReportsItsLine() throws {
    let resources = try readAndroid(documents: [
      "values/s.xml":
        "<resources>\n<string name=\"a\">x</string>\n<string name=\"b\">y</strong>\n</resources>"
    ])
    #expect(resources.texts("default") == ["a": "x"])
    #expect(resources.problems.map(\.line) == [3])
  }

  @Test func continuesAfterAFaultInOneEntryAndNamesItsKey() throws {
    let resources = try readAndroid([
      "values/s.xml": "<string name=\"a\">x & y</string>\n<string name=\"b\">it's</string>"
    ])
    #expect(resources.texts("default") == ["a": "x & y", "b": "it's"])
    #expect(resources.problems.map(\.key) == ["a", "b"])
    #expect(resources.problems.map(\.line) == [1, 2])
  }

  @Test func readsPrefixesByTheirNamespaceAndDefaultNamespaces() throws {
    let resources = try readAndroid(documents: [
      "values/s.xml": """
      <resources xmlns="urn:oasis:names:tc:xliff:document:1.2"/>
      """,
      "values/t.xml": """
      <resources><string name="a" xmlns:x="urn:oasis:names:tc:xliff:document:1.2"> <x:g>n</x:g> </string>
      <string name="b"> <xliff:g>n</xliff:g> </string></resources>
      """,
    ])
    #expect(resources.texts("default") == ["a": "n", "b": "n"])
    let problem = try #require(resources.problems.first { $0.key == "b" })
    #expect(problem.message.contains("xmlns:xliff"))
    #expect(!resources.problems.contains { $0.key == "a" })
  }

  @Test func readsCarriageReturnsAsLineEnds() throws {
    let resources = try readAndroid(["values/s.xml": "\r\n\r<string name=\"a\">\"x\r\ny\rz\"</string>"])
    #expect(resources.table("default")?["a"]?.text == "x\ny\nz")
    #expect(resources.table("default")?["a"]?.line == 3)
  }

  @Test func readsAllEncodingsThatAapt2Reads() throws {
    func document(_ encoding: String?) -> String {
      let declaration = encoding.map { "<?xml version='1.0' encoding=\"\($0)\"?>" } ?? ""
      return "\(declaration)\r\n\r<resources>\n<string name=\"k\">é</string></resources>"
    }
    func utf16(_ text: String, isBigEndian: Bool) -> [UInt8] {
      text.utf16.flatMap {
        isBigEndian ? [UInt8($0 >> 8), UInt8($0 & 0xFF)] : [UInt8($0 & 0xFF), UInt8($0 >> 8)]
      }
    }
    let latin1 = document("ISO-8859-1").unicodeScalars.map { UInt8($0.value) }
    let files: [[UInt8]] = [
      Array(document(nil).utf8), Array(document("UTF-8").utf8),
      [0xEF, 0xBB, 0xBF] + Array(document("utf-8").utf8),
      utf16("\u{FEFF}\(document("UTF-16"))", isBigEndian: false),
      utf16("\u{FEFF}\(document(nil))", isBigEndian: true),
      utf16(document(nil), isBigEndian: false), utf16(document(nil), isBigEndian: true), latin1,
    ]
    for bytes in files {
      let parser = AndroidStringsParser(bytes: bytes, file: "s.xml", table: "default")
      #expect(parser.drafts.map(\.entry.text) == ["é"])
      #expect(parser.drafts.map(\.entry.line) == [4])
      #expect(parser.problems == [])
    }
  }

  @Test func reportsInvalidBytesAndReadsTheRest() throws {
    let head = Array("<resources>\n<string name=\"k\">a".utf8)
    let tail = Array("b</string></resources>".utf8)
    let parser = AndroidStringsParser(bytes: head + [0xFF, 0x00] + tail, file: "s.xml", table: "default")
    #expect(parser.drafts.map(\.entry.text) == ["a\u{FFFD}b"])
    #expect(parser.problems.map(\.line) == [2, 2])
    let odd = AndroidStringsParser(bytes: [0xFF, 0xFE, 0x3C], file: "s.xml", table: "default")
    #expect(!odd.problems.isEmpty)
    let foreign = Array("<?xml version=\"1.0\" encoding=\"windows-1252\"?><resources/>".utf8)
    #expect(AndroidStringsParser(bytes: foreign, file: "s.xml", table: "default").problems.count == 1)
  }

  @Test func neverCrashesOnMutatedFiles() {
    let seed = Array(
      """
      <?xml version="1.0" encoding="utf-8"?><!DOCTYPE resources [<!ENTITY a "<b>x</b>&#65;"><!ENTITY b '&a;&a;'>]>
      <resources xmlns:xliff="urn:oasis:names:tc:xliff:document:1.2" xmlns:tools="http://schemas.android.com/tools">
      <!-- c --><string name="k" translatable="false">\\u00e9 "q" &b; <xliff:g id="i">%1$s</xliff:g> <![CDATA[<]]></string>
      <plurals name="p"><item quantity="one">@string/k</item></plurals><string-array name="r"><item>?x</item></string-array>
      </resources>
      """.utf8)
    var random = SeededGenerator(seed: 7)
    let bytes: [UInt8] = Array("<>&;\"'/!?[]-=#\\u%@:\0\u{FF}\u{FE}".utf8) + [0xFF, 0xFE, 0xC3]
    for _ in 0..<300 {
      var mutated = seed
      for _ in 0..<Int.random(in: 1...6, using: &random) {
        let place = Int.random(in: 0..<mutated.count, using: &random)
        switch Int.random(in: 0..<4, using: &random) {
        case 0: mutated.remove(at: place)
        case 1: mutated.insert(bytes.randomElement(using: &random) ?? 0, at: place)
        case 2: mutated.removeSubrange(place..<min(place + 20, mutated.count - 1))
        default: mutated.insert(contentsOf: seed[..<(place % seed.count)], at: place)
        }
      }
      let parser = AndroidStringsParser(bytes: mutated, file: "s.xml", table: "default")
      #expect(parser.drafts.count < 100)
    }
  }
}
