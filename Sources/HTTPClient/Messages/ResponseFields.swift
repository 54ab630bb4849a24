/// The header fields of a response that callers use.
package struct ResponseFields: Sendable, Equatable {
  package var retryAfter: String?
  package var date: String?
  /// This and the following: of answers that are not the peer's own, as far as one can tell from their
  /// status and type. They say whose answer it is.
  package var contentType: String?
  package var via: String?
  package var location: String?

  package init(
    retryAfter: String? = nil, date: String? = nil, contentType: String? = nil, via: String? = nil,
    location: String? = nil
  ) {
    self.retryAfter = retryAfter
    self.date = date
    self.contentType = contentType
    self.via = via
    self.location = location
  }

  /// Takes a field, whose name may have upper-case letters.
  mutating func take(_ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer, status: Int) {
    guard value.count <= 256 else { return }
    if Self.isEqual(name, "retry-after") {
      retryAfter = String(decoding: value, as: UTF8.self)
    } else if Self.isEqual(name, "content-type") {
      guard status >= 300 || !Self.begins(value, with: "application/json") else { return }
      contentType = String(decoding: value, as: UTF8.self)
    } else if Self.isEqual(name, "date") {
      date = String(decoding: value, as: UTF8.self)
    } else if status >= 300 {
      if Self.isEqual(name, "via") { via = String(decoding: value, as: UTF8.self) }
      if Self.isEqual(name, "location") { location = String(decoding: value, as: UTF8.self) }
    }
  }

  /// `lowercase` is compared without regard to case (RFC 9110 §5.1).
  private static func isEqual(_ name: UnsafeRawBufferPointer, _ lowercase: StaticString) -> Bool {
    name.count == lowercase.utf8CodeUnitCount && begins(name, with: lowercase)
  }

  private static func begins(_ text: UnsafeRawBufferPointer, with lowercase: StaticString) -> Bool {
    lowercase.withUTF8Buffer { prefix in
      text.count >= prefix.count
        && zip(text, prefix).allSatisfy { ((0x41...0x5A).contains($0) ? $0 | 0x20 : $0) == $1 }
    }
  }
}
