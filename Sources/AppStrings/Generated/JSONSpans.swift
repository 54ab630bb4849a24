internal import JSON

/// The places of an object's members in the bytes of a JSON text, for edits that change nothing else.
struct JSONObjectSpans {
  struct Member {
    let key: String
    /// With its quotes.
    let keyRange: Range<Int>
    let valueRange: Range<Int>
  }

  /// From the brace to the brace.
  let range: Range<Int>
  let members: [Member]

  subscript(key: String) -> Member? { members.last { $0.key.hasSameBytes(as: key) } }

  /// The object at an offset in valid JSON; nil if there is another value. O(bytes of the object).
  init?(_ bytes: [UInt8], at start: Int) {
    var scanner = JSONScanner(bytes: bytes, position: start)
    guard scanner.current == UInt8(ascii: "{") else { return nil }
    scanner.position += 1
    var members: [Member] = []
    while true {
      scanner.skip { $0.isAndroidSpace || $0 == UInt8(ascii: ",") }
      guard scanner.current == UInt8(ascii: "\"") else { break }
      let keyRange = scanner.value()
      scanner.skip { $0.isAndroidSpace || $0 == UInt8(ascii: ":") }
      let valueRange = scanner.value()
      guard let key = (try? JSON.parse(Array(bytes[keyRange])))?.string else { return nil }
      members.append(Member(key: key, keyRange: keyRange, valueRange: valueRange))
    }
    guard scanner.current == UInt8(ascii: "}") else { return nil }
    range = start..<scanner.position + 1
    self.members = members
  }
}

/// Skips over values of valid JSON.
private struct JSONScanner {
  let bytes: [UInt8]
  var position: Int

  var current: UInt8? { position < bytes.count ? bytes[position] : nil }

  mutating func skip(_ isSkipped: (UInt8) -> Bool) {
    while let byte = current, isSkipped(byte) { position += 1 }
  }

  /// Skips the value that begins here and returns its range.
  mutating func value() -> Range<Int> {
    let start = position
    var depth = 0
    repeat {
      switch current {
      case nil: return start..<position
      case UInt8(ascii: "\""): skipString()
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        depth += 1
        position += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        depth -= 1
        position += 1
      case .some where depth > 0: position += 1
      default: skip { !$0.isAndroidSpace && !",}]".utf8.contains($0) }
      }
    } while depth > 0
    return start..<position
  }

  private mutating func skipString() {
    position += 1
    while let byte = current {
      position += byte == UInt8(ascii: "\\") ? 2 : 1
      if byte == UInt8(ascii: "\"") { return }
    }
    position = min(position, bytes.count)
  }
}
