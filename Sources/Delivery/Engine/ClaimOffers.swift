/// The size of a claim.
package struct ClaimOffer: Sendable, Equatable {
  package let limit: Int
  /// How many of them have normal priority if so many are due.
  package let normalMin: Int
}

/// The claims that the core would make if deliveries became due, which another thread may make for it.
///
/// Each is made at most once. Before the core decides anything about an app, it withdraws the app's offer and
/// learns of all that were taken.
struct ClaimOffers {
  private var offers: [Int: ClaimOffer] = [:]
  private var taken: [(app: Int, offer: ClaimOffer)] = []

  mutating func add(_ offer: ClaimOffer, app: Int) { offers[app] = offer }

  /// The app's claim, if there is one; the caller makes it.
  mutating func take(app: Int) -> ClaimOffer? {
    guard let offer = offers.removeValue(forKey: app) else { return nil }
    taken.append((app, offer))
    return offer
  }

  /// How many deliveries of an app its claim would take; nil if there is none. It stays.
  func limit(app: Int) -> Int? { offers[app]?.limit }

  /// Ends the offers of `apps`, of all if nil; returns those that were taken, of any app.
  mutating func withdraw(_ apps: [Int]?) -> [(app: Int, offer: ClaimOffer)] {
    if let apps {
      for app in apps { offers[app] = nil }
    } else {
      offers.removeAll(keepingCapacity: true)
    }
    guard !taken.isEmpty else { return [] }
    defer { taken.removeAll(keepingCapacity: true) }
    return taken
  }
}
