package import Clock

/// A call that waits for its turn in a transaction.
package enum QueueWrite: Sendable {
  package typealias Completion<Value> = @Sendable (Result<Value, OutboxError>) -> Void

  case enqueue([NewNotification], IdempotencyRecord?, now: Timestamp, Completion<EnqueueOutcome>)
  case settle([Settlement], Completion<[DeliveryID]>)
  case claim(ClaimRequest)
  case cancel(NotificationID, now: Timestamp, Completion<CancelOutcome>)
  case retry(NotificationID, now: Timestamp, Completion<RetryOutcome>)
  case expire(app: String, now: Timestamp, limit: Int, Completion<ExpirySweep>)
  case prune(endedBy: Timestamp, now: Timestamp, limit: Int, Completion<PruneStep>)
  case setWebhookCursor(Int64, Completion<Void>)
  /// Where the clock was set back; the result is how many it has corrected.
  case correctDueTimes(now: Timestamp, limit: Int, Completion<Int>)
  /// Where a large enqueue is written in parts: one of them, and the removal of what a failed one has left,
  /// whose rest is the result.
  case enqueuePart(EnqueuePart)
  case removeAbandoned(ClosedRange<Int64>, limit: Int, Completion<ClosedRange<Int64>?>)

  /// The number of deliveries by which it counts towards the limits of a transaction and of the pending
  /// operations.
  var deliveryCount: Int {
    switch self {
    case .enqueue(let notifications, _, _, _): notifications.reduce(0) { $0 + $1.deliveries.count }
    case .settle(let settlements, _): settlements.count
    case .cancel, .retry, .setWebhookCursor: 1
    case .claim(let claim): claim.limit
    case .expire(_, _, let limit, _), .prune(_, _, let limit, _), .correctDueTimes(_, let limit, _),
      .removeAbandoned(_, let limit, _):
      limit
    case .enqueuePart(let part): part.deliveryCount
    }
  }

  /// Whether it adds to what waits, rather than to finish it.
  var addsDeliveries: Bool {
    switch self {
    case .enqueue, .retry, .enqueuePart: true
    case .settle, .claim, .cancel, .expire, .prune, .setWebhookCursor, .correctDueTimes,
      .removeAbandoned:
      false
    }
  }

  /// Whether what it does depends on the state of earlier deliveries, which must be up to date then.
  var concernsOutcomes: Bool {
    switch self {
    case .cancel, .retry, .expire, .prune, .correctDueTimes: true
    case .enqueue, .settle, .claim, .setWebhookCursor, .enqueuePart, .removeAbandoned: false
    }
  }

  /// Whether it is the intake of a request.
  var isIntake: Bool { if case .enqueue = self { true } else { false } }

  var isClaim: Bool { if case .claim = self { true } else { false } }

  /// The idempotency key that it takes if it is accepted.
  var idempotencyKey: IdempotencyKey? {
    if case .enqueue(_, let record, _, _) = self { record?.key } else { nil }
  }

  /// Answers with `error`; nothing was written.
  func refuse(_ error: OutboxError) {
    switch self {
    case .enqueue(_, _, _, let completion): completion(.failure(error))
    case .settle(_, let completion): completion(.failure(error))
    case .claim(let claim): claim.completion(.failure(error))
    case .cancel(_, _, let completion): completion(.failure(error))
    case .retry(_, _, let completion): completion(.failure(error))
    case .expire(_, _, _, let completion): completion(.failure(error))
    case .prune(_, _, _, let completion): completion(.failure(error))
    case .setWebhookCursor(_, let completion): completion(.failure(error))
    case .correctDueTimes(_, _, let completion): completion(.failure(error))
    case .enqueuePart(let part): part.completion(.failure(error))
    case .removeAbandoned(_, _, let completion): completion(.failure(error))
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
