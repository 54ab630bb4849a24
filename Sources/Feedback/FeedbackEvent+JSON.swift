internal import Clock
internal import FCMMessage
package import JSON
package import Outbox

extension FeedbackEvent {
  /// The event's type in the API and the webhook.
  package static let type = "registration.dead"

  /// The event as `GET /v1/feedback` and the webhook show it.
  package var json: JSON {
    [
      "id": .string(String(id)), "type": .string(Self.type), target.field: .string(target.value),
      "code": .string(code), "app": .string(app), "notification_id": .string(notification.description),
      "at": .string(at.rfc3339),
    ]
  }
}
