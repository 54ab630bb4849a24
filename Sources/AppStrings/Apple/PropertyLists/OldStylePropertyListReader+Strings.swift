/// Quoted and unquoted strings, their escapes, and the remarks about them.
extension OldStylePropertyListReader {
  /// A quoted or unquoted string; nil if no string begins here.
  mutating func readStringIfAny() throws(PropertyListError) -> String? {
    guard let unit = current else { return nil }
    if unit == UInt16(ascii: "\"") || unit == UInt16(ascii: "'") { return try readQuoted(by: unit) }
    let start = position
    while let unit = current, unit.isUnquotedStringUnit { position += 1 }
    return position == start ? nil : text(start..<position)
  }

  private mutating func readQuoted(by quote: UInt16) throws(PropertyListError) -> String {
    position += 1
    let start = position
    while let unit = current, unit != quote, unit != UInt16(ascii: "\\") { position += 1 }
    if current == quote {
      position += 1
      return text(start..<position - 1)
    }
    var escaped: [UInt16] = []
    var run = start
    while let unit = current, unit != quote {
      guard unit == UInt16(ascii: "\\") else {
        position += 1
        continue
      }
      escaped.append(contentsOf: units[run..<position])
      position += 1
      guard current != nil else { throw error(.quotedOpen) }
      escaped.append(readEscape())
      run = position
    }
    guard current != nil else {
      position = start
      throw error(.quotedOpen)
    }
    escaped.append(contentsOf: units[run..<position])
    position += 1
    remarkLoneSurrogate(in: escaped)
    return escaped.withUnsafeBufferPointer { UTF16Text.string($0) }
  }

  /// The code unit for the escape after a backslash.
  private mutating func readEscape() -> UInt16 {
    guard let unit = current else { return 0 }
    position += 1
    switch unit {
    case UInt16(ascii: "0")...UInt16(ascii: "7"): return readOctal(first: unit)
    case UInt16(ascii: "U"): return readHex()
    case UInt16(ascii: "a"): return 0x07
    case UInt16(ascii: "b"): return 0x08
    case UInt16(ascii: "f"): return 0x0C
    case UInt16(ascii: "n"): return 0x0A
    case UInt16(ascii: "r"): return 0x0D
    case UInt16(ascii: "t"): return 0x09
    case UInt16(ascii: "v"): return 0x0B
    case UInt16(ascii: "u"):
      remarkLowerCaseEscape()
      return unit
    default: return unit
    }
  }

  private mutating func readOctal(first: UInt16) -> UInt16 {
    var number = UInt8(truncatingIfNeeded: first - UInt16(ascii: "0"))
    for _ in 0..<2 {
      guard let digit = current, (UInt16(ascii: "0")...UInt16(ascii: "7")).contains(digit) else { break }
      number = number << 3 | UInt8(truncatingIfNeeded: digit - UInt16(ascii: "0"))
      position += 1
    }
    return NextStepLatin.unit(of: number)
  }

  private mutating func readHex() -> UInt16 {
    var number: UInt16 = 0
    for _ in 0..<4 {
      guard let digit = current?.hexDigitValue else { break }
      number = number << 4 | digit
      position += 1
    }
    return number
  }

  private func text(_ range: Range<Int>) -> String {
    UTF16Text.string(UnsafeBufferPointer(rebasing: units[range]))
  }

  // MARK: Remarks

  private mutating func remarkLowerCaseEscape() {
    let digits = units[position..<min(position + 4, units.count)]
    guard remarks.count < AppleResourceLimits.remarkCountMax, digits.count == 4,
      digits.allSatisfy(\.isHexDigit)
    else { return }
    let shown = "u" + String(decoding: digits, as: UTF16.self)
    remarks.append(.init(line: line(), text: FindingText(.lowerCaseEscape, [shown])))
  }

  private mutating func remarkLoneSurrogate(in units: [UInt16]) {
    guard remarks.count < AppleResourceLimits.remarkCountMax,
      units.contains(where: { UTF16.isLeadSurrogate($0) || UTF16.isTrailSurrogate($0) })
    else { return }
    var index = 0
    while index < units.count {
      if UTF16.isLeadSurrogate(units[index]), index + 1 < units.count,
        UTF16.isTrailSurrogate(units[index + 1])
      {
        index += 2
      } else if UTF16.isLeadSurrogate(units[index]) || UTF16.isTrailSurrogate(units[index]) {
        remarks.append(.init(line: line(), text: FindingText(.halfOfPairByU)))
        return
      } else {
        index += 1
      }
    }
  }
}

extension UInt16 {
  /// Whether an unquoted string may contain the character.
  fileprivate var isUnquotedStringUnit: Bool {
    switch self {
    case UInt16(ascii: "a")...UInt16(ascii: "z"), UInt16(ascii: "A")...UInt16(ascii: "Z"),
      UInt16(ascii: "0")...UInt16(ascii: "9"), UInt16(ascii: "_"), UInt16(ascii: "$"), UInt16(ascii: "/"),
      UInt16(ascii: ":"), UInt16(ascii: "."), UInt16(ascii: "-"):
      true
    default: false
    }
  }
}
