package import Clock
package import FCMMessage
package import Outbox

extension SealedMessage.Filling {
  /// FCM's longest ttl (FCM v1 reference, `AndroidConfig.ttl`: four weeks).
  private static let ttlSecondsMax = 2_419_200

  /// What fills `delivery`'s message when it is sent at `now`: the seconds that are left of its ttl, to the nearest
  /// whole one, so that what is sent at once has all of it.
  ///
  /// A message that is to be delivered now or never (`ttl` 0) holds that as a constant and has no such hole; its
  /// `expiresAt` only says how long the gateway itself tries.
  package init(for delivery: ClaimedDelivery, now: Timestamp) {
    let left = (delivery.expiresAt.milliseconds - now.milliseconds + 500) / 1000
    self.init(
      deliveryID: delivery.id.description,
      // A wall clock that was set back makes more of a ttl than it was; FCM would refuse it.
      ttlSeconds: min(max(0, Int(left)), Self.ttlSecondsMax),
      expiration: Int(delivery.expiresAt.unixSeconds))
  }
}
