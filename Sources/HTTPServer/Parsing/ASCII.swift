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
    // One bit for each of the characters from 0x00 and from 0x40: letters, digits and !#$%&'*+-.^_`|~
    let bits: UInt64 = byte < 0x40 ? 0x03FF_6CFA_0000_0000 : 0x57FF_FFFF_C7FF_FFFE
    return byte < 0x80 && bits >> (byte & 0x3F) & 1 == 1
  }

  /// `field-vchar`, space and tab of RFC 9110 §5.5: no control character can be part of a value.
  static func isFieldValueByte(_ byte: UInt8) -> Bool { (byte >= 0x20 && byte != 0x7F) || byte == tab }

  /// Whether all bytes are ones of a field value. Eight bytes at a time: every answer's fields are checked.
  static func areFieldValueBytes(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    let raw = UnsafeRawBufferPointer(bytes)
    var index = 0
    while index + 8 <= bytes.count {
      let word = raw.loadUnaligned(fromByteOffset: index, as: UInt64.self)
      // The highest bit of a byte is set if it is below a space, or Delete; it may still be a tab.
      let controls = (word &- 0x2020_2020_2020_2020) & ~word
      let others = word ^ 0x7F7F_7F7F_7F7F_7F7F
      let deletes = (others &- 0x0101_0101_0101_0101) & ~others
      guard (controls | deletes) & 0x8080_8080_8080_8080 == 0 else { break }
      index += 8
    }
    return bytes[index...].allSatisfy(isFieldValueByte)
  }

  /// Whether `bytes` spell `text`, letters compared without case.
  static func equalsIgnoringCase(_ bytes: ArraySlice<UInt8>, _ text: String) -> Bool {
    bytes.withUnsafeBufferPointer { equalsIgnoringCase($0, text) }
  }

  /// Whether `bytes` spell `text`, letters compared without case.
  static func equalsIgnoringCase(_ bytes: UnsafeBufferPointer<UInt8>, _ text: String) -> Bool {
    guard bytes.count == text.utf8.count else { return false }
    var text = text
    return text.withUTF8 { expected in
      // Guard: the counts are equal.
      for index in bytes.indices where lowercased(bytes[index]) != lowercased(expected[index]) {
        return false
      }
      return true
    }
  }

  /// Whether `bytes` spell `text`, letters compared without case; `text` is in lower case.
  @inline(__always)
  static func equalsIgnoringCase(
    _ bytes: some RandomAccessCollection<UInt8>, lowercase text: StaticString
  ) -> Bool {
    guard bytes.count == text.utf8CodeUnitCount else { return false }
    // Guard: the pointer of a StaticString literal is valid for the process, and the counts are equal.
    let expected = UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
    return zip(bytes, expected).allSatisfy { lowercased($0) == $1 }
  }
}
