internal import DeliveryReports
internal import Clock
internal import FCM
internal import FCMMessage
internal import Outbox

/// Whether and how fast an app may send: its rate, its circuit breaker, and the pause while FCM refuses it
/// as a whole.
///
/// While the gate is closed, only probes are sent. The reasons differ in the interval and number of the
/// probes, and in what is reported.
struct AppGate {
  struct Closure {
    let reason: AppWait.Reason
    let since: Timestamp
    var failure: SendError
    var backoff: Backoff
    var probeAtTicks: Int64
    /// How many deliveries are sent at once to find out whether the app can send again.
    let probesMax: Int
    /// Whether it was inferred from what messages to targets got, so that any other answer disproves it.
    var isInferred = false
    /// Whether all gateways that share the queue are closed for the same reason, and whether this one began
    /// it.
    var isShared = false
    var isOwn = false
    var probes: Set<DeliveryID> = []
    /// Whether the last claim held only messages that fail, so that it may have hidden others, and how soon
    /// the next one is made.
    var mayHideOthers = false
    var searchBackoff = Backoff(from: .seconds(1), to: .seconds(30))

    /// Whether the attempt was a probe, which it is no longer.
    mutating func takeProbe(_ attempt: Attempt) -> Bool {
      attempt.id.map { probes.remove($0) != nil } ?? false
    }
  }

  /// The most by which a claim comes before the turn of what it claims.
  static let claimedAheadMilliseconds: Int64 = 500
  /// Claimed deliveries wait for a shorter hold; for a longer one they go back to the queue.
  private static let shortHoldMilliseconds: Int64 = 1000
  /// Probes of an app that FCM refuses as a whole go to this many targets, so that bad targets among them
  /// do not hide that the others are accepted.
  private static let refusedProbesMax = 8
  /// During an outage that a few messages may have caused, so many different ones are probed at once.
  private static let messageProbesMax = 8
  /// How long deliveries of failing messages make room for others meanwhile.
  static let asideMilliseconds: Int64 = 60_000
  /// The wait for an access token that cannot be obtained, if the token service names no other.
  private static let tokenMillisecondsMin: Int64 = 1000

  let name: String
  let refusedBackoff: Backoff
  private let credentialsBackoff: Backoff
  private let probeFirstMilliseconds: Int64
  private let probeNextMilliseconds: Int64
  /// No answer stops the app for longer without a probe, whatever it asks for.
  let waitMillisecondsMax: Int64
  var limiter: RateLimiter
  private(set) var refusals: RefusalWatch
  /// Hashes of the targets whose last attempt ended with a server error or without an answer, as far as they
  /// are known.
  private(set) var failing: Set<Int> = []
  private let failingMax: Int
  var messages: FailingMessages
  var breaker = CircuitBreaker()
  var closure: Closure?
  private var messagesPerSecond: Double
  private(set) var gatewayCount = 1
  var quotaSince: Timestamp?
  /// What other gateways know and learn; nil where there are none.
  var shared: SharedGate?
  /// The `Retry-After` of a 503, before which no probe is sent.
  private var outageUntilTicks = Int64.min

  init(name: String, messagesPerSecond: Double, configuration: DeliveryConfiguration) {
    self.name = name
    self.messagesPerSecond = messagesPerSecond
    refusedBackoff = Backoff(from: configuration.refusedProbeFirst, to: configuration.probeMax)
    credentialsBackoff = Backoff(from: configuration.probeMin, to: configuration.probeMax)
    probeFirstMilliseconds = max(0, configuration.breakerProbeFirst.wholeMilliseconds)
    probeNextMilliseconds = max(0, configuration.breakerProbeNext.wholeMilliseconds)
    waitMillisecondsMax = max(1, configuration.appWaitMax.wholeMilliseconds)
    limiter = RateLimiter(messagesPerSecond: messagesPerSecond, ramp: configuration.ramp)
    refusals = RefusalWatch(countMax: configuration.holdsMax)
    failingMax = configuration.holdsMax
    messages = FailingMessages(countMax: configuration.holdsMax)
    shared = configuration.sharesLimits ? SharedGate() : nil
  }

  var isClosed: Bool { closure != nil }
  var failure: SendError? { closure?.failure ?? refusals.failure }

