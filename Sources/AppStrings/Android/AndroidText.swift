/// Assembles a string's text from its XML as the Android Gradle plugin's resource compiler does: white space,
/// quotes, escapes, spans. docs/devices.md says where aapt2 alone differs.
struct AndroidText {
  /// The issues of a text, each at most once.
  struct Issues: OptionSet {
    let rawValue: Int
    /// `'` outside quotes, which the build rejects.
    static let apostrophe = Issues(rawValue: 1)
    /// `\u` without four hexadecimal digits, which the build rejects.
    static let unicodeEscape = Issues(rawValue: 2)
    /// A half of a surrogate pair without the other.
    static let surrogate = Issues(rawValue: 4)
    static let null = Issues(rawValue: 8)
  }

  private enum Part {
    case text(Range<Int>)
    /// A span begins or ends, which ends quotes and runs of white space.
    case span
    /// An `xliff:g` begins or ends.
    case section(isStart: Bool)
  }

  private var raw: [UInt8] = []
  private var parts: [Part] = []
  private(set) var hasSpans = false
  private(set) var issues: Issues = []
  private var output: [UInt8] = []
  private var isQuoted = false
  private var endsInSpace = false
  /// Whether a backslash ends the text before a tag, and escapes what follows the tag.
  private var endsInBackslash = false
  private var edges = AndroidTextEdges()
  /// The last escape, if it is the first half of a surrogate pair, and the end of its stand-in.
  private var highSurrogate: (value: UInt32, end: Int)?
  private var loneSurrogates = 0

  mutating func removeAll() {
    raw.removeAll(keepingCapacity: true)
    parts.removeAll(keepingCapacity: true)
    output.removeAll(keepingCapacity: true)
    (hasSpans, isQuoted, endsInSpace, endsInBackslash) = (false, false, false, false)
    (edges, highSurrogate, loneSurrogates, issues) = (AndroidTextEdges(), nil, 0, [])
  }

  /// The text between two tags.
  mutating func append(_ text: ArraySlice<UInt8>) {
    guard !text.isEmpty else { return }
    let start = raw.count
    raw.append(contentsOf: text)
    parts.append(.text(start..<raw.count))
  }

  /// The tag of an element without namespace (`<b>`, `</b>`).
  mutating func markSpan() {
    parts.append(.span)
    hasSpans = true
  }

  /// The tag of an `xliff:g`.
  mutating func markSection(isStart: Bool) { parts.append(.section(isStart: isStart)) }

  /// The text with its escapes and without outer white space, where the build looks for references.
  var trimmedRaw: ArraySlice<UInt8> {
    var (lower, upper) = (0, raw.count)
    while lower < upper, raw[lower].isAndroidSpace { lower += 1 }
    while upper > lower, raw[upper - 1].isAndroidSpace { upper -= 1 }
    return raw[lower..<upper]
  }

  /// The text that phones receive, without spans.
  mutating func finish() -> String {
    for part in parts {
      switch part {
      case .text(let range): appendUnescaped(range)
      case .span: (isQuoted, endsInSpace, endsInBackslash) = (false, false, false)
      case .section(let isStart): edges.markSection(isStart: isStart, at: output.count)
      }
    }
    if loneSurrogates > 0 { issues.insert(.surrogate) }
    // A text with markup keeps the white space at its ends.
    return String(decoding: hasSpans ? output[...] : output[edges.range(in: output.count)], as: UTF8.self)
  }

  private mutating func appendUnescaped(_ range: Range<Int>) {
    var index = range.lowerBound
    while index < range.upperBound {
      let end = endsInBackslash ? index : endOfPlainBytes(from: index, before: range.upperBound)
      if end > index {
        edges.markCharacter(at: output.count)
        output.append(contentsOf: raw[index..<end])
        edges.markEnd(at: output.count)
        endsInSpace = false
        index = end
        continue
      }
      let byte = raw[index]
      if !isQuoted, let length = spaceLength(at: index, before: range.upperBound) {
        index += length
        if !endsInSpace {
          output.append(0x20)
          endsInBackslash = false
        }
        endsInSpace = true
        continue
      }
      edges.markCharacter(at: output.count)
      endsInSpace = false
      if endsInBackslash || byte == UInt8(ascii: "\\") {
        index += endsInBackslash ? 0 : 1
        endsInBackslash = index == range.upperBound
        // A backslash at the end of the text is dropped.
        if endsInBackslash { break }
        index = appendEscape(at: index, before: range.upperBound)
      } else if byte == UInt8(ascii: "\"") {
        isQuoted.toggle()
        edges.markQuote(at: output.count)
        index += 1
      } else {
        if byte == UInt8(ascii: "'"), !isQuoted { issues.insert(.apostrophe) }
        output.append(byte)
        index += 1
      }
      edges.markEnd(at: output.count)
    }
  }

  /// The end of the bytes that stand for themselves wherever they are: most of a text. A single space between
  /// two of them is one too.
  private func endOfPlainBytes(from start: Int, before end: Int) -> Int {
    var index = start
    while index < end {
      if raw[index].isPlainInAndroidText {
        index += 1
      } else if raw[index] == 0x20, index > start, index + 1 < end, raw[index + 1].isPlainInAndroidText {
        index += 2
      } else {
        break
      }
    }
    return index
  }

