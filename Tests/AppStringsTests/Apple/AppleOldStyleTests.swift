import Testing
import TestSupport

@testable import AppStrings

@Suite struct AppleOldStyleTests {
  /// Texts by the rule that they test; Foundation is the reference.
  static let texts = [
    "", " ", "\n", "/* c */", "// c", "/* c", "/*", "/", "//", "a", "\"a\"", "a b", "a=b", "a=b;", "a = b ;",
    "a;",
    "\"a\";", "a=;", "=b;", "a==b;", "a=b;;", "a=b;c", "a=b;c=d", "a=b;c=d;", "a=b c=d;", "{a=b;}", "{a=b}",
    "{a=b;",
    "{}", "{};", "{} x", "{a;}", "'a'='b';", "\"a\"='b\"c';", "'a\"b'=\"c'd\";", "a/b:c.d-e_f$g=1;", "a=/b;",
    "a=//b;",
    "a=/*c*/b;", "a/*c*/=b;", "a=b/*c*/;", "a=b/c;", "a=b/*c;", "/* * / ** */a=b;", "/*/a=b;", "/**/a=b;",
    "a=\"x\ny\";", "a=\"x\r\ny\";", "a=\"\\a\\b\\f\\n\\r\\t\\v\";", "a=\"\\\"\\'\\\\\\q\\é\";", "a=\"\\\n\";",
    "a=\"\\U00e9\";", "a=\"\\Ue9\";", "a=\"\\Ue9g\";", "a=\"\\U\";", "a=\"\\U00e9f\";", "a=\"\\u00e9\";",
    "a=\"\\Ud83d\\Ude00\";", "a=\"\\Ud83d\";", "a=\"\\Ude00\\Ud83d\";", "a=\"\\Ud83dx\\Ude00\";",
    "a=\"\\0\";",
    "a=\"\\7\\77\\101\\1011\\8\";", "a=\"\\200\\341\\377\\376\\375\";", "a=\"\\777\\400\";", "a=\"\\",
    "a=\"\\\"", "a=\"b",
    "a=\"b\" \"c\";", "é=b;", "a=é;", "a=b;é=c;d=e;", "a=b;}", "a=b;\"c", "a=b;\"c\\", "a=b;)", "a=b;,",
    "a=b;c",
    "a=(b,c);", "a=(b,c,);", "a=();", "a=(,);", "a=(b c);", "a=(b,(c,{d=e;}));", "a=(b,;", "a=(b",
    "a={b=c;};",
    "a={b=c};", "a={b;};", "a=({b=);", "a=(\");", "a={\"};", "a=(\")\\", "a=<>;", "a=<0a 1B>;", "a=<0a1>;",
    "a=<0g>;",
    "a=<0a", "a=<0a\n\t1b>;", "a=<\u{130}0>;", "a=<0a> b;", "(a,b)", "<0a>", "a=b;a=c;", "a=b;a=c;a=d;b=a;",
    "\u{A0}a=b;", "\u{2028}a=b;\u{2029}", "// x\u{2028}a=b;", "// x\u{85}a=b;", "a\u{B}=\u{C}b;",
    "\u{FEFF}a=b;",
    "\u{FEFF}\u{FEFF}a=b;", "\u{FEFF}", "a=\"\u{FEFF}b\";", "a=\"\0\";", "\0", "a\0=b;", "\0a=b;", "a=@b;",
    "a=b+c;",
    "\"\"=\"\";", "\"\";", "a=''';", "a=\"b\"c;", "\"k\" = \"v\";\n\n/* n */\n\"k2\" = 'v2';\n",
    "bplist00=x;", "bplist00",
    "a = \"%@ is %1$@ 100%%\";", "\"x\"=\"😀é漢\";", "a=\"\\😀\";", "<a=b;", " <plist/>", "a=b;\r/*x*/\rc=d;\r",
  ]

  @Test(arguments: texts)
  func agreesWithFoundation(text: String) {
    let bytes = Array(text.utf8)
    #expect(PropertyListOracle.ours(bytes) == PropertyListOracle.reading(bytes))
  }

  @Test(arguments: texts)
  func agreesWithFoundationInUTF16(text: String) {
    let units = Array(text.utf16)
    let little = units.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
    let big = units.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
    for bytes in [
      [0xFF, 0xFE] + little, [0xFE, 0xFF] + big, little, big, [0xFF, 0xFE] + little.dropLast(),
    ] {
      #expect(PropertyListOracle.ours(bytes) == PropertyListOracle.reading(bytes))
    }
  }

