package import Clock
package import FCMMessage
package import Telemetry

/// A delivery that was claimed for one attempt.
package struct ClaimedDelivery: Sendable, Equatable {
  package let id: DeliveryID
  package let notification: NotificationID
  package let app: String
  package let target: Target
  package let message: SealedMessage
  package let priority: DeliveryPriority
  /// Attempts counted before this one.
  package let attempts: Int
  package let createdAt: Timestamp
  /// The moment from which its latency is measured: acceptance, `send_at`, or the retry of a dead letter.
  package let dueSince: Timestamp
  package let expiresAt: Timestamp
  /// The API client whose notification it is part of; nil for an anonymous one.
  package let client: String?
  /// The trace of its notification.
  package let trace: TraceContext?
  /// The Live Activity that its message is for; nil for an ordinary message.
  package let activity: LiveActivity?
  /// Whether its request has left, or was recalled by a cancel.
  package let departure: Departure
  /// The number of the lease under which it was claimed; 0 in a queue that has one gateway.
  package var lease: Int64 = 0

  /// `dueSince` defaults to `createdAt`.
  package init(
    id: DeliveryID, notification: NotificationID, app: String, client: String? = nil, target: Target,
    message: SealedMessage, priority: DeliveryPriority, attempts: Int, createdAt: Timestamp,
    dueSince: Timestamp? = nil, expiresAt: Timestamp, trace: TraceContext? = nil,
    activity: LiveActivity? = nil, departure: Departure = Departure()
  ) {
    self.client = client
    self.activity = activity
    self.departure = departure
    self.id = id
    self.notification = notification
    self.app = app
    self.target = target
    self.message = message
    self.priority = priority
    self.attempts = attempts
    self.createdAt = createdAt
    self.dueSince = dueSince ?? createdAt
    self.expiresAt = expiresAt
    self.trace = trace
  }
}

/// What a claim took.
package struct ClaimedDeliveries: Sendable {
  package let deliveries: [ClaimedDelivery]
  /// When the app's next delivery is due, nil inside for none; nil where the store does not know it without a
  /// further query, or where there may be more to claim now.
  package let nextDue: Timestamp??

  package init(_ deliveries: [ClaimedDelivery], nextDue: Timestamp?? = .none) {
    self.deliveries = deliveries
    self.nextDue = nextDue
  }
}

/// The outcome of a claimed delivery.
package struct Settlement: Sendable, Equatable {
  package enum Result: Sendable, Equatable {
    case sent(messageName: String)
    /// Back to the queue, to be tried at `at`; ends as cancelled if that was requested meanwhile.
    case retry(at: Timestamp, error: DeliveryError)
    /// Back to the queue as it was, with no attempt counted; ends as cancelled if that was requested
    /// meanwhile.
    case release
    /// Back to the queue: due at `until`, with no attempt counted and its last error kept unless there is
    /// another; ends as cancelled if that was requested meanwhile.
    case deferred(until: Timestamp, error: DeliveryError? = nil)
    /// Ended. `deadRegistration` puts a token or fid into the feedback log, in the same transaction, and
    /// `deadActivity` the token of a Live Activity.
    case failed(error: DeliveryError, deadRegistration: Bool = false, deadActivity: Bool = false)
    /// Ended. Without an error it keeps its last one; `attempted` counts an attempt.
    case expired(error: DeliveryError?, attempted: Bool = false)
  }

  package let delivery: DeliveryID
  package let at: Timestamp
  package let result: Result

  package init(delivery: DeliveryID, at: Timestamp, result: Result) {
    self.delivery = delivery
    self.at = at
    self.result = result
  }
}

/// The progress of one step of looking for expired deliveries.
package struct ExpirySweep: Sendable, Equatable {
  /// Deliveries that are `expired` now.
  package let expired: Int
  /// Whether the sweep has examined every waiting delivery; the next call begins a new one.
  package let isComplete: Bool

  package init(expired: Int, isComplete: Bool) {
    self.expired = expired
    self.isComplete = isComplete
  }
}

