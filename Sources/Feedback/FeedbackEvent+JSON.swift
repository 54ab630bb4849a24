internal import Clock
internal import FCMMessage
package import JSON
package import Outbox

extension FeedbackEvent {
  /// What happened, in the API's and the webhook's word.
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
