internal import HTTPClient
internal import Telemetry

/// The client of the webhook's receiver, with its own transport, so that a slow or dead receiver does not
/// affect sending.
///
/// It follows no redirects, uses no proxies of the environment and, unless the URL allows more, connects only
/// to public addresses.
final class WebhookReceiver: Sendable {
  private let transport: HTTPTransport
  private let destination: Destination

  init(url: WebhookURL, caFile: String?, timeout: Duration, connectionsMax: Int, log: Log) {
    var limits = TransportLimits()
    limits.hostConnectionsMax = connectionsMax
    limits.totalConnectionsMax = connectionsMax
    limits.idleHandlesMax = connectionsMax
    limits.bodyBytesMax = 65_536
    limits.connectionLifetime = .seconds(120)
    transport = HTTPTransport(limits: limits, log: log)
    destination = Destination(
      url: url.text, caFile: caFile, timeout: timeout,
      addresses: url.allowsPrivateAddresses ? .any : .publicOnly, mayUseProxy: false)
  }

  /// Calls `completion` once, on another thread; `now` gives UNIX seconds.
  func post(
    _ body: [UInt8], headers: [String], now: @escaping @Sendable () -> Int64,
    completion: @escaping @Sendable (WebhookAnswer) -> Void
  ) {
    transport.send(
      TransportRequest(destination: destination, headers: HeaderList(headers), body: body) { result in
        completion(Self.answer(result, now: now()))
      })
  }

  /// Ends all requests; later ones are abandoned.
  func shutDown() async { await transport.shutDown() }

  private static func answer(
    _ result: Result<TransportResponse, TransportError>, now: Int64
  ) -> WebhookAnswer {
    switch result {
    case .success(let response): answer(response, now: now)
    case .failure(let failure) where failure.code == .shuttingDown: .abandoned
    case .failure(let failure): .failed(reason: failure.detail, retryAfter: nil)
    }
  }

  private static func answer(_ response: TransportResponse, now: Int64) -> WebhookAnswer {
    switch response.status {
    case 200..<300: return .delivered
    case 410: return .gone
    case 429, 503:
      let seconds = RetryAfter.seconds(in: response, now: now)
      return .failed(
        reason: "HTTP \(response.status)", retryAfter: seconds.map { Int64($0) * 1000 })
    default: return .failed(reason: "HTTP \(response.status)", retryAfter: nil)
    }
  }
}
