internal import Dispatch
internal import Synchronization
internal import Telemetry

/// An app's access token, fetched when needed and shared by all its sends: drives `AccessTokenStateMachine`.
final class AccessTokenSource: Sendable {
  typealias Waiter = @Sendable (Result<AccessToken, TokenError>) -> Void
  typealias Fetch = @Sendable (@escaping @Sendable (Result<TokenGrant, TokenError>) -> Void) -> Void
  private typealias Machine = AccessTokenStateMachine<AccessToken, Waiter>

  private let machine = Mutex(Machine())
  private let fetch: Fetch
  private let quotaProjectID: String?
  private let log: Log
  private let now: @Sendable () -> ContinuousClock.Instant
  /// The reason why there is no token, as it was logged; nil once there is one.
  private let loggedReason = Mutex<String?>(nil)

  /// `fetch` requests a token once and completes once, on any thread.
  init(
    quotaProjectID: String? = nil, log: Log,
    now: @escaping @Sendable () -> ContinuousClock.Instant = { ContinuousClock.now },
    fetch: @escaping Fetch
  ) {
    self.quotaProjectID = quotaProjectID
    self.log = log
    self.now = now
    self.fetch = fetch
  }

  var expiresAt: ContinuousClock.Instant? { machine.withLock { $0.expiresAt } }

  /// The current token, unless it is due for renewal.
  var current: AccessToken? { machine.withLock { $0.current(now: now()) } }

  /// Calls `waiter` once with a token or an error; never before this returns.
  func token(_ waiter: @escaping Waiter) {
    let actions = machine.withLock { $0.requested(by: waiter, now: now()) }
    // Not on the caller's stack, because the caller may hold a lock that the waiter takes.
    carryOut(actions, deliverAsynchronously: true)
  }

  /// Reports that the API refused `token`; whether requesting another one can help.
  func invalidate(_ token: AccessToken) -> Bool {
    machine.withLock { machine in
      guard machine.token === token else { return !machine.isStopped }
      return machine.invalidate(wasAccepted: token.wasAccepted, now: now())
    }
  }

  /// Renews the token at the next request; until then, the current one is used.
  func renewSoon() { machine.withLock { $0.renewSoon(now: now()) } }

  func stop(_ error: TokenError) { carryOut(machine.withLock { $0.stop(error) }) }

  private func carryOut(_ actions: [Machine.Action], deliverAsynchronously: Bool = false) {
    for action in actions {
      switch action {
      case .startRefresh: startRefresh()
      case .wake(let instant):
        let delay = max(instant - now(), .zero).components
        let nanoseconds = Int(delay.seconds) * 1_000_000_000 + Int(delay.attoseconds / 1_000_000_000)
        // One millisecond more, because a timer that rounding makes fire early would not fire again.
        DispatchQueue.global().asyncAfter(deadline: .now() + .nanoseconds(nanoseconds + 1_000_000)) {
          [self] in
          carryOut(machine.withLock { $0.timerFired(now: max(now(), instant)) })
        }
      case .deliver(let result, let waiters):
        if deliverAsynchronously {
          DispatchQueue.global().async { for waiter in waiters { waiter(result) } }
        } else {
          for waiter in waiters { waiter(result) }
        }
      }
    }
  }

  private func startRefresh() {
    fetch { [self] result in
      let actions: [Machine.Action]
      switch result {
      case .success(let grant):
        loggedReason.withLock { $0 = nil }
        log.info("access token obtained", ["lifetime_seconds": .integer(grant.lifetimeSeconds)])
        let token = AccessToken(grant.value, quotaProjectID: quotaProjectID)
        actions = machine.withLock {
          $0.refreshSucceeded(
            token, lifetime: .seconds(grant.lifetimeSeconds), now: now(), jitter: Double.random(in: 0...1))
        }
      case .failure(let error):
        let isNews = loggedReason.withLock { logged in
          defer { logged = error.message }
          return logged != error.message
        }
        let fields: Log.Fields = [
          "reason": .string(error.message), "transient": .bool(error.isTransient),
        ]
        if isNews { log.warning("no access token", fields) } else { log.debug("no access token", fields) }
        actions = machine.withLock {
          $0.refreshFailed(error, now: now(), jitter: Double.random(in: -0.1...0.1))
        }
      }
      carryOut(actions)
    }
  }
}
