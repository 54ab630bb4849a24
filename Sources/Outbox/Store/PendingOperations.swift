import Clock

/// An operation for a store's writing queue.
enum QueueOperation: Sendable {
  case write(QueueWrite)
  /// Called without an error when it is its turn, or with the error to answer.
  case ask(@Sendable (OutboxError?) -> Void)
  case close(@Sendable () -> Void)

  // Patterns look at what is asked for. A copy of the write would count the references of all that it holds.
  var isWrite: Bool { if case .write = self { true } else { false } }
  var isIntake: Bool { if case .write(.enqueue) = self { true } else { false } }
  var isClaim: Bool { if case .write(.claim) = self { true } else { false } }
  var isClose: Bool { if case .close = self { true } else { false } }

  /// See `QueueWrite`.
  var deliveryCount: Int { if case .write(let write) = self { write.deliveryCount } else { 0 } }
  var traits: QueueChange.Traits { if case .write(let write) = self { write.traits } else { [] } }
  var idempotencyKey: IdempotencyKey? {
    if case .write(let write) = self { write.idempotencyKey } else { nil }
  }

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
struct OperationBatch: Sendable {
  fileprivate(set) var writes: [QueueWrite] = []
  /// Questions and the end, each with the number of writes before it.
  fileprivate(set) var others: [(writesBefore: Int, operation: QueueOperation)] = []

  fileprivate mutating func append(_ operation: QueueOperation) {
    if case .write(let write) = operation {
      writes.append(write)
    } else {
      others.append((writes.count, operation))
    }
  }
}

/// The operations that wait for a store's writing queue.
struct PendingOperations: Sendable {
  typealias Instant = ContinuousClock.Instant

  enum Admission {
    /// `starts` when the writing queue must be started.
    case admitted(starts: Bool)
    /// It waits for another write; until `endsAt` at most, which is nil if a timer for that runs already.
    case waits(endsAt: Instant?)
    case refused(OutboxError)
    case keyInProgress
  }

  private struct Entry: Sendable {
    let operation: QueueOperation
    let call: TimedCall?
    let deliveryCount: Int

    var isAnswered: Bool { call?.isAnswered ?? false }
  }

  /// What waits to share the transaction of another write.
  private struct Waiting: Sendable {
    var entries: [Entry] = []
    /// Until when the first of it does, and until when it gathers more of its kind before it comes along with
    /// an intake.
    var until: Instant?
    var gathersUntil: Instant?
    var deliveryCount = 0
    /// Whether a timer for `until` runs, or one that is earlier.
    var isTimed = false
  }

  /// More deliveries take longer than the sync of a transaction.
  private static let smallDeliveriesMax = 50
  /// The most deliveries of a transaction while several clients send.
  static let sharedDeliveriesMax = 100
  private static let restMax = Duration.milliseconds(50)

  private let gathering: Duration
  private let gatheredDeliveriesMax: Int
  private var entries: [Entry] = []
  /// Large intakes, which have every other transaction. While several clients send, each is followed by a
  /// rest as long as it took, so that they have half of the time.
  private var large: [Entry] = []
  private var isTurnOfLarge = false
  private var largeBegan: Instant?
  private var restEnd: Instant?
  private var lastClient: String?
  /// Until when the last two clients count as sending both.
  private var sharedUntil: Instant?
  private var waiting = Waiting()
  private var deliveryCount = 0
  private var isDraining = false
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

  var isIdle: Bool { entries.isEmpty && large.isEmpty }

  /// When the next large intake has its turn, if it rests.
  var nextLargeAt: Instant? { large.isEmpty ? nil : restEnd }

  /// Whether several clients send.
  func isShared(at now: Instant) -> Bool { sharedUntil.map { now < $0 } ?? false }

  /// Whether there are keys that the operations of a transaction may have held.
  var hasKeys: Bool { !keys.isEmpty }

  mutating func admit(
    _ operation: QueueOperation, _ call: TimedCall?, waitMilliseconds: Int = 0, deliveriesMax: Int,
    at now: Instant
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
    if case .write(.enqueue(let work)) = operation, work.client != lastClient {
      if lastClient != nil { sharedUntil = now + .seconds(1) }
      lastClient = work.client
    }
    let entry = Entry(operation: operation, call: call, deliveryCount: count)
    if waitMilliseconds > 0 { return wait(entry, for: .milliseconds(waitMilliseconds), at: now) }
    if operation.isClose {
      isClosed = true
      takeWaiting()
      entries += large
      large = []
    }
    if operation.traits.contains(.addsDeliveries), count > Self.smallDeliveriesMax {
      large.append(entry)
    } else {
      entries.append(entry)
    }
    defer { isDraining = true }
    return .admitted(starts: !isDraining)
  }

