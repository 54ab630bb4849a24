internal import Glibc
internal import Synchronization
package import Telemetry

/// An HTTP/1.1 server: event loops over non-blocking sockets, one handler.
package final class HTTPServer: Sendable {
  private enum State: Sendable {
    /// Then `running`, or `stopped`.
    case created
    /// Then `stopping`.
    case running([EventLoop], TLSIdentities?)
    /// Then `stopped`, when no loop is left.
    case stopping(loopsLeft: Int, waiters: [@Sendable () -> Void])
    /// Final.
    case stopped
  }

  private let configuration: HTTPServerConfiguration
  private let handler: any HTTPHandler
  private let log: Log
  private let state = Mutex(State.created)

  package init(configuration: HTTPServerConfiguration, handler: any HTTPHandler, log: Log) {
    self.configuration = configuration
    self.handler = handler
    self.log = log
  }

  /// Binds and begins to accept; returns the bound address, with the actual port if 0 was requested. Calls
  /// `willAccept` between the two, once nothing can fail any more.
  package func start(willAccept: () -> Void = {}) throws(HTTPServerError) -> HTTPListenAddress {
    try state.withLock { state throws(HTTPServerError) -> HTTPListenAddress in
      guard case .created = state else {
        throw HTTPServerError(
          .alreadyStarted, address: configuration.listen, reason: "the server was started before")
      }
      let identities = try loadIdentity().map(TLSIdentities.init)
      let census = ConnectionCensus(configuration)
      let budget = TrafficBudget(configuration)
      var loops: [EventLoop] = []
      for index in 0..<max(1, configuration.loopCount) {
        guard
          let loop = EventLoop(
            index: index, configuration: configuration, handler: handler, identities: identities,
            census: census, budget: budget, log: log)
        else {
          throw HTTPServerError(errno: errno, call: "epoll_create1", address: configuration.listen)
        }
        loops.append(loop)
      }
      let socket = try ListeningSocket.open(
        configuration.listen, backlog: configuration.listenBacklogConnections)
      let acceptor = Acceptor(socket: socket, loops: loops, census: census, configuration: configuration)
      guard let first = loops.first, first.accept(with: acceptor) else {
        let failure = HTTPServerError(errno: errno, call: "epoll_ctl", address: socket.address)
        acceptor.close()
        throw failure
      }
      willAccept()
      for loop in loops {
        loop.start { [self] in loopEnded() }
      }
      state = .running(loops, identities)
      return socket.address
    }
  }

  private func loadIdentity() throws(HTTPServerError) -> TLSIdentity? {
    guard let tls = configuration.tls else { return nil }
    do {
      let identity = try TLSIdentity(loading: tls)
      logWarnings(of: identity)
      return identity
    } catch {
      throw HTTPServerError(.unusableTLS, address: configuration.listen, reason: error.description)
    }
  }

  /// Reloads certificates and key; on failure the old ones stay in force. See `reloadTLS(_: TLSIdentity)`.
  package func reloadTLS(_ tls: TLSConfiguration) throws(TLSConfigurationError) {
    reloadTLS(try TLSIdentity(loading: tls))
  }

  /// Uses this identity for new connections; open ones keep theirs. Has no effect on a server without TLS or
  /// that is not running.
  package func reloadTLS(_ identity: TLSIdentity) {
    state.withLock { state in
      guard case .running(_, let identities?) = state else { return }
      identities.replace(with: identity)
    }
    logWarnings(of: identity)
  }

  private func logWarnings(of identity: TLSIdentity) {
    for warning in identity.warnings {
      log.warning(
        "tls file needs attention",
        [
          "field": .string("tls.\(warning.kind.rawValue)"), "file": .string(warning.file),
          "code": .string(warning.code.rawValue), "reason": .string(warning.reason),
        ])
    }
  }

  /// Stops accepting, lets requests in flight be answered within `grace`, then closes the rest.
  package func shutDown(grace: Duration) async {
    await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
      beginShutDown(grace: grace) { continuation.resume() }
    }
  }

  /// `shutDown` for callers without a task; `onEnd` is called once, from any thread.
  package func beginShutDown(grace: Duration, onEnd: @escaping @Sendable () -> Void) {
    let (loops, isOver) = state.withLock { state -> ([EventLoop], Bool) in
      switch state {
      case .created:
        state = .stopped
        return ([], true)
      case .running(let loops, _):
        state = .stopping(loopsLeft: loops.count, waiters: [onEnd])
        return (loops, false)
      case .stopping(let count, let waiters):
        state = .stopping(loopsLeft: count, waiters: waiters + [onEnd])
        return ([], false)
      case .stopped: return ([], true)
      }
    }
    for loop in loops { loop.drain(grace: grace) }
    if isOver { onEnd() }
  }

  private func loopEnded() {
    let waiters = state.withLock { state -> [@Sendable () -> Void] in
      guard case .stopping(let count, let waiters) = state else { return [] }
      guard count == 1 else {
        state = .stopping(loopsLeft: count - 1, waiters: waiters)
        return []
      }
      state = .stopped
      return waiters
    }
    for waiter in waiters { waiter() }
  }
}
