internal import Glibc
internal import Synchronization
package import Telemetry

/// An HTTP/1.1 server: event loops over non-blocking sockets, one handler.
package final class HTTPServer: Sendable {
  private enum State: Sendable {
    /// Then `running`, or `stopped`.
    case created
    /// Then `stopping`.
    case running([EventLoop])
    /// Then `stopped`, when no loop is left.
    case stopping(loopsLeft: Int, waiters: [CheckedContinuation<Void, Never>])
    /// For good.
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

  /// Binds and begins to accept; returns the bound address, with the real port where 0 was asked for.
  package func start() throws(HTTPServerError) -> HTTPListenAddress {
    try state.withLock { state throws(HTTPServerError) -> HTTPListenAddress in
      guard case .created = state else {
        throw HTTPServerError(
          .alreadyStarted, address: configuration.listen, reason: "the server was started before")
      }
      var loops: [EventLoop] = []
      for index in 0..<max(1, configuration.loopCount) {
        guard let loop = EventLoop(index: index, configuration: configuration, handler: handler, log: log)
        else {
          throw HTTPServerError(errno: errno, call: "epoll_create1", address: configuration.listen)
        }
        loops.append(loop)
      }
      let socket = try ListeningSocket.open(
        configuration.listen, backlog: configuration.listenBacklogConnections)
      let acceptor = Acceptor(socket: socket, loops: loops, configuration: configuration)
      guard let first = loops.first, first.accept(with: acceptor) else {
        let failure = HTTPServerError(errno: errno, call: "epoll_ctl", address: socket.address)
        acceptor.close()
        throw failure
      }
      for loop in loops {
        loop.start { [self] in loopEnded() }
      }
      state = .running(loops)
      return socket.address
    }
  }

  /// Stops accepting, lets requests in flight be answered within `grace`, then closes what is left.
  package func shutDown(grace: Duration) async {
    await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
      let (loops, isOver) = state.withLock { state -> ([EventLoop], Bool) in
        switch state {
        case .created:
          state = .stopped
          return ([], true)
        case .running(let loops):
          state = .stopping(loopsLeft: loops.count, waiters: [continuation])
          return (loops, false)
        case .stopping(let count, let waiters):
          state = .stopping(loopsLeft: count, waiters: waiters + [continuation])
          return ([], false)
        case .stopped: return ([], true)
        }
      }
      for loop in loops { loop.drain(grace: grace) }
      if isOver { continuation.resume() }
    }
  }

  private func loopEnded() {
    let waiters = state.withLock { state -> [CheckedContinuation<Void, Never>] in
      guard case .stopping(let count, let waiters) = state else { return [] }
      guard count == 1 else {
        state = .stopping(loopsLeft: count - 1, waiters: waiters)
        return []
      }
      state = .stopped
      return waiters
    }
    for waiter in waiters { waiter.resume() }
  }
}
