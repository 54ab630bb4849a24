package import Clock
package import JSON
package import Telemetry

/// What one durable store adds to `GroupCommitStore`: its transaction, its statements, and how it recovers.
///
/// The store calls it on its writing queue, unless a requirement says otherwise.
package protocol GroupCommitBackend: AnyObject, Sendable {
  /// The writes that only this backend has.
  associatedtype OwnWrite: BackendWrite

  typealias Store = GroupCommitStore<Self>
  typealias Write = GroupCommitWrite<OwnWrite>

  /// Whether a store that found corruption stays degraded until it is opened again.
  static var isCorruptionFinal: Bool { get }

  /// Whether several gateways use the database at the same time.
  static var isShared: Bool { get }

  /// Where the database is, for the log.
  var logFields: Log.Fields { get }

  /// Whether the database can be used now. Called on any thread.
  var isReachable: Bool { get }

  /// Why nothing can be accepted although what was accepted can still be settled. Called on any thread.
  var shortage: OutboxError? { get }

  /// The space on the volume of the database's file; nil without one. Called on any thread.
  var diskSpace: OutboxDiskSpace? { get }

  /// How far the machine's clock is ahead of a shared database's; nil without one. Called on any thread.
  var clockSkewMilliseconds: Int64? { get }

  /// How many gateways share the database now, and how often this one's lease has ended. Called on any
  /// thread.
  var gatewayCount: Int { get }
  var lostLeaseCount: Int { get }

  /// What the gateways that share the database know together about sending. Called on any thread.
  var sharedLimits: (any SharedLimits)? { get }

  /// How long a degraded store waits before its next call of `recover`.
  var recoveryDelayMilliseconds: Int { get }

  /// Begins the work that the backend does by itself. Called once, when the store is complete.
  func start(in store: Store)

  /// Writes everything in one transaction, or nothing. An error of scope `uncertain` obliges the backend to
  /// call the store's `complete` for these writes later.
  func write(_ writes: [Write], in store: Store) throws(BackendError) -> GroupCommit

  /// Writes an enqueue in parts, all or nothing, and calls the store's `finish` for it. Called on any thread.
  func enqueue(_ large: LargeEnqueue, in store: Store)

  /// Begins to verify the database's files, in each round of watching; returns at once. Called on any thread.
  func inspect(in store: Store)

  /// Called after the callers of a batch were answered.
  func batchEnded(in store: Store)

  /// The backend's own part of a round of maintenance.
  func maintain(in store: Store)

  /// The apps with an unclaimed delivery that has been due since `moment` or longer.
  func appsDue(since moment: Timestamp) throws(BackendError) -> [String]

  /// Makes a degraded store writable again, or throws. Returns the apps whose deliveries may have become due
  /// meanwhile.
  func recover(in store: Store) throws(BackendError) -> [String]

  /// Releases everything; `completion` may be called on any thread. Further calls only call their completion.
  func close(in store: Store, completion: @escaping @Sendable () -> Void)

  /// Submits a claim to the store in the backend's way: as a question or as a write. Called on any thread.
  func claim(_ claim: ClaimRequest, in store: Store)

  /// Whether a claimed delivery is surely still this gateway's. Called on any thread.
  func holds(_ delivery: ClaimedDelivery) -> Bool

  /// When the app's first unclaimed waiting delivery is due.
  func nextDue(app: String) throws(BackendError) -> Timestamp?

  func counts(now: Timestamp) throws(BackendError) -> [ExactText: OutboxCounts]

  /// The outcomes that transactions write to the feedback log. Called on any thread.
  var loggedOutcomes: LoggedOutcomes { get }

  /// Calls `completion` when it is this gateway's turn to notify the webhook, or with an error. Called on any
  /// thread.
  func awaitWebhookTurn(in store: Store, completion: @escaping @Sendable (OutboxError?) -> Void)

  /// Ends the waits for that turn. Called on any thread.
  func endWebhook()

  /// Called on the queue of look-ups.
  func notification(_ id: NotificationID, now: Timestamp) throws(BackendError) -> StoredNotification?

  /// Called on the queue of lists.
  func list(
    _ filter: NotificationFilter, limit: Int, cursor: NotificationCursor?, now: Timestamp
  ) throws(BackendError) -> NotificationPage

  /// Called on the queue of look-ups.
  func idempotent(
    _ key: IdempotencyKey, fingerprint: [UInt8], now: Timestamp
  ) throws(BackendError) -> EnqueueOutcome?

  /// Called on the queue of lists.
  func feedback(after: Int64?, apps: [String]?, limit: Int) throws(BackendError) -> FeedbackPage

  /// Called on the queue of lists.
  func webhookEvents(after: Int64?, limit: Int) throws(BackendError) -> WebhookPage

  /// Called on the queue of look-ups.
  func webhookCursor() throws(BackendError) -> Int64?
}

extension GroupCommitBackend {
  package var shortage: OutboxError? { nil }

  package func inspect(in store: Store) {}

  package var diskSpace: OutboxDiskSpace? { nil }

  package func holds(_ delivery: ClaimedDelivery) -> Bool { true }
}

/// A write that only one backend has.
package protocol BackendWrite: Sendable {
  /// The number of deliveries by which it counts towards the limits of a transaction and of the pending
  /// operations.
  var deliveryCount: Int { get }

  /// Whether it adds to what waits, rather than to finish it.
  var addsDeliveries: Bool { get }

  /// Answers with `error`; nothing was written.
  func refuse(_ error: OutboxError)
}

extension BackendWrite {
  package var addsDeliveries: Bool { false }
}

/// Why a backend failed, and who is affected.
package struct BackendError: Error, Sendable {
  package enum Scope: Sendable {
    /// A write that breaks a rule of the schema: the others of its transaction may succeed without it.
    case call
    /// This operation alone; the store works.
    case operation
    /// The store, which is degraded.
    case store
    /// The store, in the middle of a COMMIT: whether the writes were kept is not known yet.
    case uncertain
  }

  package let scope: Scope
  package let underlying: OutboxError

  package init(_ scope: Scope, _ underlying: OutboxError) {
    self.scope = scope
    self.underlying = underlying
  }
}

/// The result of a transaction.
package struct GroupCommit: Sendable {
  /// One for each write, in order, to be called after the commit.
  package var answers: [@Sendable () -> Void] = []
  /// Nil when nothing was changed.
  package var report: OutboxCommit?
  /// Whether the database was written, which proves that it can be.
  package var isWritten = false
  /// The apps with more waiting deliveries than before.
  package var due: [String] = []

  package init() {}
}

extension GroupCommitBackend {
  package var clockSkewMilliseconds: Int64? { nil }
  package var gatewayCount: Int { 1 }
  package var lostLeaseCount: Int { 0 }
  package var sharedLimits: (any SharedLimits)? { nil }
}
