internal import AppStrings
internal import Catalog

/// The style of a report in a terminal: with colours (ECMA-48 SGR), or plain.
package struct TerminalStyle: Sendable {
  package let hasColours: Bool

  package init(hasColours: Bool) { self.hasColours = hasColours }

  func bold(_ text: String) -> String { styled(text, "1") }
  func dim(_ text: String) -> String { styled(text, "2") }
  func red(_ text: String) -> String { styled(text, "31") }
  func green(_ text: String) -> String { styled(text, "32") }
  func yellow(_ text: String) -> String { styled(text, "33") }

  private func styled(_ text: String, _ code: String) -> String {
    hasColours && !text.isEmpty ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
  }
}

extension String {
  /// The text with characters that control a terminal or break a line made visible: control characters as
  /// pictures (`␊`), bidirectional controls as escapes.
  package var printable: String {
    guard unicodeScalars.contains(where: \.steersTerminal) else { return self }
    return unicodeScalars.reduce(into: "") { result, scalar in
      switch scalar.value {
      case 0...0x1F: result.unicodeScalars.append(Unicode.Scalar(0x2400 + scalar.value) ?? " ")
      case 0x7F: result += "␡"
      case _ where scalar.steersTerminal:
        let digits = String(scalar.value, radix: 16, uppercase: true)
        result += "\\u{\(digits)}"
      default: result.unicodeScalars.append(scalar)
      }
    }
  }
}

extension String {
  /// The text as a phone orders it: isolated from the rest of the line, in the direction of its first strong
  /// character, and with its own bidirectional controls, which the terminal follows as the phone does. Other
  /// control characters are visible. A text without right-to-left characters and controls stays as it is.
  func inPhoneOrder(_ language: TextDirection) -> String {
    let isOrdered = unicodeScalars.allSatisfy { scalar in
      !scalar.ordersText && TextDirection(firstStrongIn: String(scalar)) != .rightToLeft
    }
    if isOrdered, language == .leftToRight { return printable }
    let text = unicodeScalars.reduce(into: "") { result, scalar in
      if scalar.ordersText {
        result.unicodeScalars.append(scalar)
      } else {
        result += String(scalar).printable
      }
    }
    let hasDirection = TextDirection(firstStrongIn: self) != nil
    let opener =
      hasDirection || language == .leftToRight ? BidiText.firstStrongIsolate : BidiText.rightToLeftIsolate
    return opener + BidiText.directed(text, isolates: false) + BidiText.popIsolate
  }
}

extension String {
  /// Indented JSON with the same characters as JSON escapes, so that it means the same. Line breaks stay:
  /// JSON itself escapes those in its strings.
  var printableJSON: String {
    guard unicodeScalars.contains(where: { $0 != "\n" && $0.steersTerminal }) else { return self }
    return unicodeScalars.reduce(into: "") { result, scalar in
      guard scalar != "\n", scalar.steersTerminal else { return result.unicodeScalars.append(scalar) }
      // All such characters are in the Basic Multilingual Plane.
      let digits = String(scalar.value, radix: 16, uppercase: true)
      result += "\\u" + String(repeating: "0", count: max(0, 4 - digits.utf8.count)) + digits
    }
  }
}

extension Unicode.Scalar {
  /// Embeddings, overrides, isolates and their ends.
  fileprivate var ordersText: Bool { (0x202A...0x202E).contains(value) || (0x2066...0x2069).contains(value) }

  /// C0 and C1 controls, line and paragraph separators, embeddings and overrides of the bidirectional
  /// algorithm, the byte order mark and noncharacters.
  fileprivate var steersTerminal: Bool {
    switch value {
    case 0...0x1F, 0x7F...0x9F, 0x2028...0x202E, 0x2066...0x2069, 0xFEFF, 0xFFFE...0xFFFF: true
    default: false
    }
  }
}
