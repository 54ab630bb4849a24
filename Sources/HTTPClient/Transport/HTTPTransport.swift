internal import CCurl
internal import Dispatch
package import Telemetry

/// Sends HTTP requests on its own thread, which the first request starts: over HTTP/2, many on a
/// connection, if the peer speaks it, otherwise over HTTP/1.1. Connections are kept alive and shared.
package final class HTTPTransport: Sendable {
  /// The versions of libcurl and of what it uses.
  package static var libraries: String { String(cString: curl_version()) }

  package let limits: TransportLimits
  private let loop: TransportLoop

  package init(limits: TransportLimits = .init(), log: Log) {
    self.limits = limits
    loop = TransportLoop(limits: limits, log: log)
  }

  /// For tests of a system without threads to give.
  init(startThread: @escaping TransportLoop.ThreadStart, log: Log) {
    limits = TransportLimits()
    loop = TransportLoop(limits: limits, log: log, startThread: startThread)
  }

  deinit { loop.stop {} }

  /// What the transport has done so far, for metrics.
  package var statistics: TransportStatistics { loop.statisticsNow }

  /// Sends a request. Its completion is called exactly once and never before `send` returns. Callers bound
  /// how many requests wait at a time.
  package func send(_ request: TransportRequest) {
    if let error = loop.start(request) {
      DispatchQueue.global().async { request.completion(.failure(error)) }
    }
  }

  /// Abandons a destination's requests and forgets it.
  package func retire(_ destination: Destination) { loop.retire(destination) }

  /// Abandons all requests and ends the thread. Requests sent afterwards fail.
  package func shutDown() async {
    await withCheckedContinuation { continuation in loop.stop { continuation.resume() } }
  }
}