  /// Why the app sends nothing, or only probes; nil if it sends.
  var wait: AppWait? {
    if let closure {
      return AppWait(
        reason: closure.reason, since: closure.since, untilTicks: closure.probeAtTicks, isProbing: true)
    }
    guard let quotaSince else { return nil }
    return AppWait(reason: .quota, since: quotaSince, untilTicks: limiter.holdEndTicks, isProbing: false)
  }

  /// Messages a second that are allowed now.
  func perSecond(now: Int64) -> Double { isClosed ? 0 : limiter.perSecond(now: now) }

  /// How many sends may start now if there is `room` for more in flight.
  mutating func allowance(room: Int, now: Moment) -> Int {
    guard let closure else { return min(room, limiter.available(now: now.ticks)) }
    guard closure.probes.isEmpty, now.ticks >= closure.probeAtTicks, mayProbe else { return 0 }
    let probesMax = mayBeMessages ? Self.messageProbesMax : closure.probesMax
    return min(probesMax, room, limiter.available(now: now.ticks))
  }

  /// Whether claimed deliveries would wait too long.
  func mustHandBack(now: Moment) -> Bool {
    isClosed || limiter.isHeld(now: now.ticks + Self.shortHoldMilliseconds)
  }

  /// The tick from which a claim is useful; nil while an answer is awaited.
  func claimTicks(now: Moment) -> Int64? {
    let next = limiter.nextTicks(waiting: 1, now: now.ticks)
    guard let closure else {
      return limiter.isHeld(now: now.ticks) ? next : next - Self.claimedAheadMilliseconds
    }
    guard closure.probes.isEmpty, let turn = turnTicks else { return nil }
    return max(closure.probeAtTicks, turn, next)
  }

  /// When one of the `waiting` claimed deliveries may be sent; nil if that does not depend on time.
  mutating func sendTicks(waiting: Int, now: Moment) -> Int64? {
    guard !isClosed, waiting > 0, limiter.available(now: now.ticks) < 1 else { return nil }
    return limiter.nextTicks(waiting: waiting, now: now.ticks)
  }

  mutating func setQuota(messagesPerSecond: Double) {
    self.messagesPerSecond = messagesPerSecond
    limiter.setQuota(messagesPerSecond: messagesPerSecond, gateways: gatewayCount)
  }

  /// Sends at an even share of the rate, because other gateways send for the same app.
  mutating func share(among gateways: Int) {
    gatewayCount = max(1, gateways)
    limiter.setQuota(messagesPerSecond: messagesPerSecond, gateways: gatewayCount)
  }

  mutating func began(_ delivery: ClaimedDelivery, now: Moment) {
    tookOne(now: now)
    if !messages.isEmpty { messages.began(delivery.id, delivery.message) }
    closure?.probes.insert(delivery.id)
  }

  /// Takes from the rate what is not a delivery.
  mutating func tookOne(now: Moment) {
    limiter.take(1, now: now.ticks)
    shareUse(now: now)
  }

  func isProbe(_ id: DeliveryID?) -> Bool { id.map { closure?.probes.contains($0) == true } ?? false }

  /// A delivery that had begun, or a check, was not sent after all: it used none of the rate, and if it was a
  /// probe, another one may follow.
  mutating func withdrew(_ id: DeliveryID?, now: Moment) {
    limiter.giveBack(1, now: now.ticks)
    messages.withdrew(id)
    if let id { closure?.probes.remove(id) }
  }
}

extension AppGate {
  /// An operator has changed something: what FCM or a token service refused is tried again at once.
  mutating func probeSoon(now: Moment) {
    guard let reason = closure?.reason, reason == .refused || reason == .accessToken else { return }
    closure?.backoff.reset()
    closure?.probeAtTicks = now.ticks
  }
}

// MARK: Answers

extension AppGate {
  /// An attempt as the gate sees it.
  struct Attempt {
    /// Nil for a message that FCM is only to check, which is never a probe.
    let id: DeliveryID?
    /// Nil where nothing was sent to anyone.
    let recipient: Target?
    /// Nil for one without a message of the queue.
    var delivery: ClaimedDelivery?
    let startedAtTicks: Int64

    /// The hash of its target, which takes longer than most decisions.
    var target: Int { recipient?.hashValue ?? 0 }
    var message: SealedMessage? { delivery?.message }
  }

