package import Clock

extension SealedMessage.PlaceholderValues {
  /// FCM's longest ttl (FCM v1 reference, `AndroidConfig.ttl`: four weeks).
  private static let ttlSecondsMax = 2_419_200

  /// The values of a message that is due from `dueSince` to `expiresAt` and is sent at `now`. `activityAt` is
  /// when the content of a Live Activity counts.
  ///
  /// A message with a `ttl` of 0 (deliver now or never) contains it as a constant and has no such
  /// placeholder; its `expiresAt` only limits how long the gateway itself tries.
  package init(
    deliveryID: String, dueSince: Timestamp, expiresAt: Timestamp, activityAt: Timestamp?, now: Timestamp
  ) {
    self.init(
      deliveryID: deliveryID, ttlSeconds: Self.ttlSeconds(from: dueSince, to: expiresAt, now: now),
      expiration: Int(expiresAt.unixSeconds), activityTimestamp: activityAt?.unixSeconds ?? 0)
  }

  /// What is left of the ttl at `now`, the only value that depends on the time: whole seconds, never rounded
  /// up, because a phone shows nothing after its ttl.
  package static func ttlSeconds(from dueSince: Timestamp, to expiresAt: Timestamp, now: Timestamp) -> Int {
    let left = now.milliseconds(until: expiresAt) / 1000
    let whole = dueSince.milliseconds(until: expiresAt) / 1000
    // If the wall clock was set back, more can seem to remain than there ever was, or than FCM accepts.
    return min(max(0, Int(min(left, whole))), ttlSecondsMax)
  }
}
