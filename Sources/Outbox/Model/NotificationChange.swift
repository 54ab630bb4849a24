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

/// What one step of pruning removed.
package struct PruneStep: Sendable, Equatable {
  package var notifications = 0
  package var deliveries = 0
  package var feedbackEvents = 0
  package var idempotencyRecords = 0
  /// Whether the step finished its sweep; the next step begins a new one.
  package var isComplete = false

  package init() {}
}
