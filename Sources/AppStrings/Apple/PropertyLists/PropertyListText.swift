/// The text of an XML or old-style property list, by CFPropertyList's rules for encodings (CFPropertyList.c,
/// `encodingForXMLData`): by a byte order mark, otherwise NULs that indicate UTF-16, the XML declaration, or
/// UTF-8.
struct PropertyListText {
  private enum Encoding {
    case utf8, latin1
    case utf16(bigEndian: Bool)
    case utf32(bigEndian: Bool)
  }

  /// Without a byte order mark. Not validated if the file is in UTF-8, because an XML reader validates its
  /// texts.
  let utf8: [UInt8]
  /// The code units of the file; nil if it is in UTF-8.
  private let units: [UInt16]?
  let remarks: [PropertyListDocument.Remark]

  init(_ bytes: [UInt8]) throws(PropertyListError) {
    let (encoding, skipped, isMarked) = try Self.encoding(of: bytes)
    var remarks: [PropertyListDocument.Remark] = []
    let rest = bytes[min(skipped, bytes.count)...]
    switch encoding {
    case .utf8:
      utf8 = skipped == 0 ? bytes : Array(rest)
      units = nil
    case .latin1:
      utf8 = Array(String(String.UnicodeScalarView(rest.map { Unicode.Scalar($0) })).utf8)
      units = nil
    case .utf16(let bigEndian):
      let decoded = Self.utf16(rest, bigEndian: bigEndian)
      units = decoded
      // CFPropertyList gives its XML reader no more than this.
      utf8 = Array(String(decoding: Self.beforeLoneSurrogate(decoded), as: UTF16.self).utf8)
      if !isMarked {
        remarks.append(.init(line: nil, text: FindingText(.unmarkedUTF16)))
      }
    case .utf32(let bigEndian):
      guard let text = Self.utf32(rest, bigEndian: bigEndian) else {
        throw PropertyListError(line: nil, reason: FindingText(.noUTF32))
      }
      units = Array(text.utf16)
      utf8 = Array(text.utf8)
    }
    self.remarks = remarks
  }

  /// Whether only an XML reader can read it. An old-style list that begins with `<` is data, not a
  /// dictionary.
  var looksLikeXML: Bool {
    utf8.first { $0 != 0x20 && $0 != 0x09 && $0 != 0x0A && $0 != 0x0D } == UInt8(ascii: "<")
  }

  /// The text's UTF-16 code units, which CFOldStylePList.c works on.
  func utf16() throws(PropertyListError) -> [UInt16] {
    if let units { return units }
    guard var text = utf8.withUnsafeBufferPointer({ Self.decoded($0) }) else {
      throw PropertyListError(line: Self.lineOfInvalidUTF8(utf8), reason: FindingText(.noUnicode))
    }
    return text.withUTF8 { UTF16Text.units(ofValid: $0) }
  }

  /// UTF-8 as CFString reads it: strictly, except that a stray byte A9, Mac OS Roman's `©`, becomes U+FFFD.
  static func decoded(_ bytes: UnsafeBufferPointer<UInt8>) -> String? {
    if let text = String(validating: bytes, as: UTF8.self) { return text }
    guard bytes.contains(0xA9) else { return nil }
    var repaired: [UInt8] = []
    var index = 0
    while index < bytes.count {
      let byte = bytes[index]
      if byte == 0xA9 {
        repaired += [0xEF, 0xBF, 0xBD]
        index += 1
        continue
      }
      let length = byte < 0x80 ? 1 : byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4
      repaired += bytes[index..<min(index + length, bytes.count)]
      index += length
    }
    return String(validating: repaired, as: UTF8.self)
  }

