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

  /// What it says of a claim. A class, because a settlement is passed on many times: a copy of a structure
  /// would count references of each part.
  private final class Content: Sendable, Equatable {
    let claim: ClaimedDelivery
    let at: Timestamp
    let state: DeliveryState?
    let dueAt: Timestamp?
    let countsAttempt: Bool
    let messageName: String?
    let error: DeliveryError?
    let dead: Dead?

    init(
      _ claim: ClaimedDelivery, at: Timestamp, _ state: DeliveryState?, dueAt: Timestamp? = nil,
      countsAttempt: Bool = false, messageName: String? = nil, error: DeliveryError? = nil, dead: Dead? = nil
    ) {
      self.claim = claim
      self.at = at
      self.state = state
      self.dueAt = dueAt
      self.countsAttempt = countsAttempt
      self.messageName = messageName
      self.error = error
      self.dead = dead
    }

    static func == (one: Content, other: Content) -> Bool {
      one === other
        || one.claim == other.claim && one.at == other.at && one.state == other.state
          && one.dueAt == other.dueAt && one.countsAttempt == other.countsAttempt
          && one.messageName == other.messageName && one.error == other.error && one.dead == other.dead
    }
  }

  private let content: Content
  /// The attempt that led to it, for the delivery's log; nil if there was none.
  package var attempt: AttemptRecord?

  private init(_ content: Content, _ attempt: AttemptRecord? = nil) {
    self.content = content
    self.attempt = attempt
  }

  /// The claim that ends. The settlement applies to no other claim of the delivery.
  package var claim: ClaimedDelivery { content.claim }
  package var at: Timestamp { content.at }
  /// The new state; nil for one that waits again as before. One that waits again ends as `cancelled` if its
  /// cancellation was requested meanwhile.
  package var state: DeliveryState? { content.state }
  /// When a delivery is due again that is `queued`.
  package var dueAt: Timestamp? { content.dueAt }
  /// Whether an attempt is counted.
  package var countsAttempt: Bool { content.countsAttempt }
  /// FCM's name for the message, if it was sent.
  package var messageName: String? { content.messageName }
  /// The new last error; nil keeps the last one.
  package var error: DeliveryError? { content.error }
  package var dead: Dead? { content.dead }

  /// FCM accepted the message.
  package static func sent(_ claim: ClaimedDelivery, at: Timestamp, messageName: String) -> Settlement {
    Settlement(Content(claim, at: at, .sent, countsAttempt: true, messageName: messageName))
  }

  /// The attempt failed; the next one is due at `dueAt`.
  package static func retry(
    _ claim: ClaimedDelivery, at: Timestamp, dueAt: Timestamp, error: DeliveryError
  ) -> Settlement {
    Settlement(Content(claim, at: at, .queued, dueAt: dueAt, countsAttempt: true, error: error))
  }

  /// Back to the queue as it was, with no attempt counted.
  package static func release(_ claim: ClaimedDelivery, at: Timestamp) -> Settlement {
    Settlement(Content(claim, at: at, nil))
  }

  /// Back to the queue: due at `dueAt`, with no attempt counted. Its last error is kept unless there is
  /// another.
  package static func deferred(
    _ claim: ClaimedDelivery, at: Timestamp, dueAt: Timestamp, error: DeliveryError? = nil
  ) -> Settlement {
    Settlement(Content(claim, at: at, .queued, dueAt: dueAt, error: error))
  }

  /// Ended as a dead letter.
  package static func failed(
    _ claim: ClaimedDelivery, at: Timestamp, error: DeliveryError, dead: Dead? = nil
  ) -> Settlement {
    Settlement(Content(claim, at: at, .failed, countsAttempt: true, error: error, dead: dead))
  }

  /// Ended because its time is over. Without an error it keeps its last one; `attempted` counts an attempt.
  package static func expired(
    _ claim: ClaimedDelivery, at: Timestamp, error: DeliveryError?, attempted: Bool = false
  ) -> Settlement {
    Settlement(Content(claim, at: at, .expired, countsAttempt: error != nil && attempted, error: error))
  }

  /// Whether the delivery waits again.
  package var waitsAgain: Bool { state == nil || state == .queued }

  /// Whether a requested cancellation drops the error, which is of no attempt.
  var dropsErrorWhenCancelled: Bool { waitsAgain && !countsAttempt }

  /// The same for another claim of the delivery.
  package func adopted(by claim: ClaimedDelivery) -> Settlement {
    Settlement(
      Content(
        claim, at: at, state, dueAt: dueAt, countsAttempt: countsAttempt, messageName: messageName,
        error: error, dead: dead), attempt)
  }

  /// What becomes of an update of a Live Activity that would wait again, although it is not needed any more.
  var superseded: Settlement {
    Settlement(
      Content(
        claim, at: at, .cancelled, countsAttempt: countsAttempt, messageName: messageName,
        error: .superseded, dead: dead), attempt)
  }
}
