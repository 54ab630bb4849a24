import JSON
import Testing

@Suite struct JSONParserTests {
  @Test(arguments: [
    "null", "true", "false", "0", "-0", "12", "1.5", "1e5", "1E-5", "1e+5", "\"\"", "[]", "{}", " [1 , 2 ] ",
    "{\"a\":{\"b\":[null]}}", "\"\\u0000\"", "\"\\ud83d\\ude00\"", "\"\u{2028}\"",
    "123456789012345678901234567890",
  ])
  func accepts(_ text: String) throws {
    _ = try JSON.parse(text)
  }

  @Test(arguments: [
    "", " ", "nul", "True", "NaN", "Infinity", "-", "01", "1.", ".5", "1e", "+1", "0x1", "'a'", "\"a",
    "\"\\x\"",
    "\"\\u12\"", "\"\t\"", "[1,]", "[,1]", "[1 2]", "{\"a\"}", "{\"a\":}", "{\"a\":1,}", "{a:1}", "[", "{",
    "]", "1 2",
    "\u{FEFF}1", "/*c*/1", "[1]x",
  ])
  func rejectsWhatIsNotJSON(_ text: String) {
    #expect(throws: JSONParseError.self) { try JSON.parse(text) }
  }

  @Test func textIsComparedByItsBytes() {
    let texts = [
      "", "a", "b", "token", "tokes", "é", "e\u{301}", "a\u{323}\u{307}", "a\u{307}\u{323}",
      "fifteen bytes..", "fifteen bytes,,", "a text of more than fifteen bytes",
      "a text of more than fifteen bites",
    ]
    for left in texts {
      for right in texts {
        #expect(left.hasSameBytes(as: right) == (Array(left.utf8) == Array(right.utf8)))
        #expect(String(decoding: Array(left.utf8), as: UTF8.self).hasSameBytes(as: left))
      }
    }
  }

  @Test func wholeNumbersAreWrittenInDecimal() {
    for number in [0, 7, 10, 99, 100, 1_234_567_890, -1, .max, .min] {
      var bytes = Array("n=".utf8)
      bytes.append(decimal: number)
      #expect(String(decoding: bytes, as: UTF8.self) == "n=\(number)")
    }
  }

  @Test func findsBytesFromDeleteOn() {
    for count in 0..<20 {
      let plain = [UInt8](repeating: 0x7E, count: count)
      #expect(plain.withUnsafeBufferPointer(\.isBelowDelete))
      for place in 0..<count {
        for byte in [0x00, 0x20, 0x7E, 0x7F, 0x80, 0xFE, 0xFF] as [UInt8] {
          var bytes = plain
          bytes[place] = byte
          #expect(bytes.withUnsafeBufferPointer(\.isBelowDelete) == (byte < 0x7F))
        }
      }
    }
  }

