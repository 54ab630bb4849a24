internal import Clock
internal import FCMMessage
package import JSON
package import Outbox

extension FeedbackEvent {
  /// The event's type in the API and the webhook.
  package var type: String { activityToken == nil ? "registration.dead" : "activity.dead" }

  /// The event as `GET /v1/feedback` and the webhook show it.
  package var json: JSON {
    var object = JSON.Object([
      ("id", .string(String(id))), ("type", .string(type)), (target.field, .string(target.value)),
    ])
    if let activityToken { object.members.append(("activity_token", .string(activityToken))) }
    object.members += [
      ("code", .string(code)), ("app", .string(app)), ("notification_id", .string(notification.description)),
      ("at", .string(at.rfc3339)),
    ]
    return .object(object)
  }
}
