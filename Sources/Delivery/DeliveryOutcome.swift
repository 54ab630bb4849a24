package import Clock
package import Outbox

/// What became of a claimed delivery, as the engine sees it.
package enum DeliveryOutcome: Sendable, Equatable {
  case sent(messageName: String)
  /// An attempt failed; the next one is due at `at`.
  case retry(at: Timestamp, error: DeliveryError)
  /// Due again at `until`, no attempt counted: its target is held, or FCM refuses the app with `error`.
  case deferred(until: Timestamp, error: DeliveryError? = nil)
  /// Back to the queue as it was, no attempt counted.
  case release
  case failed(error: DeliveryError, deadRegistration: Bool)
  /// `attempted` where that was found after an attempt that failed.
  case expired(error: DeliveryError?, attempted: Bool = false)
}

/// An outcome to be put on disk.
package struct OutcomeRecord: Sendable, Equatable {
  package let delivery: DeliveryID
  package let at: Timestamp
  package let outcome: DeliveryOutcome

  package init(delivery: DeliveryID, at: Timestamp, outcome: DeliveryOutcome) {
    self.delivery = delivery
    self.at = at
    self.outcome = outcome
  }
}

extension Settlement {
  /// The record in the queue's words.
  package init(_ record: OutcomeRecord) {
    let result: Settlement.Result =
      switch record.outcome {
      case .sent(let name): .sent(messageName: name)
      case .retry(let at, let error): .retry(at: at, error: error)
      case .deferred(let until, let error): .deferred(until: until, error: error)
      case .release: .release
      case .failed(let error, let isDead): .failed(error: error, deadRegistration: isDead)
      case .expired(let error, let attempted): .expired(error: error, attempted: attempted)
      }
    self.init(delivery: record.delivery, at: record.at, result: result)
  }
}

extension DeliveryError {
  /// Why a delivery waits that was not tried: another one used its target's quota up.
  static let targetQuota = DeliveryError(
    code: "QUOTA_EXCEEDED", httpStatus: 429, message: "the target's quota is used up", apnsReason: nil)
}

extension ClaimedDelivery {
  /// From when the time to its end is counted: since it first was due, or was retried by hand.
  var countedSince: Timestamp { dueSince }
}