  /// Admits an enqueue that is written in parts. What others wait for has limits of its own.
  mutating func admit(_ large: LargeEnqueue, deliveriesMax: Int) -> Admission {
    if isClosed { return .refused(.closed) }
    if largeDeliveryCount > 0, largeDeliveryCount + large.work.deliveryCount > deliveriesMax {
      return .refused(
        OutboxError(
          code: .unavailable, description: "the queue writes other large requests; nothing was kept"))
    }
    if let key = large.work.record?.key, !keys.insert(key).inserted { return .keyInProgress }
    largeDeliveryCount += large.work.deliveryCount
    return .admitted(starts: false)
  }

  /// Notes that an enqueue in parts was answered.
  mutating func release(_ large: LargeEnqueue) {
    largeDeliveryCount -= large.work.deliveryCount
    if let key = large.work.record?.key { keys.remove(key) }
  }

  private mutating func wait(_ entry: Entry, for time: Duration, at now: Instant) -> Admission {
    waiting.entries.append(entry)
    waiting.deliveryCount += entry.deliveryCount
    let end = now + time
    waiting.gathersUntil = waiting.gathersUntil ?? now + gathering
    let until = min(waiting.until ?? end, end)
    waiting.until = until
    defer { waiting.isTimed = true }
    return .waits(endsAt: waiting.isTimed ? nil : until)
  }

  private mutating func takeWaiting() {
    guard !waiting.entries.isEmpty else { return }
    entries.insert(contentsOf: waiting.entries, at: 0)
    waiting.entries.removeAll(keepingCapacity: true)
    (waiting.until, waiting.gathersUntil, waiting.deliveryCount) = (nil, nil, 0)
  }

  /// Ends the wait; true when the writing queue must be started.
  mutating func endWait() -> Bool {
    takeWaiting()
    guard !isIdle, !isDraining else { return false }
    isDraining = true
    return true
  }

  /// Ends the wait if its time is over: whether the writing queue must be started, and when to call again.
  mutating func waitEnded(at now: Instant) -> (starts: Bool, next: Instant?) {
    if let until = waiting.until, until > now { return (false, until) }
    waiting.isTimed = false
    return (endWait(), nil)
  }

  /// Everything that is pending, up to the limit of a transaction; nil when nothing is. What waits comes
  /// along with a write, and not with a question; with an intake only once it has gathered.
  mutating func nextBatch(deliveriesMax: Int, at now: Instant) -> OperationBatch? {
    if !waiting.entries.isEmpty, endsWait(at: now) { takeWaiting() }
    let isShared = isShared(at: now)
    if let began = largeBegan { restEnd = now + min(now - began, Self.restMax) }
    let rests = isShared && restEnd.map { now < $0 } ?? false
    let takesLarge = !large.isEmpty && !rests && (isTurnOfLarge || entries.isEmpty)
    largeBegan = takesLarge ? now : nil
    if takesLarge { entries.insert(large.removeFirst(), at: 0) }
    isTurnOfLarge = !large.isEmpty && !takesLarge
    let deliveriesMax = isShared ? min(Self.sharedDeliveriesMax, deliveriesMax) : deliveriesMax
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
    var batch = OperationBatch()
    batch.writes.reserveCapacity(count)
    for entry in entries[..<count] {
      // A call whose time is over was answered.
      if entry.call?.begin() ?? true { batch.append(entry.operation) } else { releaseKey(of: entry) }
    }
    entries = Array(entries[count...])
    return batch
  }

  private func endsWait(at now: Instant) -> Bool {
    let hasGathered =
      waiting.deliveryCount >= gatheredDeliveriesMax || waiting.gathersUntil.map { $0 <= now } ?? true
    return entries.contains {
      hasGathered && $0.operation.isWrite && !$0.operation.isClaim
        || $0.operation.traits.contains(.concernsOutcomes)
    }
  }

  /// Drops the operations that were answered because their time was over.
  mutating func dropAnswered() {
    for entry in entries + large where entry.isAnswered {
      deliveryCount -= entry.deliveryCount
      releaseKey(of: entry)
    }
    entries.removeAll(where: \.isAnswered)
    large.removeAll(where: \.isAnswered)
  }

  private mutating func releaseKey(of entry: Entry) {
    if let key = entry.operation.idempotencyKey { keys.remove(key) }
  }

  mutating func release(_ keys: [IdempotencyKey]) { self.keys.subtract(keys) }
}
