package import Clock
import Dispatch
package import JSON
import Synchronization
import Telemetry
import SQL

// MARK: - Questions to the writer

extension DurableOutboxStore {
  package func nextDue(
    app: String, completion: @escaping @Sendable (Result<Timestamp?, OutboxError>) -> Void
  ) {
    serve(app)
    ask(.read, completion) { engine throws(DatabaseError) in try engine.nextDue(app: app) }
  }

  package func counts(
    completion: @escaping @Sendable (Result<[ExactText: OutboxCounts], OutboxError>) -> Void
  ) {
    ask(.read, completion) { [clock] engine throws(DatabaseError) in try engine.counts(now: clock()) }
  }

  /// Answers a question on the writing queue, between two transactions.
  func ask<Value: Sendable>(
    _ kind: TimedCall.Kind, _ completion: @escaping @Sendable (Result<Value, OutboxError>) -> Void,
    _ body: @escaping @Sendable (QueueEngine) throws(DatabaseError) -> Value
  ) {
    let (call, answer) = timed(kind, completion)
    submit(
      .ask { [self] refusal in
        if let refusal { return answer(.failure(refusal)) }
        guard call.begin() else { return }
        answer(result { () throws(DatabaseError) in try database.ask(body) })
      })
  }

  private func result<Value>(_ body: () throws(DatabaseError) -> Value) -> Result<Value, OutboxError> {
    do throws(DatabaseError) {
      return .success(try body())
    } catch {
      note(error)
      return .failure(error.outboxError)
    }
  }
}

// MARK: - Reads

extension DurableOutboxStore {
  /// The maximum number of items in a page, whatever limit is requested.
  private static var pageItemsMax: Int { 1_000 }

  package func notification(
    _ id: NotificationID, withContent: Bool,
    completion: @escaping @Sendable (Result<StoredNotification?, OutboxError>) -> Void
  ) {
    read(.lookup, completion) { [clock] reader throws(DatabaseError) in
      guard let head = try reader.head(id) else { return nil }
      return try reader.stored(head, withContent: withContent, now: clock())
    }
  }

  package func list(
    _ filter: NotificationFilter, limit: Int, cursor: NotificationCursor?,
    completion: @escaping @Sendable (Result<NotificationPage, OutboxError>) -> Void
  ) {
    let limit = min(max(1, limit), Self.pageItemsMax)
    read(.list, completion) { [self] reader throws(DatabaseError) in
      let listed = try reader.list(filter, limit: limit, cursor: cursor, now: clock())
      report(listed.unreadable, "queue holds unreadable notifications; the list omits them", "first_row")
      return listed.page
    }
  }

  package func idempotent(
    _ key: IdempotencyKey, fingerprint: [UInt8],
    completion: @escaping @Sendable (Result<EnqueueOutcome?, OutboxError>) -> Void
  ) {
    // A server that does not answer a write would keep the question waiting, too, and accepts nothing.
    if database.isShared, isStalled.load(ordering: .acquiring), !isClosed {
      return refusing.async { completion(.failure(.stalled)) }
    }
    read(.lookup, completion) { [self] reader throws(DatabaseError) in
      // In this order: a key that leaves the pending ones in between is found in the database.
      if pending.withLock({ $0.keys.contains(key) }) { return .inProgress }
      return try reader.idempotent(key, fingerprint: fingerprint, now: clock())
    }
  }

  package func feedback(
    after: Int64?, apps: [String]?, client: String?, limit: Int,
    completion: @escaping @Sendable (Result<FeedbackPage, OutboxError>) -> Void
  ) {
    let limit = min(max(1, limit), Self.pageItemsMax)
    read(.list, completion) { [self] reader throws(DatabaseError) in
      let read = try reader.feedback(after: after, apps: apps, client: client, limit: limit)
      report(read.unreadable, "queue holds unreadable feedback events; the page omits them", "first_event")
      return read.page
    }
  }

  package func webhookCursor(completion: @escaping @Sendable (Result<Int64?, OutboxError>) -> Void) {
    database.awaitWebhookTurn(in: self) { [self] error in
      if let error { return completion(.failure(error)) }
      read(.lookup, completion) { reader throws(DatabaseError) in try reader.webhookCursor() }
    }
  }

  package func webhookEvents(
    after: Int64?, limit: Int, completion: @escaping @Sendable (Result<WebhookPage, OutboxError>) -> Void
  ) {
    let limit = min(max(1, limit), Self.pageItemsMax)
    database.awaitWebhookTurn(in: self) { [self] error in
      if let error { return completion(.failure(error)) }
      read(.list, completion) { [self] reader throws(DatabaseError) in
        let read = try reader.webhookEvents(after: after, limit: limit)
        report(read.unreadable, "queue holds unreadable feedback events; the page omits them", "first_event")
        return read.page
      }
    }
  }

  private func report(_ unreadable: [Int64], _ message: StaticString, _ name: String) {
    guard let first = unreadable.first else { return }
    log.error(message, ["count": .integer(unreadable.count), name: .integer(Int(first))])
  }

  func read<Value: Sendable>(
    _ lane: ReadingLane, _ completion: @escaping @Sendable (Result<Value, OutboxError>) -> Void,
    _ body: @escaping @Sendable (QueueReader) throws(DatabaseError) -> Value
  ) {
    let (call, answer) = timed(.read, completion)
    let isAdmitted = (lane == .lookup ? lookups : lists).run { [self] in
      guard call.begin() else { return }
      guard !isClosed else { return answer(.failure(.closed)) }
      guard database.isReachable else { return answer(.failure(outOfReach)) }
      answer(result { () throws(DatabaseError) in try database.read(lane, body) })
    }
    guard !isAdmitted else { return }
    let refusal = OutboxError(
      code: .unavailable, description: "too many reads of the queue wait for their turn; try again later")
    refusing.async { answer(.failure(refusal)) }
  }
}
