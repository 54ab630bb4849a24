internal import HTTPClient
internal import JSON

/// The credentials that an app sends with.
package struct Credentials: Sendable, CustomStringConvertible {
  package indirect enum Kind: Sendable {
    /// For an emulator, which checks none.
    case none
    case serviceAccount(ServiceAccount)
    case authorizedUser(AuthorizedUser)
    case externalAccount(ExternalAccount)
    case impersonated(ImpersonatedServiceAccount)
    case metadataServer(MetadataServer)
    /// They cannot be loaded now: there is no token until they are replaced.
    case unavailable(CredentialsError)
  }

  package let kind: Kind
  /// The project whose quota requests count against, if it is not the credentials' own.
  package let quotaProjectID: String?
  /// The text of the file that holds them; nil for those of no file.
  var text: Secret?

  package static let none = Credentials(.none)

  /// Stand for those that cannot be loaded now.
  package static func unavailable(_ error: CredentialsError) -> Credentials {
    Credentials(.unavailable(error))
  }

  /// Why they cannot be loaded; nil for all others.
  package var failure: CredentialsError? { if case .unavailable(let error) = kind { error } else { nil } }

  init(_ kind: Kind, quotaProjectID: String? = nil) {
    self.kind = kind
    self.quotaProjectID = quotaProjectID
  }

  /// The project that the credentials belong to.
  package var projectID: String? {
    switch kind {
    case .serviceAccount(let account): account.projectID
    case .metadataServer(let server): server.projectID
    case .none, .authorizedUser, .externalAccount, .impersonated, .unavailable: nil
    }
  }

  /// The kind and the account, for an operator; no secrets.
  package var description: String {
    switch kind {
    case .none: "none"
    case .serviceAccount(let account): account.description
    case .authorizedUser(let user): user.description
    case .externalAccount(let account): account.description
    case .impersonated(let account): account.description
    case .metadataServer(let server): server.description
    case .unavailable(let error): error.description
    }
  }

  /// Whether the same requests lead to their access tokens as to those of `other`.
  package func isSame(as other: Credentials) -> Bool {
    switch (kind, other.kind) {
    case (.none, .none): return true
    case (.unavailable(let one), .unavailable(let other)): return one == other
    case (.metadataServer(let one), .metadataServer(let other)):
      return one.host.hasSameBytes(as: other.host) && one.projectID == other.projectID
    default:
      guard let text, let other = other.text else { return false }
      return text.value.hasSameBytes(as: other.value)
    }
  }

  /// The URLs of the services that lead to an access token.
  package var tokenURLs: [String] {
    steps(scope: "", route: TokenRoute(caFile: nil, timeout: .seconds(1))).map(\.destination.url)
  }

  /// The requests that lead to an access token; empty if none is needed.
  func steps(scope: String, route: TokenRoute) -> [TokenStep] {
    switch kind {
    case .none: []
    case .serviceAccount(let account): [account.step(scope: scope, route: route)]
    case .authorizedUser(let user): [user.step(route: route)]
    case .externalAccount(let account):
      account.steps(scope: scope, quotaProjectID: quotaProjectID, route: route)
    case .impersonated(let account): account.steps(scope: scope, route: route)
    case .metadataServer(let server): [server.step(scope: scope, route: route)]
    case .unavailable(let error):
      [
        TokenStep(peer: "", destination: route.destination(ServiceAccount.googleTokenURI)) {
          _, _ throws(TokenError) in
          throw .transient(error.description, end: .withoutToken(.send, .tokenEndpoint))
        }
      ]
    }
  }
}
