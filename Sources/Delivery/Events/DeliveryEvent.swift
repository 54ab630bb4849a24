package import Clock
package import FCM
package import FCMMessage
package import Outbox
package import Telemetry

/// What the engine reports to metrics and logs.
package enum DeliveryEvent: Sendable, Equatable {
  /// An attempt ended after `milliseconds`. With `outcomeUnknown`, FCM may have accepted the message although
  /// no answer confirms it: its repeat may be a duplicate.
  case attempted(
    app: String, delivery: DeliveryReference, outcome: SendOutcome, milliseconds: Int64, outcomeUnknown: Bool)
  /// An attempt whose outcome is unknown.
  case outcomeUnknown(app: String, delivery: DeliveryReference, code: SendError.Code)
  /// A delivery reached a final state and it is on disk; `milliseconds` since its notification was accepted.
  case recorded(app: String, delivery: DeliveryReference, outcome: Recorded, milliseconds: Int64)
  /// FCM reported a delivery's registration as dead, and it is on disk.
  case deadRegistration(app: String, delivery: DeliveryReference, code: String)
  /// The app's APNs or web push credentials at Firebase are refused: an operator must act there. At most once
  /// a minute.
  case thirdPartyAuth(app: String, failure: SendError)
  /// The project's quota is used up: the app's rate fell to `messagesPerSecond`, and nothing of it is sent
  /// for `holdMilliseconds`.
  case slowed(app: String, messagesPerSecond: Double, holdMilliseconds: Int64)
  /// FCM's `Retry-After` exceeded the maximum and was capped. At most once a minute.
  case retryAfterCapped(app: String, seconds: Int)
  /// A run of server errors: only probes of the app are sent.
  case breakerOpened(app: String, failure: SendError)
  case breakerClosed(app: String)
  /// FCM refuses the app as a whole; its queue is kept until a probe succeeds.
  case paused(app: String, failure: SendError)
  case resumed(app: String)
  /// A call of the queue failed; nothing is lost, and it is repeated.
  case storeFailed(OutboxError)
  case storeRecovered
  /// The engine stopped while this many outcomes were not on disk: their deliveries will be sent again.
  case stoppedUnsettled(count: Int)

  /// The final states. The API reports `cancelled`, not the engine.
  package enum Recorded: String, Sendable {
    case sent, failed, expired, cancelled
  }
}

/// Which delivery an event is about: ids, which may be logged, and a target, which must not.
package struct DeliveryReference: Sendable, Equatable {
  package let notification: NotificationID
  package let delivery: DeliveryID
  /// May be a registration token: logs hold `targetHash` instead.
  package let target: Target
  package let trace: TraceContext?

  package init(_ claimed: ClaimedDelivery) {
    notification = claimed.notification
    delivery = claimed.id
    target = claimed.target
    trace = claimed.trace
  }

  package var targetHash: String { Redaction.shortHash(target.value) }
}

/// The health of an app's sending, for `/readyz` and the metrics.
package struct AppHealth: Sendable, Equatable {
  package let app: String
  /// Attempts that FCM has not answered yet.
  package let inFlight: Int
  /// Since when FCM refuses the app as a whole; nil if it does not.
  package let pausedSince: Timestamp?
  /// Since when the breaker is open after a run of server errors; nil while it is closed.
  package let breakerOpenSince: Timestamp?
  /// Messages a second that are allowed now; 0 while paused, while the breaker is open, or during a hold.
  package internal(set) var messagesPerSecond: Double
  /// Targets that are held because their quota is used up.
  package let holds: Int
  /// Why it is paused or its breaker open, otherwise the last attempt's error; nil after a success.
  package let lastFailure: SendError?
  /// Failed attempts in a row that were FCM's or the network's fault.
  package let serviceFailuresInARow: Int
  package let lastSentAt: Timestamp?
  /// When Firebase's APNs or web push credentials were last refused.
  package let thirdPartyAuthAt: Timestamp?

  package var isPaused: Bool { pausedSince != nil }
  package var isBreakerOpen: Bool { breakerOpenSince != nil }

  /// The number of failures in a row, FCM's or the network's, at which FCM counts as degraded.
  package static let serviceFailuresWarned = 5
  /// Whether FCM, or the network path to it, fails.
  package var isDegraded: Bool { isBreakerOpen || serviceFailuresInARow >= Self.serviceFailuresWarned }
}

/// The health of all apps together, and since when, for `/readyz`.
package struct DeliveryHealth: Sendable {
  package let apps: [AppHealth]
  /// Whether FCM refuses any app as a whole.
  package let isRefused: StatusSince<Bool>
  /// Whether FCM, or the network path to it, fails for any app.
  package let isDegraded: StatusSince<Bool>
}
