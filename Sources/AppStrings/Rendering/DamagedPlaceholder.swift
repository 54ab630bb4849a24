package import FCMMessage

/// A placeholder that broke on its way through a translation: with spaces in it, its parts in another order,
/// a letter or digit of another script, or in the notation of another system.
package struct DamagedPlaceholder: Sendable, Equatable {
  /// As written, `%1 $s`; cut after 40 characters.
  package let text: String
  /// How it should be written, `%1$s`; without a position where nothing tells which.
  package let form: String

  /// The first one in a text; nil if there is none.
  package static func first(in text: String, on platform: AppPlatform) -> DamagedPlaceholder? {
    guard hasUnusualPercent(text) else { return nil }
    let scalars = Array(text.unicodeScalars)
    var index = 0
    while index < scalars.count {
      guard scalars[index] == "%" else {
        index += 1
        continue
      }
      var scan = PlaceholderScan(scalars, at: index)
      if let (range, position) = scan.damage(on: platform) {
        let written = String(
          String.UnicodeScalarView(scalars[range].prefix(RenderingLimits.quotedCharactersMax)))
        return DamagedPlaceholder(
          text: written, form: "%\(position.map { "\($0)$" } ?? "")\(platform == .ios ? "@" : "s")")
      }
      index += scan.isEscape ? 2 : 1
    }
    return nil
  }
}

extension DamagedPlaceholder {
  /// Whether a text has a `%` that begins neither a placeholder as most texts have it (`%s`, `%@`, `%1$s`)
  /// nor an escape without a number after it. Few texts have.
  private static func hasUnusualPercent(_ text: String) -> Bool {
    var rest = text.utf8[...]
    while let percent = rest.firstIndex(of: UInt8(ascii: "%")) {
      rest = rest[percent...].dropFirst()
      guard let next = rest.first else { return false }
      if next == UInt8(ascii: "%") {
        rest = rest.dropFirst()
        if rest.first?.isASCIIDigit ?? false { return true }
        continue
      }
      if next.isASCIIDigit {
        rest = rest.drop(while: \.isASCIIDigit)
        guard rest.popFirst() == UInt8(ascii: "$") else { return true }
      }
      guard let conversion = rest.first, conversion.isASCIILetter || conversion == UInt8(ascii: "@") else {
        return true
      }
    }
    return false
  }
}

/// Reads what stands around one `%` more tolerantly than any formatter.
private struct PlaceholderScan {
  private let scalars: [Unicode.Scalar]
  private let percent: Int
  private var index: Int

  /// A found placeholder: its place in the text, and its position among the args if it has one.
  typealias Damage = (range: Range<Int>, position: Int?)

  init(_ scalars: [Unicode.Scalar], at percent: Int) {
    (self.scalars, self.percent) = (scalars, percent)
    index = percent + 1
  }

  /// Whether the `%` begins `%%`.
  var isEscape: Bool { percent + 1 < scalars.count && scalars[percent + 1] == "%" }

  private var current: Unicode.Scalar? { index < scalars.count ? scalars[index] : nil }

  mutating func damage(on platform: AppPlatform) -> Damage? {
    if isEscape { return doubled() }
    if let named = named() { return named }
    let hasSpace = skipSpace()
    switch current {
    case "$"?: return reversed()
    case let scalar? where scalar.decimalDigit != nil: return positioned(hasSpace: hasSpace)
    case let scalar? where hasSpace: return spaced(scalar, on: platform)
    case let scalar?: return lookalike(scalar)
    case nil: return nil
    }
  }

  /// `%%1$s`, where the percent sign of the placeholder was doubled.
  private mutating func doubled() -> Damage? {
    index += 1
    guard !followsNumber, let position = digits(), take("$"), let scalar = current, scalar.isConversion else {
      return nil
    }
    return (percent..<index + 1, position)
  }

  /// `%{name}`, and `%(name)s`.
  private mutating func named() -> Damage? {
    guard let opening = current, opening == "{" || opening == "(" else { return nil }
    let name = scalars[(index + 1)...].prefix { $0.isASCIIName }
    var end = index + 1 + name.count
    guard !name.isEmpty, end < scalars.count, scalars[end] == (opening == "{" ? "}" : ")") else { return nil }
    end += 1
    if opening == "(" {
      guard end < scalars.count, scalars[end].isConversion else { return nil }
      end += 1
    }
    return (percent..<end, nil)
  }

