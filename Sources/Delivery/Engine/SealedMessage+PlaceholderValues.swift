package import Clock
package import FCMMessage
package import Outbox

extension SealedMessage.PlaceholderValues {
  /// FCM's longest ttl (FCM v1 reference, `AndroidConfig.ttl`: four weeks).
  private static let ttlSecondsMax = 2_419_200

  /// The values for `delivery`'s message when it is sent at `now`. The ttl is the remaining one in whole
  /// seconds, never rounded up: a phone shows nothing after its ttl.
  ///
  /// A message with a `ttl` of 0 (deliver now or never) contains it as a constant and has no such
  /// placeholder; its `expiresAt` only limits how long the gateway itself tries.
  package init(for delivery: ClaimedDelivery, now: Timestamp) {
    self.init(
      deliveryID: delivery.id.description, ttlSeconds: Self.ttlSeconds(of: delivery, now: now),
      expiration: Int(delivery.expiresAt.unixSeconds),
      activityTimestamp: delivery.activity?.at.unixSeconds ?? 0)
  }

  /// What is left of the ttl at `now`: the only value that depends on the time.
  static func ttlSeconds(of delivery: ClaimedDelivery, now: Timestamp) -> Int {
    let left = now.milliseconds(until: delivery.expiresAt) / 1000
    let whole = delivery.dueSince.milliseconds(until: delivery.expiresAt) / 1000
    // If the wall clock was set back, more can seem to remain than there ever was, or than FCM accepts.
    return min(max(0, Int(min(left, whole))), ttlSecondsMax)
  }
}
