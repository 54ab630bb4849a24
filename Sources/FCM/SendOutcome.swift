package import Telemetry

/// What came of one `messages:send` request.
package enum SendOutcome: Sendable, Equatable {
  /// FCM accepted the message and named it (`projects/p/messages/…`).
  case sent(name: String)
  case failed(SendError)
}

/// Why a message was not accepted, and what that says about trying again.
package struct SendError: Sendable, Equatable, Error {
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
    /// FCM did not take the message.
    case retry
    /// FCM may have taken the message; a repeat may reach the device twice.
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
    /// The registration belongs to another sender; not dead, but not ours.
    case foreignRegistration
    /// Too many messages to this device or topic.
    case targetQuota
    /// The project's quota: slow the whole app down.
    case projectQuota
    /// FCM or the way to it: counts towards the app's breaker.
    case service
    /// Our credentials, permissions or project: nothing of this app can be sent until an operator acts.
    case configuration
    /// The app's APNs or web push credentials at Firebase.
    case thirdPartyCredentials
  }

  /// A `Retry-After` header (RFC 9110 §10.2.3), already relative to when the answer came.
  package let retryAfterSeconds: Int?
  package let code: Code
  package let httpStatus: Int?
  /// FCM's own words, cut to 500 bytes; never holds the target.
  package let message: String
  /// The reason that APNs gave, `Unregistered` say.
  package let apnsReason: String?
  package let disposition: Disposition
  package let scope: Scope

  package init(
    code: Code, httpStatus: Int? = nil, message: String, apnsReason: String? = nil, disposition: Disposition,
    scope: Scope, retryAfterSeconds: Int? = nil
  ) {
    self.code = code
    self.httpStatus = httpStatus
    self.message = message
    self.apnsReason = apnsReason
    self.disposition = disposition
    self.scope = scope
    self.retryAfterSeconds = retryAfterSeconds
  }
}

/// What sends one message: FCM's client, or a stand-in under test.
package protocol MessageSender: Sendable {
  /// Sends one `SendMessageRequest` body. Calls `completion` exactly once, on any thread, and never before
  /// `send` could have returned to a caller that holds no lock.
  func send(_ body: [UInt8], completion: @escaping @Sendable (SendOutcome) -> Void)

  /// How many requests go out at once; more would only wait where they can no longer be called back. Nil where others
  /// bound it.
  var inFlightMax: Int? { get }

  /// The same as a part of `trace`: each request that it takes is a span of its own there.
  func send(
    _ body: [UInt8], trace: TraceContext?, completion: @escaping @Sendable (SendOutcome) -> Void)
}

extension MessageSender {
  package var inFlightMax: Int? { nil }

  package func send(
    _ body: [UInt8], trace: TraceContext?, completion: @escaping @Sendable (SendOutcome) -> Void
  ) {
    send(body, completion: completion)
  }
}
