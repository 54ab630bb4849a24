internal import AppStrings
internal import Glibc

/// Moves through a JSON text without building a tree: a snapshot can have tens of megabytes, of which a check
/// needs a few keys.
///
/// It checks the structure, not every rule of JSON. Nil means that the text has something else at this place.
struct SnapshotScanner {
  private let bytes: [UInt8]
  private(set) var position: Int
  private let end: Int

  init(_ bytes: [UInt8], _ range: Range<Int>? = nil) {
    self.bytes = bytes
    (position, end) = (range?.lowerBound ?? 0, min(range?.upperBound ?? bytes.count, bytes.count))
  }

  /// The same text from another place on, which is not before this one.
  func moved(to place: Int) -> SnapshotScanner { SnapshotScanner(bytes, max(position, place)..<end) }

  /// Takes one character after white space.
  mutating func take(_ character: Unicode.Scalar) -> Bool {
    skipSpace()
    guard position < end, bytes[position] == UInt8(ascii: character) else { return false }
    position += 1
    return true
  }

  /// Whether nothing but white space is left.
  mutating func isAtEnd() -> Bool {
    skipSpace()
    return position == end
  }

  /// The place of the name of the next member of an object. `isFirst` is for the first one.
  mutating func rawMember(isFirst: Bool) -> Step<Range<Int>> {
    if take("}") { return .end }
    if !isFirst, !take(",") { return .damaged }
    guard let name = rawString(), take(":") else { return .damaged }
    return .value(name)
  }

  /// The name of the next member of an object. `isFirst` is for the first one.
  mutating func member(isFirst: Bool) -> Step<String> {
    switch rawMember(isFirst: isFirst) {
    case .value(let range): text(range).map { .value($0) } ?? .damaged
    case .end: .end
    case .damaged: .damaged
    }
  }

  enum Step<Value> {
    case value(Value)
    case end
    case damaged
  }

  /// A string, with its escapes resolved.
  mutating func string() -> String? { rawString().flatMap { text($0) } }

  /// A string, or nil for `null`; damaged for anything else.
  mutating func optionalString() -> Step<String?> {
    skipSpace()
    guard position < end, bytes[position] == UInt8(ascii: "n") else {
      return string().map { .value($0) } ?? .damaged
    }
    return skipValue() ? .value(nil) : .damaged
  }

  /// The place of the text of an entry that is a string and nothing else, with its members in the order in
  /// which they are written; nil for any other value, which is not taken.
  mutating func plainEntry() -> Range<Int>? {
    let start = position
    guard take("{"), take(name: "kind"), take(text: "string"), take(","), take(name: "text"),
      let text = rawString(), take(","), take(name: "file"), rawString() != nil, take(","),
      take(name: "line"), takeScalar(), take("}")
    else {
      position = start
      return nil
    }
    return text
  }

  /// Where a value ends if its last line has nothing but its bracket, indented by `indent` spaces. A string
  /// has no raw line feed, so only the nesting remains to be checked.
  func endOfIndentedValue(indent: Int) -> Int? {
    bytes.withUnsafeBufferPointer { bytes in
      guard let base = bytes.baseAddress else { return nil }
      var index = position
      while index < end, let found = memchr(base + index, 0x0A, end - index) {
        index = UnsafeRawPointer(found) - UnsafeRawPointer(base) + 1
        let bracket = index + indent
        guard bracket < end else { return nil }
        if bytes[bracket] == UInt8(ascii: "}"), bytes[index..<bracket].allSatisfy({ $0 == 0x20 }) {
          return bracket + 1
        }
      }
      return nil
    }
  }

  /// Skips an object that ends at the end of its line, and has no other bracket; false for any other value,
  /// which is not skipped. Most values are such objects, and this is faster than looking at their members.
  mutating func skipLineOfObject() -> Bool {
    skipSpace()
    guard position < end, bytes[position] == UInt8(ascii: "{") else { return false }
    let next = bytes.withUnsafeBufferPointer { bytes -> Int? in
      guard let base = bytes.baseAddress, let found = memchr(base + position, 0x7D, end - position) else {
        return nil
      }
      let bracket = UnsafeRawPointer(found) - UnsafeRawPointer(base)
      let separator = bracket + 1 < end && bytes[bracket + 1] == UInt8(ascii: ",") ? bracket + 2 : bracket + 1
      let content = (start: base + position + 1, count: bracket - position - 1)
      guard separator < end, bytes[separator] == 0x0A, memchr(content.start, 0x0A, content.count) == nil,
        memchr(content.start, 0x7B, content.count) == nil
      else { return nil }
      return bracket + 1
    }
    guard let next else { return false }
    position = next
    return true
  }

  /// Skips a value of any kind. Its brackets must match; its scalars are not examined.
  mutating func skipValue() -> Bool {
    let next = bytes.withUnsafeBufferPointer { Self.endOfValue($0, from: position, to: end) }
    guard let next else { return false }
    position = next
    return true
  }

  /// Whether two places have the same bytes.
  func isSame(_ left: Range<Int>, _ right: Range<Int>) -> Bool {
    left.count == right.count
      && bytes.withUnsafeBufferPointer { bytes in
        guard let base = bytes.baseAddress else { return true }
        return memcmp(base + left.lowerBound, base + right.lowerBound, left.count) == 0
      }
  }

  /// Whether the bytes of one place come before those of another.
  func precedes(_ left: Range<Int>, _ right: Range<Int>) -> Bool {
    bytes.withUnsafeBufferPointer { bytes in
      guard let base = bytes.baseAddress else { return false }
      let order = memcmp(
        base + left.lowerBound, base + right.lowerBound, min(left.count, right.count))
      return order == 0 ? left.count < right.count : order < 0
    }
  }

