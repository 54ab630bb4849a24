internal import DeliveryReports
internal import Clock
internal import FCM
internal import Outbox
internal import SendingLimits

/// What the gate tells the gates of other gateways. The rest of `AppGate` calls it with what it has decided;
/// nothing happens where there is one gateway.
extension AppGate {
  /// What the others are to learn now; nil for nothing.
  mutating func takeNews() -> AppLimits? { shared?.takeNews() }

  mutating func shareUse(now: Moment) {
    guard let known = shared?.known else { return }
    var news = AppLimits()
    if let climb = limiter.climb, climb.beganTicks == now.ticks {
      news.climb = AppLimits.Climb(climb, now: now)
    }
    if known.usedAt.map({ $0.milliseconds(until: now.wall) >= SharedGate.useMilliseconds }) ?? true {
      news.usedAt = now.wall
    }
    shared?.tell(news)
  }

  mutating func shareQuotaAnswer(_ attempt: Attempt, holdMilliseconds: Int64, now: Moment) {
    guard shared != nil else { return }
    var news = AppLimits()
    news.quota = AppLimits.QuotaAnswer(
      attemptBeganAt: now.wall(at: attempt.startedAtTicks),
      heldUntil: now.wall.adding(milliseconds: holdMilliseconds))
    shared?.tell(news)
  }

  /// The gate has just closed: so do those of the others, unless the fault seems to be this gateway's.
  mutating func beginSharing(now: Moment) {
    guard let shared, closure?.reason == .quota || now.ticks >= shared.ownUntilTicks else { return }
    closure?.isShared = true
    closure?.isOwn = true
    shareStop(now: now)
  }

  /// Tells the others of the closure, or of the time of its next probe.
  mutating func shareStop(now: Moment) {
    guard let closure, closure.isShared else { return }
    tellStop(closure, reason: closure.reason == .quota ? .quota : .outage, now: now)
  }

  mutating func shareReopening(of closed: Closure, now: Moment, into effects: inout Effects) {
    guard let shared else { return }
    if closed.isShared {
      tellStop(closed, reason: nil, now: now)
      shareUse(now: now)
    } else {
      if closed.reason == .outage { self.shared?.ownUntilTicks = now.ticks + SharedGate.ownMilliseconds }
      if let stop = shared.known.stop { heed(stop, now: now, into: &effects) }
    }
  }

  private mutating func tellStop(_ closure: Closure, reason: AppLimits.Stop.Reason?, now: Moment) {
    let known = shared?.known.stop?.decidedAt
    var news = AppLimits()
    news.stop = AppLimits.Stop(
      decidedAt: known.map { max(now.wall, $0.adding(milliseconds: 1)) } ?? now.wall, reason: reason,
      since: closure.since,
      probeAt: now.wall(at: closure.probeAtTicks),
      failure: .init(
        code: closure.failure.code.rawValue, httpStatus: closure.failure.httpStatus,
        message: closure.failure.message))
    shared?.tell(news)
  }
}

// MARK: What other gateways tell

extension AppGate {
  mutating func learn(_ limits: AppLimits, now: Moment, into effects: inout Effects) {
    guard let before = shared?.known else { return }
    shared?.learn(limits)
    guard let known = shared?.known else { return }
    if let quota = known.quota, quota != before.quota { heed(quota, now: now, into: &effects) }
    if let climb = known.climb, let used = known.usedAt {
      limiter.join(.init(climb, now: now), usedTicks: now.ticks(of: used), now: now.ticks)
    }
    if let stop = known.stop, stop != before.stop { heed(stop, now: now, into: &effects) }
  }

  private mutating func heed(_ quota: AppLimits.QuotaAnswer, now: Moment, into effects: inout Effects) {
    let hold = min(max(0, now.ticks(at: quota.heldUntil) - now.ticks), waitMillisecondsMax)
    if hold > 0, !limiter.isHeld(now: now.ticks) { quotaSince = now.wall }
    let isNews = limiter.decreaseElsewhere(
      attemptBegan: now.ticks(of: quota.attemptBeganAt), holdMilliseconds: hold, now: now.ticks)
    guard isNews else { return }
    effects.actions.append(
      .report(.slowed(app: name, messagesPerSecond: limiter.perSecondAfterHold, holdMilliseconds: hold)))
  }

