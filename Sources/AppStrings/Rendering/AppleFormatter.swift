/// Formats a push notification's text with its loc-args as iOS does, which does not use printf but a
/// formatter that supports only `%@`, `%2$@` and `%%`.
package struct AppleFormatter: Sendable {
  private enum Piece: Sendable {
    case literal(Range<Int>)
    /// From 0; -1 for the position 0.
    case arg(Int)
  }

  private let bytes: [UInt8]
  private let pieces: [Piece]

  /// Takes a text apart.
  package init(_ format: String) {
    let bytes = Array(format.utf8)
    var pieces: [Piece] = []
    var (nextArg, offset, start) = (0, 0, 0)
    func endLiteral(at end: Int) { if end > start { pieces.append(.literal(start..<end)) } }
    while let percent = bytes[offset...].firstIndex(of: UInt8(ascii: "%")) {
      endLiteral(at: percent)
      offset = percent + 1
      start = offset
      guard offset < bytes.count else { break }
      switch bytes[offset] {
      case UInt8(ascii: "@"):
        pieces.append(.arg(nextArg))
        nextArg += 1
        offset += 1
        start = offset
      // The percent sign begins the next literal.
      case UInt8(ascii: "%"): offset += 1
      case let byte where byte.isASCIIDigit:
        let number = Self.readNumber(bytes, &offset)
        if bytes[offset...].starts(with: "$@".utf8) {
          pieces.append(.arg(number - 1))
          offset += 2
        }
        start = offset
      default:
        offset += 1
        start = offset
      }
    }
    endLiteral(at: bytes.count)
    (self.bytes, self.pieces) = (bytes, pieces)
  }

  /// The text as shown; nil if a `%` precedes a multi-byte character. iOS then splits that character, has
  /// no text at all and shows the key.
  ///
  /// A text beyond `RenderingLimits.textBytesMax` is cut there.
  package func text(args: [String]) -> String? {
    var output: [UInt8] = []
    output.reserveCapacity(bytes.count)
    for piece in pieces where output.count <= RenderingLimits.textBytesMax {
      switch piece {
      case .literal(let range): output += bytes[range]
      case .arg(let index):
        if args.indices.contains(index) { output += args[index].utf8 } else { output += "<null>".utf8 }
      }
    }
    return String(validating: RenderingLimits.cut(output), as: UTF8.self)
  }

  /// The text as shown; nil where iOS shows the key.
  package static func format(_ format: String, args: [String]) -> String? {
    AppleFormatter(format).text(args: args)
  }

  /// The value of the digits, at most a million, which no notification's args reach.
  private static func readNumber(_ bytes: [UInt8], _ offset: inout Int) -> Int {
    var number = 0
    while offset < bytes.count, bytes[offset].isASCIIDigit {
      number = min(number * 10 + Int(bytes[offset] &- 0x30), 1_000_000)
      offset += 1
    }
    return number
  }
}
