import Delivery
import HTTPServer
import OutboxModel
import Synchronization
import Telemetry
import TestSupport
import Testing

@testable import API

/// A request's duration begins with its head and ends with the last byte of its answer.
struct RequestDurationTests {
  private let metrics: DragomanMetrics
  private let handler: APIHandler
  private let log: Log

  private final class Lines: Sendable {
    let texts = Mutex<[String]>([])
  }
  private let written = Lines()

  init() {
    let written = written
    log = Log(
      level: .debug,
      sink: { line in written.texts.withLock { $0.append(String(decoding: line, as: UTF8.self)) } })
    metrics = DragomanMetrics(version: "test")
    let state = APIState(.init(authenticator: Authenticator(clients: []), apps: [], maxAgeMilliseconds: 1))
    let store = MemoryOutboxStore()
    handler = APIHandler(
      state: state, store: store, engine: DeliveryEngine(apps: [DeliveryApp](), store: store, log: .silent),
      metrics: metrics, log: log)
  }

  /// Lets time pass on the clock that durations are measured with.
  private func pass(_ duration: Duration) {
    let end = ContinuousClock.now + duration
    while ContinuousClock.now < end {}
  }

  private func seconds(_ route: String) -> Double {
    guard case .histogram(let reading) = metrics.httpRequestDuration.with(route).reading else { return -1 }
    return reading.sum
  }

  private func logged() -> [String] {
    #expect(log.flush())
    return written.texts.withLock { $0 }
  }

  private func admit(_ target: String) -> (any HTTPRequestHandler, HTTPRequestHead)? {
    let head = HTTPRequestHead(method: "GET", target: target, headers: ["Host": "localhost"])
    guard case .accept(let admitted, _) = handler.admit(head) else { return nil }
    return (admitted, head)
  }

  @Test func coversReadingTheBodyAndWritingTheAnswer() throws {
    let (request, head) = try #require(admit("/healthz"))
    pass(.milliseconds(5))
    request.handle(HTTPRequest(head: head), responder: HTTPResponder { #expect($0?.status == 200) })
    // The answer is counted at once, and timed when it has left.
    #expect(metrics.httpRequests.with("GET", "/healthz", "200").value == 1)
    #expect(seconds("/healthz") == 0)
    pass(.milliseconds(5))
    request.answerWasWritten()
    #expect(seconds("/healthz") >= 0.010)
    let lines = logged()
    #expect(lines.count == 1)
    #expect(lines.first?.contains(#""status":200"#) == true)
    #expect(lines.first?.contains("aborted") == false)
  }

  @Test func logsAnAnswerThatNobodyTookOnce() throws {
    do {
      let (request, head) = try #require(admit("/healthz"))
      request.handle(HTTPRequest(head: head), responder: HTTPResponder { _ in })
    }
    let lines = logged()
    #expect(lines.count == 1)
    #expect(lines.first?.contains(#""aborted":true"#) == true)
    #expect(seconds("/healthz") > 0)
  }

  @Test func timesRefusalsToo() throws {
    let head = HTTPRequestHead(method: "GET", target: "/nowhere", headers: ["Host": "localhost"])
    do {
      guard case .refuse(_, let observer?) = handler.admit(head) else {
        Issue.record("it was admitted")
        return
      }
      pass(.milliseconds(5))
      observer.answerWasWritten()
    }
    #expect(seconds("unmatched") >= 0.005)
    #expect(logged().filter { $0.contains("aborted") } == [])
  }
}
