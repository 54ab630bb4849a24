package import Clock
import Dispatch
package import JSON
package import Outbox
import Synchronization

/// The queue in memory, for tests: the rules of the durable stores, implemented a second time and as plainly
/// as possible. It has no maintenance of its own.
package final class MemoryOutboxStore: OutboxStore {
  private let configuration: OutboxConfiguration
  private let clock: @Sendable () -> Timestamp
  private let queue = DispatchQueue(label: "dragoman.outbox.memory")
  private let contents: Mutex<MemoryContents>
  private let listeners = Mutex(OutboxListeners())
  /// The idempotency keys of pending enqueues.
  private let keys = Mutex<Set<IdempotencyKey>>([])

  package init(
    configuration: OutboxConfiguration = OutboxConfiguration(),
    clock: @escaping @Sendable () -> Timestamp = { .now }
  ) {
    self.configuration = configuration
    self.clock = clock
    contents = Mutex(MemoryContents(since: clock()))
  }

  package var health: OutboxHealth { contents.withLock { $0.health } }

  /// Makes every write fail with `error` from now on, as a full disk does; nil ends that.
  package func failWrites(with error: OutboxError?) {
    let now = clock()
    contents.withLock { $0.health.update(error, at: now) }
  }

  package func onDue(_ notify: @escaping @Sendable (_ app: String) -> Void) {
    listeners.withLock { $0.onDue = notify }
  }

  package func onCommit(_ observe: @escaping @Sendable (OutboxCommit) -> Void) {
    listeners.withLock { $0.onCommit = observe }
  }

  package func close() async {
    await withCheckedContinuation { continuation in
      queue.async { [self] in
        contents.withLock { $0.isClosed = true }
        continuation.resume()
      }
    }
  }

  private func ask<Value: Sendable>(
    _ completion: @escaping @Sendable (Result<Value, OutboxError>) -> Void,
    _ body: @escaping @Sendable (inout MemoryContents) -> Value
  ) {
    queue.async { [self] in
      completion(contents.withLock { $0.isClosed ? .failure(.closed) : .success(body(&$0)) })
    }
  }

  private func change<Value: Sendable>(
    _ completion: @escaping @Sendable (Result<Value, OutboxError>) -> Void,
    _ body: @escaping @Sendable (inout MemoryContents) throws(OutboxError) -> Value
  ) {
    queue.async { [self] in
      let (result, report, due) = contents.withLock { contents in
        let result = Self.change(&contents, body)
        defer {
          contents.report = OutboxCommit()
          contents.due = []
        }
        return (result, contents.report, contents.due)
      }
      if report != OutboxCommit(), let observe = listeners.withLock({ $0.onCommit }) { observe(report) }
      completion(result)
      if let notify = listeners.withLock({ $0.onDue }) { for app in due { notify(app.text) } }
    }
  }

  private static func change<Value>(
    _ contents: inout MemoryContents, _ body: (inout MemoryContents) throws(OutboxError) -> Value
  ) -> Result<Value, OutboxError> {
    if contents.isClosed { return .failure(.closed) }
    if let error = contents.health.degradation { return .failure(error) }
    do throws(OutboxError) { return .success(try body(&contents)) } catch { return .failure(error) }
  }
}

extension MemoryOutboxStore {
  package func enqueue(
    _ notifications: [NewNotification], idempotency: IdempotencyRecord?,
    completion: @escaping @Sendable (Result<EnqueueOutcome, OutboxError>) -> Void
  ) {
    if let key = idempotency?.key, !keys.withLock({ $0.insert(key).inserted }) {
      queue.async { completion(.success(.inProgress)) }
      return
    }
    let now = clock()
    let answer: @Sendable (Result<EnqueueOutcome, OutboxError>) -> Void = { [self] result in
      if let key = idempotency?.key { keys.withLock { _ = $0.remove(key) } }
      completion(result)
    }
    change(answer) { [configuration] contents throws(OutboxError) in
      try contents.enqueue(notifications, idempotency, now: now, configuration)
    }
  }

  package func idempotent(
    _ key: IdempotencyKey, fingerprint: [UInt8],
    completion: @escaping @Sendable (Result<EnqueueOutcome?, OutboxError>) -> Void
  ) {
    ask(completion) { [clock] in $0.outcome(of: key, fingerprint: fingerprint, now: clock()) }
  }

