import Clock
import FCMMessage
import Outbox
import OutboxModel
import Synchronization

/// What becomes of a delivery, without its claim.
enum Outcome {
  case sent(messageName: String)
  case retry(at: Timestamp, error: DeliveryError)
  case release
  case deferred(until: Timestamp, error: DeliveryError? = nil)
  case failed(error: DeliveryError, deadRegistration: Bool = false, deadActivity: Bool = false)
  case expired(error: DeliveryError?, attempted: Bool = false)

  func settlement(of claim: ClaimedDelivery, at: Timestamp) -> Settlement {
    switch self {
    case .sent(let name): .sent(claim, at: at, messageName: name)
    case .retry(let due, let error): .retry(claim, at: at, dueAt: due, error: error)
    case .release: .release(claim, at: at)
    case .deferred(let until, let error): .deferred(claim, at: at, dueAt: until, error: error)
    case .failed(let error, let isDead, let isActivityDead):
      .failed(claim, at: at, error: error, dead: isDead ? .registration : isActivityDead ? .activity : nil)
    case .expired(let error, let attempted): .expired(claim, at: at, error: error, attempted: attempted)
    }
  }
}

/// An outcome of the last claim of a delivery.
struct SettledDelivery {
  let delivery: DeliveryID
  let at: Timestamp
  let outcome: Outcome

  init(_ delivery: DeliveryID, at: Timestamp, _ outcome: Outcome) {
    self.delivery = delivery
    self.at = at
    self.outcome = outcome
  }
}

/// The last claim of each delivery of each store, so that tests can settle by ids.
final class ClaimBook: Sendable {
  static let shared = ClaimBook()

  private struct Key: Hashable {
    let store: ObjectIdentifier
    let delivery: DeliveryID
  }

  private let claims = Mutex<[Key: ClaimedDelivery]>([:])

  func note(_ claimed: [ClaimedDelivery], of store: any OutboxStore) {
    claims.withLock { claims in
      for claim in claimed {
        claims[Key(store: ObjectIdentifier(store as AnyObject), delivery: claim.id)] = claim
      }
    }
  }

  /// The last claims of a store that were not settled, in the order of their deliveries.
  func open(in store: any OutboxStore) -> [ClaimedDelivery] {
    let open = claims.withLock { $0.filter { $0.key.store == ObjectIdentifier(store as AnyObject) }.values }
    return open.sorted { $0.id < $1.id }
  }

  /// Forgets claims that are settled.
  func close(_ deliveries: [DeliveryID], of store: any OutboxStore) {
    claims.withLock { claims in
      for delivery in deliveries {
        claims[Key(store: ObjectIdentifier(store as AnyObject), delivery: delivery)] = nil
      }
    }
  }

  /// A delivery that was never claimed gets a claim that no store has made.
  func settlements(_ outcomes: [SettledDelivery], of store: any OutboxStore) -> [Settlement] {
    claims.withLock { claims in
      outcomes.map { one in
        let claim =
          claims[Key(store: ObjectIdentifier(store as AnyObject), delivery: one.delivery)]
          ?? ClaimedDelivery(
            id: one.delivery, claim: ClaimNumber(number: -1), notification: NotificationID(one.delivery.uuid),
            app: "default", target: .topic("none"), message: shortMessage, priority: .normal, attempts: 0,
            createdAt: start, expiresAt: start)
        return one.outcome.settlement(of: claim, at: one.at)
      }
    }
  }
}
