internal import Dispatch
package import Telemetry

/// Sends HTTP requests on its own thread: over HTTP/2, many on a connection, if the peer speaks it,
/// otherwise over HTTP/1.1. Connections are kept alive and shared.
package final class HTTPTransport: Sendable {
  package let limits: TransportLimits
  private let loop: TransportLoop

  package init(limits: TransportLimits = .init(), log: Log) {
    self.limits = limits
    loop = TransportLoop(limits: limits, log: log)
    loop.begin()
  }

  deinit { loop.stop {} }

  /// What the transport has done so far, for metrics.
  package var statistics: TransportStatistics { loop.statisticsNow }

  /// Sends a request. Its completion is called exactly once and never before `send` returns. Callers bound
  /// how many requests wait at a time.
  package func send(_ request: TransportRequest) {
    if !loop.start(request) {
      DispatchQueue.global().async { request.completion(.failure(.shuttingDown)) }
    }
  }

  /// Abandons a destination's requests and forgets it.
  package func retire(_ destination: Destination) { loop.retire(destination) }

  /// Abandons all requests and ends the thread. Requests sent afterwards fail.
  package func shutDown() async {
    await withCheckedContinuation { continuation in loop.stop { continuation.resume() } }
  }
}
