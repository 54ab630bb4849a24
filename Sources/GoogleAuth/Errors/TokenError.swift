internal import HTTPClient

/// Why there is no access token. Messages never hold a token, a key or a secret.
package struct TokenError: Error, Sendable, Equatable, CustomStringConvertible {
  package enum Code: Sendable, Equatable {
    /// The credentials are refused or unusable: there is no token until an operator acts.
    case refused
    /// A token service, or the network path to it, fails; a later request can succeed.
    case unavailable
    /// The client has been shut down.
    case shutDown
  }

  package let code: Code
  package let httpStatus: Int?
  package let message: String
  /// How far the request for the token came, and who ended it.
  package let end: AttemptEnd
  /// How long to wait before the next request, if the token service named a time.
  package let retryAfterSeconds: Int?

  package var description: String { message }
  /// Whether another request can succeed.
  package var isTransient: Bool { code != .refused }

  init(
    code: Code, message: String, httpStatus: Int? = nil, retryAfterSeconds: Int? = nil,
    end: AttemptEnd = .withoutToken(.answer, .tokenEndpoint)
  ) {
    self.code = code
    self.end = end
    self.httpStatus = httpStatus
    self.message = ServerMessage.redacted(message)
    self.retryAfterSeconds = retryAfterSeconds
  }

  static let shutDown = TokenError(code: .shutDown, message: "shutting down")

  static func permanent(_ message: String, status: Int? = nil) -> TokenError {
    TokenError(code: .refused, message: message, httpStatus: status)
  }

  static func transient(
    _ message: String, status: Int? = nil, retryAfterSeconds: Int? = nil,
    end: AttemptEnd = .withoutToken(.answer, .tokenEndpoint)
  ) -> TokenError {
    TokenError(
      code: .unavailable, message: message, httpStatus: status, retryAfterSeconds: retryAfterSeconds, end: end
    )
  }

  /// The same without what it quotes of `secrets`.
  func without(_ secrets: [String]) -> TokenError {
    TokenError(
      code: code, message: ServerMessage.removing(secrets, from: message), httpStatus: httpStatus,
      retryAfterSeconds: retryAfterSeconds, end: end)
  }

  /// A transient error that reports how long to wait, rounded up to whole seconds.
  func delayed(by pause: Duration) -> TokenError {
    guard isTransient else { return self }
    let seconds = pause.components.seconds + (pause.components.attoseconds > 0 ? 1 : 0)
    return TokenError(
      code: code, message: message, httpStatus: httpStatus, retryAfterSeconds: Int(clamping: seconds),
      end: end)
  }
}
