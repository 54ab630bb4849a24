/// Reads one JSON text in its own order, value by value, without a tree of it: for large files, and where the line of
/// a key matters. As strict as `JSON.parse`, but that the last of equal keys is simply the last to be read.
package struct JSONCursor: ~Copyable {
  /// A key that its object had already.
  package struct Duplicate: Sendable, Equatable {
    package let key: String
    package let line: Int
  }

  private var reader: JSONReader
  private var countedPosition = 0
  private var countedLine = 1
  /// The keys so far that stood twice in one object.
  package private(set) var duplicates: [Duplicate] = []

  /// Hands `body` a cursor at the text's value; nothing may stand behind that value. O(bytes).
  package static func read<Result: Sendable>(
    _ bytes: [UInt8], options: JSON.ParseOptions = .init(lastDuplicateWins: true),
    _ body: (inout JSONCursor) throws(JSONParseError) -> Result
  ) throws(JSONParseError) -> Result {
    // The pointer lives as long as this closure, and the cursor, which cannot be copied, no longer.
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

  /// The line where the cursor stands, from 1.
  package mutating func line() -> Int {
    while countedPosition < reader.position {
      if reader.bytes[countedPosition] == 0x0A { countedLine += 1 }
      countedPosition += 1
    }
    return countedLine
  }

  /// The next value as a whole.
  package mutating func readValue() throws(JSONParseError) -> JSON { try reader.readValue() }

  package mutating func skipValue() throws(JSONParseError) { _ = try reader.readValue() }

  /// The next value if it is a string; anything else is passed over and gives nil.
  package mutating func readString() throws(JSONParseError) -> String? {
    guard reader.current == UInt8(ascii: "\"") else {
      try skipValue()
      return nil
    }
    return try reader.readString()
  }

  /// Hands each member's key and its line to `member`, which reads the value or leaves it to be passed over.
  /// - Returns: false where the value is no object; it is passed over.
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
    var keys = KeysSoFar()
    reader.skipWhitespace()
    if reader.take("}") { return true }
    while true {
      guard reader.current == UInt8(ascii: "\"") else {
        throw reader.error(.syntax, "a member's name in double quotes is expected here")
      }
      let line = line()
      let key = try reader.readString()
      if !keys.insert(key) { duplicates.append(Duplicate(key: key, line: line)) }
      reader.skipWhitespace()
      guard reader.take(":") else { throw reader.error(.syntax, "\":\" is expected here") }
      reader.skipWhitespace()
      reader.path.append(.key(key))
      let start = reader.position
      try member(&self, key, line)
      if reader.position == start { try skipValue() }
      reader.path.removeLast()
      reader.skipWhitespace()
      if reader.take("}") { return true }
      guard reader.take(",") else { throw reader.error(.syntax, "\",\" or \"}\" is expected here") }
      reader.skipWhitespace()
    }
  }

  /// Hands the cursor to `element` at each element, which reads it or leaves it to be passed over.
  /// - Returns: false where the value is no array; it is passed over.
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
      guard reader.take(",") else { throw reader.error(.syntax, "\",\" or \"]\" is expected here") }
      reader.skipWhitespace()
    }
  }
}

/// The keys of one object so far: compared one by one while they are few, hashed when they are many.
private struct KeysSoFar {
  private static let fewMax = 8
  private var few: [String] = []
  private var many: Set<ExactText> = []

  /// Whether `key` is new; remembers it.
  mutating func insert(_ key: String) -> Bool {
    guard many.isEmpty else { return many.insert(ExactText(key)).inserted }
    if few.contains(where: { $0.hasSameBytes(as: key) }) { return false }
    few.append(key)
    if few.count > Self.fewMax { many = Set(few.map { ExactText($0) }) }
    return true
  }
}
