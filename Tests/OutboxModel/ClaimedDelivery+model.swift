package import Clock
package import FCMMessage
package import Telemetry

@testable package import Outbox

extension ClaimedDelivery {
  /// A claim outside a durable store. `dueSince` defaults to `createdAt`.
  package convenience init(
    id: DeliveryID, claim: ClaimNumber = ClaimNumber(number: 0), notification: NotificationID, app: String,
    template: String? = nil, client: String? = nil, target: Target, message: SealedMessage,
    priority: DeliveryPriority, attempts: Int,
    createdAt: Timestamp, dueSince: Timestamp? = nil, expiresAt: Timestamp, trace: TraceContext? = nil,
    activity: LiveActivity? = nil, departure: Departure = Departure()
  ) {
    let dueSince = dueSince ?? createdAt
    let notification = QueuedNotification(
      id: notification, app: app, template: template, client: client, createdAt: createdAt,
      ttlMilliseconds: dueSince.milliseconds(until: expiresAt), priority: priority, message: message,
      trace: trace)
    self.init(
      QueuedDelivery(
        row: 0, id: id, target: target, notification: notification, state: .queued, attempts: attempts,
        dueAt: dueSince, expiresAt: expiresAt, activity: activity),
      claim, departure: departure)
  }
}
