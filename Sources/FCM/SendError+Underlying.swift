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
      case .connection, .untrusted, .forbiddenAddress, .unprocessed, .withdrawn, .busy:
        (.network, .retry, .service)
      case .broken, .shuttingDown: (.network, disposition, .service)
      case .unusable: (.network, .permanent, .unsent)
      }
    self.init(
      code: code, message: ServerMessage.redacted(error.detail), disposition: retry, scope: scope)
  }

  /// What a missing access token means for a message: nothing of it was sent.
  package init(_ error: TokenError) {
    switch error.code {
    case .refused:
      self.init(
        code: .authentication, httpStatus: error.httpStatus, message: error.message,
        disposition: .permanent, scope: .unsent)
    case .unavailable:
      self.init(
        code: .authentication, httpStatus: error.httpStatus, message: error.message, disposition: .retry,
        scope: .unsent, retryAfterSeconds: error.retryAfterSeconds)
    case .shutDown: self.init(TransportError.shuttingDown)
    }
  }
}
