import Clock
import FCMMessage
import Outbox
import Testing

/// A notification for a Live Activity.
func activity(
  _ event: ActivityEvent, _ token: String = "activity", app: String = "default", createdAt: Timestamp = start,
  sendAt: Timestamp? = nil, priority: DeliveryPriority = .normal, client: String? = "orders"
) -> NewNotification {
  NewNotification(
    id: NotificationID(UUIDv7()), app: app, template: "match", client: client, createdAt: createdAt,
    sendAt: sendAt, expiresAt: (sendAt ?? createdAt).plus(seconds: 86_400), priority: priority,
    message: SealedMessage(
      bytes: Array(#""apns":{"payload":{"aps":{"timestamp":}}}"#.utf8),
      placeholders: [.init(offset: 38, kind: .activityTimestamp)]),
    deliveries: [(DeliveryID(UUIDv7()), .token("phone"))],
    activity: NewActivity(token: token, event: event))
}

extension OutboxStore {
  /// The notifications of the deliveries that a claim returns, after their requests have left.
  func claimed(_ app: String = "default", now: Timestamp = start) async throws -> [NotificationID] {
    try await claim(app, now: now).left().map(\.notification)
  }

  func settle(
    _ notification: NewNotification, at: Timestamp = start, _ result: Outcome
  ) async throws {
    try await settle(notification.deliveries[0].id, at: at, result)
  }

  /// The state of a notification's only delivery, with its error's code.
  func state(_ given: NewNotification) async throws -> String {
    // What a claim has found replaced is ended by a write of the store's own.
    _ = try await counts()
    let delivery = try #require(try await notification(given.id)?.deliveries.first)
    return ([delivery.state.name] + [delivery.error?.code].compactMap { $0 }).joined(separator: " ")
  }
}
