package import FCM
package import Outbox

/// What the engine tells to whoever counts: metrics and logs.
package enum DeliveryEvent: Sendable {
  /// FCM, or the way to it, answered one attempt after `milliseconds`.
  case attempted(app: String, outcome: SendOutcome, milliseconds: Int64)
  /// A delivery reached a final state and it is on disk; `milliseconds` since its notification was accepted.
  case recorded(app: String, outcome: Recorded, milliseconds: Int64)
  /// FCM refuses the app as a whole; its queue is kept until a probe succeeds.
  case paused(app: String, failure: SendFailure)
  case resumed(app: String)
  /// The queue did not take or give what it was asked; nothing is lost, it is asked again.
  case storeFailed(OutboxError)
  case storeRecovered
  /// The engine stopped while this many outcomes were not on disk: their deliveries will be sent again.
  case stoppedUnsettled(count: Int)

  package enum Recorded: String, Sendable {
    case sent, failed, expired
  }
}

/// How an app's sending is doing, for `/readyz` and the metrics.
package struct AppHealth: Sendable, Equatable {
  package let app: String
  /// Attempts that FCM has not answered yet.
  package let inFlight: Int
  /// Since when FCM refuses the app as a whole; nil where it does not.
  package let pausedSince: Timestamp?
  /// Why it is paused, else the last attempt's failure; nil after a success.
  package let lastFailure: SendFailure?
  /// Failed attempts in a row that were FCM's or the network's fault.
  package let serviceFailuresInARow: Int
  package let lastSentAt: Timestamp?

  package var isPaused: Bool { pausedSince != nil }
}
