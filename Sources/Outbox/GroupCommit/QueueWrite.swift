package import Clock

/// A call that writes, waiting for its commit.
package enum QueueWrite: Sendable {
  package typealias Completion<Value> = @Sendable (Result<Value, OutboxError>) -> Void

  case enqueue([NewNotification], IdempotencyRecord?, now: Timestamp, Completion<EnqueueOutcome>)
  case settle([Settlement], Completion<Void>)
  case cancel(NotificationID, now: Timestamp, Completion<CancelOutcome>)
  case retry(NotificationID, now: Timestamp, Completion<RetryOutcome>)
  case expire(app: String, now: Timestamp, limit: Int, Completion<ExpirySweep>)
  case prune(endedBy: Timestamp, now: Timestamp, limit: Int, Completion<PruneStep>)
  case setWebhookCursor(Int64, Completion<Void>)
  /// Cancels what a crash brought back although its cancellation had been asked for; answers how many are left.
  case finishCancellations(now: Timestamp, limit: Int, Completion<Int>)
  /// Ends deliveries whose records cannot be read.
  case setAside([DamagedDelivery], now: Timestamp, Completion<Void>)

  /// What it counts for in the limits of a transaction and of what may wait.
  var deliveryCount: Int {
    switch self {
    case .enqueue(let notifications, _, _, _): notifications.reduce(0) { $0 + $1.deliveries.count }
    case .settle(let settlements, _): settlements.count
    case .cancel, .retry, .setWebhookCursor: 1
    case .expire(_, _, let limit, _), .prune(_, _, let limit, _), .finishCancellations(_, let limit, _): limit
    case .setAside(let deliveries, _, _): deliveries.count
    }
  }

  /// The key that it takes, if it is accepted.
  var idempotencyKey: IdempotencyKey? {
    if case .enqueue(_, let record, _, _) = self { return record?.key }
    return nil
  }

  /// Answers without having done it.
  func refuse(_ error: OutboxError) {
    switch self {
    case .enqueue(_, _, _, let completion): completion(.failure(error))
    case .settle(_, let completion): completion(.failure(error))
    case .cancel(_, _, let completion): completion(.failure(error))
    case .retry(_, _, let completion): completion(.failure(error))
    case .expire(_, _, _, let completion): completion(.failure(error))
    case .prune(_, _, _, let completion): completion(.failure(error))
    case .setWebhookCursor(_, let completion): completion(.failure(error))
    case .finishCancellations(_, _, let completion): completion(.failure(error))
    case .setAside(_, _, let completion): completion(.failure(error))
    }
  }
}

/// A waiting delivery whose record cannot be read.
package struct DamagedDelivery: Sendable, Hashable {
  let row: Int64
}

/// What a transaction changes in memory once it is committed, in order.
struct SQLiteTransaction {
  enum Effect {
    case waits(AppQueue, QueuedDelivery)
    case settled(AppQueue, DeliveryID, again: QueuedDelivery?)
    /// Ended without having been claimed.
    case ended(AppQueue, DeliveryPriority, DueKey, was: DeliveryState)
    case wished(Int64)
    case unwished(Int64)
    case swept(AppQueue, (priority: DeliveryPriority, key: DueKey)?)
    case pruned(upTo: Int64?)
  }

  var hasBegun = false
  var effects: [Effect] = []
  var settled: Set<DeliveryID> = []
  /// Rows of claimed deliveries that are to end as cancelled.
  var wished: Set<Int64> = []
  var newApps: [AppQueue] = []
  /// By app and raw state.
  private(set) var counts: [Int64: [Int]] = [:]
  private(set) var depth = 0
  var report = OutboxCommit()

  mutating func count(_ delta: Int, _ app: Int64, _ state: DeliveryState) {
    counts[app, default: Array(repeating: 0, count: DeliveryState.allCases.count)][state.rawValue] += delta
    if !state.isFinal { depth += delta }
  }
}

/// What came of a batch.
struct GroupCommit {
  /// One for each write, to be called when the batch is over.
  var answers: [@Sendable () -> Void] = []
  /// Nil where there was nothing to write.
  var report: OutboxCommit?
  /// Why the store could not write, where it is the store's trouble.
  var failure: OutboxError?
  /// The apps that have more waiting than before.
  var due: [String] = []
}
