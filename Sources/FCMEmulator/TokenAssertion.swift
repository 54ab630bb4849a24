internal import JSON

/// The decoded JWT of a JWT-bearer grant (RFC 7523). Its signature is not verified.
struct TokenAssertion {
  let header: JSON
  let claims: JSON

  /// Nil unless `text` is three parts in unpadded base64url, the first two of which are JSON objects.
  init?(_ text: String) {
    let parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard parts.count == 3, let header = Self.object(parts[0]), let claims = Self.object(parts[1]),
      base64URLDecoded(parts[2]) != nil
    else { return nil }
    self.header = header
    self.claims = claims
    hasSignature = !parts[2].isEmpty
  }

  private let hasSignature: Bool

  private static func object(_ part: some Collection<UInt8>) -> JSON? {
    guard let bytes = base64URLDecoded(part), let json = try? JSON.parse(bytes), json.object != nil else {
      return nil
    }
    return json
  }

  /// The error with which Google would reject the assertion, or nil. The checks, their order and their
  /// wording are those observed at Google. `ownURL` is the token endpoint that the client called.
  func refusal(now: Double, ownURL: String) -> OAuthError? {
    guard hasSignature, header["alg"]?.string == "RS256" else {
      return .init("invalid_grant", "Invalid JWT Signature.")
    }
    guard let issuer = claims["iss"]?.string, !issuer.isEmpty else {
      return .init("invalid_grant", "Invalid grant: account not found")
    }
    guard let issuedAt = claims["iat"]?.double else {
      return .init("invalid_grant", "Invalid JWT: iat (issued at) is not set.")
    }
    guard let expiresAt = claims["exp"]?.double else {
      return .init("invalid_grant", "Invalid JWT: exp (expiration time) is not set.")
    }
    // Google tolerates a clock difference of five minutes; the extra second allows for the transfer.
    let isTimely =
      expiresAt - issuedAt <= 3600 && expiresAt >= issuedAt && expiresAt >= now - 1 && issuedAt <= now + 301
    guard isTimely else {
      return .init(
        "invalid_grant",
        "Invalid JWT: Token must be a short-lived token (60 minutes) and in a reasonable timeframe. "
          + "Check your iat and exp values in the JWT claim.")
    }
    guard !scopes.isEmpty else {
      return .init("invalid_scope", "Invalid OAuth scope or ID token audience provided.")
    }
    guard let audience = claims["aud"]?.string, [Self.googleURL, ownURL].contains(audience) else {
      return .init("invalid_grant", "Invalid JWT: Failed audience check.")
    }
    return nil
  }

  var scopes: [Substring] { (claims["scope"]?.string ?? "").split(separator: " ") }

  /// The audience that Google's client libraries always use, whatever endpoint they call.
  static let googleURL = "https://oauth2.googleapis.com/token"
}

/// Decodes unpadded base64url (RFC 7515 §2); nil for any other text.
func base64URLDecoded(_ text: some Collection<UInt8>) -> [UInt8]? {
  guard text.count % 4 != 1 else { return nil }
  var bytes: [UInt8] = []
  bytes.reserveCapacity(text.count * 3 / 4)
  var buffer: UInt32 = 0
  var bits = 0
  for character in text {
    let value: UInt8
    switch character {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): value = character - UInt8(ascii: "A")
    case UInt8(ascii: "a")...UInt8(ascii: "z"): value = character - UInt8(ascii: "a") + 26
    case UInt8(ascii: "0")...UInt8(ascii: "9"): value = character - UInt8(ascii: "0") + 52
    case UInt8(ascii: "-"): value = 62
    case UInt8(ascii: "_"): value = 63
    default: return nil
    }
    buffer = buffer << 6 | UInt32(value)
    bits += 6
    if bits >= 8 {
      bits -= 8
      bytes.append(UInt8(truncatingIfNeeded: buffer >> UInt32(bits)))
    }
  }
  return bytes
}
