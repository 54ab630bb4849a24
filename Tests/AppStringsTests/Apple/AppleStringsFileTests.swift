import AppStrings
import FCMMessage
import Testing

@Suite struct AppleStringsFileTests {
  @Test func readsTextFileAndLineOfEachEntry() throws {
    let folder = try AppleAppFolder([
      "fr.lproj/Localizable.strings": "/* a\n b */\n\"A\" = \"x\\ny\";\r\n\nB = 'é';\n\"C\";"
    ])
    let resources = folder.read()
    #expect(resources.platform == .ios)
    #expect(resources.folder == folder.path)
    #expect(resources.problems == [])
    let table = try #require(resources.table("fr"))
    #expect(table.locale?.description == "fr")
    #expect(table.entries.count == 3)
    #expect(table["A"]?.text == "x\ny")
    #expect(table["A"]?.line == 3)
    #expect(table["B"]?.text == "é")
    #expect(table["B"]?.line == 5)
    #expect(table["C"]?.text == "C")
    #expect(table["C"]?.line == 6)
    #expect(table["A"]?.file == "\(folder.path)/fr.lproj/Localizable.strings")
  }

  @Test func missingSemicolonLosesOnlyItsOwnFile() throws {
    let folder = try AppleAppFolder([
      "de.lproj/Localizable.strings": "\"A\" = \"1\";\n\"B\" = \"2\"\n\"C\" = \"3\";\n",
      "en.lproj/Localizable.strings": "\"A\" = \"1\";",
    ])
    let resources = folder.read()
    #expect(resources.table("de")?.entries.isEmpty == true)
    #expect(resources.text("en", "A") == "1")
    let problem = try #require(resources.problems.first)
    #expect(resources.problems.count == 1)
    #expect(problem.kind == .unparsable)
    #expect(problem.line == 2)
    #expect(problem.table == "de")
    #expect(folder.relative(problem.file) == "de.lproj/Localizable.strings")
    #expect(problem.message.contains("\";\" is missing"))
  }

  @Test func lastEntryNeedsItsSemicolon() throws {
    let resources = try AppleAppFolder(["en.lproj/Localizable.strings": "\"A\" = \"1\";\n\"B\" = \"2\""])
      .read()
    #expect(resources.table("en")?.entries.isEmpty == true)
    #expect(resources.problems.map(\.line) == [2])
  }

  @Test func theLastOfEqualKeysWins() throws {
    let resources = try AppleAppFolder(["en.lproj/Localizable.strings": "A=1;\nB=2;\nA=3;\n"]).read()
    #expect(resources.text("en", "A") == "3")
    #expect(resources.table("en")?["A"]?.line == 3)
    #expect(resources.problems.map(\.kind) == [.duplicateKey])
    #expect(resources.problems.first?.line == 3)
    #expect(resources.problems.first?.key == "A")
    #expect(resources.problems.first?.message.contains("line 1") == true)
  }

  @Test func reportsALowerCaseEscape() throws {
    let resources = try AppleAppFolder([
      "en.lproj/Localizable.strings": "A=1;\nB=\"caf\\u00e9 \\u00e9\";C=\"\\unit\";"
    ]).read()
    #expect(resources.text("en", "B") == "cafu00e9 u00e9")
    #expect(resources.problems.map(\.kind) == [.suspicious])
    #expect(resources.problems.first?.line == 2)
    #expect(resources.problems.first?.key == "B" || resources.problems.first?.key == "C")
    #expect(resources.problems.first?.message.contains("shows \"u00e9\"") == true)
  }

  @Test func reportsALoneSurrogate() throws {
    let resources = try AppleAppFolder([
      "en.lproj/Localizable.strings": "A=\"\\Ud83d\\Ude00\";\nB=\"\\Ud83d\";"
    ]).read()
    #expect(resources.text("en", "A") == "😀")
    #expect(resources.text("en", "B") == "\u{FFFD}")
    #expect(resources.problems.map(\.kind) == [.suspicious])
    #expect(resources.problems.first?.line == 2)
  }

  @Test(arguments: ["é=1;", "}", "\"unfinished", "@"])
  func reportsEntriesThatAreLostAfterJunk(junk: String) throws {
    let resources = try AppleAppFolder(["en.lproj/Localizable.strings": "A=1;\n\n\(junk)\nB=2;"]).read()
    #expect(resources.text("en", "A") == "1")
    #expect(resources.table("en")?.entries.count == 1)
    #expect(resources.problems.map(\.kind) == [.unparsable])
    #expect(resources.problems.map(\.line) == [3])
  }

  @Test func readsUTF16() throws {
    let folder = try AppleAppFolder()
    let bytes: [UInt8] =
      [0xFF, 0xFE] + "\"A\" = \"漢😀\";".utf16.flatMap { unit in [UInt8(unit & 0xFF), UInt8(unit >> 8)] }
    try folder.write(bytes, to: "ja.lproj/Localizable.strings")
    #expect(folder.read().text("ja", "A") == "漢😀")
  }