  /// Nothing could be sent: there is no access token. The app waits for the next one.
  mutating func unsent(_ failure: SendError, _ attempt: Attempt, now: Moment, into effects: inout Effects) {
    let isTransient = failure.disposition != .permanent
    let reason = isTransient ? AppWait.Reason.accessToken : .refused
    let asked = Int64(clamping: failure.retryAfterSeconds ?? 0)
    let pause = min(max(Self.tokenMillisecondsMin, asked.multipliedClamped(by: 1000)), waitMillisecondsMax)
    guard var current = closure, current.reason == reason else {
      var backoff = credentialsBackoff
      let wait = isTransient ? pause : backoff.fail()
      return close(
        reason, failure, probesMax: 1, backoff: backoff, after: wait, now: now, into: &effects)
    }
    // Requests that began before report nothing new.
    guard current.takeProbe(attempt) else { return }
    let isNews = current.failure.code != failure.code
    current.failure = failure
    if current.probes.isEmpty {
      current.probeAtTicks = now.ticks + (isTransient ? pause : current.backoff.fail())
    }
    closure = current
    if isNews { effects.actions.append(.report(.paused(app: name, failure: failure))) }
  }

  /// FCM refused a message for a reason that may be the app's; returns whether it is taken as the app's. A
  /// refused access token is the same for all targets.
  mutating func refused(
    _ failure: SendError, _ attempt: Attempt, now: Moment, into effects: inout Effects
  ) -> Bool {
    let hasManyTargets = refusals.refused(attempt.target, failure, now: now.wall)
    let isAppWide = hasManyTargets || failure.code == .authentication
    guard var current = closure, current.reason == .refused else {
      if isProbe(attempt.id) { reopen(now: now, into: &effects) }
      if !isClosed { _ = breaker.noted(isFailure: false, now: now.ticks) }
      guard isAppWide else { return false }
      var backoff = refusedBackoff
      let wait = backoff.fail()
      close(
        .refused, failure, probesMax: Self.refusedProbesMax, backoff: backoff, after: wait, now: now,
        into: &effects)
      closure?.isInferred = true
      return true
    }
    // Requests sent before the pause began report nothing new.
    guard current.takeProbe(attempt) else { return true }
    let isNews = current.failure.code != failure.code
    current.failure = failure
    if current.probes.isEmpty { current.probeAtTicks = now.ticks + current.backoff.fail() }
    closure = current
    if isNews { effects.actions.append(.report(.paused(app: name, failure: failure))) }
    return true
  }

  /// Any other answer. `holdMilliseconds` is the pause that a quota answer about the project requires.
  mutating func noted(
    _ outcome: SendOutcome, _ attempt: Attempt, holdMilliseconds: Int64, now: Moment,
    into effects: inout Effects
  ) {
    if case .failed(let failure) = outcome, failure.scope == .service {
      let isOwnError = failure.countsAttempt && failure.httpStatus ?? 0 >= 500
      if isOwnError, let message = attempt.message,
        messages.failed(message, attempt.id, now: now.ticks), !isProbe(attempt.id)
      {
        return
      }
      if !isOwnError { messages.withdrew(attempt.id) }
      serviceFailed(failure, attempt, now: now, into: &effects)
      return
    }
    if !messages.isEmpty, let message = attempt.message {
      let isSent = if case .sent = outcome { true } else { false }
      messages.answered(message, isSent: isSent, now: now.ticks)
    }
    if !refusals.isEmpty { refusals.answered(attempt.target) }
    if !failing.isEmpty { failing.remove(attempt.target) }
    if case .failed(let failure) = outcome, failure.scope == .projectQuota {
      return quotaUsedUp(failure, attempt, holdMilliseconds: holdMilliseconds, now: now, into: &effects)
    }
    answeredOtherwise(attempt, now: now, into: &effects)
  }

  private mutating func answeredOtherwise(_ attempt: Attempt, now: Moment, into effects: inout Effects) {
    if isProbe(attempt.id) || closure?.isInferred == true {
      reopen(now: now, into: &effects)
    } else if !isClosed {
      // An earlier `Retry-After` does not apply to the next outage.
      outageUntilTicks = .min
      _ = breaker.noted(isFailure: false, now: now.ticks)
    }
  }