/// What the sender needs of the durable queue.
///
/// All calls return at once. Completions are called exactly once, on the queue's own thread, in the order of
/// the commits; they must not block. That of a claim may also be called before the call returns.
package protocol DeliveryQueue: Sendable {
  /// The time that decides when deliveries are due and expire: the database's where several gateways share
  /// one, otherwise the machine's.
  var now: Timestamp { get }

  /// How many gateways share the queue now, this one included; known within a second. May be called on any
  /// thread.
  var gatewayCount: Int { get }

  /// What the gateways that share the queue know together about sending; nil for a queue with one gateway.
  var sharedLimits: (any SharedLimits)? { get }

  /// Claims up to `limit` due deliveries of `app`: high priority first, then by due time; but up to
  /// `normalMin` of them are of normal priority if that many are due. What one priority leaves unused goes to
  /// the other. A delivery stays claimed until it is settled or the process ends. Fewer than `limit` means
  /// that no more are due now.
  func claim(
    app: String, limit: Int, normalMin: Int, now: Timestamp,
    completion: @escaping @Sendable (Result<ClaimedDeliveries, OutboxError>) -> Void)

  /// Whether a claimed delivery is surely still this gateway's, and may be sent if its `departure` allows
  /// it. A gateway that was suspended for longer than its lease does not hold what it had claimed. May be
  /// called on any thread; never waits.
  func holds(_ delivery: ClaimedDelivery) -> Bool

  /// Records outcomes. On failure all of them stay claimed, and the caller tries again. Deliveries that are
  /// not claimed, such as those already settled, are ignored, so that trying again is harmless.
  ///
  /// A durable store may keep them for up to `waitMilliseconds`, to write them in the transaction of another
  /// call. `settleNow` ends that wait.
  func settle(
    _ settlements: [Settlement], waitMilliseconds: Int,
    completion: @escaping @Sendable (Result<Void, OutboxError>) -> Void)

  /// Writes the outcomes that wait for another call.
  func settleNow()

  /// Checks the next `limit` due, unclaimed deliveries of `app`, and ends those that have expired at `now`,
  /// so that they do not wait behind a paused app. A durable store does this by itself for an app whose first
  /// delivery has been due for a minute.
  func expire(
    app: String, now: Timestamp, limit: Int,
    completion: @escaping @Sendable (Result<ExpirySweep, OutboxError>) -> Void)

  /// When the next delivery of `app` that is not claimed becomes due; nil when none waits.
  func nextDue(app: String, completion: @escaping @Sendable (Result<Timestamp?, OutboxError>) -> Void)

  /// From now on, only deliveries of these apps are asked for: a durable store reports others that wait.
  func serve(only apps: [String])

  /// Called after each commit that made deliveries of `app` due earlier than `claim` last returned, on the
  /// queue's thread. Set once, before the first call.
  func onDue(_ notify: @escaping @Sendable (_ app: String) -> Void)

  /// Called when deliveries of `app` are about to be accepted, on the queue's thread: returns the limit of
  /// the claim that the app would make if some became due, or nil. Where a claim costs a transaction, the
  /// queue then claims as many for it in the one that accepts them, and keeps them until it is asked for
  /// them. Set once, before the first call. A queue whose claims cost no transaction need not call it.
  func onAccept(_ offer: @escaping @Sendable (_ app: String) -> Int?)
}

extension DeliveryQueue {
  package var now: Timestamp { .now }

  package var gatewayCount: Int { 1 }

  package var sharedLimits: (any SharedLimits)? { nil }

  package func onAccept(_ offer: @escaping @Sendable (_ app: String) -> Int?) {}

  /// Records outcomes at once.
  package func settle(
    _ settlements: [Settlement], completion: @escaping @Sendable (Result<Void, OutboxError>) -> Void
  ) {
    settle(settlements, waitMilliseconds: 0, completion: completion)
  }

  /// For a queue in which nothing waits.
  package func settleNow() {}

  /// For a queue that reports no apps.
  package func serve(only apps: [String]) {}

  /// For a queue with one gateway, which holds its claims until it settles them.
  package func holds(_ delivery: ClaimedDelivery) -> Bool { true }
}
