import Clock
import Dispatch
import Synchronization
import Telemetry

/// Whether the writing queue makes progress.
struct WritingProgress: Sendable {
  /// Rounds for which the last question to the writing queue has waited; nil when it was answered.
  var roundsWaited: Int?
}

/// Deadlines of calls, and what follows when the database stops answering without an error.
extension GroupCommitStore {
  /// Rounds without progress after which the store is stalled.
  private static var roundsWaitedMax: Int { 3 }

  private var timeout: Duration { .milliseconds(configuration.writeTimeoutMilliseconds) }

  /// A call with the configured time, and the completion through which it is answered.
  func timed<Value>(
    _ kind: TimedCall.Kind, _ completion: @escaping @Sendable (Result<Value, OutboxError>) -> Void
  ) -> (call: TimedCall, completion: @Sendable (Result<Value, OutboxError>) -> Void) {
    let call = timed(kind) { completion(.failure($0)) }
    return (call, { result in call.answer { completion(result) } })
  }

  /// A call with the configured time, after which `refuse` is called unless it was answered by its `answer`.
  func timed(_ kind: TimedCall.Kind, refuse: @escaping @Sendable (OutboxError) -> Void) -> TimedCall {
    let call = TimedCall(kind, timeout: timeout, refuse: refuse)
    if let deadline = calls.withLock({ $0.add(call) }) { expireLater(at: deadline) }
    return call
  }

  private func expireLater(at deadline: ContinuousClock.Instant) {
    let milliseconds = max(1, Int(saturating: (deadline - .now) / .milliseconds(1) + 1))
    watching.asyncAfter(deadline: .now() + .milliseconds(milliseconds)) { [weak self] in self?.expireCalls() }
  }

  private func expireCalls() {
    let (expired, next) = calls.withLock { $0.takeExpired(at: .now) }
    if let next { expireLater(at: next) }
    for call in expired where !call.expire() {
      if let deadline = calls.withLock({ $0.add(call) }) { expireLater(at: deadline) }
    }
    if !expired.isEmpty { pending.withLock { $0.dropAnswered() } }
  }

  /// Asks the writing queue every second for a sign of life.
  func watchProgress() {
    let interval = min(1_000, max(10, configuration.writeTimeoutMilliseconds / 5))
    watching.asyncAfter(deadline: .now() + .milliseconds(interval)) { [weak self] in
      guard let self, !isClosed else { return }
      checkProgress()
      watchProgress()
    }
  }

  /// Counts rounds rather than time: a process that was suspended has not stalled.
  private func checkProgress() {
    let rounds = progress.withLock { progress -> Int? in
      defer { progress.roundsWaited = (progress.roundsWaited ?? -1) + 1 }
      return progress.roundsWaited.map { $0 + 1 }
    }
    guard let rounds else { return writing.async { [weak self] in self?.answeredProgress() } }
    guard rounds >= Self.roundsWaitedMax, !isStalled.exchange(true, ordering: .acquiringAndReleasing),
      degradation == nil
    else { return }
    degraded(.stalled)
  }

  private func answeredProgress() {
    progress.withLock { $0.roundsWaited = nil }
    isStalled.store(false, ordering: .releasing)
  }

  /// Called after each transaction, because the writing queue gets to the question only between bursts.
  func madeProgress() {
    progress.withLock { if $0.roundsWaited != nil { $0.roundsWaited = 0 } }
    if isStalled.load(ordering: .acquiring) { isStalled.store(false, ordering: .releasing) }
  }
}

extension OutboxError {
  /// The error of calls while the database does not answer.
  static let stalled = OutboxError(
    code: .unavailable,
    description: "the queue's database has stopped answering: a write has not ended for seconds; look at the "
      + "disk, or at the database's server")
}
