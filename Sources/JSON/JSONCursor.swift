/// Reads one JSON text in document order, value by value, without building a tree: for large files, and where
/// the line of a key matters. As strict as `JSON.parse`, except that a duplicate key is recorded instead of
/// rejected.
package struct JSONCursor: ~Copyable {
  /// The second or later occurrence of a key in its object.
  package struct Duplicate: Sendable, Equatable {
    package let key: String
    package let line: Int
  }

  private var reader: JSONReader
  private var countedPosition = 0
  private var countedLine = 1
  /// The duplicate keys read so far.
  package private(set) var duplicates: [Duplicate] = []

  /// Calls `body` with a cursor at the text's value. Text after that value is an error. O(bytes).
  package static func read<Result: Sendable>(
    _ bytes: [UInt8], options: JSON.ParseOptions = .init(lastDuplicateWins: true),
    _ body: (inout JSONCursor) throws(JSONParseError) -> Result
  ) throws(JSONParseError) -> Result {
    // The pointer is valid in this closure; the cursor cannot be copied, so it cannot outlive it.
    try bytes.withUnsafeBufferPointer { buffer throws(JSONParseError) -> Result in
      var cursor = JSONCursor(reader: JSONReader(bytes: buffer, options: options))
      cursor.reader.skipWhitespace()
      let start = cursor.reader.position
      let result = try body(&cursor)
      if cursor.reader.position == start { try cursor.skipValue() }
      cursor.reader.skipWhitespace()
      guard cursor.reader.current == nil else {
        throw cursor.reader.error(.syntax, "unexpected text after the JSON value")
      }
      return result
    }
  }

  private init(reader: JSONReader) { self.reader = reader }

  /// The line of the cursor's position, from 1.
  package mutating func line() -> Int {
    while countedPosition < reader.position {
      if reader.bytes[countedPosition] == 0x0A { countedLine += 1 }
      countedPosition += 1
    }
    return countedLine
  }

  /// Whether the next value is an object.
  package var isAtObject: Bool { reader.current == UInt8(ascii: "{") }

  /// Reads the next value with everything in it.
  package mutating func readValue() throws(JSONParseError) -> JSON { try reader.readValue() }

  /// Skips the next value.
  package mutating func skipValue() throws(JSONParseError) { _ = try reader.readValue() }

  /// Reads the next value if it is a string; skips any other value and returns nil.
  package mutating func readString() throws(JSONParseError) -> String? {
    guard reader.current == UInt8(ascii: "\"") else {
      try skipValue()
      return nil
    }
    return try reader.readString()
  }

  /// Calls `member` with each member's key and its line. A value that `member` does not read is skipped.
  /// - Returns: false if the value is not an object; it is then skipped.
  @discardableResult package mutating func readObject(
    _ member: (inout JSONCursor, _ key: String, _ line: Int) throws(JSONParseError) -> Void
  ) throws(JSONParseError) -> Bool {
    guard reader.current == UInt8(ascii: "{") else {
      try skipValue()
      return false
    }
    try reader.enter()
    defer { reader.depth -= 1 }
    reader.position += 1
    var keys = ObjectKeys()
    reader.skipWhitespace()
    if reader.take("}") { return true }
    while true {
      guard reader.current == UInt8(ascii: "\"") else {
        throw reader.error(.syntax, "expected a member name in double quotes")
      }
      let line = line()
      let keyPosition = reader.position
      let key = try reader.readString()
      if !keys.insert(key) { duplicates.append(Duplicate(key: key, line: line)) }
      reader.skipWhitespace()
      guard reader.take(":") else { throw reader.error(.syntax, "expected \":\"") }
      reader.skipWhitespace()
      reader.path.append(.key(at: keyPosition))
      let start = reader.position
      try member(&self, key, line)
      if reader.position == start { try skipValue() }
      reader.path.removeLast()
      reader.skipWhitespace()
      if reader.take("}") { return true }
      guard reader.take(",") else { throw reader.error(.syntax, "expected \",\" or \"}\"") }
      reader.skipWhitespace()
    }
  }

  /// Calls `element` at each element. An element that it does not read is skipped.
  /// - Returns: false if the value is not an array; it is then skipped.
  @discardableResult package mutating func readArray(
    _ element: (inout JSONCursor) throws(JSONParseError) -> Void
  ) throws(JSONParseError) -> Bool {
    guard reader.current == UInt8(ascii: "[") else {
      try skipValue()
      return false
    }
    try reader.enter()
    defer { reader.depth -= 1 }
    reader.position += 1
    reader.skipWhitespace()
    if reader.take("]") { return true }
    var index = 0
    while true {
      reader.path.append(.index(index))
      let start = reader.position
      try element(&self)
      if reader.position == start { try skipValue() }
      reader.path.removeLast()
      index += 1
      reader.skipWhitespace()
      if reader.take("]") { return true }
      guard reader.take(",") else { throw reader.error(.syntax, "expected \",\" or \"]\"") }
      reader.skipWhitespace()
    }
  }
}

/// The keys read so far in one object: a linear search while there are few, a hash set when there are many.
private struct ObjectKeys {
  private static let fewMax = 8
  private var few: [String] = []
  private var many: Set<ExactText> = []

  /// Adds `key`; returns whether it is new.
  mutating func insert(_ key: String) -> Bool {
    guard many.isEmpty else { return many.insert(ExactText(key)).inserted }
    if few.contains(where: { $0.hasSameBytes(as: key) }) { return false }
    few.append(key)
    if few.count > Self.fewMax { many = Set(few.map { ExactText($0) }) }
    return true
  }
}
