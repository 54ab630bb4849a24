internal import HTTPServer
internal import Telemetry

/// Adds to each answer the headers that all have, writes its access log line, and counts it.
final class RequestObserver: Sendable {
  private let log: Log
  private let metrics: DragomanMetrics

  init(log: Log, metrics: DragomanMetrics) {
    self.log = log
    self.metrics = metrics
  }

  /// For the answer to a request; `principal` is nil if the request was refused on its head.
  func observe(
    _ response: inout HTTPResponse, to head: HTTPRequestHead, route: APIRoute?, principal: Principal?,
    origin: RequestOrigin, started: ContinuousClock.Instant
  ) {
    response.headers.add("X-Request-Id", origin.requestID.description)
    response.forbidStoring()
    if let rate = principal?.rate {
      for header in rate.look().headers { response.headers.add(header.name, header.value) }
    }
    let line = AccessLine(
      method: head.method, route: route?.template, status: response.status,
      duration: ContinuousClock.now - started, bytes: response.body.count, client: principal?.client,
      requestID: origin.requestID, trace: origin.trace, peer: head.peer)
    log.access(line)
    metrics.record(line)
  }

  /// For a request that the server refused, and whose head may not even be readable.
  func observe(_ response: inout HTTPResponse, refusedFor error: HTTPProtocolError) {
    let requestID = RequestID.random()
    response.headers.add("X-Request-Id", requestID.description)
    response.forbidStoring()
    metrics.httpRequests.with("other", AccessLine.unmatchedRoute, String(response.status)).add()
    log.info(
      "request refused",
      [
        "status": .integer(response.status), "reason": .string(error.detail),
        "request_id": .string(requestID.description),
      ])
  }
}
