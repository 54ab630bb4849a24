extension JSON {
  /// Options of `parse`.
  package struct ParseOptions: Sendable {
    /// How deeply arrays and objects may be nested.
    package var depthMax: Int
    /// Whether the last of several equal keys wins, as on Google's servers; otherwise duplicate keys are an
    /// error.
    package var lastDuplicateWins: Bool

    package init(depthMax: Int = 64, lastDuplicateWins: Bool = false) {
      self.depthMax = depthMax
      self.lastDuplicateWins = lastDuplicateWins
    }
  }

  /// Parses one JSON text (RFC 8259) in UTF-8, strictly: no comments, no trailing commas, no NaN, no lone
  /// surrogates, no byte order mark, no text after the value. O(bytes).
  /// - Throws: `JSONParseError`.
  package static func parse(_ bytes: [UInt8], options: ParseOptions = .init()) throws(JSONParseError) -> JSON
  {
    // The pointer is valid in this closure; the reader does not outlive it.
    let result = bytes.withUnsafeBufferPointer { buffer in
      var reader = JSONReader(bytes: buffer, options: options)
      return Result { () throws(JSONParseError) in try reader.readDocument() }
    }
    return try result.get()
  }

  /// Parses one JSON text, as `parse` of its UTF-8 bytes does.
  package static func parse(_ text: String, options: ParseOptions = .init()) throws(JSONParseError) -> JSON {
    try parse([UInt8](text.utf8), options: options)
  }
}

/// A recursive-descent parser over bytes; `depthMax` bounds its recursion.
struct JSONReader {
  let bytes: UnsafeBufferPointer<UInt8>
  let options: JSON.ParseOptions
  var position = 0
  var depth = 0
  var path: [PathComponent] = []

  /// A step towards a value: the place of the member's name, which only an error reads again, or an index.
  enum PathComponent {
    case key(at: Int)
    case index(Int)
  }

  init(bytes: UnsafeBufferPointer<UInt8>, options: JSON.ParseOptions) {
    self.bytes = bytes
    self.options = options
  }

  mutating func readDocument() throws(JSONParseError) -> JSON {
    skipWhitespace()
    let value = try readValue()
    skipWhitespace()
    guard position == bytes.count else { throw error(.syntax, "unexpected text after the JSON value") }
    return value
  }

  // MARK: Values

  mutating func readValue() throws(JSONParseError) -> JSON {
    guard let byte = current else { throw error(.syntax, "unexpected end: expected a value") }
    switch byte {
    case UInt8(ascii: "{"): return try readObject()
    case UInt8(ascii: "["): return try readArray()
    case UInt8(ascii: "\""): return .string(try readString())
    case UInt8(ascii: "t"): return try readWord("true", .bool(true))
    case UInt8(ascii: "f"): return try readWord("false", .bool(false))
    case UInt8(ascii: "n"): return try readWord("null", .null)
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return try readNumber()
    case 0xEF where position == 0 && bytes.starts(with: [0xEF, 0xBB, 0xBF]):
      throw error(.syntax, "expected a value, not a byte order mark; write UTF-8 without one")
    default: throw error(.syntax, "expected a value")
    }
  }

  private mutating func readObject() throws(JSONParseError) -> JSON {
    try enter()
    position += 1
    var object = JSON.Object()
    var seen = SeenKeys()
    skipWhitespace()
    if take("}") { return leave(.object(object)) }
    object.members.reserveCapacity(4)
    while true {
      guard current == UInt8(ascii: "\"") else {
        throw error(.syntax, "expected a member name in double quotes")
      }
      let keyPosition = position
      let key = try readString()
      let isNew = seen.insert(key, into: object)
      if !isNew && !options.lastDuplicateWins {
        position = keyPosition
        path.append(.key(at: keyPosition))
        throw error(.duplicateKey, "duplicate key: the object already has this key")
      }
      skipWhitespace()
      guard take(":") else { throw error(.syntax, "expected \":\"") }
      skipWhitespace()
      path.append(.key(at: keyPosition))
      let value = try readValue()
      path.removeLast()
      if isNew { object.members.append((key, value)) } else { object[key] = value }
      skipWhitespace()
      if take("}") { return leave(.object(object)) }
      guard take(",") else { throw error(.syntax, "expected \",\" or \"}\"") }
      skipWhitespace()
    }
  }

