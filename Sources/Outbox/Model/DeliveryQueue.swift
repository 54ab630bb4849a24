package import Clock
package import SendingLimits

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

/// The progress of one step of looking for expired deliveries.
package struct ExpirySweep: Sendable, Equatable {
  /// Deliveries that are `expired` now.
  package let expired: Int
  /// Whether the sweep has examined every waiting delivery; the next call begins a new one.
  package let isComplete: Bool
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

  /// Records outcomes. On failure all of them stay claimed, and the caller tries again. A settlement applies
  /// to its own claim only; the completion names the deliveries whose claims were over, such as those already
  /// settled, for which nothing was recorded. So trying again is harmless.
  ///
  /// A durable store may keep them for up to `waitMilliseconds`, to write them in the transaction of another
  /// call. `settleNow` ends that wait.
  func settle(
    _ settlements: [Settlement], waitMilliseconds: Int,
    completion: @escaping @Sendable (Result<[DeliveryID], OutboxError>) -> Void)

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