  /// The text between two quotes, with its escapes resolved; nil if it is damaged.
  func text(_ range: Range<Int>) -> String? {
    bytes.withUnsafeBufferPointer { bytes in
      let raw = UnsafeBufferPointer(rebasing: bytes[range])
      guard let base = raw.baseAddress, memchr(base, 0x5C, raw.count) != nil else {
        return String(validating: raw, as: UTF8.self)
      }
      return Self.unescaped(raw)
    }
  }
}

// MARK: Places

extension SnapshotScanner {
  private static func endOfValue(_ bytes: UnsafeBufferPointer<UInt8>, from start: Int, to end: Int) -> Int? {
    var depth = 0
    var position = start
    repeat {
      while position < end, isSpace(bytes[position]) { position += 1 }
      guard position < end else { return nil }
      switch bytes[position] {
      case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        depth -= 1
        if depth < 0 { return nil }
      case UInt8(ascii: "\""):
        guard let quote = endOfString(bytes, from: position + 1, to: end) else { return nil }
        position = quote
      case UInt8(ascii: ","), UInt8(ascii: ":"):
        guard depth > 0 else { return nil }
      default:
        guard isScalar(bytes[position]) else { return nil }
        while position + 1 < end, isScalar(bytes[position + 1]) { position += 1 }
      }
      position += 1
    } while depth > 0
    return position
  }

  /// The place of the quote that ends a string; the C library's search is many times faster than a loop.
  private static func endOfString(
    _ bytes: UnsafeBufferPointer<UInt8>, from start: Int, to end: Int
  ) -> Int? {
    guard let base = bytes.baseAddress else { return nil }
    var index = start
    while index < end, let found = memchr(base + index, 0x22, end - index) {
      let quote = UnsafeRawPointer(found) - UnsafeRawPointer(base)
      var backslashes = 0
      while quote - backslashes > start, bytes[quote - backslashes - 1] == UInt8(ascii: "\\") {
        backslashes += 1
      }
      if backslashes.isMultiple(of: 2) { return quote }
      index = quote + 1
    }
    return nil
  }

  private static func isScalar(_ byte: UInt8) -> Bool {
    byte.isASCIIAlphanumeric || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "+")
      || byte == UInt8(ascii: ".")
  }

  private static func isSpace(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D
  }

  private mutating func skipSpace() {
    while position < end, Self.isSpace(bytes[position]) { position += 1 }
  }

  /// Takes a string that is written exactly so, without escapes.
  private mutating func take(text: StaticString) -> Bool {
    guard let range = rawString(), range.count == text.utf8CodeUnitCount else { return false }
    return bytes.withUnsafeBufferPointer { bytes in
      guard let base = bytes.baseAddress else { return false }
      return memcmp(base + range.lowerBound, text.utf8Start, range.count) == 0
    }
  }

  private mutating func take(name: StaticString) -> Bool { take(text: name) && take(":") }

  private mutating func takeScalar() -> Bool {
    skipSpace()
    let start = position
    while position < end, Self.isScalar(bytes[position]) { position += 1 }
    return position > start
  }

  /// A number, `true`, `false` or `null`, as written; nil for anything else.
  mutating func scalar() -> String? {
    skipSpace()
    let start = position
    return takeScalar() ? String(decoding: bytes[start..<position], as: UTF8.self) : nil
  }

  /// The bytes between two quotes.
  private mutating func rawString() -> Range<Int>? {
    skipSpace()
    guard position < end, bytes[position] == UInt8(ascii: "\"") else { return nil }
    let start = position + 1
    guard let quote = bytes.withUnsafeBufferPointer({ Self.endOfString($0, from: start, to: end) }) else {
      return nil
    }
    position = quote + 1
    return start..<quote
  }
}

// MARK: Escapes

extension SnapshotScanner {
  private static func unescaped(_ bytes: UnsafeBufferPointer<UInt8>) -> String? {
    var units: [UInt8] = []
    units.reserveCapacity(bytes.count)
    var index = bytes.startIndex
    while index < bytes.endIndex {
      guard bytes[index] == UInt8(ascii: "\\") else {
        units.append(bytes[index])
        index += 1
        continue
      }
      guard index + 1 < bytes.endIndex else { return nil }
      index += 2
      switch bytes[index - 1] {
      case UInt8(ascii: "n"): units.append(0x0A)
      case UInt8(ascii: "t"): units.append(0x09)
      case UInt8(ascii: "r"): units.append(0x0D)
      case UInt8(ascii: "b"): units.append(0x08)
      case UInt8(ascii: "f"): units.append(0x0C)
      case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): units.append(bytes[index - 1])
      case UInt8(ascii: "u"):
        guard let first = unit(bytes, at: index) else { return nil }
        index += 4
        var pair = [first]
        if UTF16.isLeadSurrogate(first), bytes[index...].starts(with: "\\u".utf8),
          let second = unit(bytes, at: index + 2), UTF16.isTrailSurrogate(second)
        {
          pair.append(second)
          index += 6
        }
        units += String(decoding: pair, as: UTF16.self).utf8
      default: return nil
      }
    }
    return String(validating: units, as: UTF8.self)
  }

  private static func unit(_ bytes: UnsafeBufferPointer<UInt8>, at index: Int) -> UInt16? {
    guard index <= bytes.endIndex - 4 else { return nil }
    return UInt16(String(decoding: bytes[index..<index + 4], as: UTF8.self), radix: 16)
  }
}
