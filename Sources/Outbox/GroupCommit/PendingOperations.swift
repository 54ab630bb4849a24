/// An operation for a store's writing queue.
package enum GroupCommitOperation<Own: BackendWrite>: Sendable {
  case write(GroupCommitWrite<Own>)
  /// Called without an error when it is its turn, or with the error to answer.
  case ask(@Sendable (OutboxError?) -> Void)
  case close(@Sendable () -> Void)

  // Patterns look at what is asked for. A copy of the write would count the references of all that it holds.
  var isWrite: Bool { if case .write = self { true } else { false } }

  /// Whether it is the intake of a request.
  var isIntake: Bool { if case .write(.queue(.enqueue)) = self { true } else { false } }

  /// See `QueueWrite`.
  var deliveryCount: Int { if case .write(let write) = self { write.deliveryCount } else { 0 } }
  var addsDeliveries: Bool { if case .write(let write) = self { write.addsDeliveries } else { false } }
  var concernsOutcomes: Bool {
    if case .write(.queue(let write)) = self { write.concernsOutcomes } else { false }
  }
  var idempotencyKey: IdempotencyKey? {
    if case .write(.queue(.enqueue(_, let record, _, _))) = self { record?.key } else { nil }
  }

  var isClose: Bool { if case .close = self { true } else { false } }

  /// Answers with `error`; nothing was done.
  func refuse(_ error: OutboxError) {
    switch self {
    case .write(let write): write.refuse(error)
    case .ask(let body): body(error)
    case .close(let completion): completion()
    }
  }
}

/// What one transaction writes, and what else has its turn with it.
struct OperationBatch<Own: BackendWrite>: Sendable {
  fileprivate(set) var writes: [GroupCommitWrite<Own>] = []
  /// Questions and the end, each with the number of writes before it.
  fileprivate(set) var others: [(writesBefore: Int, operation: GroupCommitOperation<Own>)] = []

  fileprivate mutating func append(_ operation: GroupCommitOperation<Own>) {
    if case .write(let write) = operation {
      writes.append(write)
    } else {
      others.append((writes.count, operation))
    }
  }
}

/// The operations that wait for a store's writing queue.
struct PendingOperations<Own: BackendWrite>: Sendable {
  typealias Operation = GroupCommitOperation<Own>

  enum Admission {
    /// `starts` when the writing queue must be started.
    case admitted(starts: Bool)
    /// The writing queue delays a commit, and must be told to go on.
    case endsDelay
    /// It waits for another write; until `endsAt` at most, which is nil if a timer for that runs already.
    case waits(endsAt: ContinuousClock.Instant?)
    case refused(OutboxError)
    case keyInProgress
  }

  private struct Entry: Sendable {
    let operation: Operation
    let call: TimedCall?
    let deliveryCount: Int

    var isAnswered: Bool { call?.isAnswered ?? false }
  }

  /// The most entries whose memory is kept for the next ones.
  private static var keptCapacityMax: Int { 1_024 }

  private var entries: [Entry] = []
  /// What waits to share the transaction of another write, and until when the first of it does.
  private var waiting: [Entry] = []
  private var waitsUntil: ContinuousClock.Instant?
  private var waitingDeliveryCount = 0
  /// How long what waits gathers more of its kind before it comes along with an intake, until when, and up to
  /// how many deliveries.
  private let gathering: Duration
  private var gathersUntil: ContinuousClock.Instant?
  private let gatheredDeliveriesMax: Int
  /// Whether a timer for `waitsUntil` runs, or one that is earlier.
  private var isWaitTimed = false
  private var deliveryCount = 0
  private var isDraining = false
  private var commitDelay = CommitDelay()
  /// For how many intakes a commit is being delayed; nil if none is.
  private var awaitedIntakes: Int?
  /// Deliveries of the enqueues that are written in parts.
  private var largeDeliveryCount = 0
  /// The idempotency keys of the enqueues that are pending or being written.
  private(set) var keys: Set<IdempotencyKey> = []
  /// Whether the store was asked to close, which is the last operation it accepts.
  private(set) var isClosed = false

  init(gathering: Duration, deliveriesMax: Int) {
    self.gathering = gathering
    gatheredDeliveriesMax = deliveriesMax
  }

  var isIdle: Bool { entries.isEmpty }

  mutating func admit(
    _ operation: Operation, _ call: TimedCall?, waitMilliseconds: Int = 0, deliveriesMax: Int
  ) -> Admission {
    if isClosed { return .refused(.closed) }
    let count = operation.deliveryCount
    // Only new notifications are limited: settlements are bounded by what is claimed and must not be lost.
    if operation.isIntake, deliveryCount > 0, deliveryCount + count > deliveriesMax {
      return .refused(
        OutboxError(code: .unavailable, description: "the queue's disk does not keep up; nothing was kept"))
    }
    if let key = operation.idempotencyKey {
      guard keys.insert(key).inserted else { return .keyInProgress }
    }
    deliveryCount += count
    if waitMilliseconds > 0 {
      let entry = Entry(operation: operation, call: call, deliveryCount: count)
      return wait(entry, for: .milliseconds(waitMilliseconds))
    }
    if operation.isClose {
      isClosed = true
      takeWaiting()
    }
    entries.append(Entry(operation: operation, call: call, deliveryCount: count))
    if operation.isIntake { commitDelay.arrived(at: .now) }
    if let awaited = awaitedIntakes, !hasOnlyIntakes || entries.count >= awaited {
      awaitedIntakes = nil
      return .endsDelay
    }
    defer { isDraining = true }
    return .admitted(starts: !isDraining)
  }

