internal import _FoundationICU

/// A text in pieces that a phone does not split, with their widths and where a line may end between them.
///
/// The console's `phones/lines.js` breaks lines in the same places.
struct MeasuredText {
  /// What a reader takes for one character.
  struct Piece {
    let width: Int
    let first: Unicode.Scalar
    let last: Unicode.Scalar

    var isLineEnd: Bool { first == "\n" || first == "\r" }
    var isBlank: Bool { first.properties.isWhitespace }
  }

  let pieces: [Piece]
  private let text: String
  /// The offsets of words in scripts without spaces between them; nil until one is asked for.
  private var wordStarts: Set<Int>?

  init(_ text: String, _ table: WidthTable, font: [UInt8]) {
    self.text = text
    // Finding graphemes is slow, and needless where each character is one.
    if text.unicodeScalars.allSatisfy(Self.standsAlone) {
      pieces = text.unicodeScalars.map {
        Piece(width: table.width(of: $0, in: font), first: $0, last: $0)
      }
    } else {
      pieces = text.map { character in
        let scalars = character.unicodeScalars
        return Piece(
          width: table.width(of: character, in: font), first: scalars.first ?? " ", last: scalars.last ?? " ")
      }
    }
  }

  /// Latin, Greek and Cyrillic without combining marks, and punctuation.
  private static func standsAlone(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x0A, 0x20...0x7E, 0xA0...0x24F, 0x370...0x482, 0x48A...0x4FF, 0x2010...0x2027, 0x202F...0x203A:
      true
    default: false
    }
  }

  /// Where the part of a line that begins at a place ends: a word with the spaces behind it.
  mutating func endOfPart(from start: Int) -> Int {
    var end = start + 1
    while end < pieces.count, !mayBreak(before: end) { end += 1 }
    return min(end, pieces.count)
  }

  private mutating func mayBreak(before place: Int) -> Bool {
    let (before, after) = (pieces[place - 1], pieces[place])
    if before.isLineEnd || after.isLineEnd { return true }
    if Self.isSpace(after.first) { return false }
    if Self.isSpace(before.last) { return true }
    if Self.isDash(before.last) { return !Self.isDash(after.first) }
    guard Self.hasNoSpaces(before.last) || Self.hasNoSpaces(after.first), !Self.opens(before.last),
      !Self.closes(after.first)
    else { return false }
    // Beside an ideograph anywhere, beside a letter of Thai only where a word begins.
    guard Self.hasUnspacedWords(before.last) || Self.hasUnspacedWords(after.first) else { return true }
    let starts = wordStarts ?? findWordStarts()
    wordStarts = starts
    return starts.contains(place)
  }

  /// No line breaks at the others, which keep words together.
  private static func isSpace(_ scalar: Unicode.Scalar) -> Bool {
    scalar.properties.isWhitespace && scalar != "\u{A0}" && scalar != "\u{2007}" && scalar != "\u{202F}"
  }

  private static func isDash(_ scalar: Unicode.Scalar) -> Bool {
    scalar == "-" || scalar == "–" || scalar == "—"
  }

  private static func hasNoSpaces(_ scalar: Unicode.Scalar) -> Bool {
    hasUnspacedWords(scalar) || (0x2E80...0x9FFF).contains(scalar.value)
      || (0xF900...0xFAFF).contains(scalar.value)
  }

  /// Thai, Lao, Myanmar and Khmer.
  private static func hasUnspacedWords(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0xE00...0xEFF, 0x1000...0x109F, 0x1780...0x17FF: true
    default: false
    }
  }

  private static func opens(_ scalar: Unicode.Scalar) -> Bool {
    let category = scalar.properties.generalCategory
    return category == .openPunctuation || category == .initialPunctuation
  }

  private static func closes(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .closePunctuation, .finalPunctuation, .otherPunctuation: true
    default: scalar == "ー"
    }
  }

  /// The places at which ICU begins a word.
  private func findWordStarts() -> Set<Int> {
    let units = Array(text.utf16)
    var places: [Int: Int] = [:]
    var offset = 0
    for (place, character) in text.enumerated() {
      places[offset] = place
      offset += character.utf16.count
    }
    var status = U_ZERO_ERROR
    return units.withUnsafeBufferPointer { buffer in
      let count = Int32(clamping: buffer.count)
      guard let words = swift_ubrk_open(UBRK_WORD, "", buffer.baseAddress, count, &status) else { return [] }
      // Guard: the iterator is closed before its buffer is freed.
      defer { swift_ubrk_close(words) }
      var starts: Set<Int> = []
      while case let boundary = swift_ubrk_next(words), boundary >= 0 {
        if let place = places[Int(boundary)] { starts.insert(place) }
      }
      return starts
    }
  }
}
