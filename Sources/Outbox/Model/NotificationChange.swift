/// The outcome of a cancel.
package enum CancelOutcome: Sendable {
  case notFound
  /// Every delivery had ended already.
  case allFinal
  /// The notification as it is now. `cancelled` deliveries were ended by this call and are not sent;
  /// `inFlight` ones are being sent, and end as cancelled unless FCM accepts or permanently refuses them,
  /// or they expire.
  case done(StoredNotification, cancelled: Int, inFlight: Int)
}

/// The outcome of a retry of dead letters.
package enum RetryOutcome: Sendable {
  case notFound
  /// No delivery is failed or expired.
  case none
  /// The notification as it is now, with how many deliveries were queued again.
  case done(StoredNotification, queued: Int)
}

/// A change of all deliveries that a filter selects, which is made in steps.
package struct DeliverySetChange: Sendable {
  package enum Verb: Sendable { case retry, cancel }

  package let verb: Verb
  /// The states in which deliveries are selected.
  package var states: Set<DeliveryState> = []
  /// Its span concerns the last change of a delivery; its status does not matter.
  package var filter = NotificationFilter.all
  /// Deliveries whose last error has one of these codes stay as they are.
  package var skippedCodes: Set<String> = []

  package init(_ verb: Verb) { self.verb = verb }
}

/// What one step of a change has found and done.
package struct DeliverySetStep: Sendable, Equatable {
  /// Under this in `skipped`: deliveries that are being sent. A cancel is noted for them, as for one of them
  /// alone.
  package static let inFlight = "SENDING"

  package var matched = 0
  /// Those that stay as they are, by the code of their last error.
  package var skipped: [String: Int] = [:]
  package var changed = 0
  /// The row after which the next step begins; nil after the last one.
  package var next: Int64?
}

/// How a change in steps is kept with an idempotency key, so that another call can go on with it. `known` is
/// what is kept so far, nil before the first step; `record` makes what is to be kept after a step.
package typealias DeliverySetProgress = (
  known: StoredAnswer?, record: @Sendable (DeliverySetStep) -> IdempotencyRecord
)

/// What one step of pruning removed.
package struct PruneStep: Sendable, Equatable {
  package var notifications = 0
  package var deliveries = 0
  package var feedbackEvents = 0
  package var idempotencyRecords = 0
  /// Whether the step finished its sweep; the next step begins a new one.
  package var isComplete = false
}
