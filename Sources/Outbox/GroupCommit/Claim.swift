/// A delivery that this gateway has claimed.
struct Claim: Sendable {
  let delivery: QueuedDelivery
  let departure = Departure()

  init(_ delivery: QueuedDelivery) { self.delivery = delivery }

  /// What the sender gets of it.
  var claimed: ClaimedDelivery { delivery.claimed(departure) }

  /// The same with the number of the lease.
  func claimed(under lease: Int64) -> ClaimedDelivery {
    var claimed = claimed
    claimed.lease = lease
    return claimed
  }
}
