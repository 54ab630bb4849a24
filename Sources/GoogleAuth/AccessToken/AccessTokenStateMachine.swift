/// When an app's access token is used, renewed and given up: takes events with their time, returns actions, does
/// no I/O.
///
/// At most one refresh is under way, whoever asks. A token is renewed ahead of its expiry, by the first to ask
/// then; while that fails it is used until it expires. Those who find none wait, through a few tries, then fail.
struct AccessTokenStateMachine<Token: Sendable, Waiter: Sendable>: Sendable {
  typealias Instant = ContinuousClock.Instant

  /// What a driver does, in order.
  enum Action: Sendable {
    /// Ask the token endpoint; tell `refreshSucceeded` or `refreshFailed`.
    case startRefresh
    /// Call `timerFired` at that moment.
    case wake(at: Instant)
    case deliver(Result<Token, TokenError>, to: [Waiter])
  }

  /// Google's own threshold, and the most: metadata servers give a new token from 240 s before the old one's
  /// expiry, so that asking sooner gets the same again. A shorter-lived token is renewed when three quarters of its life are over.
  static var refreshAhead: Duration { .seconds(225) }
  /// The part of `refreshAhead` that jitter may take away, so that replicas do not all ask at the same time.
  static var refreshSpread: Double { 0.2 }
  /// Tries before those who wait are failed.
  static var triesMax: Int { 3 }
  static var firstPause: Duration { .seconds(1) }
  /// The pause after the last try, before which nobody asks again; doubles up to `coolDownMax`.
  static var firstCoolDown: Duration { .seconds(5) }
  static var coolDownMax: Duration { .seconds(60) }
  /// A replacement that was refused before it ever worked is not replaced again so soon.
  static var replacementPause: Duration { .seconds(30) }

  private struct Held {
    let token: Token
    let expiresAt: Instant
    let refreshAt: Instant
  }

  private enum Refresh {
    /// → `running`.
    case idle
    /// → `idle`, `pausing` or `coolingDown`. `tries` were made, this one among them.
    case running(tries: Int)
    /// Between two tries. → `running`.
    case pausing(tries: Int, until: Instant)
    /// All tries failed, or one for good. → `running` at the first request after `until`.
    case coolingDown(until: Instant, TokenError)
    /// The end.
    case stopped(TokenError)
  }

  private var held: Held?
  private var refresh = Refresh.idle
  private var waiters: [Waiter] = []
  private var failedCycles = 0
  private var lastReplacement: Instant?

  /// The token at hand, fresh or not.
  var token: Token? { held?.token }
  var isStopped: Bool { if case .stopped = refresh { true } else { false } }
  /// When the token at hand expires; nil without one.
  var expiresAt: Instant? { held?.expiresAt }

  /// Somebody needs a token.
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

  /// The token at hand, where it needs no renewal: the way of nearly every message.
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
    let coolDown = max(growth, asked)
    refresh = .coolingDown(until: now + coolDown, error)
    return deliver(.failure(error.delayed(by: coolDown)))
  }

  mutating func timerFired(now: Instant) -> [Action] {
    guard case .pausing(let tries, let until) = refresh, now >= until else { return [] }
    refresh = .running(tries: tries + 1)
    return [.startRefresh]
  }

  /// The API refused the token at hand. Answers whether asking for a token again can get another one.
  mutating func invalidate(wasAccepted: Bool, now: Instant) -> Bool {
    if case .stopped = refresh { return false }
    if !wasAccepted, let lastReplacement, now < lastReplacement + Self.replacementPause { return false }
    lastReplacement = now
    held = nil
    return true
  }

  /// Fails those who wait and all who come.
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
