package import Clock
package import FCMMessage
package import Telemetry

/// Which claim of a delivery: the lease under which it was made, and a number that no other claim of the
/// gateway has.
package struct ClaimNumber: Sendable, Hashable {
  /// The number of the lease; 0 in a queue that has one gateway.
  package let lease: Int64
  package let number: Int64

  package init(lease: Int64 = 0, number: Int64) {
    self.lease = lease
    self.number = number
  }
}

/// A delivery that was claimed for one attempt: one claim of it.
package final class ClaimedDelivery: Sendable {
  package let claim: ClaimNumber
  /// Whether its request has left, or was recalled by a cancel.
  package let departure: Departure
  let queued: QueuedDelivery

  init(_ queued: QueuedDelivery, _ claim: ClaimNumber, departure: Departure = Departure()) {
    self.queued = queued
    self.claim = claim
    self.departure = departure
  }

  package var id: DeliveryID { queued.id }
  package var notification: NotificationID { queued.notification.id }
  package var app: String { queued.notification.app }
  package var template: String? { queued.notification.template }
  package var target: Target { queued.target }
  package var message: SealedMessage {
    let message = queued.notification.message
    return message.hasParts ? message.part(for: target) : message
  }
  package var priority: DeliveryPriority { queued.notification.priority }
  /// Attempts counted before this one.
  package var attempts: Int { queued.attempts }
  package var createdAt: Timestamp { queued.notification.createdAt }
  package var expiresAt: Timestamp { queued.expiresAt }
  /// The API client whose notification it is part of; nil for an anonymous one.
  package var client: String? { queued.notification.client }
  /// The trace of its notification.
  package var trace: TraceContext? { queued.notification.trace }
  /// The Live Activity that its message is for; nil for an ordinary message.
  package var activity: LiveActivity? { queued.activity }

  /// The moment from which its latency is measured: acceptance, `send_at`, or the retry of a dead letter.
  package var dueSince: Timestamp {
    queued.expiresAt.adding(milliseconds: 0 &- queued.notification.ttlMilliseconds)
  }
}

extension ClaimedDelivery: Equatable {
  /// Claims are compared by what was claimed, and when.
  package static func == (one: ClaimedDelivery, other: ClaimedDelivery) -> Bool {
    one === other
      || one.id == other.id && one.claim == other.claim && one.attempts == other.attempts
        && one.dueSince == other.dueSince && one.expiresAt == other.expiresAt && one.target == other.target
        && one.message == other.message
  }
}