  private mutating func readArray() throws(JSONParseError) -> JSON {
    try enter()
    position += 1
    var elements: [JSON] = []
    skipWhitespace()
    if take("]") { return leave(.array(elements)) }
    while true {
      path.append(.index(elements.count))
      elements.append(try readValue())
      path.removeLast()
      skipWhitespace()
      if take("]") { return leave(.array(elements)) }
      guard take(",") else { throw error(.syntax, "expected \",\" or \"]\"") }
      skipWhitespace()
    }
  }

  private mutating func readWord(_ word: StaticString, _ value: JSON) throws(JSONParseError) -> JSON {
    let end = position + word.utf8CodeUnitCount
    let matches = word.withUTF8Buffer { end <= bytes.count && bytes[position..<end].elementsEqual($0) }
    guard matches else { throw error(.syntax, "expected a value") }
    position = end
    return value
  }

  private mutating func readNumber() throws(JSONParseError) -> JSON {
    let start = position
    try skipNumber()
    return .number(.init(uncheckedLexeme: String(decoding: bytes[start..<position], as: UTF8.self)))
  }

  mutating func skipNumber() throws(JSONParseError) {
    _ = take("-")
    if take("0") {
      if let byte = current, isDigit(byte) { throw error(.syntax, "a number must not begin with 0") }
    } else {
      try skipDigits()
    }
    if take(".") { try skipDigits() }
    if take("e") || take("E") {
      if !take("+") { _ = take("-") }
      try skipDigits()
    }
  }

  private mutating func skipDigits() throws(JSONParseError) {
    guard let byte = current, isDigit(byte) else { throw error(.syntax, "expected a digit") }
    while let byte = current, isDigit(byte) { position += 1 }
  }

  // MARK: Strings

  mutating func readString() throws(JSONParseError) -> String {
    let start = position + 1
    position = bytes.firstEscape(from: start)
    switch current {
    case UInt8(ascii: "\""):
      let text = try decode(start..<position)
      position += 1
      return text
    case UInt8(ascii: "\\"): return try readEscapedString(from: start)
    case nil: throw error(.syntax, "unterminated string")
    default: throw error(.syntax, "a control character in a string must be escaped")
    }
  }

  /// Skips a string; returns whether it is ASCII without escapes.
  mutating func skipString() throws(JSONParseError) -> Bool {
    let start = position + 1
    let end = bytes.firstEscapeOrNonASCII(from: start)
    guard end < bytes.count, bytes[end] == UInt8(ascii: "\"") else {
      _ = try readString()
      return false
    }
    position = end + 1
    return true
  }

  private mutating func readEscapedString(from start: Int) throws(JSONParseError) -> String {
    var text = try decode(start..<position)
    var run = position
    while let byte = current {
      switch byte {
      case UInt8(ascii: "\""):
        text += try decode(run..<position)
        position += 1
        return text
      case UInt8(ascii: "\\"):
        text += try decode(run..<position)
        text.unicodeScalars.append(try readEscape())
        run = position
      case 0..<0x20: throw error(.syntax, "a control character in a string must be escaped")
      default: position += 1
      }
    }
    throw error(.syntax, "unterminated string")
  }

