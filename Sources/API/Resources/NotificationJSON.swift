internal import Clock
internal import FCMMessage
internal import JSON
internal import Outbox

/// What a notification's deliveries have only if the request asks for it.
enum IncludedPart: String, CaseIterable {
  case message
  case attemptLog = "attempt_log"
}

/// Writes a notification as the API shows it.
extension JSONWriter {
  /// `now` is when a message that waits would be sent.
  mutating func append(
    _ notification: StoredNotification, including parts: Set<IncludedPart> = [], now: Timestamp = .now
  ) {
    appendRaw("{\"id\":\"")
    notification.id.uuid.append(to: &bytes)
    appendRaw("\",\"app\":")
    append(notification.app)
    appendRaw(",\"template\":")
    if let template = notification.template { append(template) } else { appendRaw("null") }
    appendRaw(",\"status\":")
    append(notification.status)
    appendRaw(",\"created_at\":\"")
    notification.createdAt.appendRFC3339(to: &bytes)
    appendRaw("\"")
    if let client = notification.client {
      appendRaw(",\"client\":")
      append(client)
    }
    appendRaw(",\"deliveries\":[")
    for (index, delivery) in notification.deliveries.enumerated() {
      if index > 0 { appendRaw(",") }
      let message = parts.contains(.message) ? notification.message(of: delivery, now: now) : nil
      append(delivery, withAttemptLog: parts.contains(.attemptLog), message: message)
    }
    appendRaw("]}")
  }

  mutating func append(
    _ delivery: StoredNotification.Delivery, withAttemptLog: Bool = false, message: [UInt8]? = nil
  ) {
    appendRaw("{\"id\":\"")
    delivery.id.uuid.append(to: &bytes)
    appendRaw("\",\"target\":{")
    append(delivery.target.field)
    appendRaw(":")
    append(delivery.target.value)
    appendRaw("},\"status\":")
    append(delivery.state.name)
    appendRaw(",\"attempts\":")
    bytes.append(decimal: delivery.attempts)
    if let next = delivery.nextAttemptAt, !delivery.state.isFinal {
      appendRaw(",\"next_attempt_at\":\"")
      next.appendRFC3339(to: &bytes)
      appendRaw("\"")
    }
    if let name = delivery.messageName {
      appendRaw(",\"message_name\":")
      append(name)
    }
    if let error = delivery.error {
      appendRaw(",\"error\":")
      append(error.json)
    }
    if withAttemptLog {
      appendRaw(",\"attempt_log\":")
      append(JSON.array(delivery.attemptLog.map(\.json)))
    }
    if let message {
      appendRaw(",\"message\":")
      appendRaw(message)
    }
    appendRaw(",\"updated_at\":\"")
    delivery.updatedAt.appendRFC3339(to: &bytes)
    appendRaw("\"}")
  }
}

extension StoredNotification {
  /// FCM's message of a delivery, as it was sent last or as it will be sent; nil without the content.
  fileprivate func message(of delivery: Delivery, now: Timestamp) -> [UInt8]? {
    guard let content else { return nil }
    let sentAt =
      delivery.state.isFinal
      ? delivery.attemptLog.last?.at ?? delivery.updatedAt : max(now, delivery.nextAttemptAt ?? now)
    let values = SealedMessage.PlaceholderValues(
      deliveryID: delivery.id.description,
      dueSince: delivery.expiresAt.adding(milliseconds: -content.ttlMilliseconds),
      expiresAt: delivery.expiresAt, activityAt: delivery.activityAt, now: sentAt)
    return content.message.message(to: delivery.target, values: values)
  }
}

extension AttemptRecord {
  var json: JSON {
    .object(
      .init([
        ("at", .string(at.rfc3339)), ("duration_ms", JSON(Int(clamping: milliseconds))),
        ("phase", .string(phase)), ("peer", .string(peer)),
        ("http_status", httpStatus.map { JSON($0) } ?? .null),
        ("code", code.map { .string($0) } ?? .null), ("detail", detail.map { .string($0) } ?? .null),
        ("counted", .bool(isCounted)),
      ]))
  }
}

extension DeliveryError {
  var json: JSON {
    var object = JSON.Object([("code", .string(code))])
    if let httpStatus { object.members.append(("http_status", JSON(httpStatus))) }
    object.members.append(("message", .string(message)))
    if let apnsReason { object.members.append(("apns_reason", .string(apnsReason))) }
    return .object(object)
  }
}

extension StoredNotification {
  /// A new notification as the queue will show it.
  init(_ new: NewNotification) {
    let isAhead = new.sendAt.map { $0 > new.createdAt } ?? false
    self.init(
      id: new.id, app: new.app, template: new.template, client: new.client, createdAt: new.createdAt,
      deliveries: new.deliveries.map { delivery in
        Delivery(
          id: delivery.id, target: delivery.target, state: isAhead ? .scheduled : .queued, attempts: 0,
          nextAttemptAt: new.sendAt ?? new.createdAt, messageName: nil, error: nil, updatedAt: new.createdAt,
          expiresAt: new.expiresAt)
      })
  }
}
