/// The text of a document as libyaml may see it.
///
/// libyaml takes U+0085, U+2028 and U+2029 for line ends and refuses U+FEFF; in YAML 1.2 all four are text. They
/// are handed to it as private characters that the document does not hold, and turned back in its scalars.
struct YAMLSource {
  private static let disguised: [Unicode.Scalar] = ["\u{85}", "\u{2028}", "\u{2029}", "\u{FEFF}"]
  private static let privateUse: ClosedRange<UInt32> = 0x10_0000...0x10_FFFD

  let bytes: [UInt8]
  private let disguises: [Unicode.Scalar: Unicode.Scalar]

  init(_ bytes: [UInt8]) throws(YAMLSyntaxError) {
    guard bytes.count <= YAML.byteCountMax else {
      throw YAMLSyntaxError(
        line: 1, column: 1, message: "the file has \(bytes.count) bytes, more than \(YAML.byteCountMax)")
    }
    let text = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes.dropFirst(3) : bytes[...]
    let used = try Self.check(text)
    let joined = Self.joiningSurrogatePairs(text)
    guard used.contains(where: Self.disguised.contains) else {
      self.bytes = Array(joined)
      disguises = [:]
      return
    }
    let free = Self.privateUse.lazy.compactMap(Unicode.Scalar.init).filter { !used.contains($0) }
    let pairs = Array(zip(Self.disguised, free.prefix(Self.disguised.count)))
    let cover = Dictionary(uniqueKeysWithValues: pairs)
    var output = String.UnicodeScalarView()
    for scalar in String(decoding: joined, as: UTF8.self).unicodeScalars {
      output.append(cover[scalar] ?? scalar)
    }
    self.bytes = Array(String(output).utf8)
    disguises = Dictionary(uniqueKeysWithValues: pairs.map { ($1, $0) })
  }

  /// The text that the document holds where libyaml read `text`.
  func original(_ text: String) -> String {
    if disguises.isEmpty { return text }
    var output = String.UnicodeScalarView()
    for scalar in text.unicodeScalars { output.append(disguises[scalar] ?? scalar) }
    return String(output)
  }

  /// Runs `body` with libyaml's events of the text.
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

  /// Finds what is no text at all, with its place; returns the unusual characters.
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
