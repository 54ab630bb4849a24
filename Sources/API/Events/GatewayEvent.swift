internal import Clock
internal import DeliveryReports
internal import FCM
internal import JSON
internal import Outbox

/// What `GET /v1/events` reports of notifications; how the queue stands is a `QueueSituation`.
enum GatewayEvent: Sendable {
  /// A notification was accepted, cancelled or queued again.
  case notification(NotificationSummary, at: Timestamp)
  /// FCM answered an attempt, or it failed otherwise.
  case attempt(DeliveryAttempt)
  /// A delivery's state is on disk.
  case delivery(DeliverySubject, state: DeliveryState, next: Timestamp?, at: Timestamp)

  /// Its name in a stream.
  var name: StaticString {
    switch self {
    case .notification: "notification"
    case .attempt: "attempt"
    case .delivery: "delivery"
    }
  }

  var data: JSON {
    switch self {
    case .notification(let summary, let at): return summary.json(at: at)
    case .attempt(let attempt): return attempt.json
    case .delivery(let subject, let state, let next, let at):
      var object = subject.members
      object.members.append(("status", .string(state.name)))
      if let next { object.members.append(("next_attempt_at", .string(next.rfc3339))) }
      object.members.append(("at", .string(at.rfc3339)))
      return .object(object)
    }
  }

  /// The client whose notification it is about.
  var client: String? {
    switch self {
    case .notification(let summary, _): summary.client
    case .attempt(let attempt): attempt.subject.client
    case .delivery(let subject, _, _, _): subject.client
    }
  }
}

extension Principal {
  func maySee(_ event: GatewayEvent) -> Bool {
    switch event {
    case .notification(let summary, _):
      maySee(app: summary.app, template: summary.template, client: summary.client)
    case .attempt(let attempt): maySee(attempt.subject)
    case .delivery(let subject, _, _, _): maySee(subject)
    }
  }

  private func maySee(_ subject: DeliverySubject) -> Bool {
    maySee(app: subject.app, template: subject.template, client: subject.client)
  }
}

/// A notification without its deliveries.
struct NotificationSummary: Sendable {
  let id: NotificationID
  let app: String
  let template: String?
  let client: String?
  let status: String
  let deliveryCount: Int

  func json(at time: Timestamp) -> JSON {
    var object = JSON.Object([
      ("notification_id", .string(id.description)), ("app", .string(app)),
      ("template", template.map(JSON.string) ?? .null), ("status", .string(status)),
      ("deliveries", JSON(deliveryCount)), ("at", .string(time.rfc3339)),
    ])
    if let client { object.members.append(("client", .string(client))) }
    return .object(object)
  }
}

extension NotificationSummary {
  init(_ stored: StoredNotification) {
    self.init(
      id: stored.id, app: stored.app, template: stored.template, client: stored.client, status: stored.status,
      deliveryCount: stored.deliveries.count)
  }

  init(_ new: NewNotification) {
    self.init(
      id: new.id, app: new.app, template: new.template, client: new.client, status: new.start.state.name,
      deliveryCount: new.deliveries.count)
  }
}

/// One attempt to send a delivery.
struct DeliveryAttempt: Sendable {
  let subject: DeliverySubject
  /// Which one it is, from 1 on; an attempt that is not counted leaves its number to the next one.
  let number: Int
  /// Nil if FCM accepted the message.
  let error: DeliveryError?
  /// Nil if another gateway made it.
  let milliseconds: Int64?
  let at: Timestamp

  var json: JSON {
    var object = subject.members
    object.members += [
      ("attempt", JSON(number)), ("outcome", error == nil ? "sent" : "failed"),
    ]
    if let error { object.members.append(("error", error.json)) }
    if let milliseconds { object.members.append(("duration_ms", JSON(Int(milliseconds)))) }
    object.members.append(("at", .string(at.rfc3339)))
    return .object(object)
  }
}

/// Which delivery an event is about, and whose it is.
struct DeliverySubject: Sendable {
  let notification: NotificationID
  let delivery: DeliveryID
  let app: String
  let template: String?
  let client: String?

  /// What every event about a delivery begins with. Its target is not among it.
  var members: JSON.Object {
    JSON.Object([
      ("notification_id", .string(notification.description)), ("delivery_id", .string(delivery.description)),
      ("app", .string(app)),
    ])
  }
}

extension DeliverySubject {
  init(_ reference: DeliveryReference, app: String) {
    self.init(
      notification: reference.notification, delivery: reference.delivery, app: app,
      template: reference.template, client: reference.client)
  }
}
