internal import _FoundationICU

/// The direction of a line of text.
package enum TextDirection: Sendable {
  case leftToRight, rightToLeft

  /// The direction of a text's first strong character outside isolates (UAX #9, P2 and P3), which decides the
  /// direction of its line on a phone; nil if it has none.
  package init?(firstStrongIn text: some StringProtocol) {
    var depth = 0
    for scalar in text.unicodeScalars {
      switch scalar.value {
      case 0x2066...0x2068: depth += 1
      case 0x2069: depth = max(0, depth - 1)
      default:
        guard depth == 0, let direction = Self(strong: scalar) else { continue }
        self = direction
        return
      }
    }
    return nil
  }

  /// The direction of a locale's script.
  package init(locale: LocaleTag) {
    let scripts: Set<String> = ["Arab", "Hebr", "Thaa", "Syrc", "Nkoo", "Adlm", "Rohg", "Mand", "Samr"]
    self = LikelySubtags(locale).script.map(scripts.contains) ?? false ? .rightToLeft : .leftToRight
  }

  /// The direction of a strong character; nil for any other.
  init?(strong scalar: Unicode.Scalar) {
    switch swift_u_charDirection(UChar32(bitPattern: scalar.value)) {
    case U_LEFT_TO_RIGHT: self = .leftToRight
    case U_RIGHT_TO_LEFT, U_RIGHT_TO_LEFT_ARABIC: self = .rightToLeft
    default: return nil
    }
  }
}

extension FormatString {
  /// What stands beside a placeholder.
  private enum Neighbor {
    case edge, placeholder, digit, punctuation, other
  }

  /// The args, from 0, that can change the order of a right-to-left text unless they are isolated: their
  /// placeholders stand beside another one, a digit, punctuation or the line's edge, so that their direction
  /// decides where those are shown. Spaces between do not count. Empty for a left-to-right text; a text of no
  /// direction has that of its language. O(text).
  package func exposedArguments(language: TextDirection) -> Set<Int> {
    guard isRightToLeft(language) else { return [] }
    var exposed: Set<Int> = []
    var neighbor = Neighbor.edge
    /// The placeholder before the current place, if only spaces are between.
    var last: Int?
    var position = 0
    func pass(_ next: Neighbor) {
      if let last, next != .other { exposed.insert(last) }
      (neighbor, last) = (next, nil)
    }
    for placeholder in placeholders {
      for scalar in scalars(in: position..<placeholder.range.lowerBound) {
        if let next = Self.neighbor(scalar) { pass(next) }
      }
      let before = neighbor
      pass(.placeholder)
      if before != .other, let argument = placeholder.argument { exposed.insert(argument) }
      last = placeholder.argument
      position = placeholder.range.upperBound
    }
    for scalar in scalars(in: position..<text.utf8.count) {
      if let next = Self.neighbor(scalar) { pass(next) }
    }
    pass(.edge)
    return exposed
  }

  /// The first strong character decides, as on a phone.
  private func isRightToLeft(_ language: TextDirection) -> Bool {
    var position = 0
    for end in placeholders.map(\.range) + [text.utf8.count..<text.utf8.count] {
      for scalar in scalars(in: position..<end.lowerBound) {
        if let direction = TextDirection(strong: scalar) { return direction == .rightToLeft }
      }
      position = end.upperBound
    }
    return language == .rightToLeft
  }

  private func scalars(in range: Range<Int>) -> Substring.UnicodeScalarView {
    let start = text.utf8.index(text.startIndex, offsetBy: range.lowerBound)
    let end = text.utf8.index(start, offsetBy: range.count)
    return text[start..<end].unicodeScalars
  }

  /// Nil for a space, which has no direction of its own.
  private static func neighbor(_ scalar: Unicode.Scalar) -> Neighbor? {
    switch scalar.value {
    case 0x0A, 0x0D, 0x1C...0x1E, 0x85, 0x2028, 0x2029: return .edge
    default: break
    }
    if scalar.properties.isWhitespace { return nil }
    switch scalar.properties.generalCategory {
    case .decimalNumber, .letterNumber, .otherNumber: return .digit
    case .connectorPunctuation, .dashPunctuation, .openPunctuation, .closePunctuation, .initialPunctuation,
      .finalPunctuation, .otherPunctuation, .mathSymbol, .currencySymbol, .modifierSymbol, .otherSymbol:
      return .punctuation
    default: return .other
    }
  }
}
