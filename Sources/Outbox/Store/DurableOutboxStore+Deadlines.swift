import Clock
import Dispatch
import Synchronization
import Telemetry

/// The rounds in which a store looks after its database.
struct WatchState: Sendable {
  /// Rounds for which the last question to the writing queue has waited; nil when it was answered.
  var roundsWaited: Int?
  /// The number of the round that comes next, and whether the store rests until then.
  var round = 0
  var isResting = false
  /// The latest time that the clock has shown since due times were first corrected; nil before that.
  var latest: Timestamp?
  var isCorrecting = false

  /// Whether due times may be from a time that the clock has not reached again, and nobody corrects them yet.
  mutating func beginsCorrecting(at now: Timestamp) -> Bool {
    let isBehind = latest.map { now.adding(milliseconds: QueueEngine.clockStepMillisecondsMin) < $0 } ?? true
    if let latest { self.latest = max(latest, now) }
    guard isBehind, !isCorrecting else { return false }
    isCorrecting = true
    return true
  }
}

/// Deadlines of calls, and what follows when the database stops answering without an error.
extension DurableOutboxStore {
  private var timeout: Duration { .milliseconds(configuration.writeTimeoutMilliseconds) }

  /// A call with the configured time, and the completion through which it is answered.
  func timed<Value>(
    _ kind: TimedCall.Kind, _ completion: @escaping @Sendable (Result<Value, OutboxError>) -> Void
  ) -> (call: TimedCall, completion: @Sendable (Result<Value, OutboxError>) -> Void) {
    let call = TimedCall(kind, timeout: timeout) { [timeout] expiry in
      completion(.failure(.late(expiry, after: timeout)))
    }
    if let deadline = calls.withLock({ $0.add(call, at: .now) }) { expireLater(at: deadline) }
    return (call, { result in call.answer { completion(result) } })
  }

  private func expireLater(at deadline: ContinuousClock.Instant) {
    let milliseconds = max(1, Int(saturating: (deadline - .now) / .milliseconds(1) + 1))
    watching.asyncAfter(deadline: .now() + .milliseconds(milliseconds)) { [weak self] in self?.expireCalls() }
  }

  private func expireCalls() {
    let (expired, next) = calls.withLock { $0.takeExpired(at: .now) }
    if let next { expireLater(at: next) }
    for call in expired where !call.expire() {
      if let deadline = calls.withLock({ $0.add(call, at: .now) }) { expireLater(at: deadline) }
    }
    if !expired.isEmpty { pending.withLock { $0.dropAnswered() } }
  }

  /// Begins a round now if the store rests: something is to be written, or somebody asks for its health.
  func wake() {
    let wasResting = watch.withLock { watch in
      defer { watch.isResting = false }
      return watch.isResting
    }
    guard wasResting else { return }
    watching.async { [weak self] in
      guard let self, !isClosed else { return }
      checkProgress()
      database.inspect(in: self)
      followClock()
      watchLater(rests: false)
    }
  }

  /// Looks after the database in rounds: asks the writing queue for a sign of life, and has the database
  /// inspect its files. Each round wakes threads, so a store that rests has few; `wake` ends that.
  func watchLater(rests: Bool) {
    let round = watch.withLock { watch in
      watch.isResting = rests
      watch.round += 1
      return watch.round
    }
    let commits = commitCount
    let milliseconds = rests ? configuration.restingIntervalMilliseconds : roundMilliseconds
    watching.asyncAfter(deadline: .now() + .milliseconds(milliseconds)) { [weak self] in
      // A round that a later one has replaced does nothing.
      guard let self, !isClosed, watch.withLock({ $0.round == round }) else { return }
      let rests = commitCount == commits && isQuiet
      if !rests { checkProgress() }
      database.inspect(in: self)
      followClock()
      watchLater(rests: rests)
    }
  }

  /// Whether nothing is pending and nothing is wrong. Other gateways' writes cannot be seen, so a shared
  /// database is never quiet.
  private var isQuiet: Bool {
    !database.isShared && pending.withLock { $0.isIdle } && watch.withLock { $0.roundsWaited == nil }
      && healthState.withLock { $0.health.degradation == nil }
  }

  /// How long the writing queue may take for a sign of life, three times over, before the store is stalled.
  private var signMilliseconds: Int { min(1_000, max(10, configuration.writeTimeoutMilliseconds / 5)) }

  private var roundMilliseconds: Int { min(signMilliseconds, configuration.inspectionIntervalMilliseconds) }

  /// Rounds without progress after which the store is stalled. Counts rounds rather than time: a process that
  /// was suspended has not stalled.
  private var roundsWaitedMax: Int { 3 * signMilliseconds / max(1, roundMilliseconds) }

  private func checkProgress() {
    let rounds = watch.withLock { watch -> Int? in
      defer { watch.roundsWaited = (watch.roundsWaited ?? -1) + 1 }
      return watch.roundsWaited.map { $0 + 1 }
    }
    guard let rounds else { return writing.async { [weak self] in self?.answeredProgress() } }
    guard rounds >= roundsWaitedMax, !isStalled.exchange(true, ordering: .acquiringAndReleasing),
      degradation == nil
    else { return }
    degraded(.stalled)
  }

  private func answeredProgress() {
    watch.withLock { $0.roundsWaited = nil }
    isStalled.store(false, ordering: .releasing)
  }

  /// Called after each transaction, because the writing queue gets to the question only between bursts.
  func madeProgress() {
    watch.withLock { if $0.roundsWaited != nil { $0.roundsWaited = 0 } }
    if isStalled.load(ordering: .acquiring) { isStalled.store(false, ordering: .releasing) }
  }
}

extension OutboxError {
  /// The error of calls while the database does not answer.
  static let stalled = OutboxError(
    code: .unavailable,
    description: "the queue's database has stopped answering: a write has not ended for seconds; look at the "
      + "disk, or at the database's server")

  /// The error of a call whose time is over.
  static func late(_ expiry: TimedCall.Expiry, after timeout: Duration) -> OutboxError {
    switch expiry {
    case .nothingDone:
      OutboxError(
        code: .unavailable,
        description: "the queue's database did not answer within \(timeout); nothing was kept")
    case .unknown:
      OutboxError(
        code: .outcomeUnknown,
        description: "the queue's database did not confirm the write within \(timeout); it may have been kept"
      )
    }
  }
}
