package import Clock

/// A durable store whose changes go, as values, to one writer that takes all that waits into one transaction.
package protocol GroupCommittingStore: OutboxStore {
  var clock: @Sendable () -> Timestamp { get }

  /// Hands `write` to the writer, or refuses it. Returns at once.
  func submit(_ write: QueueWrite)
}

extension GroupCommittingStore {
  package func enqueue(
    _ notifications: [NewNotification], idempotency: IdempotencyRecord?,
    completion: @escaping @Sendable (Result<EnqueueOutcome, OutboxError>) -> Void
  ) {
    submit(.enqueue(notifications, idempotency, now: clock(), completion))
  }

  package func settle(
    _ settlements: [Settlement], completion: @escaping @Sendable (Result<Void, OutboxError>) -> Void
  ) {
    submit(.settle(settlements, completion))
  }

  package func cancel(
    _ id: NotificationID, now: Timestamp,
    completion: @escaping @Sendable (Result<CancelOutcome, OutboxError>) -> Void
  ) {
    submit(.cancel(id, now: now, completion))
  }

  package func retry(
    _ id: NotificationID, now: Timestamp,
    completion: @escaping @Sendable (Result<RetryOutcome, OutboxError>) -> Void
  ) {
    submit(.retry(id, now: now, completion))
  }

  package func expire(
    app: String, now: Timestamp, limit: Int,
    completion: @escaping @Sendable (Result<ExpirySweep, OutboxError>) -> Void
  ) {
    submit(.expire(app: app, now: now, limit: limit, completion))
  }

  package func prune(
    endedBy end: Timestamp, limit: Int,
    completion: @escaping @Sendable (Result<PruneStep, OutboxError>) -> Void
  ) {
    submit(.prune(endedBy: end, now: clock(), limit: limit, completion))
  }

  package func setWebhookCursor(
    _ event: Int64, completion: @escaping @Sendable (Result<Void, OutboxError>) -> Void
  ) {
    submit(.setWebhookCursor(event, completion))
  }
}
