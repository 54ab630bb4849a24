/// What `&…;` stands for (XML 1.0 §4.1).
enum XMLReference {
  case character(Unicode.Scalar)
  case entity(String)
  /// A number that XML has no character for.
  case noCharacter(String)
  /// An `&` that begins no reference.
  case bareAmpersand
}

/// Goes over text byte by byte and takes references as one piece.
struct XMLReferenceScanner {
  enum Piece {
    case byte(UInt8)
    case reference(XMLReference)
  }

  let bytes: [UInt8]
  private(set) var position: Int

  init(bytes: [UInt8], position: Int = 0) {
    self.bytes = bytes
    self.position = position
  }

  mutating func next() -> Piece? {
    guard position < bytes.count else { return nil }
    let byte = bytes[position]
    position += 1
    guard byte == UInt8(ascii: "&") else { return .byte(byte) }
    return .reference(reference())
  }

  private mutating func reference() -> XMLReference {
    var end = position
    let isNumber = end < bytes.count && bytes[end] == UInt8(ascii: "#")
    if isNumber { end += 1 }
    let start = end
    while end < bytes.count, bytes[end].isXMLName { end += 1 }
    guard end > start, end < bytes.count, bytes[end] == UInt8(ascii: ";"),
      isNumber || bytes[start].isXMLNameStart
    else { return .bareAmpersand }
    let name = String(decoding: bytes[start..<end], as: UTF8.self)
    position = end + 1
    if isNumber { return Self.scalar(name).map { .character($0) } ?? .noCharacter(name) }
    switch name {
    case "amp": return .character("&")
    case "lt": return .character("<")
    case "gt": return .character(">")
    case "quot": return .character("\"")
    case "apos": return .character("'")
    default: return .entity(name)
    }
  }

  private static func scalar(_ digits: String) -> Unicode.Scalar? {
    let isHexadecimal = digits.utf8.first == UInt8(ascii: "x")
    let digits = isHexadecimal ? digits.dropFirst() : Substring(digits)
    guard digits.utf8.allSatisfy(\.isASCIIAlphanumeric),
      let number = UInt32(digits, radix: isHexadecimal ? 16 : 10), let scalar = Unicode.Scalar(number),
      number >= 0x20 || number == 0x09 || number == 0x0A || number == 0x0D,
      number != 0xFFFE, number != 0xFFFF
    else { return nil }
    return scalar
  }
}
