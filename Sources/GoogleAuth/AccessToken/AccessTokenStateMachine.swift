/// Decides when an app's access token is used, renewed and discarded: takes events with their time, returns
/// actions, does no I/O.
///
/// At most one refresh is under way. A token is renewed ahead of its expiry, by the first request in that
/// time; while renewal fails, the token is used until it expires. Requests that find no token wait through a
/// few attempts, then fail.
struct AccessTokenStateMachine<Token: Sendable, Waiter: Sendable>: Sendable {
  typealias Instant = ContinuousClock.Instant

  /// What a driver does, in order.
  enum Action: Sendable {
    /// Request a token; report the result with `refreshSucceeded` or `refreshFailed`.
    case startRefresh
    /// Call `timerFired` at this moment.
    case wake(at: Instant)
    case deliver(Result<Token, TokenError>, to: [Waiter])
  }

  /// How long before its expiry a token is renewed: Google's own threshold, and the maximum, because metadata
  /// servers return the old token until 240 s before its expiry. A shorter-lived token is renewed when three
  /// quarters of its life are over.
  static var refreshAhead: Duration { .seconds(225) }
  /// The part of `refreshAhead` that jitter may remove, so that replicas do not all refresh at the same time.
  static var refreshSpread: Double { 0.2 }
  /// Attempts before the requests that wait fail.
  static var triesMax: Int { 3 }
  static var firstPause: Duration { .seconds(1) }
  /// The pause after the last attempt, before which none is made; doubles up to `coolDownMax`.
  static var firstCoolDown: Duration { .seconds(5) }
  static var coolDownMax: Duration { .seconds(60) }
  /// The longest wait that a token service can ask for: deliveries would expire during a longer one.
  static var askedCoolDownMax: Duration { .seconds(300) }
  /// How soon a replacement that was refused before it ever worked may be replaced again.
  static var replacementPause: Duration { .seconds(30) }

  private struct Held {
    let token: Token
    let expiresAt: Instant
    let refreshAt: Instant
  }

  private enum Refresh {
    /// → `running`.
    case idle
    /// → `idle`, `pausing` or `coolingDown`. `tries` counts the attempts, including this one.
    case running(tries: Int)
    /// Between two attempts. → `running`.
    case pausing(tries: Int, until: Instant)
    /// All attempts failed, or one permanently. → `running` at the first request after `until`.
    case coolingDown(until: Instant, TokenError)
    /// Final.
    case stopped(TokenError)
  }

  private var held: Held?
  private var refresh = Refresh.idle
  private var waiters: [Waiter] = []
  private var failedCycles = 0
  private var lastReplacement: Instant?

  /// The current token, whether or not it is due for renewal.
  var token: Token? { held?.token }
  var isStopped: Bool { if case .stopped = refresh { true } else { false } }
  /// When the current token expires; nil without one.
  var expiresAt: Instant? { held?.expiresAt }

  /// Handles a request for a token.
  mutating func requested(by waiter: Waiter, now: Instant) -> [Action] {
    if case .stopped(let failure) = refresh { return [.deliver(.failure(failure), to: [waiter])] }
    if let held, now < held.expiresAt {
      let delivery = Action.deliver(.success(held.token), to: [waiter])
      return now < held.refreshAt ? [delivery] : [delivery] + startIfDue(now: now)
    }
    held = nil
    if case .coolingDown(let until, let failure) = refresh, now < until {
      return [.deliver(.failure(failure.delayed(by: until - now)), to: [waiter])]
    }
    waiters.append(waiter)
    return startIfDue(now: now)
  }

  /// The current token, unless it is due for renewal: the fast path of nearly every message.
  func current(now: Instant) -> Token? {
    guard let held, now < held.refreshAt else { return nil }
    return held.token
  }

  /// `jitter` is in 0...1.
  mutating func refreshSucceeded(
    _ token: Token, lifetime: Duration, now: Instant, jitter: Double
  ) -> [Action] {
    guard case .running = refresh else { return [] }
    refresh = .idle
    failedCycles = 0
    let ahead = min(Self.refreshAhead, lifetime / 4) * (1 - Self.refreshSpread * jitter)
    held = Held(token: token, expiresAt: now + lifetime, refreshAt: now + lifetime - ahead)
    return deliver(.success(token))
  }

  /// `jitter` is in -0.1...0.1 and spreads replicas that failed together.
  mutating func refreshFailed(_ error: TokenError, now: Instant, jitter: Double) -> [Action] {
    guard case .running(let tries) = refresh else { return [] }
    if let expiry = held?.expiresAt, now >= expiry { held = nil }
    let asked = error.retryAfterSeconds.map { Duration.seconds($0) } ?? .zero
    let pause = max(Self.firstPause * (1 << (tries - 1)) * (1 + jitter), asked)
    if error.isTransient, tries < Self.triesMax, pause <= Self.firstCoolDown {
      refresh = .pausing(tries: tries, until: now + pause)
      return [.wake(at: now + pause)]
    }
    let growth = min(Self.firstCoolDown * (1 << min(failedCycles, 8)), Self.coolDownMax) * (1 + jitter)
    failedCycles += 1
    let coolDown = max(growth, min(asked, Self.askedCoolDownMax))
    refresh = .coolingDown(until: now + coolDown, error)
    return deliver(.failure(error.delayed(by: coolDown)))
  }

  mutating func timerFired(now: Instant) -> [Action] {
    guard case .pausing(let tries, let until) = refresh, now >= until else { return [] }
    refresh = .running(tries: tries + 1)
    return [.startRefresh]
  }

  /// Handles that the API refused the current token; whether requesting another one can help.
  mutating func invalidate(wasAccepted: Bool, now: Instant) -> Bool {
    if case .stopped = refresh { return false }
    if !wasAccepted, let lastReplacement, now < lastReplacement + Self.replacementPause { return false }
    lastReplacement = now
    held = nil
    return true
  }

  /// Renews the token at the next request, even during a cool-down. Until then, the current one is used.
  mutating func renewSoon(now: Instant) {
    if let held {
      self.held = Held(
        token: held.token, expiresAt: held.expiresAt, refreshAt: min(held.refreshAt, now))
    }
    if case .coolingDown = refresh { refresh = .idle }
    failedCycles = 0
    lastReplacement = nil
  }

  /// Fails the requests that wait and all later ones.
  mutating func stop(_ failure: TokenError) -> [Action] {
    refresh = .stopped(failure)
    held = nil
    return deliver(.failure(failure))
  }

  private mutating func startIfDue(now: Instant) -> [Action] {
    switch refresh {
    case .running, .pausing, .stopped: return []
    case .coolingDown(let until, _) where now < until: return []
    case .idle, .coolingDown:
      refresh = .running(tries: 1)
      return [.startRefresh]
    }
  }

  private mutating func deliver(_ result: Result<Token, TokenError>) -> [Action] {
    guard !waiters.isEmpty else { return [] }
    defer { waiters = [] }
    return [.deliver(result, to: waiters)]
  }
}

extension AccessTokenStateMachine.Action: Equatable where Token: Equatable, Waiter: Equatable {}
