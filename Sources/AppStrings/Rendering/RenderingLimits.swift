/// Limits on rendering, whatever a text or its args require.
enum RenderingLimits {
  /// UTF-8 bytes of one rendered text. Phones truncate notification texts much earlier (Android after 1,024
  /// characters).
  static let textBytesMax = 1 << 20
  /// Characters of a placeholder that a message quotes.
  static let quotedCharactersMax = 40

  /// A text's UTF-8 up to the limit, without splitting a character.
  static func cut(_ bytes: [UInt8]) -> ArraySlice<UInt8> {
    guard bytes.count > textBytesMax else { return bytes[...] }
    var end = textBytesMax
    while end > 0, bytes[end] & 0xC0 == 0x80 { end -= 1 }
    return bytes[..<end]
  }
}