  private mutating func heed(_ stop: AppLimits.Stop, now: Moment, into effects: inout Effects) {
    guard let reason = stop.reason else {
      guard let current = closure, current.isShared else { return }
      // The app works elsewhere, so that the next failures here are this gateway's own.
      if current.isOwn, current.reason == .outage {
        shared?.ownUntilTicks = now.ticks + SharedGate.ownMilliseconds
      }
      return open(now: now, into: &effects)
    }
    // A pause of this gateway's own comes first.
    guard closure?.isShared ?? true else { return }
    let isNew = closure == nil
    let failure = SendError(stop.failure, reason: reason)
    let probeAt = min(now.ticks(at: stop.probeAt), now.ticks + waitMillisecondsMax)
    closure = Closure(
      reason: reason == .quota ? .quota : .outage, since: stop.since, failure: failure,
      backoff: refusedBackoff, probeAtTicks: probeAt, probesMax: 1, isShared: true,
      isOwn: closure?.isOwn ?? false)
    breaker.reset()
    guard isNew, reason == .outage else { return }
    effects.actions.append(.report(.breakerOpened(app: name, failure: failure)))
  }
}

// MARK: The turn to probe

extension AppGate {
  /// Whether this gateway sends the probes.
  var mayProbe: Bool { closure?.isShared != true || shared?.turn == .taken }

  /// The tick from which asking for the turn, or probing, is useful; nil while an answer is awaited.
  var turnTicks: Int64? {
    guard closure?.isShared == true, let turn = shared?.turn else { return .min }
    switch turn {
    case .notAsked, .taken: return .min
    case .asked: return nil
    case .refused(let until): return until
    }
  }

  /// Begins to ask for the turn if this gateway needs it: the stop whose turn to take.
  mutating func askForTurn() -> Timestamp? {
    guard !mayProbe, let stop = shared?.known.stop else { return nil }
    shared?.turn = .asked
    return stop.decidedAt
  }

  mutating func answeredTurn(of stop: Timestamp, isTaken: Bool, now: Moment) {
    guard let shared, shared.turn == .asked, shared.known.stop?.decidedAt == stop else { return }
    self.shared?.turn = isTaken ? .taken : .refused(untilTicks: now.ticks + SharedGate.turnMilliseconds)
  }

  /// Gives up the turn, since there is nothing to send: the stop whose turn it was, if this gateway had it.
  mutating func giveUpTurn(now: Moment) -> Timestamp? {
    guard let closure, closure.isShared, closure.probes.isEmpty, shared?.turn == .taken else { return nil }
    shared?.turn = .refused(untilTicks: now.ticks + SharedGate.turnMilliseconds)
    return shared?.known.stop?.decidedAt
  }
}

extension Moment {
  /// The wall clock's time at a tick.
  fileprivate func wall(at ticks: Int64) -> Timestamp {
    let (difference, overflow) = ticks.subtractingReportingOverflow(self.ticks)
    return wall.adding(milliseconds: overflow ? (ticks < self.ticks ? .min : .max) : difference)
  }

  /// The tick of a time that is past; not after now.
  fileprivate func ticks(of past: Timestamp) -> Int64 {
    let (tick, overflow) = ticks.subtractingReportingOverflow(max(0, past.milliseconds(until: wall)))
    return overflow ? .min : tick
  }
}

extension AppLimits.Climb {
  fileprivate init(_ climb: RateLimiter.Climb, now: Moment) {
    self.init(
      beganAt: now.wall(at: climb.beganTicks), millirate: Int64(saturating: climb.perSecond * 1000))
  }
}

extension RateLimiter.Climb {
  fileprivate init(_ climb: AppLimits.Climb, now: Moment) {
    self.init(perSecond: Double(climb.millirate) / 1000, beganTicks: now.ticks(of: climb.beganAt))
  }
}

extension SendError {
  /// What another gateway was answered.
  fileprivate init(_ failure: AppLimits.Stop.Failure?, reason: AppLimits.Stop.Reason) {
    self.init(
      code: failure.flatMap { Code(rawValue: $0.code) } ?? .unavailable, httpStatus: failure?.httpStatus,
      message: failure?.message ?? "", disposition: .retry,
      scope: reason == .quota ? .projectQuota : .service)
  }
}
