/// Reads an old-style (OpenStep) property list, the format of `.strings` files, on UTF-16 code units by the
/// same rules as CFOldStylePList.c. It also reports lines, duplicates, and what is legal but unintended.
///
/// Safe on any input: it indexes only below `units.count`, `AppleResourceLimits.nestingMax` bounds its
/// recursion, and the pointer does not outlive the caller's closure.
struct OldStylePropertyListReader {
  let units: UnsafeBufferPointer<UInt16>
  var position = 0
  private var countedPosition = 0
  private var countedLine = 1
  private var unfinishedKeyLine: Int?
  private let valueCountMax: Int
  private var valuesLeft: Int
  var remarks: [PropertyListDocument.Remark] = []

  init(units: UnsafeBufferPointer<UInt16>, valueCountMax: Int) {
    self.units = units
    self.valueCountMax = valueCountMax
    valuesLeft = valueCountMax
  }

  /// A whole file: a value, or the members of a dictionary without their braces.
  mutating func readDocument() throws(PropertyListError) -> PropertyListValue {
    guard !units.isEmpty else { throw error(.emptyFile) }
    guard skipSpace() else { return .dictionary(.init()) }
    let value = try readValue(depth: 0)
    guard skipSpace() else { return value }
    guard value.string != nil else { throw error(.contentAfterEnd) }
    position = 0
    countedPosition = 0
    countedLine = 1
    remarks = []
    unfinishedKeyLine = nil
    valuesLeft = valueCountMax
    let members = try readMembers(depth: 0)
    if skipSpace() || unfinishedKeyLine != nil {
      remarks.append(
        .init(
          line: unfinishedKeyLine ?? line(), text: FindingText(.stopsReading, [beginning]), losesText: true))
    }
    return .dictionary(members)
  }

  // MARK: Values

  private mutating func readValue(depth: Int) throws(PropertyListError) -> PropertyListValue {
    guard depth <= AppleResourceLimits.nestingMax else {
      throw error(.nestTooDeep)
    }
    guard skipSpace(), let unit = current else { throw error(.endsBeforeValue) }
    switch unit {
    case UInt16(ascii: "{"):
      position += 1
      return .dictionary(try readDictionary(depth: depth))
    case UInt16(ascii: "("):
      position += 1
      return .array(try readArray(depth: depth))
    case UInt16(ascii: "<"):
      position += 1
      try skipData()
      return .other(.dataValue)
    default:
      guard let text = try readStringIfAny() else {
        throw beginsNoText()
      }
      return .string(text)
    }
  }

  private mutating func readDictionary(depth: Int) throws(PropertyListError) -> PropertyListDictionary {
    let members = try readMembers(depth: depth)
    guard skipSpace(), current == UInt16(ascii: "}") else { throw error(.expected, ["}"]) }
    position += 1
    return members
  }

  private mutating func readMembers(depth: Int) throws(PropertyListError) -> PropertyListDictionary {
    var members = PropertyListDictionary()
    while let (key, keyLine) = readKeyIfAny() {
      guard skipSpace() else {
        throw error(.endsAfterKey, [key.shortened])
      }
      try countValue()
      var value = PropertyListValue.string(key)
      var valueStart = position
      switch current {
      case UInt16(ascii: ";"): break
      case UInt16(ascii: "="):
        position += 1
        valueStart = position
        value = try readValue(depth: depth + 1)
      default: throw error(.noEqualsSign, [beginning])
      }
      guard skipSpace(), current == UInt16(ascii: ";") else {
        throw unfinishedEntry(from: valueStart, value)
      }
      position += 1
      members.set(key, value, line: keyLine)
    }
    return members
  }

  /// The next key and its line. As in CFOldStylePList.c, a key that does not end gives nil and is not an
  /// error.
  private mutating func readKeyIfAny() -> (String, Int)? {
    guard skipSpace() else { return nil }
    let keyLine = line()
    do throws(PropertyListError) {
      guard let key = try readStringIfAny() else { return nil }
      return (key, keyLine)
    } catch {
      unfinishedKeyLine = keyLine
      return nil
    }
  }

