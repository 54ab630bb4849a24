/// Text from outside with its bidirectional controls balanced, so that it cannot change the order of the text
/// around it (Unicode Standard Annex #9).
///
/// Each paragraph stands for itself, because its end ends every control. Where an opener lacks its closer,
/// the closer is added at the end of the paragraph; a closer without an opener is removed. An isolated
/// paragraph is also put between U+2068 and U+2069.
package enum BidiText {
  /// FIRST STRONG ISOLATE: what follows is laid out by itself, in the direction of its first strong
  /// character.
  package static let firstStrongIsolate = "\u{2068}"
  /// RIGHT-TO-LEFT ISOLATE.
  package static let rightToLeftIsolate = "\u{2067}"
  /// POP DIRECTIONAL ISOLATE, which ends the nearest isolate.
  package static let popIsolate = "\u{2069}"

  /// The text with its controls balanced, and with `isolates` each paragraph isolated. O(text).
  package static func directed(_ text: String, isolates: Bool) -> String {
    if isPlain(text) { return isolates ? firstStrongIsolate + text + popIsolate : text }
    var balance = BidiBalance(isolates: isolates)
    for scalar in text.unicodeScalars { balance.append(scalar) }
    return balance.finished
  }

  /// Whether the text has neither a control nor a paragraph separator, like most. Compares bytes: reading
  /// scalars takes several times as long.
  private static func isPlain(_ text: String) -> Bool {
    var text = text
    return text.withUTF8 { bytes in
      for index in bytes.indices {
        switch bytes[index] {
        case 0x0A, 0x0D, 0x1C...0x1E: return false
        // The first byte of U+0085.
        case 0xC2 where bytes[index + 1] == 0x85: return false
        // The first byte of U+2000 to U+2FFF; a valid text has two more.
        case 0xE2 where isSpecial(bytes[index + 1], bytes[index + 2]): return false
        default: break
        }
      }
      return true
    }
  }

  private static func isSpecial(_ second: UInt8, _ third: UInt8) -> Bool {
    switch (second, third) {
    // U+2029 to U+202E, and U+2066 to U+2069.
    case (0x80, 0xA9...0xAE), (0x81, 0xA6...0xA9): true
    default: false
    }
  }
}

/// Balances the controls of one text.
private struct BidiBalance {
  private enum Opener {
    /// An embedding or an override, which U+202C closes.
    case embedding
    /// An isolate, which U+2069 closes together with the embeddings in it.
    case isolate
  }

  private let isolates: Bool
  private var output = String.UnicodeScalarView()
  /// The openers that wait for their closers.
  private var open: [Opener] = []
  private var endsInCarriageReturn = false

  init(isolates: Bool) {
    self.isolates = isolates
    begin()
  }

  mutating func append(_ scalar: Unicode.Scalar) {
    let followsCarriageReturn = endsInCarriageReturn
    endsInCarriageReturn = scalar == "\r"
    switch scalar.value {
    case 0x202A, 0x202B, 0x202D, 0x202E:
      open.append(.embedding)
      output.append(scalar)
    case 0x2066...0x2068:
      open.append(.isolate)
      output.append(scalar)
    case 0x202C:
      if case .embedding? = open.last {
        open.removeLast()
        output.append(scalar)
      }
    case 0x2069:
      if let index = open.lastIndex(of: .isolate) {
        open.removeSubrange(index...)
        output.append(scalar)
      }
    case 0x0A where followsCarriageReturn:
      // The second half of one separator.
      if isolates { output.removeLast() }
      output.append(scalar)
      begin()
    case 0x0A, 0x0D, 0x1C...0x1E, 0x85, 0x2029:
      end()
      output.append(scalar)
      begin()
    default: output.append(scalar)
    }
  }

  /// The whole text.
  var finished: String {
    var copy = self
    copy.end()
    return String(copy.output)
  }

  private mutating func begin() {
    if isolates { output.append("\u{2068}") }
  }

  private mutating func end() {
    for opener in open.reversed() { output.append(opener == .embedding ? "\u{202C}" : "\u{2069}") }
    open.removeAll()
    if isolates { output.append("\u{2069}") }
  }
}
