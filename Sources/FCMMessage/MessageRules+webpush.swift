internal import JSON

extension RuleCheck {
  /// Checks `WebpushConfig`: the keys of its data, and the headers of RFC 8030 §5.
  mutating func webpushConfig(_ part: MessagePart) {
    dataKeys(part)
    for entry in part.entries("headers") {
      guard let value = entry.value.string else { continue }
      switch entry.key.lowercased() {
      case "ttl":
        if decimal(value.utf8, digitsMax: 10) == nil {
          add(entry.location, "Value of the TTL header must be a number of seconds.")
        }
      case "urgency":
        if !["very-low", "low", "normal", "high"].contains(value) {
          add(entry.location, "Value of the Urgency header must be very-low, low, normal or high.")
        }
      case "topic":
        if !isWebpushTopic(value) {
          add(
            entry.location,
            "Value of the Topic header must be 1 to 32 characters of the URL-safe Base64 alphabet.")
        }
      default: headerName(entry.key, at: entry.location)
      }
    }
  }

  /// Checks that a header name is a token (RFC 9110 §5.6.2).
  mutating func headerName(_ name: String, at location: MessageLocation) {
    let isToken =
      !name.isEmpty
      && name.utf8.allSatisfy { byte in
        (0x21...0x7E).contains(byte) && !"\"(),/:;<=>?@[\\]{}".utf8.contains(byte)
      }
    if !isToken { add(location, "Invalid header name.") }
  }

  private func isWebpushTopic(_ text: String) -> Bool {
    (1...32).contains(text.utf8.count)
      && text.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
          true
        default: false
        }
      }
  }
}