  private mutating func readArray(depth: Int) throws(PropertyListError) -> [PropertyListValue] {
    var elements: [PropertyListValue] = []
    var failure: PropertyListError?
    while skipSpace(), current != UInt16(ascii: ")") {
      try countValue()
      do throws(PropertyListError) {
        elements.append(try readValue(depth: depth + 1))
      } catch {
        // CFOldStylePList.c treats an element that it cannot read as the end of the array.
        failure = error
        break
      }
      guard skipSpace(), current == UInt16(ascii: ",") else { break }
      position += 1
    }
    guard skipSpace(), current == UInt16(ascii: ")") else { throw failure ?? error(.expected, [")"]) }
    position += 1
    return elements
  }

  private mutating func skipData() throws(PropertyListError) {
    while let unit = current, unit != UInt16(ascii: ">") {
      switch unit {
      case 0x20, 0x09, 0x0A, 0x0D, 0x2028, 0x2029: position += 1
      default:
        // CFOldStylePList.c tests only the low byte.
        guard UInt16(UInt8(truncatingIfNeeded: unit)).isHexDigit else {
          throw error(.noHexadecimal)
        }
        position += 1
        guard let next = current, UInt16(UInt8(truncatingIfNeeded: next)).isHexDigit else {
          throw error(.oddDigits)
        }
        position += 1
      }
    }
    guard current != nil else { throw error(.dataOpen) }
    position += 1
  }

  // MARK: Small steps

  private mutating func countValue() throws(PropertyListError) {
    valuesLeft -= 1
    guard valuesLeft >= 0 else { throw error(.tooManyValues) }
  }

  @inline(__always) var current: UInt16? { position < units.count ? units[position] : nil }

  /// Skips white space and comments; false at the end.
  private mutating func skipSpace() -> Bool {
    while let unit = current {
      switch unit {
      case 0x09...0x0D, 0x20, 0x2028, 0x2029: position += 1
      case UInt16(ascii: "/"):
        let next = position + 1 < units.count ? units[position + 1] : 0
        if next == UInt16(ascii: "/") {
          position += 2
          skipLine()
        } else if next == UInt16(ascii: "*") {
          position += 2
          skipComment()
        } else {
          return true
        }
      default: return true
      }
    }
    return false
  }

  private mutating func skipLine() {
    while let unit = current, unit != 0x0A, unit != 0x0D, unit != 0x2028, unit != 0x2029 { position += 1 }
  }

  /// Skips to after `*/`, or to the end of the file, because a comment need not end.
  private mutating func skipComment() {
    while let unit = current {
      position += 1
      if unit == UInt16(ascii: "*"), current == UInt16(ascii: "/") {
        position += 1
        return
      }
    }
  }

  /// The line of `position`, from 1, by LF, CR or CRLF. Linear over the whole file if positions only
  /// increase.
  mutating func line() -> Int {
    if position < countedPosition {
      countedPosition = 0
      countedLine = 1
    }
    while countedPosition < position {
      let unit = units[countedPosition]
      let isCRLF =
        unit == 0x0D && countedPosition + 1 < units.count && units[countedPosition + 1] == 0x0A
      if unit == 0x0A || unit == 0x0D && !isCRLF { countedLine += 1 }
      countedPosition += 1
    }
    return countedLine
  }

  func error(_ reason: AppleFileText, _ values: [any FindingValue] = []) -> PropertyListError {
    error(FindingText(reason, values))
  }

  func error(_ reason: FindingText) -> PropertyListError {
    var copy = self
    return PropertyListError(line: copy.line(), reason: reason)
  }
}

extension UInt16 {
  init(ascii scalar: Unicode.Scalar) { self = UInt16(UInt8(ascii: scalar)) }

  var hexDigitValue: UInt16? {
    switch self {
    case UInt16(ascii: "0")...UInt16(ascii: "9"): self - UInt16(ascii: "0")
    case UInt16(ascii: "a")...UInt16(ascii: "f"): self - UInt16(ascii: "a") + 10
    case UInt16(ascii: "A")...UInt16(ascii: "F"): self - UInt16(ascii: "A") + 10
    default: nil
    }
  }

  var isHexDigit: Bool { hexDigitValue != nil }
}