  private var hasOnlyIntakes: Bool { entries.count == commitDelay.pending }

  /// Until when the next commit waits for more intakes; nil if it need not. Nothing but intakes is delayed.
  mutating func beginDelay(_ limits: CommitDelay.Limits) -> ContinuousClock.Instant? {
    guard !entries.isEmpty, hasOnlyIntakes, let delay = commitDelay.worthwhile(now: .now, limits) else {
      return nil
    }
    awaitedIntakes = delay.intakes
    return delay.until
  }

  var isDelaying: Bool { awaitedIntakes != nil }

  /// Ends the delay; false if `endsDelay` was returned for it.
  mutating func endDelay() -> Bool {
    defer { awaitedIntakes = nil }
    return awaitedIntakes != nil
  }

  /// Admits an enqueue that is written in parts. What others wait for has limits of its own.
  mutating func admit(_ large: LargeEnqueue, deliveriesMax: Int) -> Admission {
    if isClosed { return .refused(.closed) }
    if largeDeliveryCount > 0, largeDeliveryCount + large.deliveryCount > deliveriesMax {
      return .refused(
        OutboxError(
          code: .unavailable, description: "the queue writes other large requests; nothing was kept"))
    }
    if let key = large.record?.key, !keys.insert(key).inserted { return .keyInProgress }
    largeDeliveryCount += large.deliveryCount
    return .admitted(starts: false)
  }

  /// Notes that an enqueue in parts was answered.
  mutating func release(_ large: LargeEnqueue) {
    largeDeliveryCount -= large.deliveryCount
    if let key = large.record?.key { keys.remove(key) }
  }

  private mutating func wait(_ entry: Entry, for time: Duration) -> Admission {
    waiting.append(entry)
    waitingDeliveryCount += entry.deliveryCount
    let now = ContinuousClock.now
    let end = now + time
    gathersUntil = gathersUntil ?? now + gathering
    let until = min(waitsUntil ?? end, end)
    waitsUntil = until
    defer { isWaitTimed = true }
    return .waits(endsAt: isWaitTimed ? nil : until)
  }

  private mutating func takeWaiting() {
    guard !waiting.isEmpty else { return }
    entries.insert(contentsOf: waiting, at: 0)
    waiting.removeAll(keepingCapacity: true)
    (waitsUntil, gathersUntil, waitingDeliveryCount) = (nil, nil, 0)
  }

  /// Ends the wait; true when the writing queue must be started.
  mutating func endWait() -> Bool {
    takeWaiting()
    guard !entries.isEmpty, !isDraining else { return false }
    isDraining = true
    return true
  }

  /// Ends the wait if its time is over: whether the writing queue must be started, and when to call again.
  mutating func waitEnded(
    at now: ContinuousClock.Instant
  ) -> (starts: Bool, next: ContinuousClock.Instant?) {
    if let until = waitsUntil, until > now { return (false, until) }
    isWaitTimed = false
    return (endWait(), nil)
  }

  /// Everything that is pending, up to the limit of a transaction; nil when nothing is. What waits comes
  /// along with a write, and not with a question; with an intake only once it has gathered.
  mutating func nextBatch(deliveriesMax: Int) -> OperationBatch<Own>? {
    if !waiting.isEmpty, endsWait(at: .now) { takeWaiting() }
    guard !entries.isEmpty else {
      isDraining = false
      return nil
    }
    var deliveries = 0
    var count = 0
    for entry in entries {
      let next = deliveries + entry.deliveryCount
      if count > 0, next > deliveriesMax { break }
      deliveries = next
      count += 1
    }
    deliveryCount -= deliveries
    var batch = OperationBatch<Own>()
    batch.writes.reserveCapacity(count)
    for entry in entries[..<count] {
      // A call whose time is over was answered.
      if entry.call?.begin() ?? true { batch.append(entry.operation) } else { releaseKey(of: entry) }
    }
    if count == entries.count {
      entries.removeAll(keepingCapacity: count <= Self.keptCapacityMax)
    } else {
      entries.removeFirst(count)
    }
    commitDelay.began(left: entries.count(where: \.operation.isIntake))
    return batch
  }

  private func endsWait(at now: ContinuousClock.Instant) -> Bool {
    let hasGathered =
      waitingDeliveryCount >= gatheredDeliveriesMax || gathersUntil.map { $0 <= now } ?? true
    return entries.contains { hasGathered && $0.operation.isWrite || $0.operation.concernsOutcomes }
  }

  /// Drops the operations that were answered because their time was over.
  mutating func dropAnswered() {
    for entry in entries where entry.isAnswered {
      deliveryCount -= entry.deliveryCount
      releaseKey(of: entry)
    }
    entries.removeAll(where: \.isAnswered)
  }

  private mutating func releaseKey(of entry: Entry) {
    if let key = entry.operation.idempotencyKey { keys.remove(key) }
  }

  /// A transaction is over. Whether there are keys that its operations may have held.
  mutating func committed() -> Bool {
    commitDelay.ended()
    return !keys.isEmpty
  }

  mutating func release(_ keys: [IdempotencyKey]) { self.keys.subtract(keys) }
}
