internal import JSON

/// The signed JWT that a service account exchanges for an access token (RFC 7523; Google, "Using OAuth 2.0 for
/// server to server applications").
enum Assertion {
  /// Google allows a lifetime of at most one hour.
  static let lifetimeSeconds: Int64 = 3600
  /// The constant that Google's own libraries send, even where `token_uri` is another URL.
  static let audience = ServiceAccount.googleTokenURI

  /// The JWT in compact form; nil when signing fails, which takes a millisecond. `now` is UNIX seconds.
  static func compact(for account: ServiceAccount, scope: String, now: Int64) -> String? {
    var header = JSON.Object([("typ", "JWT"), ("alg", "RS256")])
    if let keyID = account.keyID { header.members.append(("kid", .string(keyID))) }
    let claims: JSON = [
      "iat": JSON(now), "exp": JSON(now + lifetimeSeconds), "iss": .string(account.clientEmail),
      "aud": .string(audience), "scope": .string(scope),
    ]
    var token = Base64URL.encoded(JSON.object(header).serialized)
    token.append(UInt8(ascii: "."))
    token += Base64URL.encoded(claims.serialized)
    guard let signature = account.key.signature(of: token) else { return nil }
    token.append(UInt8(ascii: "."))
    token += Base64URL.encoded(signature)
    return String(decoding: token, as: UTF8.self)
  }
}

/// Base64 with the URL-safe alphabet and without padding (RFC 4648 §5, RFC 7515 §2).
enum Base64URL {
  private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

  static func encoded(_ bytes: [UInt8]) -> [UInt8] {
    var output: [UInt8] = []
    output.reserveCapacity((bytes.count * 4 + 2) / 3)
    var buffer: UInt32 = 0
    var bits = 0
    for byte in bytes {
      buffer = buffer << 8 | UInt32(byte)
      bits += 8
      while bits >= 6 {
        bits -= 6
        output.append(alphabet[Int(buffer >> UInt32(bits) & 0x3F)])
      }
    }
    if bits > 0 { output.append(alphabet[Int(buffer << UInt32(6 - bits) & 0x3F)]) }
    return output
  }
}
