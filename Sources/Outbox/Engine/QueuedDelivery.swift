internal import Clock
import FCMMessage
import Telemetry

/// The part of a notification that its waiting deliveries share: one copy of the message for all of them.
final class QueuedNotification: Sendable {
  let id: NotificationID
  let app: String
  let template: String?
  let client: String?
  let createdAt: Timestamp
  /// How long after their due time its deliveries expire.
  let ttlMilliseconds: Int64
  let priority: DeliveryPriority
  let message: SealedMessage
  let trace: TraceContext?

  init(
    id: NotificationID, app: String, template: String?, client: String?, createdAt: Timestamp,
    ttlMilliseconds: Int64, priority: DeliveryPriority, message: SealedMessage, trace: TraceContext?
  ) {
    self.id = id
    self.app = app
    self.template = template
    self.client = client
    self.createdAt = createdAt
    self.ttlMilliseconds = ttlMilliseconds
    self.priority = priority
    self.message = message
    self.trace = trace
  }

  convenience init(_ new: NewNotification) {
    self.init(
      id: new.id, app: new.app, template: new.template, client: new.client, createdAt: new.createdAt,
      ttlMilliseconds: new.ttlMilliseconds, priority: new.priority, message: new.message, trace: new.trace)
  }
}

/// A delivery that is not final, in memory. Immutable: a retry creates another one.
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
  let expiresAt: Timestamp
  let activity: LiveActivity?

  init(
    row: Int64, id: DeliveryID, target: Target, notification: QueuedNotification, state: DeliveryState,
    attempts: Int, dueAt: Timestamp, expiresAt: Timestamp, activity: LiveActivity? = nil
  ) {
    self.activity = activity
    self.row = row
    self.id = id
    self.target = target
    self.notification = notification
    self.state = state
    self.attempts = attempts
    self.dueAt = dueAt
    self.expiresAt = expiresAt
  }

  var key: DueKey { DueKey(at: dueAt, row: row) }
}
