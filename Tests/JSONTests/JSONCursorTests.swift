import JSON
import Testing

@Suite struct JSONCursorTests {
  private func lines(_ text: String) throws -> [String] {
    try JSONCursor.read([UInt8](text.utf8)) { cursor throws(JSONParseError) in
      var seen: [String] = []
      try cursor.readObject { cursor, key, line throws(JSONParseError) in
        seen.append("\(key)@\(line)=\(try cursor.readString() ?? "-")")
      }
      return seen + cursor.duplicates.map { "\($0.key) again @\($0.line)" }
    }
  }

  @Test func reportsTheLineOfEachKey() throws {
    #expect(try lines("{\"a\":\n\"1\",\n\n \"b\" : 2,\"c\":\"x\\ny\"}") == ["a@1=1", "b@4=-", "c@4=x\ny"])
  }

  @Test func reportsDuplicatesWithTheirLines() throws {
    #expect(try lines("{\"a\":\"1\",\n\"a\":\"2\"}") == ["a@1=1", "a@2=2", "a again @2"])
    let many = (0..<40).map { "\"k\($0)\":0" }.joined(separator: ",")
    #expect(try lines("{\(many),\"k3\":1,\"k39\":1}").suffix(2) == ["k3 again @1", "k39 again @1"])
  }

  @Test func skipsTheRest() throws {
    let kinds = try JSONCursor.read([UInt8]("[1,{\"a\":[2]},\"x\",[],{}]".utf8)) {
      cursor throws(JSONParseError) in
      var kinds: [Bool] = []
      try cursor.readArray { cursor throws(JSONParseError) in
        kinds.append(try cursor.readObject { _, _, _ in })
      }
      return kinds
    }
    #expect(kinds == [false, true, false, false, true])
    #expect(try JSONCursor.read([UInt8](" {\"a\":1} ".utf8)) { _ in true })
  }

  @Test(arguments: [
    "", "{", "{\"a\"", "{\"a\":", "{\"a\":1", "{\"a\":1,}", "{a:1}", "{} x", "{\"a\" 1}", "{\"a\":\"\\x\"}",
  ])
  func rejectsWhatIsNotJSON(_ text: String) {
    #expect(throws: JSONParseError.self) { try lines(text) }
  }

  @Test(arguments: ["[", "[1", "[1,]", "[1 2]", "[] x"])
  func rejectsInvalidArrays(_ text: String) {
    #expect(throws: JSONParseError.self) {
      try JSONCursor.read([UInt8](text.utf8)) { cursor throws(JSONParseError) in try cursor.readArray { _ in }
      }
    }
  }

  @Test func boundsTheDepth() throws {
    func descend(_ cursor: inout JSONCursor) throws(JSONParseError) {
      try cursor.readArray { cursor throws(JSONParseError) in try descend(&cursor) }
    }
    func read(_ depth: Int) throws {
      let text = String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
      try JSONCursor.read([UInt8](text.utf8)) { cursor throws(JSONParseError) in try descend(&cursor) }
    }
    try read(64)
    let error = try #require(throws: JSONParseError.self) { try read(65) }
    #expect(error.code == .tooDeep)
  }

  @Test func reportsWhereItFails() throws {
    let error = try #require(throws: JSONParseError.self) { try lines("{\"a\":\n [1,x]}") }
    #expect(error.line == 2)
    #expect(error.pointer.description == "/a/1")
  }
}
