internal import COpenSSL
internal import FoundationEssentials

/// What is wrong with a text, as the end of a sentence that begins with the field's name. Never quotes the text.
package struct WebhookSecretError: Error, Sendable, Equatable, CustomStringConvertible {
  package let description: String
}

/// A key that webhook requests are signed with (Standard Webhooks, "Signature scheme": `whsec_` and the Base64 of 24
/// to 64 bytes).
package struct WebhookSecret: Sendable {
  static let prefix = "whsec_"
  static let keyBytes = 24...64
  /// Secrets in use at a time: an old and a new one, and some more.
  static let countMax = 4

  private let key: [UInt8]

  package init(_ text: String) throws(WebhookSecretError) {
    guard text.utf8.starts(with: Self.prefix.utf8) else {
      throw WebhookSecretError(description: "does not begin with \(Self.prefix)")
    }
    let encoded = String(decoding: text.utf8.dropFirst(Self.prefix.utf8.count), as: UTF8.self)
    guard let key = Data(base64Encoded: encoded) else {
      throw WebhookSecretError(description: "is not Base64 (with its padding) after \(Self.prefix)")
    }
    guard Self.keyBytes.contains(key.count) else {
      throw WebhookSecretError(
        description:
          "holds \(key.count) bytes; \(Self.keyBytes.lowerBound) to \(Self.keyBytes.upperBound) are needed")
    }
    self.key = Array(key)
  }

  /// Reads secrets separated by blanks or commas; requests carry a signature by each, so that one can replace another.
  package static func list(_ text: String) throws(WebhookSecretError) -> [WebhookSecret] {
    let words = text.utf8.split { $0 == 0x20 || $0 == 0x09 || $0 == 0x0A || $0 == UInt8(ascii: ",") }
    guard !words.isEmpty else { throw WebhookSecretError(description: "is empty") }
    guard words.count <= countMax else {
      throw WebhookSecretError(description: "holds \(words.count) secrets; \(countMax) at most are taken")
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
