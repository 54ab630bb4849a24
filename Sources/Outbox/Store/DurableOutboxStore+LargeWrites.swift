import Clock
import Dispatch
import Synchronization

/// Enqueues that are written in parts.
extension DurableOutboxStore {
  /// The deliveries of each part of an enqueue that is written in parts; nil for another one. One
  /// notification always is written at once.
  func partSize(_ notifications: [NewNotification]) -> Int? {
    guard notifications.count > 1 else { return nil }
    let isShared = pending.withLock { $0.isShared(at: .now) }
    let size = min(isShared ? PendingOperations.sharedDeliveriesMax : .max, configuration.partDeliveriesMax)
    return notifications.reduce(0) { $0 + $1.deliveries.count } > size ? size : nil
  }

  func enqueueInParts(
    of size: Int, _ notifications: [NewNotification], _ record: IdempotencyRecord?,
    completion: @escaping @Sendable (Result<EnqueueOutcome, OutboxError>) -> Void
  ) {
    let (call, answer) = timed(.write, completion)
    if let refusal = refusal(addsDeliveries: true) { return refusing.async { answer(.failure(refusal)) } }
    let work = NewWork(notifications, record, now: clock(), completion: answer)
    let large = LargeEnqueue(work, partDeliveriesMax: size, call: call)
    let admission = pending.withLock {
      $0.admit(large, deliveriesMax: configuration.pendingDeliveriesMax)
    }
    switch admission {
    case .admitted, .waits: database.enqueue(large, in: self)
    case .refused(let error): refusing.async { answer(.failure(error)) }
    case .keyInProgress: refusing.async { answer(.success(.inProgress)) }
    }
  }

  /// Answers a large enqueue. For the database, on any thread, once.
  func finish(_ large: LargeEnqueue, _ result: Result<EnqueueOutcome, OutboxError>) {
    // A caller with an answer may use its key again at once.
    pending.withLock { $0.release(large) }
    large.work.completion(result)
  }
}
