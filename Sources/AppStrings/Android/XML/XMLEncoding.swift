/// The bytes of an XML file as UTF-8 with `\n` as line ends (XML 1.0 §2.11, §4.3.3, appendix F).
struct XMLEncoding {
  let utf8: [UInt8]
  /// What expat would refuse; the text is then the best guess.
  let fault: XMLPullParser.Fault?

  init(_ bytes: [UInt8]) {
    var fault: XMLPullParser.Fault?
    var text: [UInt8]
    switch Self.detect(bytes) {
    case .utf8(let start):
      (text, fault) = Self.utf8(bytes[start...])
    case .utf16(let start, let isBigEndian):
      (text, fault) = Self.utf16(bytes[start...], isBigEndian: isBigEndian)
    case .latin1:
      text = bytes.flatMap { Array(String(Unicode.Scalar($0)).utf8) }
    case .unknown(let name):
      (text, _) = Self.utf8(bytes[...])
      fault = .init(
        line: 1, message: "The encoding \(name.firstScalars) is none that aapt2 reads; save it as UTF-8.")
    }
    if text.contains(0x0D) { text = Self.withoutCarriageReturns(text) }
    utf8 = text
    self.fault = fault
  }

  private enum Kind {
    case utf8(start: Int)
    case utf16(start: Int, isBigEndian: Bool)
    case latin1
    case unknown(String)
  }

  private static func detect(_ bytes: [UInt8]) -> Kind {
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { return .utf8(start: 3) }
    if bytes.starts(with: [0xFE, 0xFF]) { return .utf16(start: 2, isBigEndian: true) }
    if bytes.starts(with: [0xFF, 0xFE]) { return .utf16(start: 2, isBigEndian: false) }
    if bytes.starts(with: [0x00, 0x3C]) { return .utf16(start: 0, isBigEndian: true) }
    if bytes.starts(with: [0x3C, 0x00]) { return .utf16(start: 0, isBigEndian: false) }
    guard let name = declaredEncoding(bytes) else { return .utf8(start: 0) }
    switch name.lowercased() {
    case "utf-8", "utf8", "us-ascii": return .utf8(start: 0)
    case "iso-8859-1": return .latin1
    default: return .unknown(name)
    }
  }

  private static func declaredEncoding(_ bytes: [UInt8]) -> String? {
    let head = bytes.prefix(256)
    guard head.starts(with: "<?xml".utf8), let end = head.firstIndex(of: UInt8(ascii: ">")) else {
      return nil
    }
    let text = String(decoding: head[..<end], as: UTF8.self)
    guard let label = text.firstRange(of: "encoding") else { return nil }
    let value = text[label.upperBound...].drop { $0 == " " || $0 == "=" || $0 == "\t" || $0.isNewline }
    guard let quote = value.first, quote == "\"" || quote == "'" else { return nil }
    return String(value.dropFirst().prefix { $0 != quote })
  }

  private static func utf8(_ bytes: ArraySlice<UInt8>) -> ([UInt8], XMLPullParser.Fault?) {
    if String(validating: bytes, as: UTF8.self) != nil { return (Array(bytes), nil) }
    let text = Array(String(decoding: bytes, as: UTF8.self).utf8)
    let good = zip(bytes, text).prefix { $0 == $1 }
    let line = 1 + good.count { $0.0 == UInt8(ascii: "\n") }
    return (text, .init(line: line, message: "The file is not UTF-8 here."))
  }

  private static func utf16(
    _ bytes: ArraySlice<UInt8>, isBigEndian: Bool
  ) -> ([UInt8], XMLPullParser.Fault?) {
    var units: [UInt16] = []
    units.reserveCapacity(bytes.count / 2)
    var index = bytes.startIndex
    while index + 1 < bytes.endIndex {
      let (first, second) = (UInt16(bytes[index]), UInt16(bytes[index + 1]))
      units.append(isBigEndian ? first << 8 | second : second << 8 | first)
      index += 2
    }
    let isWhole = String(validating: units, as: UTF16.self) != nil && bytes.count.isMultiple(of: 2)
    let fault = XMLPullParser.Fault(line: 1, message: "The file is not whole UTF-16.")
    return (Array(String(decoding: units, as: UTF16.self).utf8), isWhole ? nil : fault)
  }

  private static func withoutCarriageReturns(_ bytes: [UInt8]) -> [UInt8] {
    var output: [UInt8] = []
    output.reserveCapacity(bytes.count)
    var index = 0
    while index < bytes.count {
      let byte = bytes[index]
      index += 1
      if byte == 0x0D {
        output.append(0x0A)
        if index < bytes.count, bytes[index] == 0x0A { index += 1 }
      } else {
        output.append(byte)
      }
    }
    return output
  }
}
