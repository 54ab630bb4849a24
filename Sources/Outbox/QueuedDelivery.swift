import FCMMessage

/// What a notification's deliveries have in common while they wait: one copy of the message for all of them.
final class QueuedNotification: Sendable {
  let id: NotificationID
  let app: String
  let createdAt: Timestamp
  let expiresAt: Timestamp
  let priority: DeliveryPriority
  let message: SealedMessage

  init(
    id: NotificationID, app: String, createdAt: Timestamp, expiresAt: Timestamp, priority: DeliveryPriority,
    message: SealedMessage
  ) {
    self.id = id
    self.app = app
    self.createdAt = createdAt
    self.expiresAt = expiresAt
    self.priority = priority
    self.message = message
  }

  convenience init(_ new: NewNotification) {
    self.init(
      id: new.id, app: new.app, createdAt: new.createdAt, expiresAt: new.expiresAt, priority: new.priority,
      message: new.message)
  }
}

/// A delivery that is not final, as memory holds it. Immutable: a retry makes another one.
final class QueuedDelivery: Sendable {
  /// The row; ascending in the order of acceptance.
  let row: Int64
  let id: DeliveryID
  let target: Target
  let notification: QueuedNotification
  /// As on disk: `scheduled` or `queued`.
  let state: DeliveryState
  let attempts: Int
  let dueAt: Timestamp

  init(
    row: Int64, id: DeliveryID, target: Target, notification: QueuedNotification, state: DeliveryState,
    attempts: Int, dueAt: Timestamp
  ) {
    self.row = row
    self.id = id
    self.target = target
    self.notification = notification
    self.state = state
    self.attempts = attempts
    self.dueAt = dueAt
  }

  var key: DueKey { DueKey(at: dueAt, row: row) }

  /// The same delivery after an attempt that is to be repeated.
  func retried(at dueAt: Timestamp) -> QueuedDelivery {
    QueuedDelivery(
      row: row, id: id, target: target, notification: notification, state: .queued, attempts: attempts + 1,
      dueAt: dueAt)
  }

  var claimed: ClaimedDelivery {
    ClaimedDelivery(
      id: id, notification: notification.id, app: notification.app, target: target,
      message: notification.message,
      priority: notification.priority, attempts: attempts, createdAt: notification.createdAt,
      expiresAt: notification.expiresAt)
  }
}

extension NewNotification {
  /// The state and the moment of its deliveries' first attempt.
  var start: (state: DeliveryState, dueAt: Timestamp) {
    if let sendAt, sendAt > createdAt { return (.scheduled, sendAt) }
    return (.queued, createdAt)
  }
}