  private mutating func quotaUsedUp(
    _ failure: SendError, _ attempt: Attempt, holdMilliseconds: Int64, now: Moment,
    into effects: inout Effects
  ) {
    let isCapped = holdMilliseconds > waitMillisecondsMax
    let hold = min(holdMilliseconds, waitMillisecondsMax)
    if isCapped, var current = closure, current.reason == .quota {
      guard current.takeProbe(attempt) else { return }
      current.probeAtTicks = now.ticks + hold
      closure = current
      shareStop(now: now)
      return
    }
    answeredOtherwise(attempt, now: now, into: &effects)
    if hold > 0, !limiter.isHeld(now: now.ticks) { quotaSince = now.wall }
    let isNews = limiter.decrease(
      attemptBegan: attempt.startedAtTicks, holdMilliseconds: isCapped ? 0 : hold, now: now.ticks)
    if isNews || hold > 0 { shareQuotaAnswer(attempt, holdMilliseconds: isCapped ? 0 : hold, now: now) }
    if isCapped, !isClosed {
      close(.quota, failure, probesMax: 1, backoff: refusedBackoff, after: hold, now: now, into: &effects)
    }
    guard isNews else { return }
    effects.actions.append(
      .report(.slowed(app: name, messagesPerSecond: limiter.perSecondAfterHold, holdMilliseconds: hold)))
  }

  private mutating func serviceFailed(
    _ failure: SendError, _ attempt: Attempt, now: Moment, into effects: inout Effects
  ) {
    if failing.count >= failingMax { failing = [] }
    failing.insert(attempt.target)
    if let seconds = failure.retryAfterSeconds, seconds > 0 {
      let wait = min(Duration.seconds(seconds).wholeMilliseconds, waitMillisecondsMax)
      outageUntilTicks = max(outageUntilTicks, now.ticks + wait)
    }
    // A request was made, so there is an access token again.
    if isProbe(attempt.id), closure?.reason == .accessToken { reopen(now: now, into: &effects) }
    if var current = closure {
      // Only a probe's failure extends the outage.
      guard current.takeProbe(attempt) else { return }
      var wait = current.reason == .outage ? probeNextMilliseconds : current.backoff.milliseconds
      if current.reason == .outage, current.mayHideOthers { wait = min(wait, current.searchBackoff.fail()) }
      if current.probes.isEmpty { current.probeAtTicks = max(now.ticks + wait, outageUntilTicks) }
      if current.reason == .outage { current.failure = failure }
      closure = current
      if current.probes.isEmpty { shareStop(now: now) }
    } else if breaker.noted(isFailure: true, now: now.ticks) {
      let wait = max(probeFirstMilliseconds, outageUntilTicks > now.ticks ? outageUntilTicks - now.ticks : 0)
      close(.outage, failure, probesMax: 1, backoff: refusedBackoff, after: wait, now: now, into: &effects)
    }
  }

  private mutating func close(
    _ reason: AppWait.Reason, _ failure: SendError, probesMax: Int, backoff: Backoff,
    after milliseconds: Int64,
    now: Moment, into effects: inout Effects
  ) {
    closure = Closure(
      reason: reason, since: now.wall, failure: failure, backoff: backoff,
      probeAtTicks: now.ticks + milliseconds, probesMax: probesMax)
    breaker.reset()
    if reason == .outage || reason == .quota { beginSharing(now: now) }
    switch reason {
    case .outage: effects.actions.append(.report(.breakerOpened(app: name, failure: failure)))
    case .refused, .accessToken: effects.actions.append(.report(.paused(app: name, failure: failure)))
    case .quota: break
    }
  }

  /// A probe got an answer from FCM: the app may send again, and its backlog drains slowly.
  mutating func reopen(now: Moment, into effects: inout Effects) {
    guard let closed = closure else { return }
    open(now: now, into: &effects)
    shareReopening(of: closed, now: now, into: &effects)
  }

  mutating func open(now: Moment, into effects: inout Effects) {
    guard let closed = closure else { return }
    closure = nil
    breaker.reset()
    outageUntilTicks = .min
    limiter.restart(now: now.ticks)
    switch closed.reason {
    case .outage: effects.actions.append(.report(.breakerClosed(app: name)))
    case .refused, .accessToken, .quota: effects.actions.append(.report(.resumed(app: name)))
    }
  }
}

extension Int64 {
  fileprivate func multipliedClamped(by factor: Int64) -> Int64 {
    let (product, overflow) = multipliedReportingOverflow(by: factor)
    return overflow ? .max : product
  }
}
