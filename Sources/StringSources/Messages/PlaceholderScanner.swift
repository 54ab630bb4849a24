internal import AppStrings

/// Takes a text apart at its placeholders. It looks at bytes, because a character that combines with the end
/// of a placeholder, such as a joiner or a vowel sign of Hindi, is one `Character` with it.
struct PlaceholderScanner {
  private let bytes: [UInt8]
  private var position = 0
  private var literal: [UInt8] = []
  private var found: [SourceMessage.Part] = []

  /// More bytes than any placeholder's name has.
  private static let nameBytesMax = 200
  private static let argumentsMax = 999

  init(_ text: String) throws(SourceTextError) {
    try SourceLimits.verify(text)
    bytes = Array(text.utf8)
  }

  /// Keeps the text in front of the next of the ASCII characters `marks`, which it returns, or all that is
  /// left.
  mutating func mark(_ marks: String) -> Unicode.Scalar? {
    let end = bytes[position...].firstIndex { marks.utf8.contains($0) } ?? bytes.endIndex
    literal += bytes[position..<end]
    position = end
    return end < bytes.endIndex ? Unicode.Scalar(bytes[end]) : nil
  }

  /// Keeps the character at which `mark` stopped.
  mutating func keep() {
    let next = bytes[position...].prefix(1)
    literal += next
    position = next.endIndex
  }

  /// Passes `mark` if it comes next.
  mutating func pass(_ mark: String) -> Bool {
    guard bytes[position...].starts(with: mark.utf8) else { return false }
    position += mark.utf8.count
    return true
  }

  /// Passes what comes next from `start` to `end`, and returns what is between.
  mutating func pass(from start: String, to end: String) -> String? {
    let inside = position + start.utf8.count
    guard bytes[position...].starts(with: start.utf8) else { return nil }
    let rest = bytes[inside...].prefix(Self.nameBytesMax)
    guard let close = rest.firstRange(of: Array(end.utf8)) else { return nil }
    position = close.upperBound
    return String(decoding: rest[..<close.lowerBound], as: UTF8.self)
  }

  /// The placeholder of printf that goes on with the next byte, after its `%` or `%(name)`.
  func printf() -> PrintfSyntax? {
    guard position > 0, let syntax = PrintfSyntax(bytes, at: position - 1) else { return nil }
    if case .explicit(let number) = syntax.numbering, number > Self.argumentsMax { return nil }
    return syntax
  }

  /// The next character if it is a letter of ASCII.
  var letter: Unicode.Scalar? {
    bytes[position...].first.flatMap { $0.isASCIILetter ? Unicode.Scalar($0) : nil }
  }

  /// Passes a placeholder of printf, and returns it as it is written, without the `%`.
  mutating func pass(_ syntax: PrintfSyntax) -> String {
    defer { position = syntax.end }
    return String(decoding: bytes[position..<syntax.end], as: UTF8.self)
  }

  mutating func add(_ part: SourceMessage.Part) {
    flush()
    found.append(part)
  }

  mutating func add(_ text: String) { literal += text.utf8 }

  private mutating func flush() {
    if !literal.isEmpty { found.append(.text(String(decoding: literal, as: UTF8.self))) }
    literal = []
  }

  /// All parts, with what is left as text.
  mutating func parts() -> [SourceMessage.Part] {
    literal += bytes[position...]
    position = bytes.endIndex
    flush()
    return found
  }
}
