package import Clock
package import JSON

/// The durable queue: one protocol, several stores, one conformance suite.
///
/// As in `DeliveryQueue`, all calls return at once and completions must not block. Those of `notification`,
/// `list`, `idempotent`, `feedback` and `webhookCursor` may be called on other threads.
package protocol OutboxStore: DeliveryQueue {
  /// Keeps `notifications`, all or none, together with `idempotency`. The outcome is `accepted` only once
  /// everything is on disk; with any other outcome, and on failure, nothing was kept, and neither was the
  /// key.
  func enqueue(
    _ notifications: [NewNotification], idempotency: IdempotencyRecord?,
    completion: @escaping @Sendable (Result<EnqueueOutcome, OutboxError>) -> Void)

  /// The outcome of an enqueue with this key; nil when the key is free. A cheap check before any work:
  /// `enqueue` decides.
  func idempotent(
    _ key: IdempotencyKey, fingerprint: [UInt8],
    completion: @escaping @Sendable (Result<EnqueueOutcome?, OutboxError>) -> Void)

  /// The notification with an id; with its content if `withContent`.
  func notification(
    _ id: NotificationID, withContent: Bool,
    completion: @escaping @Sendable (Result<StoredNotification?, OutboxError>) -> Void)

  /// Notifications that match `filter`, newest first, from `cursor` on: at most `limit`, and fewer when the
  /// search reaches its own limit. There are more if and only if the page has a cursor.
  func list(
    _ filter: NotificationFilter, limit: Int, cursor: NotificationCursor?,
    completion: @escaping @Sendable (Result<NotificationPage, OutboxError>) -> Void)

  /// Cancels the waiting deliveries of a notification, and those that were claimed and whose requests have
  /// not left. One that is being sent ends as cancelled instead of waiting again.
  func cancel(
    _ id: NotificationID, now: Timestamp,
    completion: @escaping @Sendable (Result<CancelOutcome, OutboxError>) -> Void)

  /// Queues the failed and expired deliveries of a notification again, with no attempts counted and the whole
  /// ttl from `now` on. They keep their last error until the next outcome. Fails with `full` like an enqueue.
  func retry(
    _ id: NotificationID, now: Timestamp,
    completion: @escaping @Sendable (Result<RetryOutcome, OutboxError>) -> Void)

  /// Makes one step of a change: from the deliveries after `row`, oldest first, as many as share a
  /// transaction with others' writes. A dry run only counts. Each is changed as `cancel` and `retry` do it.
  /// Fails with `turnLost` if another call has gone on with `progress`.
  func change(
    _ change: DeliverySetChange, after row: Int64, isDryRun: Bool, progress: DeliverySetProgress?,
    completion: @escaping @Sendable (Result<DeliverySetStep, OutboxError>) -> Void)

  /// Removes, in one step, what ended at or before `end`: notifications all of whose deliveries did, events
  /// of the feedback log of that age, and expired idempotency records. `limit` bounds the removed deliveries,
  /// although a notification is removed as a whole. A durable store does this by itself, as configured.
  func prune(
    endedBy end: Timestamp, limit: Int,
    completion: @escaping @Sendable (Result<PruneStep, OutboxError>) -> Void)

  /// Writes the deliveries that end in one of these states to the feedback log from now on, for the webhook,
  /// in the transaction that ends them. None before the first call. Any thread; does not wait.
  func logOutcomes(_ outcomes: Set<DeliveryOutcome>)

  /// Events of the feedback log after the event `after`, in order and without outcomes: those of `apps`, or
  /// of all apps when that is nil, that are about the notifications of `client`, or of all when that is nil.
  func feedback(
    after: Int64?, apps: [String]?, client: String?, limit: Int,
    completion: @escaping @Sendable (Result<FeedbackPage, OutboxError>) -> Void)

  /// The last feedback event that the webhook's receiver has; nil before the first. Of the gateways that
  /// share a store, one at a time notifies the webhook: the calls of the others are answered when it is their
  /// turn.
  func webhookCursor(completion: @escaping @Sendable (Result<Int64?, OutboxError>) -> Void)

  /// Events of all apps for the webhook, with outcomes, in order; like `webhookCursor`, when it is this
  /// gateway's turn.
  func webhookEvents(
    after: Int64?, limit: Int, completion: @escaping @Sendable (Result<WebhookPage, OutboxError>) -> Void)

  /// The webhook has ended: what it asked for is not answered any more when it is this gateway's turn, but
  /// fails soon. A webhook that begins afterwards is not affected.
  func endWebhook()

  /// Keeps, durably, that the webhook's receiver has all events up to `event`, and removes the outcomes among
  /// them.
  func setWebhookCursor(
    _ event: Int64, completion: @escaping @Sendable (Result<Void, OutboxError>) -> Void)

  /// Deliveries by app and state; for stats and health.
  func counts(completion: @escaping @Sendable (Result<[ExactText: OutboxCounts], OutboxError>) -> Void)

  /// Called after each commit, on the store's thread. Set once, before the first call.
  func onCommit(_ observe: @escaping @Sendable (OutboxCommit) -> Void)

  /// Called when other gateways have added to the feedback log. Set once, before the first call.
  func onFeedback(_ notify: @escaping @Sendable () -> Void)

  /// Whether the last write succeeded. A degraded store probes by itself whether it can write again.
  var health: OutboxHealth { get }

  /// The space on the volume of the store's file, measured every second; nil for a store without a file.
  var diskSpace: OutboxDiskSpace? { get }

  /// How far the machine's clock is ahead of the shared database's; nil for a store of one gateway.
  var clockSkewMilliseconds: Int64? { get }

  /// How often this gateway's lease on a shared database has ended while it ran.
  var lostLeaseCount: Int { get }

  /// Finishes the earlier calls and closes. Further calls fail with `closed`.
  func close() async
}

extension OutboxStore {
  /// Why the last write failed; nil while the store can be written.
  package var degradation: OutboxError? { health.degradation }

  package func notification(
    _ id: NotificationID, completion: @escaping @Sendable (Result<StoredNotification?, OutboxError>) -> Void
  ) {
    notification(id, withContent: false, completion: completion)
  }
}
