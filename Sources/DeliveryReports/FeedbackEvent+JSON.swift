internal import Clock
internal import FCMMessage
package import JSON
package import Outbox

extension FeedbackEvent {
  package var type: WebhookEventType { activityToken == nil ? .registrationDead : .activityDead }

  /// The event as `GET /v1/feedback` and the webhook show it; `GET /v1/feedback` has other texts for the ids.
  package func json(id: String? = nil) -> JSON {
    var object = JSON.Object([
      ("id", .string(id ?? String(self.id))), ("type", .string(type.rawValue)),
      (target.field, .string(target.value)),
    ])
    if let activityToken { object.members.append(("activity_token", .string(activityToken))) }
    object.members += [
      ("code", .string(code)), ("app", .string(app)), ("notification_id", .string(notification.description)),
      ("at", .string(at.rfc3339)),
    ]
    return .object(object)
  }
}

extension OutcomeEvent {
  /// The event as the webhook shows it.
  package var json: JSON {
    var object = JSON.Object([
      ("id", .string(String(id))), ("type", .string(WebhookEventType(outcome).rawValue)),
      (target.field, .string(target.value)),
    ])
    if let activityToken { object.members.append(("activity_token", .string(activityToken))) }
    if let code { object.members.append(("code", .string(code))) }
    if let messageName { object.members.append(("message_name", .string(messageName))) }
    object.members += [
      ("attempts", JSON(attempts)), ("app", .string(app)), ("template", template.map(JSON.string) ?? .null),
    ]
    if let client { object.members.append(("client", .string(client))) }
    object.members += [
      ("notification_id", .string(notification.description)), ("delivery_id", .string(delivery.description)),
      ("at", .string(at.rfc3339)),
    ]
    return .object(object)
  }
}

extension WebhookEvent {
  package var type: WebhookEventType {
    switch self {
    case .dead(let event): event.type
    case .outcome(let event): WebhookEventType(event.outcome)
    }
  }

  package var json: JSON {
    switch self {
    case .dead(let event): event.json()
    case .outcome(let event): event.json
    }
  }
}
