/// The parts of a specifier in the grammar of java.util.Formatter:
/// `%[index$][flags][width][.precision][t]conversion`.
struct AndroidSpecifierSyntax {
  /// A run of ASCII digits; its value is nil if it exceeds Java's int.
  struct DigitRun {
    let value: Int?
  }

  let index: DigitRun?
  let flags: ArraySlice<UInt8>
  let width: DigitRun?
  let precision: DigitRun?
  /// `t` or `T`, which begins a date or time conversion.
  let dateLetter: UInt8?
  /// An ASCII letter or `%`.
  let conversion: UInt8
  /// The offset after it.
  let end: Int

  private static let flagLetters = Array("-#+ 0,(<".utf8)

  /// The specifier whose `%` is at `percent`; nil if the bytes after it match no specifier.
  ///
  /// Java matches a regular expression. Only one way of backtracking can match: a `t` that no letter follows
  /// is the conversion itself and does not begin a date.
  init?(_ bytes: [UInt8], at percent: Int) {
    var cursor = Cursor(bytes: bytes, offset: percent + 1)
    let start = cursor.offset
    var index = cursor.digits()
    if index == nil || !cursor.skip(UInt8(ascii: "$")) {
      index = nil
      cursor.offset = start
    }
    self.index = index
    let flagsStart = cursor.offset
    while let byte = cursor.peek, Self.flagLetters.contains(byte) { cursor.offset += 1 }
    flags = bytes[flagsStart..<cursor.offset]
    width = cursor.digits()
    if cursor.skip(UInt8(ascii: ".")) {
      guard let digits = cursor.digits() else { return nil }
      precision = digits
    } else {
      precision = nil
    }
    guard let first = cursor.conversion() else { return nil }
    if first | 0x20 == UInt8(ascii: "t"), let second = cursor.conversion() {
      dateLetter = first
      conversion = second
    } else {
      dateLetter = nil
      conversion = first
    }
    end = cursor.offset
  }

  private struct Cursor {
    let bytes: [UInt8]
    var offset: Int

    var peek: UInt8? { offset < bytes.count ? bytes[offset] : nil }

    mutating func skip(_ byte: UInt8) -> Bool {
      guard peek == byte else { return false }
      offset += 1
      return true
    }

    mutating func digits() -> DigitRun? {
      let start = offset
      var value: Int? = 0
      while let byte = peek, byte.isASCIIDigit {
        value = value.map { $0 * 10 + Int(byte &- 0x30) }.flatMap { $0 > Int(Int32.max) ? nil : $0 }
        offset += 1
      }
      return offset == start ? nil : DigitRun(value: value)
    }

    mutating func conversion() -> UInt8? {
      guard let byte = peek, byte.isASCIILetter || byte == UInt8(ascii: "%") else { return nil }
      offset += 1
      return byte
    }
  }
}
