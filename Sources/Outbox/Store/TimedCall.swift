import Synchronization

/// A call that is answered exactly once: with its outcome or, when its time is over, with an error.
// Guard: the atomic `stage`. After `init`, only the one who moves it to `answered` uses `refuse`.
final class TimedCall: @unchecked Sendable {
  /// What may be answered when the time is over.
  enum Kind: Sendable {
    /// A write: once it has started, it may have been kept.
    case write
    /// Changes nothing, whether it has started or not.
    case read
    /// Must not be given up once it has started, because nobody would have the outcome: a claim.
    case claim
  }

  private enum Stage: UInt8, AtomicRepresentable { case waiting, started, answered }

  let timeout: Duration
  private let kind: Kind
  /// Nil when the call is answered: what the closure holds must not live until the call is dropped, under a
  /// lock, from the list of those that wait.
  private var refuse: (@Sendable (OutboxError) -> Void)?
  private let stage = Atomic<Stage>(.waiting)
  /// Whether a part of it was written since its last deadline.
  private let hasProgressed = Atomic<Bool>(false)

  init(_ kind: Kind, timeout: Duration, refuse: @escaping @Sendable (OutboxError) -> Void) {
    self.kind = kind
    self.timeout = timeout
    self.refuse = refuse
  }

  var isAnswered: Bool { stage.load(ordering: .acquiring) == .answered }

  /// Whether to perform the call. False when its time was over before: then nothing may be done.
  func begin() -> Bool {
    stage.compareExchange(expected: .waiting, desired: .started, ordering: .acquiringAndReleasing).original
      != .answered
  }

  /// Records that a part of a write that has several was kept, for which the call gets its timeout again.
  func madeProgress() { hasProgressed.store(true, ordering: .releasing) }

  /// Calls `body` unless the call was answered before.
  func answer(_ body: () -> Void) {
    guard stage.exchange(.answered, ordering: .acquiringAndReleasing) != .answered else { return }
    refuse = nil
    body()
  }

  /// Answers with an error unless the call was answered before. Called at the deadline. False if it gets
  /// another one, because it has made progress.
  func expire() -> Bool {
    if hasProgressed.exchange(false, ordering: .acquiringAndReleasing), !isAnswered { return false }
    if case .claim = kind {
      let exchange = stage.compareExchange(
        expected: .waiting, desired: .answered, ordering: .acquiringAndReleasing)
      if exchange.exchanged { refuse(with: tooLate) }
      return true
    }
    switch stage.exchange(.answered, ordering: .acquiringAndReleasing) {
    case .answered: break
    case .started where kind == .write: refuse(with: unknown)
    case .waiting, .started: refuse(with: tooLate)
    }
    return true
  }

  private func refuse(with error: OutboxError) {
    let answer = refuse
    refuse = nil
    answer?(error)
  }

  private var tooLate: OutboxError {
    OutboxError(
      code: .unavailable,
      description: "the queue's database did not answer within \(timeout); nothing was kept")
  }

  private var unknown: OutboxError {
    OutboxError(
      code: .outcomeUnknown,
      description: "the queue's database did not confirm the write within \(timeout); it may have been kept")
  }
}

/// The calls that wait for their answers, in the order of their deadlines.
struct TimedCalls: Sendable {
  /// Beside each other, and not in pairs: to look at a pair would copy it.
  private var calls: [TimedCall?] = []
  private var deadlines: [ContinuousClock.Instant] = []
  private var first = 0
  private var isArmed = false

  /// Adds a call, and returns its deadline if no timer runs yet.
  mutating func add(_ call: TimedCall) -> ContinuousClock.Instant? {
    dropAnswered()
    calls.append(call)
    deadlines.append(.now + call.timeout)
    defer { isArmed = true }
    return isArmed ? nil : deadlines[first]
  }

  /// Takes the calls whose time is over, and returns when the timer has to run again.
  mutating func takeExpired(
    at now: ContinuousClock.Instant
  ) -> (expired: [TimedCall], next: ContinuousClock.Instant?) {
    var expired: [TimedCall] = []
    dropAnswered()
    while first < calls.count, let call = calls[first], deadlines[first] <= now {
      expired.append(call)
      drop()
      dropAnswered()
    }
    let next = first < calls.count ? deadlines[first] : nil
    isArmed = next != nil
    return (expired, next)
  }

  private mutating func dropAnswered() {
    while first < calls.count, calls[first]?.isAnswered ?? true { drop() }
    // Amortized: each call is moved at most once.
    if first >= 1_024, first * 2 >= calls.count {
      calls.removeFirst(first)
      deadlines.removeFirst(first)
      first = 0
    }
  }

  private mutating func drop() {
    calls[first] = nil
    first += 1
  }
}