  /// `%1 $s`, `% 1 $ s`, `%1$с`, `%١$s` and `%1$` without a conversion.
  private mutating func positioned(hasSpace: Bool) -> Damage? {
    let start = index
    guard !(hasSpace && followsNumber), let position = digits() else { return nil }
    let isForeign = scalars[start..<index].contains { !$0.isASCII }
    let hasSpaceInside = skipSpace()
    guard take("$") || take("\u{FF04}") else { return nil }
    let hasSpaceAfter = skipSpace()
    let isSpaced = hasSpaceAfter || hasSpaceInside || hasSpace || isForeign
    guard let scalar = current else { return (percent..<index, position) }
    if scalar.isASCII {
      let isPlain =
        scalar.isLetter || scalar == "@" || scalar.decimalDigit != nil
        || "-#+0,.(<'".unicodeScalars.contains(scalar)
      guard isSpaced || !isPlain else { return nil }
      return (percent..<(scalar.isConversion ? index + 1 : endBeforeSpace), position)
    }
    // A letter after a space begins a word, if it does not look like a conversion.
    let isConversion = scalar.isLetter && (!hasSpaceAfter || Self.lookalikes.contains(scalar))
    return (percent..<(isConversion ? index + 1 : endBeforeSpace), position)
  }

  /// `1%$s`, and `%$1s`.
  private mutating func reversed() -> Damage? {
    index += 1
    _ = skipSpace()
    let after = digits()
    _ = skipSpace()
    guard let scalar = current, scalar.isConversion || !scalar.isASCII && scalar.isLetter else { return nil }
    let end = index + 1
    if let after { return (percent..<end, after) }
    var start = percent
    while start > 0, scalars[start - 1].decimalDigit != nil { start -= 1 }
    let before = scalars[start..<percent]
    guard (1...2).contains(before.count), start == 0 || !scalars[start - 1].isPartOfNumber else {
      return (percent..<end, nil)
    }
    return (start..<end, before.reduce(0) { $0 * 10 + ($1.decimalDigit ?? 0) })
  }

  /// `% s`, `% d` and `% @`, where no number before the percent sign and no word after it makes it one.
  private func spaced(_ scalar: Unicode.Scalar, on platform: AppPlatform) -> Damage? {
    let letters: [Unicode.Scalar] = platform == .ios ? ["@"] : ["s", "d"]
    guard letters.contains(scalar), endsWord(after: index), !followsNumber else { return nil }
    return (percent..<index + 1, nil)
  }

  /// `%с` with a Cyrillic letter.
  private func lookalike(_ scalar: Unicode.Scalar) -> Damage? {
    guard Self.lookalikes.contains(scalar), endsWord(after: index), !followsNumber else { return nil }
    return (percent..<index + 1, nil)
  }

  /// Letters and signs that look like those of a placeholder, or that stand for them in other scripts.
  private static let lookalikes: Set<Unicode.Scalar> = [
    "\u{0441}", "\u{0421}", "\u{0455}", "\u{0434}", "\u{0501}", "\u{FF53}", "\u{FF44}", "\u{FF20}",
  ]

  // MARK: Small steps

  /// Whether the text before the percent sign ends with a number, or with a placeholder that stands for one.
  private var followsNumber: Bool {
    var before = percent - 1
    while before >= 0, scalars[before].isSpaceInText { before -= 1 }
    guard before >= 0 else { return false }
    if scalars[before].decimalDigit != nil { return true }
    let start = max(0, before - 5)
    return scalars[before].isConversion && scalars[start..<before].contains("%")
  }

  private func endsWord(after index: Int) -> Bool {
    guard index + 1 < scalars.count else { return true }
    let next = scalars[index + 1]
    return !next.isLetter && next.decimalDigit == nil && next != "'" && next != "\u{2019}"
  }

  /// The end of what was read, without the spaces at its end.
  private var endBeforeSpace: Int {
    var end = index
    while end > percent + 1, scalars[end - 1].isSpaceInText { end -= 1 }
    return end
  }

  private mutating func skipSpace() -> Bool {
    let start = index
    while let scalar = current, scalar.isSpaceInText { index += 1 }
    return index > start
  }

  private mutating func take(_ scalar: Unicode.Scalar) -> Bool {
    guard current == scalar else { return false }
    index += 1
    return true
  }

  /// A number of one or two digits of any script.
  private mutating func digits() -> Int? {
    let start = index
    var value = 0
    while let digit = current?.decimalDigit {
      guard index - start < 2 else { return nil }
      value = value * 10 + digit
      index += 1
    }
    return index == start ? nil : value
  }
}

extension Unicode.Scalar {
  fileprivate var isLetter: Bool { properties.isAlphabetic }

  fileprivate var decimalDigit: Int? {
    guard properties.numericType == .decimal, let value = properties.numericValue else { return nil }
    return Int(exactly: value)
  }

  fileprivate var isPartOfNumber: Bool { decimalDigit != nil || self == "." || self == "," || isLetter }

  /// A conversion that texts for notifications have, on either platform.
  fileprivate var isConversion: Bool { "sSdDiuf@".unicodeScalars.contains(self) }

  fileprivate var isASCIIName: Bool {
    isASCII && (isLetter || decimalDigit != nil || self == "_" || self == ".")
  }

  /// Spaces and the marks of direction that editors put beside them, but no line break.
  fileprivate var isSpaceInText: Bool {
    switch value {
    case 0x09, 0x20, 0xA0, 0x2000...0x200F, 0x202A...0x202F, 0x205F...0x2069, 0x3000, 0xFEFF: true
    default: false
    }
  }
}
