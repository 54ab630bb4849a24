package import Clock
package import FCMMessage
package import Telemetry

/// A registration that FCM reported as dead.
package struct FeedbackEvent: Sendable, Equatable {
  /// Ascending in the order of the events; no id is used twice.
  package let id: Int64
  package let app: String
  /// A token or a fid.
  package let target: Target
  /// FCM's error code, such as `UNREGISTERED`.
  package let code: String
  package let notification: NotificationID
  package let at: Timestamp
  /// The trace of its notification.
  package let trace: TraceContext?

  package init(
    id: Int64, app: String, target: Target, code: String, notification: NotificationID, at: Timestamp,
    trace: TraceContext? = nil
  ) {
    self.id = id
    self.app = app
    self.target = target
    self.code = code
    self.notification = notification
    self.at = at
    self.trace = trace
  }
}

/// A part of the feedback log.
package struct FeedbackPage: Sendable, Equatable {
  package let events: [FeedbackEvent]
  /// The event after which the log continues: the last one examined, or the one that the caller gave; nil at
  /// the beginning of an empty log.
  package let next: Int64?
  /// Whether there are more events to examine.
  package let hasMore: Bool

  package init(events: [FeedbackEvent], next: Int64?, hasMore: Bool) {
    self.events = events
    self.next = next
    self.hasMore = hasMore
  }
}
