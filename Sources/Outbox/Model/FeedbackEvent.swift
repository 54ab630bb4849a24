package import Clock
package import FCMMessage
package import Telemetry

/// A registration, or the token of a Live Activity, that FCM reported as dead.
package struct FeedbackEvent: Sendable, Equatable {
  /// Ascending in the order of the events; no id is used twice.
  package let id: Int64
  package let app: String
  /// A token or a fid: the dead registration, or that of the phone with the dead activity.
  package let target: Target
  /// FCM's error code, such as `UNREGISTERED`.
  package let code: String
  package let notification: NotificationID
  package let at: Timestamp
  /// The trace of its notification.
  package internal(set) var trace: TraceContext?
  /// The token of the Live Activity that is dead; nil if the registration is.
  package internal(set) var activityToken: String?
}

/// A part of the feedback log.
package struct EventPage<Event: Sendable & Equatable>: Sendable, Equatable {
  package let events: [Event]
  /// The event after which the log continues: the last one examined, or the one that the caller gave; nil at
  /// the beginning of an empty log.
  package let next: Int64?
  /// Whether there are more events to examine.
  package let hasMore: Bool

  package init(events: [Event], next: Int64?, hasMore: Bool) {
    self.events = events
    self.next = next
    self.hasMore = hasMore
  }
}

/// A part of the feedback log without outcomes.
package typealias FeedbackPage = EventPage<FeedbackEvent>
