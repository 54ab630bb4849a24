/// What the writing thread is asked to do.
enum QueueOperation: Sendable {
  case write(QueueWrite)
  case ask(@Sendable (QueueWriter?) -> Void)
  case close(@Sendable () -> Void)

  var deliveryCount: Int {
    if case .write(let write) = self { return write.deliveryCount }
    return 0
  }

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
struct PendingOperations: Sendable {
  enum Admission {
    /// `starts` where the writing thread must be told.
    case admitted(starts: Bool)
    case refused(OutboxError)
    case keyInProgress
  }

  private var operations: [QueueOperation] = []
  private var deliveryCount = 0
  private var isDraining = false
  /// The idempotency keys of what waits or is being written.
  private(set) var keys: Set<IdempotencyKey> = []
  /// Whether the last operation that may come is in `operations` or done.
  private(set) var isClosed = false

  var isIdle: Bool { operations.isEmpty }

  mutating func admit(_ operation: QueueOperation, deliveriesMax: Int) -> Admission {
    if isClosed { return .refused(.closed) }
    let count = operation.deliveryCount
    // Settlements are bounded by what is claimed, and must not be lost to those who push in.
    if case .write(.enqueue) = operation, deliveryCount > 0, deliveryCount + count > deliveriesMax {
      return .refused(
        OutboxError(code: .unavailable, description: "the queue's disk does not keep up; nothing was kept"))
    }
    if case .write(let write) = operation, let key = write.idempotencyKey {
      guard keys.insert(key).inserted else { return .keyInProgress }
    }
    if case .close = operation { isClosed = true }
    operations.append(operation)
    deliveryCount += count
    defer { isDraining = true }
    return .admitted(starts: !isDraining)
  }

  /// All that waits, up to the limit of a transaction; nil when nothing does.
  mutating func nextBatch(deliveriesMax: Int) -> [QueueOperation]? {
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
