package import Clock

/// What becomes of a claimed delivery: the one value that carries an answer from FCM to the store.
package struct Settlement: Sendable, Equatable {
  /// What an answer reported as dead.
  package enum Dead: Sendable {
    /// The registration: its token or fid goes into the feedback log.
    case registration
    /// The Live Activity, whose token goes there.
    case activity
  }

  /// The claim that ends. The settlement applies to no other claim of the delivery.
  package private(set) var claim: ClaimedDelivery
  package let at: Timestamp
  /// The new state; nil for one that waits again as before. One that waits again ends as `cancelled` if its
  /// cancellation was requested meanwhile.
  package private(set) var state: DeliveryState?
  /// When a delivery is due again that is `queued`.
  package private(set) var dueAt: Timestamp?
  /// Whether an attempt is counted.
  package private(set) var countsAttempt = false
  /// FCM's name for the message, if it was sent.
  package private(set) var messageName: String?
  /// The new last error; nil keeps the last one.
  package private(set) var error: DeliveryError?
  package private(set) var dead: Dead?
  /// The attempt that led to it, for the delivery's log; nil if there was none.
  package var attempt: AttemptRecord?

  private init(_ claim: ClaimedDelivery, at: Timestamp, _ state: DeliveryState?) {
    self.claim = claim
    self.at = at
    self.state = state
  }

  /// FCM accepted the message.
  package static func sent(_ claim: ClaimedDelivery, at: Timestamp, messageName: String) -> Settlement {
    var settlement = Settlement(claim, at: at, .sent)
    settlement.countsAttempt = true
    settlement.messageName = messageName
    return settlement
  }

  /// The attempt failed; the next one is due at `dueAt`.
  package static func retry(
    _ claim: ClaimedDelivery, at: Timestamp, dueAt: Timestamp, error: DeliveryError
  ) -> Settlement {
    var settlement = Settlement(claim, at: at, .queued)
    settlement.dueAt = dueAt
    settlement.countsAttempt = true
    settlement.error = error
    return settlement
  }

  /// Back to the queue as it was, with no attempt counted.
  package static func release(_ claim: ClaimedDelivery, at: Timestamp) -> Settlement {
    Settlement(claim, at: at, nil)
  }

  /// Back to the queue: due at `dueAt`, with no attempt counted. Its last error is kept unless there is
  /// another.
  package static func deferred(
    _ claim: ClaimedDelivery, at: Timestamp, dueAt: Timestamp, error: DeliveryError? = nil
  ) -> Settlement {
    var settlement = Settlement(claim, at: at, .queued)
    settlement.dueAt = dueAt
    settlement.error = error
    return settlement
  }

  /// Ended as a dead letter.
  package static func failed(
    _ claim: ClaimedDelivery, at: Timestamp, error: DeliveryError, dead: Dead? = nil
  ) -> Settlement {
    var settlement = Settlement(claim, at: at, .failed)
    settlement.countsAttempt = true
    settlement.error = error
    settlement.dead = dead
    return settlement
  }

  /// Ended because its time is over. Without an error it keeps its last one; `attempted` counts an attempt.
  package static func expired(
    _ claim: ClaimedDelivery, at: Timestamp, error: DeliveryError?, attempted: Bool = false
  ) -> Settlement {
    var settlement = Settlement(claim, at: at, .expired)
    settlement.countsAttempt = error != nil && attempted
    settlement.error = error
    return settlement
  }

  /// Whether the delivery waits again.
  package var waitsAgain: Bool { state == nil || state == .queued }

  /// Whether a requested cancellation drops the error, which is of no attempt.
  var dropsErrorWhenCancelled: Bool { waitsAgain && !countsAttempt }

  /// The same for another claim of the delivery.
  package func adopted(by claim: ClaimedDelivery) -> Settlement {
    var settlement = self
    settlement.claim = claim
    return settlement
  }

  /// What becomes of an update of a Live Activity that would wait again, although it is not needed any more.
  var superseded: Settlement {
    var settlement = self
    (settlement.state, settlement.dueAt, settlement.error) = (.cancelled, nil, .superseded)
    return settlement
  }
}
