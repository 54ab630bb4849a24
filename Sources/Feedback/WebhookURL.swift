internal import HTTPClient

/// What is wrong with a text, as the end of a sentence that begins with the field's name. Never quotes the
/// text.
package struct WebhookURLError: Error, Sendable, Equatable, CustomStringConvertible {
  package let description: String
}

/// The URL of the webhook's receiver: `https`, any host name, and no credentials.
package struct WebhookURL: Sendable, Equatable {
  static let bytesMax = 2048

  package let text: String
  /// Whether the host may lead to addresses that are not public, and the URL be plain `http`.
  package let allowsPrivateAddresses: Bool

  package init(_ text: String, allowsPrivateAddresses: Bool) throws(WebhookURLError) {
    let bytes = Array(text.utf8)
    guard bytes.count <= Self.bytesMax else {
      throw WebhookURLError(description: "is longer than \(Self.bytesMax) bytes")
    }
    guard bytes.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "\\") }) else {
      throw WebhookURLError(description: "holds blanks, backslashes or characters beyond ASCII")
    }
    let lowered = bytes.prefix(8).map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
    let rest: ArraySlice<UInt8>
    if lowered.elementsEqual("https://".utf8) {
      rest = bytes[8...]
    } else if lowered.starts(with: "http://".utf8) {
      guard allowsPrivateAddresses else {
        throw WebhookURLError(description: "is not https, which only private addresses may do without")
      }
      rest = bytes[7...]
    } else {
      throw WebhookURLError(description: "does not begin with https://")
    }
    let authority = rest.prefix { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") }
    if authority.contains(UInt8(ascii: "@")) {
      throw WebhookURLError(description: "holds a user name; requests are known by their signature")
    }
    if let problem = EndpointURL.authorityProblem(authority) { throw WebhookURLError(description: problem) }
    if bytes.contains(UInt8(ascii: "#")) { throw WebhookURLError(description: "holds a fragment") }
    self.text = text
    self.allowsPrivateAddresses = allowsPrivateAddresses
  }
}
