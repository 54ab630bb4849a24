internal import CExpat

/// The repair of a fault in memory. expat rejects the file, and so does aapt2, but the entries after the
/// fault can be read once it is repaired.
///
/// Without repairs a single `&` would hide the rest of a language from `check`, and each run would show only
/// one fault.
struct XMLRepair {
  /// The file without the fault.
  let bytes: [UInt8]
  /// Where the fault was.
  let offset: Int
  let error: XMLSyntaxError

  /// Nil if the failure cannot be repaired.
  init?(_ bytes: [UInt8], after run: ExpatParser) {
    guard let failure = run.failure, bytes.indices.contains(failure.offset),
      !bytes.prefix(2).contains(where: { $0 == 0 || $0 == 0xFE || $0 == 0xFF })
    else { return nil }
    let line = failure.error.line
    let repair: Replacement?
    switch failure.code {
    case XML_ERROR_INVALID_TOKEN:
      let isUTF8 = run.declaredEncoding.map { $0.lowercased() == "utf-8" } ?? true
      if isUTF8, bytes[failure.offset] >= 0x80, let text = Self.decoded(bytes) {
        self.bytes = text
        offset = failure.offset
        error = XMLSyntaxError(line: line, FindingText(.noUTF8Here))
        return
      }
      repair = Self.invalidToken(bytes, at: failure.offset)
    case XML_ERROR_BAD_CHAR_REF: repair = Self.characterReference(bytes, at: failure.offset)
    case XML_ERROR_UNDEFINED_ENTITY:
      repair = Self.undeclaredEntity(bytes, from: failure.offset, declared: run.entities)
    default: repair = nil
    }
    guard let repair else { return nil }
    self.bytes =
      Array(bytes[..<repair.range.lowerBound]) + repair.replacement + bytes[repair.range.upperBound...]
    offset = repair.range.lowerBound
    let linesBefore = bytes[min(failure.offset, offset)..<offset].count { $0 == UInt8(ascii: "\n") }
    error = XMLSyntaxError(line: line + linesBefore, repair.text)
  }

  private struct Replacement {
    let range: Range<Int>
    let replacement: [UInt8]
    let text: FindingText
  }

  /// The file with what is not UTF-8 replaced; nil if all of it is.
  private static func decoded(_ bytes: [UInt8]) -> [UInt8]? {
    String(validating: bytes, as: UTF8.self) == nil ? Array(String(decoding: bytes, as: UTF8.self).utf8) : nil
  }

  private static func invalidToken(_ bytes: [UInt8], at offset: Int) -> Replacement? {
    let byte = bytes[offset]
    if byte < 0x20, !byte.isXMLSpace {
      let code = String(byte, radix: 16, uppercase: true)
      let text = FindingText(.controlCharacter, ["U+00\(byte < 0x10 ? "0" : "")\(code)"])
      return Replacement(range: offset..<(offset + 1), replacement: [], text: text)
    }
    if byte == UInt8(ascii: ">"), bytes[..<offset].suffix(2).elementsEqual("]]".utf8) {
      return Replacement(
        range: offset..<(offset + 1), replacement: Array("&gt;".utf8),
        text: FindingText(.endOfSection))
    }
    if bytes[..<offset].suffix(2).elementsEqual("--".utf8) {
      return Replacement(
        range: (offset - 2)..<(offset - 1), replacement: Array(" ".utf8),
        text: FindingText(.hyphensInComment))
    }
    // expat stops after the name that the ampersand seems to begin.
    let name = bytes[..<offset].suffix(while: { $0.isXMLName || $0 == UInt8(ascii: "#") })
    guard name.startIndex > 0, bytes[name.startIndex - 1] == UInt8(ascii: "&") else { return nil }
    return escaped(name.startIndex - 1, FindingText(.ampersand))
  }

  private static func characterReference(_ bytes: [UInt8], at offset: Int) -> Replacement? {
    guard bytes[offset...].starts(with: "&#".utf8),
      let end = bytes[offset...].firstIndex(of: UInt8(ascii: ";"))
    else { return nil }
    let digits = String(decoding: bytes[(offset + 2)..<end], as: UTF8.self).firstScalars
    return Replacement(
      range: offset..<(end + 1), replacement: [],
      text: FindingText(.noCharacter, ["&#\(digits);"]))
  }

  /// The reference is at the offset, or in an attribute of the tag there.
  private static func undeclaredEntity(
    _ bytes: [UInt8], from offset: Int, declared: XMLEntityDeclarations
  ) -> Replacement? {
    let isTag = bytes[offset] == UInt8(ascii: "<")
    var rest = bytes[offset...]
    while let ampersand = rest.firstIndex(of: UInt8(ascii: "&")), isTag || ampersand == offset {
      let name = bytes[(ampersand + 1)...].prefix(while: \.isXMLName)
      rest = bytes[name.endIndex...]
      let text = String(decoding: name, as: UTF8.self)
      let isPredefined = ["amp", "lt", "gt", "quot", "apos"].contains(text)
      guard !isPredefined, !name.isEmpty, !declared.isDeclared(text) else { continue }
      return escaped(ampersand, FindingText(.undeclared, ["&\(text.firstScalars);"]))
    }
    return nil
  }

  private static func escaped(_ ampersand: Int, _ text: FindingText) -> Replacement {
    Replacement(range: ampersand..<(ampersand + 1), replacement: Array("&amp;".utf8), text: text)
  }
}

extension ArraySlice<UInt8> {
  /// The longest suffix whose bytes all satisfy the predicate.
  fileprivate func suffix(while predicate: (UInt8) -> Bool) -> ArraySlice<UInt8> {
    self[(lastIndex { !predicate($0) }.map { $0 + 1 } ?? startIndex)...]
  }
}
