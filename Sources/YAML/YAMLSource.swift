/// The text of a document, prepared for libyaml.
///
/// libyaml treats U+0085, U+2028 and U+2029 as line breaks and rejects U+FEFF; in YAML 1.2 all four are text.
/// Each is replaced by a private-use character that the document does not contain, and restored in the
/// scalars.
struct YAMLSource {
  private static let replaced: [Unicode.Scalar] = ["\u{85}", "\u{2028}", "\u{2029}", "\u{FEFF}"]
  private static let privateUse: ClosedRange<UInt32> = 0x10_0000...0x10_FFFD

  let bytes: [UInt8]
  /// The original character of each private-use character that replaces one.
  private let originals: [Unicode.Scalar: Unicode.Scalar]

  init(_ bytes: [UInt8]) throws(YAMLSyntaxError) {
    guard bytes.count <= YAML.byteCountMax else {
      throw YAMLSyntaxError(
        line: 1, column: 1, message: "the file has \(bytes.count) bytes, more than \(YAML.byteCountMax)")
    }
    let text = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes.dropFirst(3) : bytes[...]
    let used = try Self.check(text)
    let joined = Self.joiningSurrogatePairs(text)
    guard used.contains(where: Self.replaced.contains) else {
      self.bytes = Array(joined)
      originals = [:]
      return
    }
    let free = Self.privateUse.lazy.compactMap(Unicode.Scalar.init).filter { !used.contains($0) }
    let pairs = Array(zip(Self.replaced, free.prefix(Self.replaced.count)))
    let replacements = Dictionary(uniqueKeysWithValues: pairs)
    var output = String.UnicodeScalarView()
    for scalar in String(decoding: joined, as: UTF8.self).unicodeScalars {
      output.append(replacements[scalar] ?? scalar)
    }
    self.bytes = Array(String(output).utf8)
    originals = Dictionary(uniqueKeysWithValues: pairs.map { ($1, $0) })
  }

  /// The document's own text for `text` as libyaml read it.
  func original(_ text: String) -> String {
    if originals.isEmpty { return text }
    var output = String.UnicodeScalarView()
    for scalar in text.unicodeScalars { output.append(originals[scalar] ?? scalar) }
    return String(output)
  }

  /// Calls `body` with a reader of the text's events.
  func withEvents<Value>(
    _ body: (YAMLEventReader) throws(YAMLSyntaxError) -> Value
  ) throws(YAMLSyntaxError) -> Value {
    let result = bytes.withUnsafeBufferPointer { buffer in
      Result { () throws(YAMLSyntaxError) in
        let reader = try YAMLEventReader(buffer)
        return try body(reader)
      }
    }
    return try result.get()
  }

  /// Rejects bytes that are not text; returns the characters outside the common ranges.
  private static func check(_ bytes: ArraySlice<UInt8>) throws(YAMLSyntaxError) -> Set<Unicode.Scalar> {
    var used: Set<Unicode.Scalar> = []
    var line = 1
    var column = 1
    var decoder = UTF8()
    var iterator = bytes.makeIterator()
    while true {
      switch decoder.decode(&iterator) {
      case .emptyInput: return used
      case .error: throw YAMLSyntaxError(line: line, column: column, message: "not valid UTF-8")
      case .scalarValue(let scalar):
        switch scalar.value {
        case 0x0A:
          line += 1
          column = 0
        case 0x09, 0x0D, 0x20...0x7E, 0xA0...0x2027, 0x2030...0xD7FF: break
        case 0..<0x20, 0x7F, 0x80..<0x85, 0x86..<0xA0, 0xFFFE...0xFFFF:
          let code = String(scalar.value, radix: 16, uppercase: true)
          throw YAMLSyntaxError(
            line: line, column: column,
            message: "a control character (U+\(String(repeating: "0", count: 4 - code.count))\(code)); "
              + "write it as an escape in double quotes")
        default: used.insert(scalar)
        }
        column += 1
      }
    }
  }
}
