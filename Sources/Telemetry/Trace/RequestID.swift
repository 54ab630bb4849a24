internal import Clock

/// The id of a request in logs and responses.
///
/// One that is made here is kept as a number until it is written: it needs no string, in which each writer
/// would count a reference.
package struct RequestID: Sendable, Hashable, CustomStringConvertible {
  private enum Kind: Sendable, Hashable {
    case given(String)
    case own(UUIDv7)
  }

  private static let bytesMax = 128

  private let kind: Kind

  /// Uses the request's `X-Request-Id` field if there is exactly one, of 1 to 128 visible ASCII characters;
  /// otherwise creates a new id.
  package init(fields: [String] = []) {
    if fields.count == 1, Self.isValid(fields[0]) {
      kind = .given(fields[0])
    } else {
      self = .random()
    }
  }

  private init(_ kind: Kind) { self.kind = kind }

  package var description: String {
    switch kind {
    case .given(let text): text
    case .own(let id): id.description
    }
  }

  /// The caller's id, whose text may need escapes; nil for one that is made here.
  var given: String? { if case .given(let text) = kind { text } else { nil } }

  /// Appends the text of `description`.
  package func append(to bytes: inout [UInt8]) {
    switch kind {
    case .given(let text): bytes.append(contentsOf: text.utf8)
    case .own(let id): id.append(to: &bytes)
    }
  }

  /// A new id, a UUIDv7 (RFC 9562 §5.7).
  package static func random() -> RequestID {
    var generator = IDGenerator()
    return random(milliseconds: Timestamp.now.milliseconds, using: &generator)
  }

  static func random(milliseconds: Int64, using generator: inout some RandomNumberGenerator) -> RequestID {
    let high = UInt64(bitPattern: milliseconds) << 16 | 0x7000 | (generator.next() as UInt64) >> 52
    let low = 0x8000_0000_0000_0000 | (generator.next() as UInt64) >> 2
    return RequestID(.own(UUIDv7(high: high, low: low)))
  }

  private static func isValid(_ text: String) -> Bool {
    (1...bytesMax).contains(text.utf8.count) && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
  }
}
