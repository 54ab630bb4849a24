extension String {
  /// The columns of the text in a terminal: none for combining characters, two for East Asian wide characters
  /// and emoji (UAX #11, UTS #51), one for all others.
  var displayWidth: Int { reduce(0) { $0 + $1.displayWidth } }
}

extension Character {
  fileprivate var displayWidth: Int {
    guard let first = unicodeScalars.first else { return 0 }
    if first.properties.isEmojiPresentation || unicodeScalars.contains("\u{FE0F}") { return 2 }
    switch first.properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format, .control: return 0
    default: return first.isWide ? 2 : 1
    }
  }
}

extension Unicode.Scalar {
  /// East_Asian_Width W or F, in whole blocks (EastAsianWidth.txt).
  fileprivate var isWide: Bool {
    switch value {
    case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF, 0x4E00...0xA4CF, 0xA960...0xA97C,
      0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x17000...0x18CD5,
      0x1B000...0x1B2FB, 0x20000...0x3FFFD:
      true
    default: false
    }
  }
}
