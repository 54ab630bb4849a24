/// A delivery that this gateway has claimed.
struct Claim: Sendable {
  let delivery: QueuedDelivery
  let departure = Departure()

  init(_ delivery: QueuedDelivery) { self.delivery = delivery }

  /// What the sender gets of it.
  var claimed: ClaimedDelivery { delivery.claimed(departure) }
}
