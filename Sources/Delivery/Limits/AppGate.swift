internal import Clock
internal import FCM
internal import Outbox

/// Whether and how fast an app may send: its rate, its circuit breaker, and the pause while FCM refuses it as
/// a whole.
///
/// While the gate is closed, one delivery at a time is sent as a probe. A pause (our credentials,
/// permissions, project) and an open breaker (server errors) differ in the probe's interval and in what is
/// reported.
struct AppGate {
  private enum Reason: Equatable { case refused, outage }

  private struct Closure {
    let reason: Reason
    let since: Timestamp
    var failure: SendError
    var backoff: Backoff
    var probeAtTicks: Int64
    var probe: DeliveryID?
  }

  /// Claimed deliveries wait for a shorter hold; for a longer one they go back to the queue.
  private static let shortHoldMilliseconds: Int64 = 1000
  /// The service is probed this often, however long a 503 asks to wait, so that one answer cannot stop an app
  /// for a day.
  private static let outageMillisecondsMax: Int64 = 3_600_000

  private let name: String
  private let refusedBackoff: Backoff
  private let probeFirstMilliseconds: Int64
  private let probeNextMilliseconds: Int64
  private(set) var limiter: RateLimiter
  private var breaker = CircuitBreaker()
  private var closure: Closure?
  /// The `Retry-After` of a 503, before which no probe is sent.
  private var outageUntilTicks = Int64.min

  init(name: String, messagesPerSecond: Double, configuration: DeliveryConfiguration) {
    self.name = name
    refusedBackoff = Backoff(from: configuration.probeMin, to: configuration.probeMax)
    probeFirstMilliseconds = max(0, configuration.breakerProbeFirst.wholeMilliseconds)
    probeNextMilliseconds = max(0, configuration.breakerProbeNext.wholeMilliseconds)
    limiter = RateLimiter(messagesPerSecond: messagesPerSecond, ramp: configuration.ramp)
  }

  var isClosed: Bool { closure != nil }
  var pausedSince: Timestamp? { closure?.reason == .refused ? closure?.since : nil }
  var breakerOpenSince: Timestamp? { closure?.reason == .outage ? closure?.since : nil }
  var failure: SendError? { closure?.failure }

  /// Messages a second that are allowed now.
  func perSecond(now: Int64) -> Double { isClosed ? 0 : limiter.perSecond(now: now) }

  /// How many sends may start now if there is `room` for more in flight.
  mutating func allowance(room: Int, now: Moment) -> Int {
    guard let closure else { return min(room, limiter.available(now: now.ticks)) }
    guard closure.probe == nil, now.ticks >= closure.probeAtTicks else { return 0 }
    return min(1, limiter.available(now: now.ticks))
  }

  /// Whether claimed deliveries would wait too long.
  func mustHandBack(now: Moment) -> Bool {
    isClosed || limiter.isHeld(now: now.ticks + Self.shortHoldMilliseconds)
  }

  /// The tick from which a claim is useful, `.min` for now; nil while an answer is awaited.
  func claimTicks(now: Moment) -> Int64? {
    guard let closure else {
      return limiter.isHeld(now: now.ticks) ? limiter.nextTicks(waiting: 1, now: now.ticks) : .min
    }
    guard closure.probe == nil else { return nil }
    return max(closure.probeAtTicks, limiter.nextTicks(waiting: 1, now: now.ticks))
  }

  /// When one of the `waiting` claimed deliveries may be sent; nil if that does not depend on time.
  mutating func sendTicks(waiting: Int, now: Moment) -> Int64? {
    guard !isClosed, waiting > 0, limiter.available(now: now.ticks) < 1 else { return nil }
    return limiter.nextTicks(waiting: waiting, now: now.ticks)
  }

  mutating func setQuota(messagesPerSecond: Double) { limiter.setQuota(messagesPerSecond: messagesPerSecond) }

  mutating func began(_ id: DeliveryID, now: Moment) {
    limiter.take(1, now: now.ticks)
    closure?.probe = id
  }

