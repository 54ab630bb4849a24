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

  /// FCM accepted the message.
  package static func sent(_ claim: ClaimedDelivery, at: Timestamp, messageName: String) -> Settlement {
    Settlement(claim: claim, at: at, state: .sent, countsAttempt: true, messageName: messageName)
  }

  /// The attempt failed; the next one is due at `dueAt`.
  package static func retry(
    _ claim: ClaimedDelivery, at: Timestamp, dueAt: Timestamp, error: DeliveryError
  ) -> Settlement {
    Settlement(claim: claim, at: at, state: .queued, dueAt: dueAt, countsAttempt: true, error: error)
  }

  /// Back to the queue as it was, with no attempt counted.
  package static func release(_ claim: ClaimedDelivery, at: Timestamp) -> Settlement {
    Settlement(claim: claim, at: at)
  }

  /// Back to the queue: due at `dueAt`, with no attempt counted. Its last error is kept unless there is
  /// another.
  package static func deferred(
    _ claim: ClaimedDelivery, at: Timestamp, dueAt: Timestamp, error: DeliveryError? = nil
  ) -> Settlement {
    Settlement(claim: claim, at: at, state: .queued, dueAt: dueAt, error: error)
  }

  /// Ended as a dead letter.
  package static func failed(
    _ claim: ClaimedDelivery, at: Timestamp, error: DeliveryError, dead: Dead? = nil
  ) -> Settlement {
    Settlement(claim: claim, at: at, state: .failed, countsAttempt: true, error: error, dead: dead)
  }

  /// Ended because its time is over. Without an error it keeps its last one; `attempted` counts an attempt.
  package static func expired(
    _ claim: ClaimedDelivery, at: Timestamp, error: DeliveryError?, attempted: Bool = false
  ) -> Settlement {
    let countsAttempt = error != nil && attempted
    return Settlement(claim: claim, at: at, state: .expired, countsAttempt: countsAttempt, error: error)
  }

  /// Whether the delivery waits again.
  package var waitsAgain: Bool { state == nil || state == .queued }

  /// Whether a requested cancellation drops the error, which is of no attempt.
  var dropsErrorWhenCancelled: Bool { waitsAgain && !countsAttempt }

  private func with(_ change: (inout Settlement) -> Void) -> Settlement {
    var changed = self
    change(&changed)
    return changed
  }

  /// The same for another claim of the delivery.
  package func adopted(by claim: ClaimedDelivery) -> Settlement { with { $0.claim = claim } }

  /// What becomes of an update of a Live Activity that would wait again, although it is not needed any more.
  var superseded: Settlement {
    with { ($0.state, $0.dueAt, $0.error) = (.cancelled, nil, .superseded) }
  }
}
