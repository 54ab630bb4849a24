internal import Dispatch
internal import Synchronization
internal import Telemetry

/// Where a client has its access tokens from. The credentials can be replaced while it sends.
final class AccessTokens: Sendable {
  private enum Origin: Sendable {
    case fixed(AccessToken)
    case fetched(AccessTokenSource, TokenChain)
  }

  private struct State {
    var origin: Origin
    /// Counts replacements.
    var generation = 0
    var isStopped = false
  }

  private let state: Mutex<State>
  private let transport: FCMTransport
  private let route: TokenRoute
  private let log: Log

  init(_ credentials: Credentials, over transport: FCMTransport, route: TokenRoute, log: Log) {
    self.transport = transport
    self.route = route
    self.log = log
    state = Mutex(State(origin: Self.origin(credentials, over: transport, route: route, log: log)))
  }

  private static func origin(
    _ credentials: Credentials, over transport: FCMTransport, route: TokenRoute, log: Log
  ) -> Origin {
    let steps = credentials.steps(scope: OAuthScope.messaging, route: route)
    if steps.isEmpty { return .fixed(AccessToken("emulator")) }
    let chain = TokenChain(steps: steps, transport: transport)
    return .fetched(
      AccessTokenSource(quotaProjectID: credentials.quotaProjectID, log: log, fetch: chain.fetch), chain)
  }

  var current: AccessToken? {
    switch state.withLock({ $0.origin }) {
    case .fixed(let token): token
    case .fetched(let source, _): source.current
    }
  }

  var expiresAt: ContinuousClock.Instant? {
    switch state.withLock({ $0.origin }) {
    case .fixed: nil
    case .fetched(let source, _): source.expiresAt
    }
  }

  /// Calls `waiter` once, never before this returns.
  func token(_ waiter: @escaping AccessTokenSource.Waiter) {
    let (origin, generation) = state.withLock { ($0.origin, $0.generation) }
    switch origin {
    case .fixed(let token): DispatchQueue.global().async { waiter(.success(token)) }
    case .fetched(let source, _):
      source.token { [self] result in
        // What became of credentials that were replaced meanwhile is not the last word.
        if case .failure = result, state.withLock({ $0.generation != generation }) { return token(waiter) }
        waiter(result)
      }
    }
  }

  /// The API refused `token`. Whether asking again can get another.
  func invalidate(_ token: AccessToken) -> Bool {
    switch state.withLock({ $0.origin }) {
    case .fixed(let fixed): fixed !== token
    case .fetched(let source, _): source.invalidate(token)
    }
  }

  /// Those who wait for a token of the old credentials get one of the new.
  func replace(with credentials: Credentials) {
    let fresh = Self.origin(credentials, over: transport, route: route, log: log)
    let old: Origin? = state.withLock { state in
      guard !state.isStopped else { return nil }
      defer {
        state.origin = fresh
        state.generation += 1
      }
      return state.origin
    }
    if let old { end(old, TransportFailure.shuttingDown.sendFailure) }
  }

  func stop(_ failure: SendFailure) {
    let origin = state.withLock { state in
      state.isStopped = true
      return state.origin
    }
    end(origin, failure)
  }

  private func end(_ origin: Origin, _ failure: SendFailure) {
    guard case .fetched(let source, let chain) = origin else { return }
    source.stop(failure)
    chain.retire()
  }
}