  /// The bytes of the white space there, as Java's `Character.isWhitespace` defines it; nil if there is
  /// none. No-break spaces (U+00A0, U+2007, U+202F) are not white space.
  private func spaceLength(at index: Int, before end: Int) -> Int? {
    let byte = raw[index]
    if byte < 0x80 { return byte.isAndroidSpace || (0x1C...0x1F).contains(byte) ? 1 : nil }
    guard index + 2 < end, byte == 0xE1 || byte == 0xE2 || byte == 0xE3 else { return nil }
    switch (byte, raw[index + 1], raw[index + 2]) {
    case (0xE1, 0x9A, 0x80), (0xE2, 0x80, 0x80...0x86), (0xE2, 0x80, 0x88...0x8A), (0xE2, 0x80, 0xA8...0xA9),
      (0xE2, 0x81, 0x9F), (0xE3, 0x80, 0x80):
      return 3
    default: return nil
    }
  }

  /// Appends the escape after a backslash and returns the index after it.
  private mutating func appendEscape(at index: Int, before end: Int) -> Int {
    switch raw[index] {
    case UInt8(ascii: "n"): output.append(0x0A)
    case UInt8(ascii: "t"): output.append(0x09)
    case UInt8(ascii: "u"): return appendUnicodeEscape(at: index + 1, before: end)
    default: output.append(raw[index])
    }
    return index + 1
  }

  private mutating func appendUnicodeEscape(at start: Int, before end: Int) -> Int {
    var index = start
    var code: UInt32 = 0
    // At the end of the text fewer digits are enough, and no digits are zero.
    while index < end, index < start + 4 {
      guard let digit = hexadecimalValue(raw[index]) else {
        issues.insert(.unicodeEscape)
        return index
      }
      code = code << 4 | UInt32(digit)
      index += 1
    }
    if code == 0 { issues.insert(.null) }
    append(code)
    return index
  }

  /// Appends a UTF-16 code unit; two halves of a surrogate pair in a row become their character.
  private mutating func append(_ unit: UInt32) {
    if let scalar = Unicode.Scalar(unit) {
      output.append(contentsOf: UTF8.encode(scalar).map(Array.init) ?? [])
    } else if unit >= 0xDC00, let high = highSurrogate, high.end == output.count,
      let scalar = Unicode.Scalar(0x10000 + (high.value - 0xD800) << 10 + (unit - 0xDC00))
    {
      output.removeLast()
      output.append(contentsOf: UTF8.encode(scalar).map(Array.init) ?? [])
      (highSurrogate, loneSurrogates) = (nil, loneSurrogates - 1)
    } else {
      // Java's encoder writes a lone half as a question mark.
      output.append(UInt8(ascii: "?"))
      loneSurrogates += 1
      highSurrogate = unit < 0xDC00 ? (unit, output.count) : nil
    }
  }
}

/// Where a text without markup begins and ends. White space at its ends is trimmed, unless a quoted part
/// begins or ends further inside, or an `xliff:g` includes it.
private struct AndroidTextEdges {
  private var firstCharacter: Int?
  private var lastEnd: Int?
  private var firstQuote: Int?
  private var lastQuote: Int?
  private var firstSection: Int?
  private var lastSection: Int?

  /// A quote counts as a character too.
  mutating func markCharacter(at offset: Int) { firstCharacter = firstCharacter ?? offset }

  mutating func markEnd(at offset: Int) { lastEnd = offset }

  mutating func markQuote(at offset: Int) {
    firstQuote = firstQuote ?? offset
    lastQuote = offset
  }

  mutating func markSection(isStart: Bool, at offset: Int) {
    if isStart { firstSection = firstSection ?? offset } else { lastSection = offset }
  }

  func range(in count: Int) -> Range<Int> {
    var start = firstCharacter ?? count
    if let firstQuote { start = start < firstQuote ? 0 : firstQuote }
    var end = lastEnd ?? 0
    if let lastQuote { end = end > lastQuote ? count : lastQuote }
    start = min(start, firstSection ?? start)
    end = max(end, lastSection ?? end)
    return start < end ? start..<end : 0..<0
  }
}

func hexadecimalValue(_ byte: UInt8) -> UInt8? {
  switch byte {
  case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
  case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
  case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
  default: nil
  }
}

extension UInt8 {
  /// C's `isspace` in the C locale.
  var isAndroidSpace: Bool { self == 0x20 || (0x09...0x0D).contains(self) }
}

extension UInt8 {
  /// Whether it begins no white space, escape or quote, and is no apostrophe.
  fileprivate var isPlainInAndroidText: Bool {
    switch self {
    case 0...0x20, UInt8(ascii: "\""), UInt8(ascii: "'"), UInt8(ascii: "\\"), 0xE1...0xE3: false
    default: true
    }
  }
}

extension StringProtocol {
  /// The first 100 scalars, for messages. A single `Character` can be as long as a file.
  var firstScalars: String { String(String.UnicodeScalarView(unicodeScalars.prefix(100))) }
}
