internal import Clock
internal import FCMMessage
internal import Outbox

/// A delivery with everything the model knows of it.
struct ModelDelivery {
  let id: DeliveryID
  let target: Target
  let notification: NewNotification
  /// Its place in the order of acceptance.
  let row: Int64
  var state: DeliveryState
  var attempts = 0
  var dueAt: Timestamp
  var expiresAt: Timestamp
  var messageName: String?
  var error: DeliveryError?
  var updatedAt: Timestamp
  var activity: LiveActivity?

  init(_ id: DeliveryID, to target: Target, of notification: NewNotification, row: Int64) {
    self.id = id
    self.target = target
    self.notification = notification
    self.row = row
    (state, dueAt) = notification.start
    expiresAt = notification.expiresAt
    updatedAt = notification.createdAt
  }

  var isRegistration: Bool {
    switch target {
    case .token, .fid: true
    case .topic, .condition: false
    }
  }

  /// The state as the API shows it.
  func state(now: Timestamp, isClaimed: Bool) -> DeliveryState {
    if isClaimed { return .sending }
    return state == .scheduled && dueAt <= now ? .queued : state
  }

  var claimed: ClaimedDelivery {
    ClaimedDelivery(
      id: id, notification: notification.id, app: notification.app, client: notification.client,
      target: target, message: notification.message, priority: notification.priority, attempts: attempts,
      createdAt: notification.createdAt,
      dueSince: expiresAt.adding(milliseconds: -notification.ttlMilliseconds), expiresAt: expiresAt,
      trace: notification.trace, activity: activity)
  }
}
