package import GoogleAuth
package import HTTPClient

extension SendError {
  /// What a request that got no response means for its message.
  package init(_ error: TransportError) {
    let disposition: Disposition = error.wasSent ? .retryOutcomeUnknown : .retry
    let (code, retry, scope): (Code, Disposition, Scope) =
      switch error.code {
      case .timeout: (.timeout, disposition, .service)
      case .badResponse: (.badResponse, disposition, .service)
      case .connection, .untrusted, .forbiddenAddress, .unprocessed, .goingAway, .withdrawn, .busy:
        (.network, .retry, .service)
      case .broken, .shuttingDown: (.network, disposition, .service)
      case .unusable: (.network, .permanent, .unsent)
      }
    self.init(
      code: code, httpStatus: error.proxyStatus, message: ServerMessage.redacted(error.detail),
      disposition: retry, scope: scope,
      end: AttemptEnd(error.phase, error.phase == .proxy ? .proxy : .fcm, isCounted: error.wasSent))
  }

  /// What a missing access token means for a message: nothing of it was sent.
  package init(_ error: TokenError) {
    switch error.code {
    case .refused:
      self.init(
        code: .authentication, httpStatus: error.httpStatus, message: error.message,
        disposition: .permanent, scope: .unsent, end: error.end)
    case .unavailable:
      self.init(
        code: .authentication, httpStatus: error.httpStatus, message: error.message, disposition: .retry,
        scope: .unsent, retryAfterSeconds: error.retryAfterSeconds, end: error.end)
    case .shutDown: self.init(TransportError.shuttingDown)
    }
  }
}