  func isProbe(_ id: DeliveryID) -> Bool { closure?.probe == id }

  /// A delivery that had begun was not sent after all: if it was the probe, another one may follow.
  mutating func withdrew(_ id: DeliveryID) { if isProbe(id) { closure?.probe = nil } }
}

// MARK: Answers

extension AppGate {
  /// FCM rejected the app as a whole: nothing can be sent until an operator acts.
  mutating func refused(
    _ failure: SendError, wasProbe: Bool, now: Moment, into effects: inout Effects
  ) {
    guard var current = closure, current.reason == .refused else {
      var backoff = refusedBackoff
      let wait = backoff.fail()
      closure = Closure(
        reason: .refused, since: now.wall, failure: failure, backoff: backoff,
        probeAtTicks: now.ticks + wait)
      breaker.reset()
      effects.actions.append(.report(.paused(app: name, failure: failure)))
      return
    }
    // Requests sent before the pause began report nothing new.
    guard wasProbe else { return }
    let isNews = current.failure.code != failure.code
    current.failure = failure
    current.probe = nil
    current.probeAtTicks = now.ticks + current.backoff.fail()
    closure = current
    if isNews { effects.actions.append(.report(.paused(app: name, failure: failure))) }
  }

  /// Any other answer. `holdMilliseconds` is the pause that a quota answer about the project requires.
  mutating func noted(
    _ outcome: SendOutcome, wasProbe: Bool, attemptBegan startedAt: Int64, holdMilliseconds: Int64,
    now: Moment, into effects: inout Effects
  ) {
    if case .failed(let failure) = outcome, failure.scope == .service {
      serviceFailed(failure, wasProbe: wasProbe, now: now, into: &effects)
      return
    }
    if wasProbe {
      reopen(now: now, into: &effects)
    } else if !isClosed {
      // An earlier `Retry-After` does not apply to the next outage.
      outageUntilTicks = .min
      _ = breaker.noted(isFailure: false, now: now.ticks)
    }
    guard case .failed(let failure) = outcome, failure.scope == .projectQuota else { return }
    let isNews = limiter.decrease(
      attemptBegan: startedAt, holdMilliseconds: holdMilliseconds, now: now.ticks)
    guard isNews else { return }
    effects.actions.append(
      .report(
        .slowed(
          app: name, messagesPerSecond: limiter.perSecondAfterHold, holdMilliseconds: holdMilliseconds)))
  }

  private mutating func serviceFailed(
    _ failure: SendError, wasProbe: Bool, now: Moment, into effects: inout Effects
  ) {
    if let seconds = failure.retryAfterSeconds, seconds > 0 {
      let wait = min(Duration.seconds(seconds).wholeMilliseconds, Self.outageMillisecondsMax)
      outageUntilTicks = max(outageUntilTicks, now.ticks + wait)
    }
    if var current = closure {
      // Only a probe's failure extends the outage.
      guard wasProbe else { return }
      current.probe = nil
      let wait = current.reason == .outage ? probeNextMilliseconds : current.backoff.milliseconds
      current.probeAtTicks = max(now.ticks + wait, outageUntilTicks)
      if current.reason == .outage { current.failure = failure }
      closure = current
    } else if breaker.noted(isFailure: true, now: now.ticks) {
      closure = Closure(
        reason: .outage, since: now.wall, failure: failure, backoff: refusedBackoff,
        probeAtTicks: max(now.ticks + probeFirstMilliseconds, outageUntilTicks))
      breaker.reset()
      effects.actions.append(.report(.breakerOpened(app: name, failure: failure)))
    }
  }

  /// A probe got an answer from FCM: the app may send again, and its backlog drains slowly.
  private mutating func reopen(now: Moment, into effects: inout Effects) {
    guard let closed = closure else { return }
    closure = nil
    breaker.reset()
    outageUntilTicks = .min
    limiter.restart(now: now.ticks)
    effects.actions.append(
      .report(closed.reason == .refused ? .resumed(app: name) : .breakerClosed(app: name)))
  }
}
