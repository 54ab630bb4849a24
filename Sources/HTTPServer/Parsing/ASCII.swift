/// Character classes and comparisons of HTTP, over bytes.
enum ASCII {
  static let tab: UInt8 = 0x09
  static let lineFeed: UInt8 = 0x0A
  static let carriageReturn: UInt8 = 0x0D
  static let space: UInt8 = 0x20

  static func lowercased(_ byte: UInt8) -> UInt8 { byte &- 0x41 < 26 ? byte | 0x20 : byte }

  static func isDigit(_ byte: UInt8) -> Bool { byte &- 0x30 < 10 }

  static func isAlphanumeric(_ byte: UInt8) -> Bool { isDigit(byte) || (byte | 0x20) &- 0x61 < 26 }

  /// The value of a hexadecimal digit.
  static func hexValue(_ byte: UInt8) -> UInt8? {
    if isDigit(byte) { return byte - 0x30 }
    let lower = byte | 0x20
    return lower &- 0x61 < 6 ? lower - 0x61 + 10 : nil
  }

  /// `tchar` of RFC 9110 §5.6.2.
  static func isTokenByte(_ byte: UInt8) -> Bool {
    if isAlphanumeric(byte) { return true }
    switch byte {
    case UInt8(ascii: "!"), UInt8(ascii: "#"), UInt8(ascii: "$"), UInt8(ascii: "%"), UInt8(ascii: "&"),
      UInt8(ascii: "'"), UInt8(ascii: "*"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."),
      UInt8(ascii: "^"), UInt8(ascii: "_"), UInt8(ascii: "`"), UInt8(ascii: "|"), UInt8(ascii: "~"):
      return true
    default: return false
    }
  }

  /// `field-vchar`, space and tab of RFC 9110 §5.5: no control character can be part of a value.
  static func isFieldValueByte(_ byte: UInt8) -> Bool { (byte >= 0x20 && byte != 0x7F) || byte == tab }

  /// Whether `bytes` spell `text`, letters compared without case.
  static func equalsIgnoringCase(_ bytes: ArraySlice<UInt8>, _ text: String) -> Bool {
    guard bytes.count == text.utf8.count else { return false }
    return zip(bytes, text.utf8).allSatisfy { lowercased($0) == lowercased($1) }
  }

  /// Whether `bytes` spell `text`, letters compared without case; `text` is in lower case.
  static func equalsIgnoringCase(_ bytes: ArraySlice<UInt8>, lowercase text: StaticString) -> Bool {
    guard bytes.count == text.utf8CodeUnitCount else { return false }
    // Guard: the pointer of a StaticString literal is valid for the process, and the counts are equal.
    let expected = UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
    return zip(bytes, expected).allSatisfy { lowercased($0) == $1 }
  }
}
