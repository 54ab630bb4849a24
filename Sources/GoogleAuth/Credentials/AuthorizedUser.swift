internal import FoundationEssentials
internal import Synchronization

/// A person's refresh token, as `gcloud auth application-default login` writes it (`authorized_user`), or a
/// workforce user's (`external_account_authorized_user`).
package struct AuthorizedUser: Sendable, CustomStringConvertible {
  /// How the client authenticates (RFC 6749 §2.3.1).
  enum Authentication: Sendable { case form, basic }

  let clientID: String
  let clientSecret: Secret
  let tokenURI: String
  let authentication: Authentication
  private let refreshToken: RefreshToken

  package var description: String { "authorized user" }

  /// Reads `authorized_user`.
  init?(_ fields: CredentialsFields) {
    self.init(
      fields, authentication: .form,
      tokenURI: fields.secretEndpoint("token_uri", or: ServiceAccount.googleTokenURI))
  }

  /// Reads `external_account_authorized_user`.
  init?(workforce fields: CredentialsFields) {
    self.init(fields, authentication: .basic, tokenURI: fields.secretEndpoint("token_url"))
  }

  private init?(_ fields: CredentialsFields, authentication: Authentication, tokenURI: String?) {
    let clientID = fields.required("client_id")
    let clientSecret = fields.required("client_secret")
    let refreshToken = fields.required("refresh_token")
    guard let clientID, let clientSecret, let refreshToken, let tokenURI else { return nil }
    self.clientID = clientID
    self.clientSecret = Secret(clientSecret)
    self.refreshToken = RefreshToken(refreshToken)
    self.tokenURI = tokenURI
    self.authentication = authentication
  }

  /// The refresh-token grant (RFC 6749 §6). It requests no scope: a narrower scope must be among those that the user
  /// granted, and `gcloud` requests cloud-platform, which FCM accepts, but not FCM's own scope.
  func step(route: TokenRoute) -> TokenStep {
    let peer = "the token endpoint"
    return TokenStep(
      peer: peer, destination: route.destination(tokenURI),
      read: { response, now in
        let result = TokenAnswer.read(response, from: peer, now: now)
        if case .success(let grant) = result, let next = grant.refreshToken {
          refreshToken.replace(with: next)
        }
        return result
      },
      compose: { _, _ in
        let token = refreshToken.value
        return switch authentication {
        case .form:
          TokenMessage(form: [
            ("grant_type", "refresh_token"), ("client_id", clientID), ("client_secret", clientSecret.value),
            ("refresh_token", token),
          ])
        case .basic:
          TokenMessage(
            form: [("grant_type", "refresh_token"), ("refresh_token", token)],
            headers: [BasicAuthentication.header(clientID, clientSecret.value)])
        }
      })
  }
}

/// The current refresh token. A service may replace it at each use; the file is not updated.
private final class RefreshToken: Sendable {
  private let current: Mutex<Secret>

  init(_ value: String) { current = Mutex(Secret(value)) }

  var value: String { current.withLock { $0.value } }

  func replace(with value: String) {
    if !value.isEmpty { current.withLock { $0 = Secret(value) } }
  }
}

/// A client's id and secret as a header (RFC 7617), not percent-encoded, as Google's own libraries send them.
enum BasicAuthentication {
  static func header(_ clientID: String, _ secret: String) -> String {
    "Authorization: Basic " + Data("\(clientID):\(secret)".utf8).base64EncodedString()
  }
}
