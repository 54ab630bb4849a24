extension YAMLSource {
  /// JSON escapes characters beyond U+FFFF as surrogate pairs (`\ud83d\ude00`), which YAML does not have. If
  /// the document is JSON, each pair is replaced by its character; any other document is returned unchanged.
  static func joiningSurrogatePairs(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    var output: [UInt8] = []
    var copied = bytes.startIndex
    var index = bytes.startIndex
    var isInString = false
    while index < bytes.endIndex {
      let byte = bytes[index]
      if !isInString {
        guard isJSONStructure(byte) else { return bytes }
        isInString = byte == UInt8(ascii: "\"")
      } else if byte == UInt8(ascii: "\"") {
        isInString = false
      } else if byte == UInt8(ascii: "\\") {
        if let scalar = surrogatePair(bytes[index...]) {
          output += bytes[copied..<index]
          output += Array(String(scalar).utf8)
          index += 12
          copied = index
          continue
        }
        index += 1
      }
      index += 1
    }
    return output.isEmpty ? bytes : (output + bytes[copied...])[...]
  }

  /// Whether `byte` is white space, punctuation, or part of a number, `true`, `false` or `null`.
  private static func isJSONStructure(_ byte: UInt8) -> Bool {
    " \t\r\n{}[]:,\"0123456789+-.Eaeflnrstu".utf8.contains(byte)
  }

  /// The character of an escaped surrogate pair such as `\ud83d\ude00` at the start of `bytes`.
  private static func surrogatePair(_ bytes: ArraySlice<UInt8>) -> Unicode.Scalar? {
    guard bytes.count >= 12, let high = escapedUnit(bytes.prefix(6)),
      let low = escapedUnit(bytes.dropFirst(6).prefix(6)), (0xD800...0xDBFF).contains(high),
      (0xDC00...0xDFFF).contains(low)
    else { return nil }
    return Unicode.Scalar(0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00))
  }

  private static func escapedUnit(_ bytes: ArraySlice<UInt8>) -> UInt32? {
    let digits = bytes.dropFirst(2)
    guard bytes.starts(with: "\\u".utf8), digits.first != UInt8(ascii: "+"), digits.first != UInt8(ascii: "-")
    else { return nil }
    return UInt32(String(decoding: digits, as: UTF8.self), radix: 16)
  }
}
