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

  private struct Content: Sendable, Equatable {
    var claim: ClaimedDelivery
    let at: Timestamp
    var state: DeliveryState?
    var dueAt: Timestamp?
    var countsAttempt = false
    var messageName: String?
    var error: DeliveryError?
    var dead: Dead?
    var attempt: AttemptRecord?
  }

  /// A settlement is passed on many times: a copy of its parts would count the references of each.
  private final class Shared: Sendable {
    let content: Content
    init(_ content: Content) { self.content = content }
  }

  private var shared: Shared
  private var content: Content { shared.content }

  private init(_ content: Content) { shared = Shared(content) }

  package static func == (one: Settlement, other: Settlement) -> Bool { one.content == other.content }

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
  /// The attempt that led to it, for the delivery's log; nil if there was none.
  package var attempt: AttemptRecord? {
    get { content.attempt }
    set { self = with { $0.attempt = newValue } }
  }

  /// FCM accepted the message.
  package static func sent(_ claim: ClaimedDelivery, at: Timestamp, messageName: String) -> Settlement {
    Settlement(Content(claim: claim, at: at, state: .sent, countsAttempt: true, messageName: messageName))
  }

  /// The attempt failed; the next one is due at `dueAt`.
  package static func retry(
    _ claim: ClaimedDelivery, at: Timestamp, dueAt: Timestamp, error: DeliveryError
  ) -> Settlement {
    Settlement(Content(claim: claim, at: at, state: .queued, dueAt: dueAt, countsAttempt: true, error: error))
  }

  /// Back to the queue as it was, with no attempt counted.
  package static func release(_ claim: ClaimedDelivery, at: Timestamp) -> Settlement {
    Settlement(Content(claim: claim, at: at))
  }

  /// Back to the queue: due at `dueAt`, with no attempt counted. Its last error is kept unless there is
  /// another.
  package static func deferred(
    _ claim: ClaimedDelivery, at: Timestamp, dueAt: Timestamp, error: DeliveryError? = nil
  ) -> Settlement {
    Settlement(Content(claim: claim, at: at, state: .queued, dueAt: dueAt, error: error))
  }

  /// Ended as a dead letter.
  package static func failed(
    _ claim: ClaimedDelivery, at: Timestamp, error: DeliveryError, dead: Dead? = nil
  ) -> Settlement {
    Settlement(Content(claim: claim, at: at, state: .failed, countsAttempt: true, error: error, dead: dead))
  }

  /// Ended because its time is over. Without an error it keeps its last one; `attempted` counts an attempt.
  package static func expired(
    _ claim: ClaimedDelivery, at: Timestamp, error: DeliveryError?, attempted: Bool = false
  ) -> Settlement {
    let countsAttempt = error != nil && attempted
    return Settlement(
      Content(claim: claim, at: at, state: .expired, countsAttempt: countsAttempt, error: error))
  }

  /// Whether the delivery waits again.
  package var waitsAgain: Bool { state == nil || state == .queued }

  /// Whether a requested cancellation drops the error, which is of no attempt.
  var dropsErrorWhenCancelled: Bool { waitsAgain && !countsAttempt }

  private func with(_ change: (inout Content) -> Void) -> Settlement {
    var content = content
    change(&content)
    return Settlement(content)
  }

  /// The same for another claim of the delivery.
  package func adopted(by claim: ClaimedDelivery) -> Settlement { with { $0.claim = claim } }

  /// What becomes of an update of a Live Activity that would wait again, although it is not needed any more.
  var superseded: Settlement {
    with { ($0.state, $0.dueAt, $0.error) = (.cancelled, nil, .superseded) }
  }
}