  @Test func agreesWithFoundationOnMutations() {
    var generator = SeededGenerator(seed: 1)
    let spices = Array("\"'\\;=/*{}()<>U0aé\n ,\u{2028}".utf8)
    for text in Self.texts where !text.isEmpty {
      for _ in 0..<60 {
        let bytes = generator.mutated(Array(text.utf8), spices: spices)
        #expect(
          PropertyListOracle.ours(bytes) == PropertyListOracle.reading(bytes),
          "\(bytes.map { String($0, radix: 16) }) \(String(decoding: bytes, as: UTF8.self).debugDescription)")
      }
    }
  }

  @Test func agreesWithFoundationOnMixturesOfTokens() {
    var generator = SeededGenerator(seed: 2)
    let tokens = [
      "\"", "'", "\\", ";", "=", "{", "}", "(", ")", "<", ">", ",", "a", "b1", "0a", " ", "\n", "//", "/*",
      "*/", "\\U", "é",
      "a=b;", "\"k\"=\"v\";", "\\101", "\u{2029}", "d83d",
    ]
    for _ in 0..<6000 {
      let text = (0..<Int.random(in: 1...14, using: &generator)).compactMap { _ in
        tokens.randomElement(using: &generator)
      }.joined()
      #expect(
        PropertyListOracle.ours(Array(text.utf8)) == PropertyListOracle.reading(Array(text.utf8)),
        "\(text.debugDescription)")
    }
  }

  @Test(arguments: [
    [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xE2, 0x80], [0xE9], [0xEF, 0xBF, 0xBE],
    [0xF0, 0x9F, 0x98, 0x80],
  ])
  func agreesWithFoundationOnBytes(_ bytes: [UInt8]) {
    let file = Array("a=\"".utf8) + bytes + Array("\";".utf8)
    #expect(PropertyListOracle.ours(file) == PropertyListOracle.reading(file))
  }

  @Test func agreesWithFoundationOnUTF32AndLoneUnits() {
    let files: [[UInt8]] = [
      [0xFF, 0xFE, 0, 0] + "a=b;".unicodeScalars.flatMap { [UInt8($0.value), 0, 0, 0] },
      [0, 0, 0xFE, 0xFF] + "a=b;".unicodeScalars.flatMap { [0, 0, 0, UInt8($0.value)] },
      [0xFF, 0xFE, 0x61, 0, 0x3D, 0, 0x22, 0, 0x3D, 0xD8, 0x22, 0, 0x3B, 0],
      [
        0xFF, 0xFE, 0x61, 0, 0x3D, 0, 0x22, 0, 0x3D, 0xD8, 0x5C, 0, 0x55, 0, 0x64, 0, 0x65, 0, 0x30, 0, 0x30,
        0, 0x22, 0, 0x3B, 0,
      ],
      [0x0A, 0, 0x61, 0, 0x3D, 0, 0x62, 0, 0x3B, 0],
    ]
    for file in files { #expect(PropertyListOracle.ours(file) == PropertyListOracle.reading(file)) }
  }

  @Test(arguments: [1, 400, 511, 512, 513, 600])
  func agreesWithFoundationOnDepth(_ depth: Int) {
    let text = "a=" + String(repeating: "(", count: depth) + String(repeating: ")", count: depth) + ";"
    #expect(PropertyListOracle.ours(Array(text.utf8)) == PropertyListOracle.reading(Array(text.utf8)))
  }

  @Test func survivesVeryDeepNesting() {
    for open in ["(", "{a=", "({b="] {
      let text = "a=" + String(repeating: open, count: 200_000)
      #expect(throws: PropertyListError.self) { try PropertyListDocument.read(Array(text.utf8)) }
    }
  }
}

@Suite struct UTF16TextTests {
  @Test func agreesWithTheStandardLibrary() {
    var generator = SeededGenerator(seed: 6)
    let some: [UInt16] = [
      0, 0x41, 0x7F, 0x80, 0x7FF, 0x800, 0xD7FF, 0xD800, 0xD83D, 0xDBFF, 0xDC00, 0xDE00, 0xDFFF, 0xE000,
      0xFFFD, 0xFFFF,
    ]
    for _ in 0..<2000 {
      let units = (0..<Int.random(in: 0...8, using: &generator)).compactMap { _ in
        some.randomElement(using: &generator)
      }
      var text = String(decoding: units, as: UTF16.self)
      #expect(UTF16Text.string(units).unicodeScalars.elementsEqual(text.unicodeScalars))
      #expect(Array(text.utf16) == text.withUTF8 { UTF16Text.units(ofValid: $0) })
    }
  }
}
