internal import COpenSSL

/// A new API key of 256 random bits, and its configuration, which contains only its SHA-256.
package struct APIKey: Sendable {
  /// `dgm_` and 43 characters of base64url; the prefix makes leaked keys easy to find.
  package let text: String

  /// Nil if the system provides no random numbers.
  package init?() {
    var bytes = [UInt8](repeating: 0, count: 32)
    guard RAND_bytes(&bytes, Int32(bytes.count)) == 1 else { return nil }
    text = "dgm_" + Self.base64URL(bytes)
  }

  /// The lines for `auth.clients`.
  package func configuration(name: String, scopes: [String]) -> String {
    let digits = sha256(Array(text.utf8)).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    return """
      auth:
        clients:
          - name: \(name)
            key_sha256: \(digits)
            scopes: [\(scopes.joined(separator: ", "))]
      """
  }

  /// Base 64 with the URL-safe alphabet, without padding (RFC 4648 §5).
  private static func base64URL(_ bytes: [UInt8]) -> String {
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
    var text = ""
    var buffer = 0
    var bits = 0
    for byte in bytes {
      buffer = buffer << 8 | Int(byte)
      bits += 8
      while bits >= 6 {
        bits -= 6
        text.append(alphabet[buffer >> bits & 63])
      }
      buffer &= (1 << bits) - 1
    }
    if bits > 0 { text.append(alphabet[buffer << (6 - bits) & 63]) }
    return text
  }
}
