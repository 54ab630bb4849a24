package import Clock

/// A call that changes the queue, waiting for its commit.
package enum QueueWrite: Sendable {
  package typealias Completion<Value> = @Sendable (Result<Value, OutboxError>) -> Void

  case enqueue([NewNotification], IdempotencyRecord?, now: Timestamp, Completion<EnqueueOutcome>)
  case settle([Settlement], Completion<Void>)
  case cancel(NotificationID, now: Timestamp, Completion<CancelOutcome>)
  case retry(NotificationID, now: Timestamp, Completion<RetryOutcome>)
  case expire(app: String, now: Timestamp, limit: Int, Completion<ExpirySweep>)
  case prune(endedBy: Timestamp, now: Timestamp, limit: Int, Completion<PruneStep>)
  case setWebhookCursor(Int64, Completion<Void>)

  /// The number of deliveries by which it counts towards the limits of a transaction and of the pending
  /// operations.
  var deliveryCount: Int {
    switch self {
    case .enqueue(let notifications, _, _, _): notifications.reduce(0) { $0 + $1.deliveries.count }
    case .settle(let settlements, _): settlements.count
    case .cancel, .retry, .setWebhookCursor: 1
    case .expire(_, _, let limit, _), .prune(_, _, let limit, _): limit
    }
  }

  /// Whether it adds to what waits, rather than to finish it.
  var addsDeliveries: Bool {
    switch self {
    case .enqueue, .retry: true
    case .settle, .cancel, .expire, .prune, .setWebhookCursor: false
    }
  }

  /// Whether what it does depends on the state of earlier deliveries, which must be up to date then.
  var concernsOutcomes: Bool {
    switch self {
    case .cancel, .retry, .expire, .prune: true
    case .enqueue, .settle, .setWebhookCursor: false
    }
  }

  /// The idempotency key that it takes if it is accepted.
  var idempotencyKey: IdempotencyKey? {
    if case .enqueue(_, let record, _, _) = self { return record?.key }
    return nil
  }

  /// Answers with `error`; nothing was written.
  func refuse(_ error: OutboxError) {
    switch self {
    case .enqueue(_, _, _, let completion): completion(.failure(error))
    case .settle(_, let completion): completion(.failure(error))
    case .cancel(_, _, let completion): completion(.failure(error))
    case .retry(_, _, let completion): completion(.failure(error))
    case .expire(_, _, _, let completion): completion(.failure(error))
    case .prune(_, _, _, let completion): completion(.failure(error))
    case .setWebhookCursor(_, let completion): completion(.failure(error))
    }
  }
}

/// A write of a transaction: one that every store has, or one of the backend's own.
package enum GroupCommitWrite<Own: BackendWrite>: Sendable {
  case queue(QueueWrite)
  case own(Own)

  var deliveryCount: Int {
    switch self {
    case .queue(let write): write.deliveryCount
    case .own(let write): write.deliveryCount
    }
  }

  /// Whether it adds to what waits, rather than to finish it.
  var addsDeliveries: Bool {
    switch self {
    case .queue(let write): write.addsDeliveries
    case .own(let write): write.addsDeliveries
    }
  }

  var queueWrite: QueueWrite? { if case .queue(let write) = self { write } else { nil } }

  func refuse(_ error: OutboxError) {
    switch self {
    case .queue(let write): write.refuse(error)
    case .own(let write): write.refuse(error)
    }
  }
}

/// A claim that waits for its turn.
package struct ClaimRequest: Sendable {
  let app: String
  let limit: Int
  let normalMin: Int
  let now: Timestamp
  let completion: QueueWrite.Completion<ClaimedDeliveries>

  /// See `DeliveryQueue.claim`.
  package init(
    app: String, limit: Int, normalMin: Int, now: Timestamp,
    completion: @escaping QueueWrite.Completion<ClaimedDeliveries>
  ) {
    self.app = app
    self.limit = limit
    self.normalMin = normalMin
    self.now = now
    self.completion = completion
  }
}
