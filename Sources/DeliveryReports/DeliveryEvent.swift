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
  /// There was no access token for a delivery, or no usable address: FCM was not asked.
  case unsent(app: String, failure: SendError)
  /// FCM answered after `milliseconds` about a message that it was only to check.
  case validated(app: String, outcome: SendOutcome, milliseconds: Int64)
  /// An attempt whose outcome is unknown.
  case outcomeUnknown(app: String, delivery: DeliveryReference, code: SendError.Code)
  /// A delivery reached a final state and it is on disk; `milliseconds` since its notification was accepted.
  case recorded(app: String, delivery: DeliveryReference, outcome: Recorded, milliseconds: Int64)
  /// A delivery is back in the queue until `until`, and that is on disk.
  case waits(app: String, delivery: DeliveryReference, until: Timestamp)
  /// FCM reported a delivery's registration as dead, and it is on disk.
  case deadRegistration(app: String, delivery: DeliveryReference, code: String)
  /// FCM reported the token of a delivery's Live Activity as dead, and it is on disk.
  case deadActivity(app: String, delivery: DeliveryReference, code: String)
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
  /// FCM refuses the app as a whole, or there is no access token; its queue is kept until a probe succeeds.
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

    package init?(_ state: DeliveryState?) {
      guard let state, state.isFinal else { return nil }
      self.init(rawValue: state.name)
    }
  }
}

/// Which delivery an event is about: ids, which may be logged, and a target, which must not.
package struct DeliveryReference: Sendable, Equatable {
  private let claimed: ClaimedDelivery

  package init(_ claimed: ClaimedDelivery) { self.claimed = claimed }

  package var notification: NotificationID { claimed.notification }
  package var delivery: DeliveryID { claimed.id }
  /// May be a registration token: logs hold `targetHash` instead.
  package var target: Target { claimed.target }
  package var trace: TraceContext? { claimed.trace }
  package var template: String? { claimed.template }
  /// The API client whose notification it is part of; nil for an anonymous one.
  package var client: String? { claimed.client }
  /// Attempts counted before this one.
  package var attempts: Int { claimed.attempts }

  package var targetHash: String { Redaction.shortHash(target.value) }
}