  package func settle(
    _ settlements: [Settlement], waitMilliseconds: Int,
    completion: @escaping @Sendable (Result<[DeliveryID], OutboxError>) -> Void
  ) {
    change(completion) { contents throws(OutboxError) in contents.settle(settlements) }
  }

  package func cancel(
    _ id: NotificationID, now: Timestamp,
    completion: @escaping @Sendable (Result<CancelOutcome, OutboxError>) -> Void
  ) {
    change(completion) { contents throws(OutboxError) in contents.cancel(id, now: now) }
  }

  package func retry(
    _ id: NotificationID, now: Timestamp,
    completion: @escaping @Sendable (Result<RetryOutcome, OutboxError>) -> Void
  ) {
    change(completion) { [configuration] contents throws(OutboxError) in
      try contents.retry(id, now: now, configuration)
    }
  }

  package func change(
    _ set: DeliverySetChange, after row: Int64, isDryRun: Bool, progress: DeliverySetProgress?,
    completion: @escaping @Sendable (Result<DeliverySetStep, OutboxError>) -> Void
  ) {
    let now = clock()
    if isDryRun { return ask(completion) { $0.select(set, now: now).step } }
    change(completion) { [configuration] contents throws(OutboxError) in
      try contents.change(set, progress, now: now, configuration)
    }
  }

  package func expire(
    app: String, now: Timestamp, limit: Int,
    completion: @escaping @Sendable (Result<ExpirySweep, OutboxError>) -> Void
  ) {
    change(completion) { contents throws(OutboxError) in contents.expire(app: ExactText(app), now: now) }
  }

  package func prune(
    endedBy end: Timestamp, limit: Int,
    completion: @escaping @Sendable (Result<PruneStep, OutboxError>) -> Void
  ) {
    let now = clock()
    change(completion) { contents throws(OutboxError) in contents.prune(endedBy: end, now: now) }
  }

  package func setWebhookCursor(
    _ event: Int64, completion: @escaping @Sendable (Result<Void, OutboxError>) -> Void
  ) {
    change(completion) { contents throws(OutboxError) in contents.setWebhookCursor(event) }
  }

  package func claim(
    app: String, limit: Int, normalMin: Int, now: Timestamp,
    completion: @escaping @Sendable (Result<ClaimedDeliveries, OutboxError>) -> Void
  ) {
    ask(completion) { contents in
      ClaimedDeliveries(
        contents.claim(app: ExactText(app), limit: limit, normalMin: normalMin, now: now))
    }
  }

  package func nextDue(
    app: String, completion: @escaping @Sendable (Result<Timestamp?, OutboxError>) -> Void
  ) {
    ask(completion) { $0.firstDue(of: ExactText(app)) }
  }

  package func notification(
    _ id: NotificationID, withContent: Bool,
    completion: @escaping @Sendable (Result<StoredNotification?, OutboxError>) -> Void
  ) {
    ask(completion) { [clock] in $0.stored(id, withContent: withContent, now: clock()) }
  }

  package func list(
    _ filter: NotificationFilter, limit: Int, cursor: NotificationCursor?,
    completion: @escaping @Sendable (Result<NotificationPage, OutboxError>) -> Void
  ) {
    ask(completion) { [clock] in $0.list(filter, limit: max(1, limit), before: cursor?.row, now: clock()) }
  }

  package func feedback(
    after: Int64?, apps: [String]?, client: String?, limit: Int,
    completion: @escaping @Sendable (Result<FeedbackPage, OutboxError>) -> Void
  ) {
    ask(completion) { $0.feedback(after: after, apps: apps, client: client, limit: max(1, limit)) }
  }

  package func logOutcomes(_ outcomes: Set<DeliveryOutcome>) {
    contents.withLock { $0.loggedOutcomes = outcomes }
  }

  package func webhookEvents(
    after: Int64?, limit: Int, completion: @escaping @Sendable (Result<WebhookPage, OutboxError>) -> Void
  ) {
    ask(completion) { $0.webhookEvents(after: after, limit: max(1, limit)) }
  }

  package func webhookCursor(completion: @escaping @Sendable (Result<Int64?, OutboxError>) -> Void) {
    ask(completion) { $0.webhookCursor }
  }

  package func counts(
    completion: @escaping @Sendable (Result<[ExactText: OutboxCounts], OutboxError>) -> Void
  ) {
    ask(completion) { [clock] in $0.counts(now: clock()) }
  }
}
