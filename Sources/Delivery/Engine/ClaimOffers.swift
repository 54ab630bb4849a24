/// The size of a claim.
package struct ClaimOffer: Sendable, Equatable {
  package let limit: Int
  /// How many of them have normal priority if so many are due.
  package let normalMin: Int
}

/// The claims that the core would make if deliveries became due, which another thread may make for it.
///
/// Each is made at most once, and the core learns of it before it decides anything else: `withdraw` precedes
/// each of its decisions.
struct ClaimOffers {
  private var offers: [Int: (offer: ClaimOffer, lag: ClockLag)] = [:]
  private var taken: [(app: Int, offer: ClaimOffer)] = []

  mutating func add(_ offer: ClaimOffer, app: Int, lag: ClockLag) { offers[app] = (offer, lag) }

  /// The app's claim, if there is one; the caller makes it.
  mutating func take(app: Int) -> (offer: ClaimOffer, lag: ClockLag)? {
    guard let offer = offers.removeValue(forKey: app) else { return nil }
    taken.append((app, offer.offer))
    return offer
  }

  /// How many deliveries of an app its claim would take; nil if there is none. It stays.
  func limit(app: Int) -> Int? { offers[app]?.offer.limit }

  /// Ends all offers; returns those that were taken.
  mutating func withdraw() -> [(app: Int, offer: ClaimOffer)] {
    offers.removeAll(keepingCapacity: true)
    defer { taken = [] }
    return taken
  }
}
