package import Clock
package import JSON

/// How many deliveries of an app are in each state, and when the first of them is due.
package struct OutboxCounts: Sendable, Equatable {
  package var byState: [DeliveryState: Int] = [:]
  /// When the first waiting, unclaimed delivery became or becomes due; nil when none waits.
  package var firstDueAt: Timestamp?

  package init() {}

  /// `oldest_queued_seconds`: how long the first waiting delivery has been due; 0 when none is.
  package func oldestQueuedSeconds(now: Timestamp) -> Double {
    guard let firstDueAt, firstDueAt < now else { return 0 }
    return (Double(now.milliseconds) - Double(firstDueAt.milliseconds)) / 1000
  }
}

/// What one transaction of a store wrote, for metrics.
package struct OutboxCommit: Sendable, Equatable {
  /// Calls written together.
  package var calls = 0
  /// Deliveries that these calls accepted, settled or changed.
  package var deliveries = 0
  /// From BEGIN to the end of COMMIT.
  package var seconds = 0.0
  /// Deliveries that ended as cancelled, by app, including those cancelled when they came back from an
  /// attempt.
  package var cancelled: [ExactText: Int] = [:]
  /// Deliveries that expired while they waited, by app, excluding those settled as expired.
  package var expired: [ExactText: Int] = [:]
  /// Events added to the feedback log.
  package var feedbackEvents = 0

  package init() {}
}
