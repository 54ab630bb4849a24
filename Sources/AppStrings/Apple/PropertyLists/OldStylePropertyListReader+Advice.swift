/// What people did who wrote a list that cannot be read.
extension OldStylePropertyListReader {
  /// The character at `position`, as messages quote it.
  var beginning: any FindingValue {
    guard let unit = current else { return AppleFileText.endOfFile }
    let isPair = UTF16.isLeadSurrogate(unit) && position + 1 < units.count
    return "\"\(String(decoding: units[position..<position + (isPair ? 2 : 1)], as: UTF16.self))\""
  }

  /// The error that no text begins at `position`, with what to do about a quotation mark of a language.
  func beginsNoText() -> PropertyListError {
    let text = FindingText(.beginsNoText, [beginning])
    let isMark = current.map {
      [0xAB, 0xBB, 0x2018, 0x2019, 0x201A, 0x201C, 0x201D, 0x201E, 0xFF02].contains($0)
    }
    return error(isMark ?? false ? FindingText(.joined, [text, AppleFileText.straightMarks]) : text)
  }

  /// The error that no `;` follows a value, which begins at `start`. `position` is where it was expected.
  func unfinishedEntry(from start: Int, _ value: PropertyListValue) -> PropertyListError {
    var reader = self
    // Nobody ends an entry and a line within a text: the mark that ends the text is another one's.
    if let text = value.string, text.contains(";\n") || text.contains(";\r") {
      reader.position = start
      return reader.error(.lineWithoutMark)
    }
    var end = position
    while end > start, units[end - 1].isListSpace { end -= 1 }
    let line = units[end...].prefix { $0 != 0x0A && $0 != 0x0D }
    reader.position = end
    let isQuoted = end > start && units[end - 1] == UInt16(ascii: "\"")
    if isQuoted, line.contains(UInt16(ascii: "\"")) {
      return reader.error(.markInText)
    }
    return reader.error(.noSemicolon)
  }
}

extension UInt16 {
  fileprivate var isListSpace: Bool {
    (0x09...0x0D).contains(self) || self == 0x20 || self == 0x2028 || self == 0x2029
  }
}