  private mutating func readEscape() throws(JSONParseError) -> Unicode.Scalar {
    let start = position
    position += 1
    guard let byte = current else { throw error(.syntax, "unterminated string") }
    position += 1
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(byte)
    case UInt8(ascii: "b"): return "\u{08}"
    case UInt8(ascii: "f"): return "\u{0C}"
    case UInt8(ascii: "n"): return "\n"
    case UInt8(ascii: "r"): return "\r"
    case UInt8(ascii: "t"): return "\t"
    case UInt8(ascii: "u"): return try readUnicodeEscape(from: start)
    default:
      position = start
      throw error(.syntax, "unknown escape in a string")
    }
  }

  private mutating func readUnicodeEscape(from start: Int) throws(JSONParseError) -> Unicode.Scalar {
    let first = try readHexDigits()
    if let scalar = Unicode.Scalar(first) { return scalar }
    if first < 0xDC00, take("\\"), take("u") {
      let second = try readHexDigits()
      if (0xDC00...0xDFFF).contains(second),
        let scalar = Unicode.Scalar(0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00))
      {
        return scalar
      }
    }
    position = start
    throw error(
      .loneSurrogate, "lone surrogate: \\ud800 to \\udbff must be followed by \\udc00 to \\udfff")
  }

  private mutating func readHexDigits() throws(JSONParseError) -> UInt32 {
    var value: UInt32 = 0
    for _ in 0..<4 {
      guard let byte = current else { throw error(.syntax, "unterminated string") }
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): value = value << 4 | UInt32(byte - UInt8(ascii: "0"))
      case UInt8(ascii: "a")...UInt8(ascii: "f"): value = value << 4 | UInt32(byte - UInt8(ascii: "a") + 10)
      case UInt8(ascii: "A")...UInt8(ascii: "F"): value = value << 4 | UInt32(byte - UInt8(ascii: "A") + 10)
      default: throw error(.syntax, "\\u must be followed by four hexadecimal digits")
      }
      position += 1
    }
    return value
  }

  private mutating func decode(_ range: Range<Int>) throws(JSONParseError) -> String {
    let text = UnsafeBufferPointer(rebasing: bytes[range])
    // `String(validating:as:)` is generic and looks up metadata at each call: 800 instructions for a short
    // string.
    if text.isASCII { return String(decoding: text, as: UTF8.self) }
    guard let text = String(validating: text, as: UTF8.self) else {
      position = range.lowerBound
      throw error(.encoding, "a string is not valid UTF-8")
    }
    return text
  }

  // MARK: Primitives

  @inline(__always) var current: UInt8? { position < bytes.count ? bytes[position] : nil }

  @inline(__always) mutating func take(_ character: Unicode.Scalar) -> Bool {
    guard current == UInt8(ascii: character) else { return false }
    position += 1
    return true
  }

  @inline(__always) private func isDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
  }

  mutating func skipWhitespace() {
    while let byte = current, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { position += 1 }
  }

  /// Whether the string before is the name of a member.
  var isBeforeColon: Bool {
    bytes[position...].first { $0 != 0x20 && $0 != 0x0A && $0 != 0x0D && $0 != 0x09 } == UInt8(ascii: ":")
  }

  mutating func enter() throws(JSONParseError) {
    depth += 1
    guard depth <= options.depthMax else {
      throw error(.tooDeep, "arrays and objects are nested more than \(options.depthMax) deep")
    }
  }

  private mutating func leave(_ value: JSON) -> JSON {
    depth -= 1
    return value
  }

  /// A member's name, which was read before.
  private func key(at place: Int) -> String {
    var reader = JSONReader(bytes: bytes, options: options)
    reader.position = place
    do throws(JSONParseError) { return try reader.readString() } catch { return "" }
  }

  func error(_ code: JSONParseError.Code, _ reason: String) -> JSONParseError {
    var line = 1
    var column = 1
    for byte in bytes[..<min(position, bytes.count)] {
      if byte == 0x0A {
        line += 1
        column = 1
      } else {
        column += 1
      }
    }
    let pointer = path.reduce(JSONPointer.root) { pointer, step in
      switch step {
      case .key(let place): pointer.appending(key(at: place))
      case .index(let index): pointer.appending(index)
      }
    }
    return JSONParseError(
      code: code, offset: position, line: line, column: column, pointer: pointer, reason: reason)
  }
}

/// Detects duplicate keys of one object: a linear search while there are few keys, a hash set when there are
/// many.
private struct SeenKeys {
  private static let linearMax = 12
  private var hashed: Set<ExactText> = []

  /// Records `key`; returns whether `object` does not have it yet.
  mutating func insert(_ key: String, into object: JSON.Object) -> Bool {
    if object.count < Self.linearMax { return !object.has(key) }
    if hashed.isEmpty { for member in object.members { hashed.insert(ExactText(member.key)) } }
    return hashed.insert(ExactText(key)).inserted
  }
}
