internal import JSON
@testable import AppStrings
import Testing

/// How the elements of a values file are read.
@Suite struct AndroidEntryTests {
  @Test func reportsFileAndLineWhereATagBegins() throws {
    let resources = try readAndroid([
      "values/strings.xml": "\n<string name=\"a\">x</string>\n\n<string\n  name=\"b\"\n>y</string>"
    ])
    let table = try #require(resources.table("default"))
    #expect(table["a"]?.line == 2)
    #expect(table["b"]?.line == 4)
    #expect(table["a"]?.file == "\(resources.folder)/values/strings.xml")
  }

  @Test func readsStringsOfAllFilesAndSkipsOtherResources() throws {
    let resources = try readAndroid([
      "values/colors.xml":
        "<color name=\"c\">#fff</color><style name=\"s\"><item name=\"x\">it's</item></style>",
      "values/arrays.xml":
        "<array name=\"r\"><item>it's</item></array><integer-array name=\"i\"><item>1</item></integer-array>",
      "values/a.xml":
        "<string name=\"a\">1</string><skip/><eat-comment/><tools:x><string name=\"no\">x</string></tools:x>",
      "values/b.xml": "<item type=\"string\" name=\"b\">2</item><item type=\"dimen\" name=\"d\">1dp</item>",
      "values/notes.txt": "no XML", "values/.hidden.xml": "no XML",
      "values/sub/c.xml": "<string name=\"c\">3</string>",
    ])
    #expect(resources.texts("default") == ["a": "1", "b": "2"])
    #expect(resources.problems.map(\.kind) == [.unread])
    #expect(resources.problems.first?.file == "\(resources.folder)/values/sub")
  }

