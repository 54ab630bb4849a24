/// What rendering will not go beyond, whatever a text or its args ask for.
enum RenderingLimits {
  /// UTF-8 bytes of one rendered text. A phone cuts notification texts far below (Android after 1,024
  /// characters).
  static let textBytesMax = 1 << 20
  /// Characters of a placeholder that are quoted in a message.
  static let quotedCharactersMax = 40

  /// A text's UTF-8 up to the limit, but not into a character.
  static func cut(_ bytes: [UInt8]) -> ArraySlice<UInt8> {
    guard bytes.count > textBytesMax else { return bytes[...] }
    var end = textBytesMax
    while end > 0, bytes[end] & 0xC0 == 0x80 { end -= 1 }
    return bytes[..<end]
  }
}
