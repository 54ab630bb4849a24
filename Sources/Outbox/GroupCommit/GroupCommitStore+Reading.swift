package import Clock
import Dispatch
package import JSON
import Synchronization

// MARK: - Questions to the writer

extension GroupCommitStore {
  package func nextDue(
    app: String, completion: @escaping @Sendable (Result<Timestamp?, OutboxError>) -> Void
  ) {
    serve(app)
    ask(.read, completion) { backend throws(BackendError) in try backend.nextDue(app: app) }
  }

  package func counts(
    completion: @escaping @Sendable (Result<[ExactText: OutboxCounts], OutboxError>) -> Void
  ) {
    ask(.read, completion) { [clock] backend throws(BackendError) in try backend.counts(now: clock()) }
  }

  /// Answers a question on the writing queue, between two transactions.
  func ask<Value: Sendable>(
    _ kind: TimedCall.Kind, _ completion: @escaping @Sendable (Result<Value, OutboxError>) -> Void,
    _ body: @escaping @Sendable (Backend) throws(BackendError) -> Value
  ) {
    let (call, answer) = timed(kind, completion)
    submit(
      .ask { [self] refusal in
        if let refusal { return answer(.failure(refusal)) }
        if call.begin() { answer(result(of: body)) }
      })
  }

  private func result<Value>(
    of body: (Backend) throws(BackendError) -> Value
  ) -> Result<Value, OutboxError> {
    do throws(BackendError) {
      return .success(try body(backend))
    } catch {
      note(error)
      return .failure(error.underlying)
    }
  }
}

// MARK: - Reads

extension GroupCommitStore {
  /// The maximum number of items in a page, whatever limit is requested.
  private static var pageItemsMax: Int { 1_000 }

  package func notification(
    _ id: NotificationID, completion: @escaping @Sendable (Result<StoredNotification?, OutboxError>) -> Void
  ) {
    read(lookups, completion) { [clock] backend throws(BackendError) in
      try backend.notification(id, now: clock())
    }
  }

  package func list(
    _ filter: NotificationFilter, limit: Int, cursor: NotificationCursor?,
    completion: @escaping @Sendable (Result<NotificationPage, OutboxError>) -> Void
  ) {
    let limit = min(max(1, limit), Self.pageItemsMax)
    read(lists, completion) { [clock] backend throws(BackendError) in
      try backend.list(filter, limit: limit, cursor: cursor, now: clock())
    }
  }

  package func idempotent(
    _ key: IdempotencyKey, fingerprint: [UInt8],
    completion: @escaping @Sendable (Result<EnqueueOutcome?, OutboxError>) -> Void
  ) {
    // A server that does not answer a write would keep the question waiting, too, and accepts nothing.
    if Backend.isShared, isStalled.load(ordering: .acquiring), !isClosed {
      return refusing.async { completion(.failure(.stalled)) }
    }
    read(lookups, completion) { [self] backend throws(BackendError) in
      // In this order: a key that leaves the pending ones in between is found in the database.
      if pending.withLock({ $0.keys.contains(key) }) { return .inProgress }
      return try backend.idempotent(key, fingerprint: fingerprint, now: clock())
    }
  }

  package func feedback(
    after: Int64?, apps: [String]?, limit: Int,
    completion: @escaping @Sendable (Result<FeedbackPage, OutboxError>) -> Void
  ) {
    let limit = min(max(1, limit), Self.pageItemsMax)
    read(lists, completion) { backend throws(BackendError) in
      try backend.feedback(after: after, apps: apps, limit: limit)
    }
  }

  package func webhookCursor(completion: @escaping @Sendable (Result<Int64?, OutboxError>) -> Void) {
    backend.awaitWebhookTurn(in: self) { [self] error in
      if let error { return completion(.failure(error)) }
      read(lookups, completion) { backend throws(BackendError) in try backend.webhookCursor() }
    }
  }

  package func webhookEvents(
    after: Int64?, limit: Int, completion: @escaping @Sendable (Result<WebhookPage, OutboxError>) -> Void
  ) {
    let limit = min(max(1, limit), Self.pageItemsMax)
    backend.awaitWebhookTurn(in: self) { [self] error in
      if let error { return completion(.failure(error)) }
      read(lists, completion) { backend throws(BackendError) in
        try backend.webhookEvents(after: after, limit: limit)
      }
    }
  }

  /// Answers on the queue of `lane`.
  private func read<Value: Sendable>(
    _ lane: ReadingLane, _ completion: @escaping @Sendable (Result<Value, OutboxError>) -> Void,
    _ body: @escaping @Sendable (Backend) throws(BackendError) -> Value
  ) {
    let (call, answer) = timed(.read, completion)
    let isAdmitted = lane.run { [self] in
      guard call.begin() else { return }
      guard !isClosed else { return answer(.failure(.closed)) }
      guard backend.isReachable else { return answer(.failure(outOfReach)) }
      answer(result(of: body))
    }
    if !isAdmitted { refusing.async { answer(.failure(.tooManyReads)) } }
  }
}