  @Test func readsPlurals() throws {
    let resources = try readAndroid([
      "values/s.xml": """
      <string name="t">target</string>
      <plurals name="p"> <item quantity="one">One\\n</item><!-- c --><eat-comment/>
        <item quantity=" other "> %d  <b>items</b></item><item quantity="many">@string/t</item></plurals>
      """
    ])
    let entry = try #require(resources.table("default")?["p"])
    #expect(
      entry.value
        == .plural([
          .init(category: "one", text: "One\n"), .init(category: "other", text: " %d items"),
          .init(category: "many", text: "target", reference: "t"),
        ]))
    #expect(entry.text == nil)
    #expect(resources.problems == [])
  }

  @Test func reportsInvalidFormsOfAPluralAndKeepsTheOthers() throws {
    let resources = try readAndroid([
      "values/s.xml": """
      <plurals name="p"><item quantity="one">a</item><item quantity="one">b</item><item quantity="lots">c</item>
      <item>d</item><string>e</string><item quantity="other">f</item></plurals>
      """
    ])
    #expect(
      resources.table("default")?["p"]?.value
        == .plural([.init(category: "one", text: "a"), .init(category: "other", text: "f")]))
    #expect(resources.problems.map(\.kind) == [.unparsable, .unparsable, .unparsable, .unparsable])
    #expect(resources.problems.allSatisfy { $0.key == "p" })
  }

  @Test func readsStringArrays() throws {
    let resources = try readAndroid([
      "values/s.xml":
        "<string name=\"t\">target</string><string-array name=\"r\"><item> x </item><item>@string/t</item></string-array>"
        + "<string-array name=\"e\"/>"
    ])
    #expect(resources.table("default")?["r"]?.value == .array(["x", "target"]))
    #expect(resources.table("default")?["e"]?.value == .array([]))
    #expect(resources.problems == [])
  }

  @Test func stringWinsOverPluralOfTheSameName() throws {
    let resources = try readAndroid([
      "values/s.xml":
        "<plurals name=\"k\"><item quantity=\"other\">p</item></plurals><string name=\"k\">s</string>",
      "values-fr/s.xml": "<plurals name=\"k\"><item quantity=\"other\">p</item></plurals>",
      "values-fr-land/s.xml": "<string name=\"k\">s</string>",
    ])
    #expect(resources.texts("default") == ["k": "s"])
    #expect(resources.texts("fr") == ["k": "s"])
    #expect(resources.problems == [])
  }

  @Test func stringsPluralsAndArraysOfOneNameLiveSideBySide() throws {
    let array = "<string-array name=\"k\"><item>@string/t</item></string-array>"
    let plural = "<plurals name=\"k\"><item quantity=\"other\">@string/k</item></plurals>"
    let resources = try readAndroid([
      "values/s.xml": array + plural + "<string name=\"k\">s</string><string name=\"t\">t</string>",
      "values-fr/s.xml": array, "values-fr-land/s.xml": plural + array,
    ])
    let source = try #require(resources.table("default"))
    #expect(
      source.resources(named: "k").map(\.value) == [
        .string("s"), .array(["t"]), .plural([.init(category: "other", text: "s", reference: "k")]),
      ])
    #expect(source["k"]?.text == "s")
    let french = try #require(resources.table("fr"))
    #expect(
      french.resources(named: "k").map(\.value) == [
        .plural([.init(category: "other", text: "s", reference: "k")]), .array(["t"]),
      ])
    #expect(resources.problems == [])
  }

  @Test(arguments: [("false", false), ("true", true), (" False ", false), ("TRUE", true)])
  func readsTranslatable(written: String, isTranslatable: Bool) throws {
    let resources = try readAndroid([
      "values/s.xml": "<string name=\"k\" translatable=\"\(written)\" formatted=\"false\">x</string>"
    ])
    #expect(resources.table("default")?["k"]?.isTranslatable == isTranslatable)
    #expect(resources.table("default")?["k"]?.isFormatted == false)
    #expect(resources.problems == [])
  }

  @Test func reportsInvalidBooleans() throws {
    let resources = try readAndroid(["values/s.xml": "<string name=\"k\" translatable=\"no\">x</string>"])
    #expect(resources.table("default")?["k"]?.isTranslatable == true)
    #expect(resources.problems.map(\.kind) == [.unparsable])
  }

  @Test func stringsInADonottranslateFileAreNotTranslatable() throws {
    let resources = try readAndroid([
      "values/donottranslate-keys.xml":
        "<string name=\"a\">x</string><string name=\"b\" translatable=\"true\">x</string>"
    ])
    #expect(resources.table("default")?["a"]?.isTranslatable == false)
    #expect(resources.table("default")?["b"]?.isTranslatable == true)
  }

  @Test func choosesTheDefaultProduct() throws {
    let resources = try readAndroid([
      "values/s.xml": """
      <string name="a" product="tablet">tablet</string><string name="a" product="default">phone</string>
      <string name="b">phone</string><string name="b" product="tablet">tablet</string>
      """
    ])
    #expect(resources.texts("default") == ["a": "phone", "b": "phone"])
    #expect(resources.problems == [])
  }

  @Test func reportsAMissingDefaultProduct() throws {
    let resources = try readAndroid([
      "values/s.xml":
        "<string name=\"a\" product=\"tablet\">tablet</string><string name=\"a\" product=\"tv\">tv</string>"
    ])
    #expect(resources.texts("default") == ["a": "tablet"])
    #expect(resources.problems.map(\.kind) == [.unparsable])
  }

  @Test func reportsDuplicatesWithBothPlacesAndKeepsTheFirst() throws {
    let resources = try readAndroid([
      "values/a.xml": "\n<string name=\"k\">first</string>",
      "values/b.xml": "\n\n<string name=\"k\">second</string><string name=\"k\" product=\"tv\">tv</string>",
      "values-night/a.xml": "<string name=\"k\">night</string>",
      "values-fr/a.xml": "<string name=\"k\">fr</string>",
      "values-b+fr/a.xml": "<string name=\"k\">again</string>",
    ])
    #expect(resources.texts("default") == ["k": "first"])
    #expect(resources.problems.map(\.kind) == [.duplicateKey, .duplicateResource])
    let problem = try #require(resources.problems.last)
    #expect(problem.file == "\(resources.folder)/values/b.xml")
    #expect(problem.line == 3)
    #expect(problem.key == "k")
    #expect(problem.table == "default")
    #expect(problem.message.contains("\(resources.folder)/values/a.xml:2"))
  }

  @Test(arguments: ["", " name=\"\"", " Name=\"k\"", " tools:name=\"k\""])
  func reportsAStringWithoutAName(attributes: String) throws {
    let resources = try readAndroid([
      "values/s.xml": "<string\(attributes)>x</string><string name=\"b\">y</string>"
    ])
    #expect(resources.texts("default") == ["b": "y"])
    #expect(resources.problems.map(\.kind) == [.unparsable])
  }

  @Test(arguments: [
    ("a b", false), ("1a", false), ("a:b", false), ("-a", false), ("_a.b-c1", false), ("_a.b_c1", true),
    ("größe", true),
  ])
  func reportsNamesThatTheBuildRejects(name: String, isValid: Bool) throws {
    let resources = try readAndroid(["values/s.xml": "<string name=\"\(name)\">x</string>"])
    #expect(resources.texts("default") == [name: "x"])
    #expect(resources.problems.isEmpty == isValid)
  }

  @Test func reportsTextBetweenResources() throws {
    let resources = try readAndroid([
      "values/s.xml": "<string name=\"a\">x</string>\"\n\n<string name=\"b\">y</string>\n\noops\n\n"
    ])
    #expect(resources.texts("default") == ["a": "x", "b": "y"])
    // The Gradle plugin drops such text.
    #expect(resources.problems.map(\.kind) == [.remark, .remark])
    #expect(resources.problems.map(\.line) == [1, 5])
  }

  @Test func keysThatDifferInBytesAreDifferent() throws {
    let resources = try readAndroid([
      "values/s.xml": "<string name=\"caf\u{E9}\">1</string><string name=\"cafe\u{301}\">2</string>"
    ])
    #expect(resources.table("default")?.entries.count == 2)
    #expect(resources.problems == [])
  }

  @Test func localesShareStorageOfKeys() throws {
    let key = String(repeating: "long_key", count: 4)
    let resources = try readAndroid([
      "values/s.xml": "<string name=\"\(key)\">a</string>",
      "values-fr/s.xml": "<string name=\"\(key)\">b</string>",
    ])
    let keys = resources.tables.compactMap { $0[key]?.key }
    #expect(keys.count == 2)
    var addresses: Set<UInt> = []
    for var key in keys { addresses.insert(key.withUTF8 { UInt(bitPattern: $0.baseAddress) }) }
    #expect(addresses.count == 1)
  }

  @Test func keepsWhatTranslatorsAreToldAboutPlaceholders() throws {
    let resources = try readAndroid([
      "values/strings.xml": """
      <string name="a">Hi <xliff:g id="sender" example="Bob">%1$s</xliff:g>, \
      <xliff:g id="two">%2$s %3$s</xliff:g> <xliff:g id="none">x</xliff:g> <xliff:g>%4$s</xliff:g> \
      <xliff:g id="bold"><b>%5$s</b></xliff:g></string>
      <string name="b">%1$s</string>
      <plurals name="p"><item quantity="one"><xliff:g id="n">%d</xliff:g></item>\
      <item quantity="other"><xliff:g id="n" example="">%d</xliff:g></item></plurals>
      <string name="long"><xliff:g id="\(String(repeating: "n", count: 201))">%s</xliff:g></string>
      """
    ])
    func hints(_ key: String) -> [String]? {
      resources.table("default")?[key]?.hints.map { "\($0.placeholder) \($0.name) \($0.example ?? "-")" }
    }
    #expect(hints("a") == ["%1$s sender Bob", "%5$s bold -"])
    #expect(hints("b") == [])
    #expect(hints("p") == ["%d n -", "%d n "])
    #expect(hints("long") == [])
    #expect(resources.table("default")?["a"]?.text == "Hi %1$s, %2$s %3$s x %4$s %5$s")
  }
}
