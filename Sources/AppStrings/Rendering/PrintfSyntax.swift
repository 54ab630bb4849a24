/// A placeholder of printf and similar formatters, including Apple's `%@` and `%#@name@`:
/// `%[index$][flags][width][.precision][length]conversion`.
///
/// printf's space flag is excluded, because "50% off" is not a placeholder.
package struct PrintfSyntax {
  package let numbering: FormatString.Numbering
  let conversion: FormatString.Conversion
  /// Whether it is just `%@` or `%1$@`.
  let isPlainObject: Bool
  /// Its last byte.
  package let letter: UInt8
  /// Whether it has flags, a width or a precision.
  package let hasFormat: Bool
  /// Whether it has a length, such as `ll`.
  package let hasLength: Bool
  /// The offset after it.
  package let end: Int

  private static let flags = Array("-+#0,('".utf8)
  private static let lengths = Array("hlqLjzt".utf8)
  private static let numbers = Array("diuxXoOfFeEgGaADU".utf8)
  /// The length of a plural variable's name, in bytes.
  private static let nameBytesMax = 100

  /// The placeholder whose `%`, or the last byte of a fullwidth one, is at `percent`.
  package init?(_ bytes: [UInt8], at percent: Int) {
    var offset = percent + 1
    var index: Int?
    let start = offset
    if let digits = Self.digits(bytes, &offset), offset < bytes.count, bytes[offset] == UInt8(ascii: "$") {
      index = digits
      offset += 1
    } else {
      offset = start
    }
    numbering = index.map { .explicit($0) } ?? .ordinary
    let bare = offset
    if bytes[min(offset, bytes.count)...].starts(with: "#@".utf8) {
      guard let end = Self.endOfName(bytes, from: offset + 2) else { return nil }
      (conversion, isPlainObject, self.end) = (.plural, false, end)
      (letter, hasFormat, hasLength) = (UInt8(ascii: "@"), true, false)
      return
    }
    Self.skip(Self.flags, bytes, &offset)
    _ = Self.digits(bytes, &offset)
    if offset < bytes.count, bytes[offset] == UInt8(ascii: ".") {
      offset += 1
      _ = Self.digits(bytes, &offset)
    }
    let lengthStart = offset
    Self.skip(Self.lengths, bytes, &offset)
    guard offset < bytes.count, offset - lengthStart <= 2 else { return nil }
    switch bytes[offset] {
    case UInt8(ascii: "@"): conversion = .text
    case UInt8(ascii: "s"), UInt8(ascii: "S"): conversion = .text
    case UInt8(ascii: "c"), UInt8(ascii: "C"): conversion = .character
    case let letter where Self.numbers.contains(letter): conversion = .number
    default: return nil
    }
    letter = bytes[offset]
    isPlainObject = offset == bare && letter == UInt8(ascii: "@")
    (hasFormat, hasLength) = (lengthStart != bare, offset != lengthStart)
    end = offset + 1
  }

  private static func skip(_ letters: [UInt8], _ bytes: [UInt8], _ offset: inout Int) {
    while offset < bytes.count, letters.contains(bytes[offset]) { offset += 1 }
  }

  /// The value of the digits, `Int.max` if it exceeds an int; nil if there are none.
  private static func digits(_ bytes: [UInt8], _ offset: inout Int) -> Int? {
    let start = offset
    var value = 0
    while offset < bytes.count, bytes[offset].isASCIIDigit {
      value = value > Int(Int32.max) ? .max : value * 10 + Int(bytes[offset] &- 0x30)
      offset += 1
    }
    return offset == start ? nil : value > Int(Int32.max) ? .max : value
  }

  /// The offset after the `@` that ends a variable's name.
  private static func endOfName(_ bytes: [UInt8], from start: Int) -> Int? {
    let name = bytes[start...].prefix(nameBytesMax)
    guard let at = name.firstIndex(of: UInt8(ascii: "@")), at > start,
      !name[..<at].contains(where: { $0 == UInt8(ascii: "%") || $0 <= 0x20 })
    else { return nil }
    return at + 1
  }
}
