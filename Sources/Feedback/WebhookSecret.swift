internal import COpenSSL
internal import FoundationEssentials

/// Why a text is not a list of webhook secrets. Never quotes the text.
package struct WebhookSecretError: Error, Sendable, Equatable, CustomStringConvertible {
  package enum Code: Sendable, Equatable {
    case empty, prefix, notBase64
    /// `count` is the key's size in bytes.
    case keySize
    /// `count` is the number of secrets.
    case tooMany
  }

  package let code: Code
  package var count = 0

  /// The reason, as the end of a sentence that begins with the field's name.
  package var description: String {
    let sizes = WebhookSecret.keyBytes
    return switch code {
    case .empty: "is empty"
    case .prefix: "does not begin with \(WebhookSecret.prefix)"
    case .notBase64: "is not Base64 (with its padding) after \(WebhookSecret.prefix)"
    case .keySize: "holds \(count) bytes; \(sizes.lowerBound) to \(sizes.upperBound) are needed"
    case .tooMany: "holds \(count) secrets; at most \(WebhookSecret.countMax) are allowed"
    }
  }
}

/// A key that webhook requests are signed with (Standard Webhooks, "Signature scheme": `whsec_` and the
/// Base64 of 24 to 64 bytes).
package struct WebhookSecret: Sendable, Equatable {
  static let prefix = "whsec_"
  static let keyBytes = 24...64
  /// The maximum number of secrets in use at the same time; a rotation needs two.
  static let countMax = 4

  private let key: [UInt8]

  package init(_ text: String) throws(WebhookSecretError) {
    guard text.utf8.starts(with: Self.prefix.utf8) else {
      throw WebhookSecretError(code: .prefix)
    }
    let encoded = String(decoding: text.utf8.dropFirst(Self.prefix.utf8.count), as: UTF8.self)
    guard let key = Data(base64Encoded: encoded) else {
      throw WebhookSecretError(code: .notBase64)
    }
    guard Self.keyBytes.contains(key.count) else {
      throw WebhookSecretError(code: .keySize, count: key.count)
    }
    self.key = Array(key)
  }

  /// Reads secrets separated by blanks or commas; requests carry a signature by each, so that one can replace
  /// another.
  package static func list(_ text: String) throws(WebhookSecretError) -> [WebhookSecret] {
    let words = text.utf8.split { $0 == 0x20 || $0 == 0x09 || $0 == 0x0A || $0 == UInt8(ascii: ",") }
    guard !words.isEmpty else { throw WebhookSecretError(code: .empty) }
    guard words.count <= countMax else {
      throw WebhookSecretError(code: .tooMany, count: words.count)
    }
    var secrets: [WebhookSecret] = []
    for word in words { secrets.append(try WebhookSecret(String(decoding: word, as: UTF8.self))) }
    return secrets
  }

  /// `v1,` and the Base64 of the HMAC-SHA256 over `id.timestamp.body`; nil when OpenSSL fails.
  func signature(id: String, timestamp: Int64, body: [UInt8]) -> String? {
    let signed = Array("\(id).\(timestamp).".utf8) + body
    var code = [UInt8](repeating: 0, count: 32)
    var count = 0
    let result = EVP_Q_mac(
      nil, "HMAC", nil, "SHA256", nil, key, key.count, signed, signed.count, &code, code.count, &count)
    guard result != nil, count == code.count else {
      // OpenSSL keeps errors per thread; one left behind would surface in another call.
      ERR_clear_error()
      return nil
    }
    return "v1," + Data(code).base64EncodedString()
  }
}

extension WebhookSecret: CustomStringConvertible, CustomReflectable {
  /// Never the key.
  package var description: String { "\(Self.prefix)…" }
  package var customMirror: Mirror { Mirror(self, children: []) }
}
