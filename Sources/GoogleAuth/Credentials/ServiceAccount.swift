/// A Google service account with its private key, as read from its JSON file.
package struct ServiceAccount: Sendable, CustomStringConvertible {
  package let projectID: String?
  /// `private_key_id`; the assertion's `kid`.
  package let keyID: String?
  package let clientEmail: String
  /// The endpoint that exchanges assertions for access tokens.
  package let tokenURI: String
  let key: SigningKey

  package static let googleTokenURI = "https://oauth2.googleapis.com/token"

  package var description: String { "service account \(clientEmail)" }

  init?(_ fields: CredentialsFields) {
    let clientEmail = fields.required("client_email")
    let pem = fields.required("private_key")
    projectID = fields.optional("project_id")
    keyID = fields.optional("private_key_id")
    let tokenURI = fields.secretEndpoint("token_uri", or: Self.googleTokenURI)
    var key: SigningKey?
    if let pem {
      do {
        key = try SigningKey(pem: pem)
      } catch {
        fields.note("private_key", error.description)
      }
    }
    guard let clientEmail, let key, let tokenURI else { return nil }
    self.clientEmail = clientEmail
    self.tokenURI = tokenURI
    self.key = key
  }

  /// The exchange of a new assertion for an access token (RFC 7523 §2.1).
  func step(scope: String, route: TokenRoute) -> TokenStep {
    TokenStep(peer: "the token endpoint", destination: route.destination(tokenURI)) {
      _, now throws(TokenError) in
      guard let assertion = Assertion.compact(for: self, scope: scope, now: now) else {
        throw .permanent("the private key cannot sign")
      }
      return TokenMessage(form: [
        ("grant_type", "urn:ietf:params:oauth:grant-type:jwt-bearer"), ("assertion", assertion),
      ])
    }
  }
}
