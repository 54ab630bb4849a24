internal import Clock

/// The id of a request in logs and responses.
package struct RequestID: Sendable, Hashable, CustomStringConvertible {
  private static let bytesMax = 128

  package let description: String

  /// Uses the request's `X-Request-Id` field if there is exactly one, of 1 to 128 visible ASCII characters;
  /// otherwise creates a new id.
  package init(fields: [String] = []) {
    if fields.count == 1, Self.isValid(fields[0]) {
      description = fields[0]
    } else {
      self = .random()
    }
  }

  private init(description: String) { self.description = description }

  /// A new id, a UUIDv7 (RFC 9562 §5.7).
  package static func random() -> RequestID {
    var generator = IDGenerator()
    return random(milliseconds: Timestamp.now.milliseconds, using: &generator)
  }

  static func random(milliseconds: Int64, using generator: inout some RandomNumberGenerator) -> RequestID {
    let high = UInt64(bitPattern: milliseconds) << 16 | 0x7000 | (generator.next() as UInt64) >> 52
    let low = 0x8000_0000_0000_0000 | (generator.next() as UInt64) >> 2
    let text = String(unsafeUninitializedCapacity: 36) { buffer in
      var position = 0
      for index in 0..<32 {
        if index == 8 || index == 12 || index == 16 || index == 20 {
          buffer[position] = UInt8(ascii: "-")
          position += 1
        }
        buffer[position] = index < 16 ? high.hexDigit(index) : low.hexDigit(index - 16)
        position += 1
      }
      return 36
    }
    return RequestID(description: text)
  }

  private static func isValid(_ text: String) -> Bool {
    (1...bytesMax).contains(text.utf8.count) && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
  }
}
