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

  mutating func apply(_ settlement: Settlement, isCancelled: Bool) {
    guard let state = settlement.state else { return }
    self.state = state
    updatedAt = settlement.at
    if settlement.countsAttempt { attempts += 1 }
    messageName = settlement.messageName ?? messageName
    dueAt = settlement.dueAt ?? dueAt
    // The error of no attempt explains only why a delivery waits.
    let isDropped = isCancelled && settlement.waitsAgain && !settlement.countsAttempt
    if !isDropped { error = settlement.error ?? error }
  }

  func claimed(_ claim: ClaimNumber) -> ClaimedDelivery {
    ClaimedDelivery(
      id: id, claim: claim, notification: notification.id, app: notification.app, client: notification.client,
      target: target, message: notification.message, priority: notification.priority, attempts: attempts,
      createdAt: notification.createdAt,
      dueSince: expiresAt.adding(milliseconds: -notification.ttlMilliseconds), expiresAt: expiresAt,
      trace: notification.trace, activity: activity)
  }
}
