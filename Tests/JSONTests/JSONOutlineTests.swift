import JSON
import Testing

@Suite struct JSONOutlineTests {
  private func outline(_ text: String) throws -> JSONOutline { try #require(JSONOutline([UInt8](text.utf8))) }

  private func values(_ text: String) throws -> [String] {
    let outline = try outline(text)
    return outline.values.map {
      outline.string($0) ?? String(decoding: outline.text[$0.range], as: UTF8.self)
    }
  }

  @Test func separatesValuesFromWhatIsAroundThem() throws {
    let text = #"{ "a" : "x", "b\n":[1, -2.5e3, "", true,null, "\"é\u00e9"],"c" :{"d": "y"} }"#
    #expect(try values(text) == ["x", "1", "-2.5e3", "\"éé", "y"])
    #expect(
      String(decoding: try outline(text).bytes, as: UTF8.self)
        == "{ \"a\" : \u{1}, \"b\\n\":[\u{2}, \u{2}, \"\", true,null, \u{1}],\"c\" :{\"d\": \u{1}} }")
    #expect(try outline(text).values.map(\.form) == [.plainString, .number, .number, .string, .plainString])
  }

  @Test func tellsOtherStructuresApart() throws {
    let bytes = try outline(#"{"a":"x","b":1}"#).bytes
    #expect(try outline(#"{"a":"yy\t","b":-0.5}"#).bytes == bytes)
    for other in [
      #"{"a":"","b":1}"#, #"{"a":"x","b":"1"}"#, #"{"a":1,"b":1}"#, #"{"a":"x","c":1}"#,
      #"{"a":"x","b":[1]}"#,
      #"{"a":"x","b":true}"#, #"{"a":"x" ,"b":1}"#, #"{"a":"x","b":1,"c":1}"#, #"{"a":"x","b":1"#,
    ] {
      #expect(try outline(other).bytes != bytes)
    }
  }

  @Test(arguments: [
    #"{"a":"x"#, #"{"a":"\x"}"#, "{\"a\":\"\n\"}", "{\"a\":\u{1}}", #"{"a":"\ud800"}"#, #"{"a":01}"#,
    #"{"a":1.}"#,
    #"{"a":-}"#, #"{"\x":1}"#,
  ])
  func refusesValuesThatAreNotJSON(text: String) {
    #expect(JSONOutline([UInt8](text.utf8)) == nil)
  }

  @Test func refusesWhatIsNotUTF8() {
    #expect(JSONOutline([UInt8]("{\"a\":\"".utf8) + [0xFF] + [UInt8]("\"}".utf8)) == nil)
  }

  @Test func writesValuesWithNecessaryEscapesOnly() throws {
    let outline = try outline(#"["a b","\u0041\/\"\u00e9\n",-1.50]"#)
    let written = outline.values.map { value in
      var bytes: [UInt8] = []
      bytes.append(value, of: outline)
      return String(decoding: bytes, as: UTF8.self)
    }
    #expect(written == [#""a b""#, #""A/\"é\n""#, "-1.50"])
  }
}
