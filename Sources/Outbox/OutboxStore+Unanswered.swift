extension DeliveryQueue {
  package func expire(
    app: String, now: Timestamp, limit: Int,
    completion: @escaping @Sendable (Result<ExpirySweep, OutboxError>) -> Void
  ) { completion(.failure(.unanswered)) }
}

extension OutboxError {
  static let unanswered = OutboxError(code: .unavailable, description: "this store does not answer that")
}

/// For stores that keep no more than deliveries.
extension OutboxStore {
  package func enqueue(
    _ notifications: [NewNotification], idempotency: IdempotencyRecord?,
    completion: @escaping @Sendable (Result<EnqueueOutcome, OutboxError>) -> Void
  ) { completion(.failure(.unanswered)) }

  package func idempotent(
    _ key: IdempotencyKey, fingerprint: [UInt8],
    completion: @escaping @Sendable (Result<EnqueueOutcome?, OutboxError>) -> Void
  ) { completion(.failure(.unanswered)) }

  package func list(
    _ filter: NotificationFilter, limit: Int, cursor: NotificationCursor?,
    completion: @escaping @Sendable (Result<NotificationPage, OutboxError>) -> Void
  ) { completion(.failure(.unanswered)) }

  package func cancel(
    _ id: NotificationID, now: Timestamp,
    completion: @escaping @Sendable (Result<CancelOutcome, OutboxError>) -> Void
  ) { completion(.failure(.unanswered)) }

  package func retry(
    _ id: NotificationID, now: Timestamp,
    completion: @escaping @Sendable (Result<RetryOutcome, OutboxError>) -> Void
  ) { completion(.failure(.unanswered)) }

  package func prune(
    endedBy end: Timestamp, limit: Int,
    completion: @escaping @Sendable (Result<PruneStep, OutboxError>) -> Void
  ) { completion(.failure(.unanswered)) }

  package func feedback(
    after: Int64?, apps: [String]?, limit: Int,
    completion: @escaping @Sendable (Result<FeedbackPage, OutboxError>) -> Void
  ) { completion(.failure(.unanswered)) }

  package func webhookCursor(completion: @escaping @Sendable (Result<Int64?, OutboxError>) -> Void) {
    completion(.failure(.unanswered))
  }

  package func setWebhookCursor(
    _ event: Int64, completion: @escaping @Sendable (Result<Void, OutboxError>) -> Void
  ) { completion(.failure(.unanswered)) }

  package func onCommit(_ observe: @escaping @Sendable (OutboxCommit) -> Void) {}
}
