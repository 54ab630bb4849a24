internal import HTTPClient

/// Why a text is not the URL of a webhook's receiver. Never quotes the text.
package struct WebhookURLError: Error, Sendable, Equatable, CustomStringConvertible {
  package enum Code: Sendable, Equatable {
    case tooLong, characters, scheme
    /// Plain `http`, which only private addresses may use.
    case notEncrypted
    case noHost, malformedHost, userName, fragment
  }

  package let code: Code

  /// The reason, as the end of a sentence that begins with the field's name.
  package var description: String {
    switch code {
    case .tooLong: "is longer than \(WebhookURL.bytesMax) bytes"
    case .characters: "contains blanks, backslashes or characters beyond ASCII"
    case .scheme: "does not begin with https://"
    case .notEncrypted: "is not https, which is required unless private addresses are allowed"
    case .noHost: "has no host"
    case .malformedHost: "contains a malformed host or port"
    case .userName: "contains a user name; remove it, because the signature identifies requests"
    case .fragment: "contains a fragment"
    }
  }
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
      throw WebhookURLError(code: .tooLong)
    }
    guard bytes.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "\\") }) else {
      throw WebhookURLError(code: .characters)
    }
    let lowered = bytes.prefix(8).map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
    let rest: ArraySlice<UInt8>
    if lowered.elementsEqual("https://".utf8) {
      rest = bytes[8...]
    } else if lowered.starts(with: "http://".utf8) {
      guard allowsPrivateAddresses else {
        throw WebhookURLError(code: .notEncrypted)
      }
      rest = bytes[7...]
    } else {
      throw WebhookURLError(code: .scheme)
    }
    let authority = rest.prefix { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") }
    guard let first = authority.first, first != UInt8(ascii: ":") else {
      throw WebhookURLError(code: .noHost)
    }
    if authority.contains(UInt8(ascii: "@")) {
      throw WebhookURLError(code: .userName)
    }
    guard EndpointURL.authorityProblem(authority) == nil else { throw WebhookURLError(code: .malformedHost) }
    if bytes.contains(UInt8(ascii: "#")) { throw WebhookURLError(code: .fragment) }
    self.text = text
    self.allowsPrivateAddresses = allowsPrivateAddresses
  }
}
