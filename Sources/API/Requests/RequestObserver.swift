package import HTTPServer
package import Telemetry

/// Receives each answer that has left, with the head of its request. Must not block.
package typealias AnswerListener = @Sendable (AccessLine, HTTPRequestHead) -> Void

/// Adds to each answer the headers that all have, writes its access log line, and counts it.
final class RequestObserver: Sendable {
  private let log: Log
  private let metrics: DragomanMetrics
  private let onAnswer: AnswerListener?

  init(log: Log, metrics: DragomanMetrics, onAnswer: AnswerListener? = nil) {
    self.log = log
    self.metrics = metrics
    self.onAnswer = onAnswer
  }

  /// What is logged of an answer.
  struct Answer: Sendable {
    let status: Int
    let bytes: Int
  }

  /// Completes and counts the answer to a request; `principal` is nil if the request was refused on its head.
  func prepare(
    _ response: inout HTTPResponse, to head: HTTPRequestHead, route: APIRoute?, principal: Principal?,
    origin: RequestOrigin
  ) -> Answer {
    response.headers.add("X-Request-Id") { origin.requestID.append(to: &$0) }
    response.forbidStoring()
    if let rate = principal?.rate {
      for header in rate.look().headers { response.headers.add(header.name, header.value) }
    }
    metrics.count(method: head.method, route: route?.template, status: response.status)
    return Answer(status: response.status, bytes: response.body.count)
  }

  /// Logs an answer when it has left, or when it is certain that it never will.
  func log(
    _ answer: Answer, to head: HTTPRequestHead, route: APIRoute?, client: String?, origin: RequestOrigin,
    started: ContinuousClock.Instant, isWhole: Bool
  ) {
    let line = AccessLine(
      method: head.method, route: route?.template, status: answer.status,
      duration: ContinuousClock.now - started, bytes: answer.bytes, isWhole: isWhole, client: client,
      requestID: origin.requestID, trace: origin.trace, peer: head.peer)
    log.access(line)
    metrics.observe(line)
    onAnswer?(line, head)
  }

  /// Completes, counts and logs the answer to a request that the server refused, and whose head may not even
  /// be readable.
  func observe(_ response: inout HTTPResponse, refusedFor error: HTTPProtocolError) {
    let requestID = RequestID.random()
    response.headers.add("X-Request-Id") { requestID.append(to: &$0) }
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
