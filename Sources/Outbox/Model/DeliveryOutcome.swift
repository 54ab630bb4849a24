package import Clock
package import FCMMessage
package import Telemetry

/// A final state of a delivery that the feedback log can contain. `cancelled` is none: whoever cancels a
/// delivery learns it from the answer.
package enum DeliveryOutcome: Int, Sendable, CaseIterable {
  case sent = 3
  case failed = 4
  case expired = 5

  /// The outcome with the raw value of a state; nil for other states.
  package init?(_ state: DeliveryState) { self.init(rawValue: state.rawValue) }
}

/// The end of a delivery, in the feedback log.
package struct OutcomeEvent: Sendable, Equatable {
  /// From the same ascending numbers as the ids of `FeedbackEvent`.
  package let id: Int64
  package let outcome: DeliveryOutcome
  package let app: String
  package let template: String?
  /// The API client whose notification it is part of; nil for an anonymous one.
  package let client: String?
  package let notification: NotificationID
  package let delivery: DeliveryID
  package let target: Target
  /// The token of the Live Activity that its message is for.
  package internal(set) var activityToken: String?
  /// The attempts counted when it ended.
  package let attempts: Int
  /// The code of its last error; nil for one that was sent, or that expired without an error.
  package internal(set) var code: String?
  /// FCM's name for the message; nil unless it was sent.
  package internal(set) var messageName: String?
  package let at: Timestamp
  /// The trace of its notification.
  package internal(set) var trace: TraceContext?
}

/// Anything that the feedback log contains, as the webhook reads it.
package enum WebhookEvent: Sendable, Equatable {
  case dead(FeedbackEvent)
  case outcome(OutcomeEvent)

  /// Ascending in the order of the events; no id is used twice.
  package var id: Int64 {
    switch self {
    case .dead(let event): event.id
    case .outcome(let event): event.id
    }
  }

  package var at: Timestamp {
    switch self {
    case .dead(let event): event.at
    case .outcome(let event): event.at
    }
  }

  /// The trace of its notification.
  package var trace: TraceContext? {
    switch self {
    case .dead(let event): event.trace
    case .outcome(let event): event.trace
    }
  }
}

/// A part of the feedback log with everything in it.
package typealias WebhookPage = EventPage<WebhookEvent>