  @Test func rejectsLatin1AndReportsItsLine() throws {
    let folder = try AppleAppFolder()
    try folder.write(
      Array("A=1;\nB=\"caf".utf8) + [0xE9] + Array("\";".utf8), to: "fr.lproj/Localizable.strings")
    let resources = folder.read()
    #expect(resources.table("fr")?.entries.isEmpty == true)
    #expect(resources.problems.map(\.kind) == [.unparsable])
    #expect(resources.problems.map(\.line) == [2])
  }

  @Test func reportsUTF16WithoutAByteOrderMark() throws {
    let folder = try AppleAppFolder()
    try folder.write(
      "\nA=b;".utf16.flatMap { unit in [UInt8(unit & 0xFF), UInt8(unit >> 8)] },
      to: "en.lproj/Localizable.strings")
    let resources = folder.read()
    #expect(resources.text("en", "A") == "b")
    #expect(resources.problems.map(\.kind) == [.suspicious])
  }

  /// CFPropertyList skips the first character of such a file, so that most cannot be read.
  @Test(arguments: [true, false])
  func namesTheMissingByteOrderMarkAsTheCause(_ bigEndian: Bool) throws {
    let folder = try AppleAppFolder()
    let bytes = "/* A */\n\"A\" = \"b\";".utf16.flatMap { unit in
      bigEndian ? [UInt8(unit >> 8), UInt8(unit & 0xFF)] : [UInt8(unit & 0xFF), UInt8(unit >> 8)]
    }
    try folder.write(bytes, to: "en.lproj/Localizable.strings")
    let resources = folder.read()
    #expect(resources.problems.map(\.kind) == [.unparsable])
    let message = try #require(resources.problems.first?.message)
    #expect(message.hasPrefix("the file is UTF-16 without a byte order mark"), "\(message)")
  }

  @Test func readsXMLAndBinaryLists() throws {
    let folder = try AppleAppFolder([
      "en.lproj/Localizable.strings": StringsDictText.file("<key>A</key><string>x &amp; y</string>")
    ])
    try folder.write(AppleBinaryPropertyListTests.binary(["A": "é"]), to: "fr.lproj/Localizable.strings")
    let resources = folder.read()
    #expect(resources.problems == [])
    #expect(resources.text("en", "A") == "x & y")
    #expect(resources.table("en")?["A"]?.line == 4)
    #expect(resources.text("fr", "A") == "é")
    #expect(resources.table("fr")?["A"]?.line == nil)
  }

  @Test func rejectsAListThatIsNotADictionary() throws {
    let resources = try AppleAppFolder(["en.lproj/Localizable.strings": "(a, b)"]).read()
    #expect(resources.table("en")?.entries.isEmpty == true)
    #expect(resources.problems.map(\.kind) == [.unparsable])
  }

  @Test func rejectsAnEmptyFileButAcceptsAComment() throws {
    let resources = try AppleAppFolder([
      "en.lproj/Localizable.strings": "", "fr.lproj/Localizable.strings": "/* nothing yet",
    ]).read()
    #expect(resources.tables.map(\.name) == ["en", "fr"])
    #expect(resources.problems.map(\.table) == ["en"])
  }

  @Test func acceptsArraysAndFormatsAmongTexts() throws {
    let text =
      "A=(x,y);\nB={NSStringLocalizedFormatKey=\"%#@n@\";n={NSStringFormatSpecTypeKey=NSStringPluralRuleType;other=many;};};\nC=<0a>;"
    let resources = try AppleAppFolder(["en.lproj/Localizable.strings": text]).read()
    #expect(resources.table("en")?["A"]?.value == .array(["x", "y"]))
    #expect(resources.table("en")?["B"]?.value == .plural([.init(category: "other", text: "many")]))
    #expect(resources.table("en")?["B"]?.formatKey == "%#@n@")
    #expect(resources.table("en")?["C"] == nil)
    #expect(resources.problems.map(\.key) == ["C"])
  }

  @Test func distinguishesCanonicallyEquivalentKeys() throws {
    let resources = try AppleAppFolder(["en.lproj/Localizable.strings": "\"\u{E9}\"=1;\"e\u{301}\"=2;"])
      .read()
    #expect(resources.table("en")?.entries.count == 2)
    #expect(resources.problems == [])
  }

  @Test(arguments: [[], [0xFF, 0xFE], [0xFE, 0xFF], [0xEF, 0xBB, 0xBF]] as [[UInt8]])
  func anEmptyFileIsAnEmptyTable(bytes: [UInt8]) throws {
    let folder = try AppleAppFolder(["en.lproj/Localizable.strings": "\"A\" = \"1\";"])
    try folder.write(bytes, to: "de.lproj/Localizable.strings")
    let resources = folder.read()
    #expect(resources.tables.map(\.name) == ["de", "en"])
    #expect(resources.table("de")?.entries.isEmpty == true)
    #expect(resources.problems.map(\.kind) == [.remark])
  }
}