  @Test func findsTheFirstByteThatNeedsAnEscapeOrIsNoVisibleASCII() {
    for count in 0..<20 {
      for place in 0..<max(1, count) {
        for byte in [0x00, 0x1F, 0x20, 0x21, 0x22, 0x5B, 0x5C, 0x5D, 0x7E, 0x7F, 0x80, 0xFF] as [UInt8] {
          // What follows must not matter.
          for next in [0x00, 0x22, 0x41, 0xFF] as [UInt8] {
            var bytes = [UInt8](repeating: UInt8(ascii: "!"), count: count)
            if count > 0 { bytes[place] = byte }
            if place + 1 < count { bytes[place + 1] = next }
            let needsEscape = { (byte: UInt8) in byte < 0x20 || byte == 0x22 || byte == 0x5C }
            for start in 0...count {
              #expect(
                bytes.withUnsafeBufferPointer { $0.firstEscape(from: start) }
                  == bytes[start...].firstIndex(where: needsEscape) ?? count)
            }
            #expect(
              bytes.withUnsafeBufferPointer(\.isVisibleASCII)
                == bytes.allSatisfy { (0x21...0x7E).contains($0) })
          }
        }
      }
    }
  }

  @Test func keepsDigitsAsWritten() throws {
    #expect(try JSON.parse("11.80").number?.lexeme == "11.80")
    #expect(try JSON.parse("1e400").number?.double == nil)
    #expect(try JSON.parse("9223372036854775808").int64 == nil)
    #expect(try JSON.parse("-9223372036854775808").int64 == .min)
  }

  @Test func rejectsDuplicateKeysWithTheirPlace() throws {
    let error = try #require(throws: JSONParseError.self) { try JSON.parse("{\"a\":{\"b\":1,\n \"b\":2}}") }
    #expect(error.code == .duplicateKey)
    #expect(error.pointer.description == "/a/b")
    #expect(error.line == 2)
    #expect(error.column == 2)
  }

  @Test func findsADuplicateAmongManyKeys() throws {
    let members = (0..<1000).map { "\"k\($0)\":\($0)" }.joined(separator: ",")
    #expect(try JSON.parse("{\(members)}").object?.count == 1000)
    #expect(throws: JSONParseError.self) { try JSON.parse("{\(members),\"k7\":1}") }
    #expect(throws: JSONParseError.self) { try JSON.parse("{\"k999\":1,\(members)}") }
  }

  @Test func lastDuplicateWinsWhenAsked() throws {
    let value = try JSON.parse("{\"a\":1,\"b\":2,\"a\":3}", options: .init(lastDuplicateWins: true))
    #expect(value == ["a": 3, "b": 2])
  }

  @Test func distinguishesCanonicallyEquivalentKeys() throws {
    let value = try JSON.parse("{\"\u{E9}\":1,\"e\u{301}\":2,\"K\":3,\"\u{212A}\":4}")
    #expect(value["\u{E9}"] == 1)
    #expect(value["e\u{301}"] == 2)
    #expect(value["K"] == 3)
    #expect(value["\u{212A}"] == 4)
  }

  @Test func boundsTheDepth() throws {
    func nested(_ depth: Int) -> String {
      String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
    }
    _ = try JSON.parse(nested(64))
    let error = try #require(throws: JSONParseError.self) { try JSON.parse(nested(65)) }
    #expect(error.code == .tooDeep)
    #expect(throws: JSONParseError.self) { try JSON.parse(String(repeating: "[", count: 100_000)) }
  }

  @Test(arguments: ["\"\\ud800\"", "\"\\udc00\"", "\"\\ud800x\"", "\"\\ud800\\u0041\"", "\"\\ud800\\ud800\""])
  func refusesLoneSurrogates(_ text: String) throws {
    let error = try #require(throws: JSONParseError.self) { try JSON.parse(text) }
    #expect(error.code == .loneSurrogate)
  }

  @Test(arguments: [
    [0xFF], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xE2, 0x80],
  ])
  func rejectsWhatIsNotUTF8(_ bytes: [UInt8]) throws {
    let quoted = [UInt8(ascii: "\"")] + bytes + [UInt8(ascii: "\"")]
    let error = try #require(throws: JSONParseError.self) { try JSON.parse(quoted) }
    #expect(error.code == .encoding)
  }

  @Test func roundTrips() throws {
    let text = "{\"z\":[1.50,true,null,\"\\\"\\\\\\n\\u0001\u{2028}😀\u{5D0}\"],\"a\":{}}"
    #expect(String(decoding: try JSON.parse(text).serialized, as: UTF8.self) == text)
  }

  @Test func readsRandomDocumentsWithoutACrash() {
    var generator = SystemRandomNumberGenerator()
    let alphabet = [UInt8]("{}[]:,\"\\u0123456789eE+-.truefalsn \n\u{E9}".utf8) + [0xFF, 0x00]
    for _ in 0..<20_000 {
      let count = Int.random(in: 0...24, using: &generator)
      let bytes = (0..<count).map { _ in alphabet.randomElement(using: &generator) ?? 0 }
      if let value = try? JSON.parse(bytes) {
        #expect((try? JSON.parse(value.serialized)) == value)
      }
    }
  }
}
