/// What a store's writing thread is asked to do.
protocol PendingOperation: Sendable {
  /// What it counts for in the limits of a transaction and of what may wait.
  var deliveryCount: Int { get }
  /// The call that writes; nil for what is none.
  var queueWrite: QueueWrite? { get }
  /// Whether it is the last one that may come.
  var isClose: Bool { get }
}

/// What the writing thread of the SQLite store is asked to do.
enum QueueOperation: PendingOperation {
  case write(QueueWrite)
  case ask(@Sendable (SQLiteWriter?) -> Void)
  case close(@Sendable () -> Void)

  var deliveryCount: Int {
    if case .write(let write) = self { return write.deliveryCount }
    return 0
  }

  var queueWrite: QueueWrite? { if case .write(let write) = self { write } else { nil } }

  var isClose: Bool { if case .close = self { true } else { false } }

  /// Answers without having done it.
  func refuse(_ error: OutboxError) {
    switch self {
    case .write(let write): write.refuse(error)
    case .ask(let body): body(nil)
    case .close(let completion): completion()
    }
  }
}

/// What waits for the writing thread.
struct PendingOperations<Operation: PendingOperation>: Sendable {
  enum Admission {
    /// `starts` where the writing thread must be told.
    case admitted(starts: Bool)
    case refused(OutboxError)
    case keyInProgress
  }

  private var operations: [Operation] = []
  private var deliveryCount = 0
  private var isDraining = false
  /// The idempotency keys of what waits or is being written.
  private(set) var keys: Set<IdempotencyKey> = []
  /// Whether the last operation that may come is in `operations` or done.
  private(set) var isClosed = false

  var isIdle: Bool { operations.isEmpty }

  mutating func admit(_ operation: Operation, deliveriesMax: Int) -> Admission {
    if isClosed { return .refused(.closed) }
    let count = operation.deliveryCount
    // Settlements are bounded by what is claimed, and must not be lost to those who push in.
    if case .enqueue? = operation.queueWrite, deliveryCount > 0, deliveryCount + count > deliveriesMax {
      return .refused(
        OutboxError(code: .unavailable, description: "the queue's disk does not keep up; nothing was kept"))
    }
    if let key = operation.queueWrite?.idempotencyKey {
      guard keys.insert(key).inserted else { return .keyInProgress }
    }
    if operation.isClose { isClosed = true }
    operations.append(operation)
    deliveryCount += count
    defer { isDraining = true }
    return .admitted(starts: !isDraining)
  }

  /// All that waits, up to the limit of a transaction; nil when nothing does.
  mutating func nextBatch(deliveriesMax: Int) -> [Operation]? {
    guard !operations.isEmpty else {
      isDraining = false
      return nil
    }
    var deliveries = 0
    var count = 0
    for operation in operations {
      let next = deliveries + operation.deliveryCount
      if count > 0, next > deliveriesMax { break }
      deliveries = next
      count += 1
    }
    deliveryCount -= deliveries
    if count == operations.count {
      let batch = operations
      operations = []
      operations.reserveCapacity(count)
      return batch
    }
    let batch = Array(operations[..<count])
    operations.removeFirst(count)
    return batch
  }

  mutating func release(_ keys: [IdempotencyKey]) { self.keys.subtract(keys) }
}
