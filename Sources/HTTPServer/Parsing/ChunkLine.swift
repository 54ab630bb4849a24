/// A chunk's size line (RFC 9112 §7.1), its extensions checked, counted and ignored.
struct ChunkLine: Sendable, Equatable {
  let size: Int
  let extensionBytes: Int

  /// The number of hexadecimal digits that always fit in an `Int`.
  private static let digitsMax = 15

  init(_ line: ArraySlice<UInt8>) throws(HTTPProtocolError) {
    let digits = line.prefix { ASCII.hexValue($0) != nil }
    guard (1...Self.digitsMax).contains(digits.count) else {
      throw HTTPProtocolError(.badRequest, "A chunk's size is malformed.")
    }
    size = digits.reduce(0) { $0 << 4 | Int(ASCII.hexValue($1) ?? 0) }
    let rest = line[digits.endIndex...]
    guard Self.areExtensions(rest) else {
      throw HTTPProtocolError(.badRequest, "A chunk's extensions are malformed.")
    }
    extensionBytes = rest.count
  }

  /// `*( BWS ";" BWS token [ BWS "=" BWS ( token / quoted-string ) ] )` (RFC 9112 §7.1.1). An
  /// intermediary may interpret anything else after a size as a line end or as digits.
  private static func areExtensions(_ text: ArraySlice<UInt8>) -> Bool {
    var rest = text
    while !rest.isEmpty {
      skipBlanks(&rest)
      guard rest.popFirst() == UInt8(ascii: ";") else { return false }
      skipBlanks(&rest)
      guard skipToken(&rest) else { return false }
      // Blanks here belong to a "=" or to the next ";".
      var value = rest
      skipBlanks(&value)
      guard value.first == UInt8(ascii: "=") else { continue }
      value.removeFirst()
      skipBlanks(&value)
      guard value.first == UInt8(ascii: "\"") ? skipQuoted(&value) : skipToken(&value) else { return false }
      rest = value
    }
    return true
  }

  private static func skipBlanks(_ text: inout ArraySlice<UInt8>) {
    while let byte = text.first, FieldLine.isBlank(byte) { text.removeFirst() }
  }

  private static func skipToken(_ text: inout ArraySlice<UInt8>) -> Bool {
    let token = text.prefix(while: ASCII.isTokenByte)
    text = text[token.endIndex...]
    return !token.isEmpty
  }

  /// RFC 9110 §5.6.4.
  private static func skipQuoted(_ text: inout ArraySlice<UInt8>) -> Bool {
    text.removeFirst()
    while let byte = text.popFirst() {
      switch byte {
      case UInt8(ascii: "\""): return true
      case UInt8(ascii: "\\"):
        guard let escaped = text.popFirst(), ASCII.isFieldValueByte(escaped) else { return false }
      default: guard ASCII.isFieldValueByte(byte) else { return false }
      }
    }
    return false
  }
}
