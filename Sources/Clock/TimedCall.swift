internal import Synchronization

/// A call that is answered exactly once: with its outcome or, when its time is over, without.
// Guard: the atomic `stage`. After `init`, only the one who moves it to `answered` uses `refuse`.
package final class TimedCall: @unchecked Sendable {
  /// What may be answered when the time is over.
  package enum Kind: Sendable {
    /// Once it has started, it may have succeeded.
    case write
    /// Changes nothing, whether it has started or not.
    case read
    /// Must not be given up once it has started, because nobody would have what it has claimed.
    case claim
  }

  /// What is known of a call whose time is over.
  package enum Expiry: Sendable {
    case nothingDone, unknown
  }

  private enum Stage: UInt8, AtomicRepresentable { case waiting, started, answered }

  package let timeout: Duration
  private let kind: Kind
  /// Nil when the call is answered: what the closure holds must not live until the call is dropped, under a
  /// lock, from the list of those that wait.
  private var refuse: (@Sendable (Expiry) -> Void)?
  private let stage = Atomic<Stage>(.waiting)
  /// Whether a part of it was written since its last deadline.
  private let hasProgressed = Atomic<Bool>(false)

  /// `refuse` answers it when its time is over.
  package init(_ kind: Kind, timeout: Duration, refuse: @escaping @Sendable (Expiry) -> Void) {
    self.kind = kind
    self.timeout = timeout
    self.refuse = refuse
  }

  package var isAnswered: Bool { stage.load(ordering: .acquiring) == .answered }

  /// Whether to perform the call. False when its time was over before: then nothing may be done.
  package func begin() -> Bool {
    stage.compareExchange(expected: .waiting, desired: .started, ordering: .acquiringAndReleasing).original
      != .answered
  }

  /// Records that a part of a write that has several was kept, for which the call gets its timeout again.
  package func madeProgress() { hasProgressed.store(true, ordering: .releasing) }

  /// Calls `body` unless the call was answered before.
  package func answer(_ body: () -> Void) {
    guard stage.exchange(.answered, ordering: .acquiringAndReleasing) != .answered else { return }
    refuse = nil
    body()
  }

  /// Refuses the call unless it was answered before. Called at the deadline. False if it gets
  /// another one, because it has made progress.
  package func expire() -> Bool {
    if hasProgressed.exchange(false, ordering: .acquiringAndReleasing), !isAnswered { return false }
    if case .claim = kind {
      let exchange = stage.compareExchange(
        expected: .waiting, desired: .answered, ordering: .acquiringAndReleasing)
      if exchange.exchanged { refuse(with: .nothingDone) }
      return true
    }
    switch stage.exchange(.answered, ordering: .acquiringAndReleasing) {
    case .answered: break
    case .started where kind == .write: refuse(with: .unknown)
    case .waiting, .started: refuse(with: .nothingDone)
    }
    return true
  }

  private func refuse(with expiry: Expiry) {
    let answer = refuse
    refuse = nil
    answer?(expiry)
  }
}

/// The calls that wait for their answers, in the order of their deadlines.
package struct TimedCalls: Sendable {
  /// Beside each other, and not in pairs: to look at a pair would copy it.
  private var calls: [TimedCall?] = []
  private var deadlines: [ContinuousClock.Instant] = []
  private var first = 0
  private var isArmed = false

  package init() {}

  /// Adds a call, and returns its deadline if no timer runs yet.
  package mutating func add(_ call: TimedCall, at now: ContinuousClock.Instant) -> ContinuousClock.Instant? {
    dropAnswered()
    calls.append(call)
    deadlines.append(now + call.timeout)
    defer { isArmed = true }
    return isArmed ? nil : deadlines[first]
  }

  /// Takes the calls whose time is over, and returns when the timer has to run again.
  package mutating func takeExpired(
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
