package import Outbox

/// The types of events that the webhook can carry, by their names in the API and the configuration.
package enum WebhookEventType: String, Sendable, CaseIterable {
  case registrationDead = "registration.dead"
  case activityDead = "activity.dead"
  case deliverySent = "delivery.sent"
  case deliveryFailed = "delivery.failed"
  case deliveryExpired = "delivery.expired"

  /// What the webhook carries unless the configuration says otherwise: what `GET /v1/feedback` shows.
  package static let standard: Set<Self> = [.registrationDead, .activityDead]

  package init(_ outcome: DeliveryOutcome) {
    switch outcome {
    case .sent: self = .deliverySent
    case .failed: self = .deliveryFailed
    case .expired: self = .deliveryExpired
    }
  }
}

extension Set<WebhookEventType> {
  /// The outcomes that the queue must log for these events.
  package var outcomes: Set<DeliveryOutcome> {
    Set<DeliveryOutcome>(DeliveryOutcome.allCases.filter { contains(WebhookEventType($0)) })
  }
}
