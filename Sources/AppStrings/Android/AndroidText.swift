/// Assembles a string's text from its XML as aapt2 does (ResourceParser.cpp FlattenXmlSubtree,
/// ResourceUtils.cpp StringBuilder): white space, quotes, escapes, spans.
struct AndroidText {
  /// The issues of a text, each at most once.
  struct Issues: OptionSet {
    let rawValue: Int
    /// `'` outside quotes: aapt2 fails.
    static let apostrophe = Issues(rawValue: 1)
    /// `\u` without four hexadecimal digits: aapt2 fails.
    static let unicodeEscape = Issues(rawValue: 2)
    /// `\uD800` to `\uDFFF`: aapt2 drops them, also in pairs.
    static let surrogate = Issues(rawValue: 4)
    static let null = Issues(rawValue: 8)
  }

  private struct Segment {
    var range: Range<Int>
    /// Whether a span begins or ends before the segment, which ends quotes and runs of white space.
    let isAfterSpan: Bool
  }

  private var raw: [UInt8] = []
  private var segments: [Segment] = []
  private var output: [UInt8] = []
  private var isAfterSpan = false
  private(set) var hasSpans = false
  private(set) var issues: Issues = []
  private var isQuoted = false
  private var endsInSpace = false

  mutating func removeAll() {
    raw.removeAll(keepingCapacity: true)
    segments.removeAll(keepingCapacity: true)
    output.removeAll(keepingCapacity: true)
    (isAfterSpan, hasSpans, isQuoted, endsInSpace) = (false, false, false, false)
    issues = []
  }

  /// The text between two tags.
  mutating func append(_ text: ArraySlice<UInt8>) {
    guard !text.isEmpty else { return }
    let start = raw.count
    raw.append(contentsOf: text)
    segments.append(Segment(range: start..<raw.count, isAfterSpan: isAfterSpan))
    isAfterSpan = false
  }

  /// The tag of an element without namespace (`<b>`, `</b>`).
  mutating func markSpan() {
    isAfterSpan = true
    hasSpans = true
  }

  /// The text with its escapes and without outer white space, where aapt2 looks for references.
  var trimmedRaw: ArraySlice<UInt8> { raw[trimmed(0..<raw.count, start: true, end: true)] }

  /// The text that phones receive, without spans.
  mutating func finish() -> String {
    if !hasSpans, let last = segments.indices.last {
      // Only at the outer ends, and before escapes are resolved: "\n " keeps its line break and `" "` its
      // space.
      segments[0].range = trimmed(segments[0].range, start: true, end: last == 0)
      if last > 0 { segments[last].range = trimmed(segments[last].range, start: false, end: true) }
    }
    for segment in segments {
      if segment.isAfterSpan { (isQuoted, endsInSpace) = (false, false) }
      appendUnescaped(segment.range)
    }
    return String(decoding: output, as: UTF8.self)
  }

  private func trimmed(_ range: Range<Int>, start: Bool, end: Bool) -> Range<Int> {
    var (lower, upper) = (range.lowerBound, range.upperBound)
    if start { while lower < upper, raw[lower].isAndroidSpace { lower += 1 } }
    if end { while upper > lower, raw[upper - 1].isAndroidSpace { upper -= 1 } }
    return lower..<upper
  }

  private mutating func appendUnescaped(_ range: Range<Int>) {
    var index = range.lowerBound
    while index < range.upperBound {
      let byte = raw[index]
      index += 1
      if byte.isAndroidSpace, !isQuoted {
        if !endsInSpace { output.append(0x20) }
        endsInSpace = true
        continue
      }
      endsInSpace = false
      switch byte {
      case UInt8(ascii: "\\"):
        // A backslash at the end, or before a tag, is dropped.
        guard index < range.upperBound else { break }
        index = appendEscape(at: index, before: range.upperBound)
      case UInt8(ascii: "\""):
        isQuoted.toggle()
      case UInt8(ascii: "'") where !isQuoted:
        issues.insert(.apostrophe)
        output.append(byte)
      default:
        output.append(byte)
      }
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
    // At the end of the text aapt2 accepts fewer digits, and no digits as zero.
    while index < end, index < start + 4 {
      guard let digit = hexadecimalValue(raw[index]) else {
        issues.insert(.unicodeEscape)
        return index
      }
      code = code << 4 | UInt32(digit)
      index += 1
    }
    if code == 0 { issues.insert(.null) }
    if let scalar = Unicode.Scalar(code) {
      output.append(contentsOf: UTF8.encode(scalar).map(Array.init) ?? [])
    } else {
      issues.insert(.surrogate)
    }
    return index
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
  /// C's `isspace` in the C locale, which aapt2 uses.
  var isAndroidSpace: Bool { self == 0x20 || (0x09...0x0D).contains(self) }
}

extension StringProtocol {
  /// The first 100 scalars, for messages. A single `Character` can be as long as a file.
  var firstScalars: String { String(String.UnicodeScalarView(unicodeScalars.prefix(100))) }
}
