/// Formats a push notification's text with its loc-args as iOS does, which does not use printf but a
/// formatter that supports only `%@`, `%2$@` and `%%`.
package enum AppleFormatter {
  /// The text as shown; nil if a `%` precedes a multi-byte character. iOS then splits that character, has
  /// no text at all and shows the key.
  ///
  /// A text beyond `RenderingLimits.textBytesMax` is cut there.
  package static func format(_ format: String, args: [String]) -> String? {
    let bytes = Array(format.utf8)
    var output: [UInt8] = []
    var nextArg = 0
    var offset = 0

    func append(arg index: Int) {
      output.append(contentsOf: args.indices.contains(index) ? Array(args[index].utf8) : Array("<null>".utf8))
    }

    while offset < bytes.count, output.count <= RenderingLimits.textBytesMax {
      guard bytes[offset] == UInt8(ascii: "%") else {
        output.append(bytes[offset])
        offset += 1
        continue
      }
      offset += 1
      guard offset < bytes.count else { break }
      switch bytes[offset] {
      case UInt8(ascii: "@"):
        append(arg: nextArg)
        nextArg += 1
        offset += 1
      case UInt8(ascii: "%"):
        output.append(UInt8(ascii: "%"))
        offset += 1
      case let byte where byte.isASCIIDigit:
        let number = readNumber(bytes, &offset)
        if bytes[offset...].starts(with: "$@".utf8) {
          append(arg: number - 1)
          offset += 2
        }
      default: offset += 1
      }
    }
    return String(validating: RenderingLimits.cut(output), as: UTF8.self)
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
