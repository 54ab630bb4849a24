internal import Dispatch
package import HTTPClient
internal import Synchronization
package import Telemetry

/// A client's access tokens, from credentials that can be replaced while it sends.
package final class AccessTokens: Sendable {
  private enum Origin: Sendable {
    case fixed(AccessToken)
    case fetched(AccessTokenSource, TokenChain)
  }

  private struct State {
    var credentials: Credentials
    var origin: Origin
    /// Counts replacements.
    var generation = 0
    var isStopped = false
  }

  private let state: Mutex<State>
  private let transport: HTTPTransport
  private let route: TokenRoute
  private let scope: String
  private let skew: ClockSkew?
  private let log: Log
  private let onRefusal: @Sendable () -> Void

  /// `skew` notes the dates of the token services' answers; `onRefusal` is called each time that one refuses
  /// the credentials.
  package init(
    _ credentials: Credentials, scope: String, over transport: HTTPTransport, route: TokenRoute,
    skew: ClockSkew? = nil, log: Log, onRefusal: @escaping @Sendable () -> Void = {}
  ) {
    self.skew = skew
    self.onRefusal = onRefusal
    self.transport = transport
    self.route = route
    self.scope = scope
    self.log = log
    state = Mutex(
      State(
        credentials: credentials,
        origin: Self.origin(
          credentials, scope: scope, over: transport, route: route, skew: skew, log: log, onRefusal)))
  }

  private static func origin(
    _ credentials: Credentials, scope: String, over transport: HTTPTransport, route: TokenRoute,
    skew: ClockSkew?, log: Log, _ onRefusal: @escaping @Sendable () -> Void
  ) -> Origin {
    let steps = credentials.steps(scope: scope, route: route)
    if steps.isEmpty { return .fixed(AccessToken("emulator")) }
    let chain = TokenChain(steps: steps, transport: transport, skew: skew)
    return .fetched(
      AccessTokenSource(quotaProjectID: credentials.quotaProjectID, log: log) { completion in
        chain.fetch { result in
          completion(result)
          if case .failure(let error) = result, error.code == .refused { onRefusal() }
        }
      }, chain)
  }

  package var current: AccessToken? {
    switch state.withLock({ $0.origin }) {
    case .fixed(let token): token
    case .fetched(let source, _): source.current
    }
  }

  package var expiresAt: ContinuousClock.Instant? {
    switch state.withLock({ $0.origin }) {
    case .fixed: nil
    case .fetched(let source, _): source.expiresAt
    }
  }

  /// Calls `waiter` once, never before this returns.
  package func token(_ waiter: @escaping @Sendable (Result<AccessToken, TokenError>) -> Void) {
    let (origin, generation) = state.withLock { ($0.origin, $0.generation) }
    switch origin {
    case .fixed(let token): DispatchQueue.global().async { waiter(.success(token)) }
    case .fetched(let source, _):
      source.token { [self] result in
        // The credentials were replaced meanwhile, so the failure of the old ones does not count.
        if case .failure = result, state.withLock({ $0.generation != generation }) { return token(waiter) }
        waiter(result)
      }
    }
  }

  /// Reports that the API refused `token`; whether requesting another one can help.
  package func invalidate(_ token: AccessToken) -> Bool {
    switch state.withLock({ $0.origin }) {
    case .fixed(let fixed): fixed !== token
    case .fetched(let source, _): source.invalidate(token)
    }
  }

  /// Replaces the credentials. Requests that wait for a token of the old ones get one of the new. If they are
  /// the same, the token is renewed and used until then, so that a reload needs no token service that works.
  package func replace(with credentials: Credentials) {
    let same: Origin? = state.withLock { $0.credentials.isSame(as: credentials) ? $0.origin : nil }
    if let same {
      if case .fetched(let source, _) = same { source.renewSoon() }
      return
    }
    let fresh = Self.origin(
      credentials, scope: scope, over: transport, route: route, skew: skew, log: log, onRefusal)
    let old: Origin? = state.withLock { state in
      guard !state.isStopped else { return nil }
      defer {
        state.credentials = credentials
        state.origin = fresh
        state.generation += 1
      }
      return state.origin
    }
    if let old { end(old) }
  }

  /// Fails the requests that wait for a token and all later ones.
  package func stop() {
    let origin = state.withLock { state in
      state.isStopped = true
      return state.origin
    }
    end(origin)
  }

  private func end(_ origin: Origin) {
    guard case .fetched(let source, let chain) = origin else { return }
    source.stop(.shutDown)
    chain.retire()
  }
}
