package import GoogleAuth
internal import HTTPClient

/// Why FCM did not accept a message, and whether trying again can help.
package struct SendError: Error, Sendable, Equatable, CustomStringConvertible {
  /// FCM's own codes and the gateway's, as the API shows them.
  package enum Code: String, Sendable, CaseIterable {
    case unregistered = "UNREGISTERED"
    case invalidArgument = "INVALID_ARGUMENT"
    case senderIDMismatch = "SENDER_ID_MISMATCH"
    case quotaExceeded = "QUOTA_EXCEEDED"
    case unavailable = "UNAVAILABLE"
    case `internal` = "INTERNAL"
    case thirdPartyAuthError = "THIRD_PARTY_AUTH_ERROR"
    case timeout = "TIMEOUT"
    case network = "NETWORK"
    case badResponse = "BAD_RESPONSE"
    case authentication = "AUTHENTICATION"
    case permission = "PERMISSION"
    case notFound = "NOT_FOUND"
  }

  /// Whether trying again can help.
  package enum Disposition: Sendable, Equatable {
    /// The same message would get the same answer.
    case permanent
    /// FCM did not accept the message.
    case retry
    /// FCM may have accepted the message; a repeat may reach the device twice.
    case retryOutcomeUnknown
    /// The access token was refused: refresh it once and send again.
    case refreshAccessToken
  }

  /// What the failure is about.
  package enum Scope: Sendable, Equatable {
    /// This message alone.
    case message
    /// The registration is dead and should be forgotten by its owner.
    case registration
    /// The Live Activity's token is dead, as far as FCM's answer tells: its registration usually lives.
    case activity
    /// The registration belongs to another sender; it is not dead.
    case foreignRegistration
    /// Too many messages to this device or topic.
    case targetQuota
    /// The project's quota is used up: slow down the whole app.
    case projectQuota
    /// FCM or the network path to it: counts towards the app's circuit breaker.
    case service
    /// A refusal that names neither the message nor its target: our permissions or project, or something
    /// about this target alone. What other targets get tells which.
    case configuration
    /// There is no access token, or no usable address: nothing of this app can be sent, and nothing was.
    case unsent
    /// The app's APNs or web push credentials at Firebase.
    case thirdPartyCredentials
  }

  /// A `Retry-After` header (RFC 9110 §10.2.3), already relative to the time of the answer.
  package let retryAfterSeconds: Int?
  package let code: Code
  package let httpStatus: Int?
  /// FCM's error message, cut to 500 bytes; never holds the target.
  package let message: String
  /// APNs' reason, such as `Unregistered`.
  package let apnsReason: String?
  package let disposition: Disposition
  package let scope: Scope
  /// How far the attempt came, and who ended it.
  package let end: AttemptEnd

  /// Without an `end`, FCM answered; or, if nothing was sent, the token endpoint.
  package init(
    code: Code, httpStatus: Int? = nil, message: String, apnsReason: String? = nil, disposition: Disposition,
    scope: Scope, retryAfterSeconds: Int? = nil, end: AttemptEnd? = nil
  ) {
    self.end = end ?? (scope == .unsent ? .withoutToken(.answer, .tokenEndpoint) : .answeredByFCM)
    self.code = code
    self.httpStatus = httpStatus
    self.message = message
    self.apnsReason = apnsReason
    self.disposition = disposition
    self.scope = scope
    self.retryAfterSeconds = retryAfterSeconds
  }

  /// The names of the same for an accepted message.
  package static let acceptedPhase = AttemptEnd.Phase.answer.rawValue
  package static let acceptedPeer = AttemptEnd.Peer.fcm.rawValue

  /// Whether FCM may have acted on the request. Otherwise, it was no attempt.
  package var countsAttempt: Bool { end.isCounted }
  /// Whether there was no access token.
  package var isMissingToken: Bool { scope == .unsent && code == .authentication }

  /// The names of how far the attempt came and who ended it.
  package var phase: String { end.phase.rawValue }
  package var peer: String { end.peer.rawValue }

  /// The same failure, read differently.
  package func read(
    as code: Code? = nil, _ disposition: Disposition? = nil, about scope: Scope
  ) -> SendError {
    SendError(
      code: code ?? self.code, httpStatus: httpStatus, message: message, apnsReason: apnsReason,
      disposition: disposition ?? self.disposition, scope: scope, retryAfterSeconds: retryAfterSeconds,
      end: end)
  }

  package var description: String { "\(code.rawValue): \(message)" }
}
