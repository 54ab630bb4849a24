package import Clock
package import FCMMessage
package import Outbox

extension SealedMessage.PlaceholderValues {
  /// The values for `delivery`'s message when it is sent at `now`.
  package init(for delivery: ClaimedDelivery, now: Timestamp) {
    self.init(
      deliveryID: delivery.id.description, dueSince: delivery.dueSince, expiresAt: delivery.expiresAt,
      activityAt: delivery.activity?.at, now: now)
  }

  static func ttlSeconds(of delivery: ClaimedDelivery, now: Timestamp) -> Int {
    ttlSeconds(from: delivery.dueSince, to: delivery.expiresAt, now: now)
  }
}