  private static func encoding(
    of bytes: [UInt8]
  ) throws(PropertyListError) -> (Encoding, skipped: Int, isMarked: Bool) {
    if bytes.count > 4 {
      if bytes.starts(with: [0, 0, 0xFE, 0xFF]) { return (.utf32(bigEndian: true), 4, true) }
      if bytes.starts(with: [0xFF, 0xFE, 0, 0]) { return (.utf32(bigEndian: false), 4, true) }
    }
    if bytes.count > 3, bytes.starts(with: [0xEF, 0xBB, 0xBF]) { return (.utf8, 3, true) }
    if bytes.count > 2 {
      if bytes.starts(with: [0xFF, 0xFE]) { return (.utf16(bigEndian: false), 2, true) }
      if bytes.starts(with: [0xFE, 0xFF]) { return (.utf16(bigEndian: true), 2, true) }
      // CFPropertyList drops the first character here as if it were the missing mark.
      if bytes[0] == 0 || bytes[1] == 0 { return (.utf16(bigEndian: false), 2, false) }
    }
    return (try declaredEncoding(of: bytes), 0, true)
  }

  /// The encoding in `<?xml … encoding="…"`.
  private static func declaredEncoding(of bytes: [UInt8]) throws(PropertyListError) -> Encoding {
    guard bytes.starts(with: "<?xml".utf8) else { return .utf8 }
    var position = 5
    while true {
      guard position < bytes.count else { return .utf8 }
      if bytes[position] == UInt8(ascii: "?") || bytes[position] == UInt8(ascii: ">") { return .utf8 }
      guard position + 9 < bytes.count else {
        throw PropertyListError(line: 1, reason: FindingText(.endsInDeclaration))
      }
      if bytes[position...].starts(with: "encoding=".utf8) { break }
      position += 1
    }
    position += 9
    guard position < bytes.count,
      bytes[position] == UInt8(ascii: "\"") || bytes[position] == UInt8(ascii: "'"),
      let end = bytes[(position + 1)...].firstIndex(of: bytes[position])
    else { return .utf8 }
    let name = bytes[(position + 1)..<end].filter { $0.isASCIIAlphanumeric || $0 >= 0x80 }
    switch String(decoding: name, as: UTF8.self).lowercased() {
    case "utf8": return .utf8
    case "usascii", "ascii", "iso88591", "latin1": return .latin1
    default:
      throw PropertyListError(line: 1, reason: FindingText(.unsupportedEncoding))
    }
  }

  private static func utf16(_ bytes: ArraySlice<UInt8>, bigEndian: Bool) -> [UInt16] {
    let start = bytes.startIndex
    return (0..<bytes.count / 2).map { index in
      let first = UInt16(bytes[start + 2 * index])
      let second = UInt16(bytes[start + 2 * index + 1])
      return bigEndian ? first << 8 | second : second << 8 | first
    }
  }

  private static func beforeLoneSurrogate(_ units: [UInt16]) -> ArraySlice<UInt16> {
    var index = 0
    while index < units.count {
      if UTF16.isTrailSurrogate(units[index]) { break }
      if UTF16.isLeadSurrogate(units[index]) {
        guard index + 1 < units.count, UTF16.isTrailSurrogate(units[index + 1]) else { break }
        index += 1
      }
      index += 1
    }
    return units[..<index]
  }

  private static func utf32(_ bytes: ArraySlice<UInt8>, bigEndian: Bool) -> String? {
    let start = bytes.startIndex
    var scalars = String.UnicodeScalarView()
    for index in 0..<bytes.count / 4 {
      let four = bytes[(start + 4 * index)..<(start + 4 * index + 4)]
      let value = (bigEndian ? Array(four) : four.reversed()).reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
      guard let scalar = Unicode.Scalar(value) else { return nil }
      scalars.append(scalar)
    }
    return String(scalars)
  }

  private static func lineOfInvalidUTF8(_ bytes: [UInt8]) -> Int {
    var line = 1
    for part in bytes.split(separator: 0x0A, omittingEmptySubsequences: false) {
      if String(validating: part, as: UTF8.self) == nil { return line }
      line += 1
    }
    return line
  }
}
