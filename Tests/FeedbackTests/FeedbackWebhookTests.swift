import DeliveryReports
import Clock
import FCMMessage
import Foundation
import HTTPClient
import HTTPServer
import JSON
import Synchronization
import Telemetry
import Testing

@testable import Feedback
@testable import Outbox

/// A receiver on loopback that answers as the test defines and records what it receives.
struct Receiver: HTTPHandler, HTTPRequestHandler {
  let requests = Signals<HTTPRequest>()
  let answer: @Sendable (HTTPRequest, HTTPResponder) -> Void

  init(_ answer: @escaping @Sendable (HTTPRequest) -> HTTPResponse) {
    self.answer = { $1.respond(answer($0)) }
  }

  init(answer: @escaping @Sendable (HTTPRequest, HTTPResponder) -> Void) { self.answer = answer }

  func handle(_ request: HTTPRequest, responder: HTTPResponder) {
    requests.send(request)
    answer(request, responder)
  }

  func response(to error: HTTPProtocolError) -> HTTPResponse { HTTPResponse(status: error.status) }
}

/// A webhook with its log, its receiver and its clock.
struct WebhookRun {
  let webhook: FeedbackWebhook
  let log: ListedLog
  let receiver: Receiver
  let clock: ManualClock
  let results: Signals<WebhookResult>

  static func run(
    _ log: ListedLog, _ receiver: Receiver, host: String = "127.0.0.1", allowsPrivate: Bool = true,
    policy: WebhookPolicy = WebhookPolicy(), timeout: Duration = .seconds(10), secret: String = secretText,
    test: (WebhookRun) async throws -> Void
  ) async throws {
    let server = HTTPServer(
      configuration: HTTPServerConfiguration(listen: .tcp(host: "127.0.0.1", port: 0)), handler: receiver,
      log: .silent)
    guard case .tcp(_, let port) = try server.start() else { return }
    var url = try WebhookURL("http://\(host):\(port)/hook?x=1", allowsPrivateAddresses: true)
    if !allowsPrivate {
      // As if it were https: the policy checks the address, before TLS begins.
      url = try WebhookURL("https://\(host):\(port)/", allowsPrivateAddresses: false)
    }
    let clock = ManualClock()
    let results = Signals<WebhookResult>()
    let webhook = FeedbackWebhook(
      url: url, secrets: try WebhookSecret.list(secret), source: log, policy: policy, timeout: timeout,
      clock: clock, random: { 0 }, log: .silent, observer: { results.send($0) })
    webhook.start()
    let run = WebhookRun(
      webhook: webhook, log: log, receiver: receiver, clock: clock, results: results)
    let result: Result<Void, any Error>
    do { result = .success(try await test(run)) } catch { result = .failure(error) }
    await webhook.stop(grace: .zero)
    await server.shutDown(grace: .zero)
    try result.get()
  }
}

@Suite(.timeLimit(.minutes(1))) struct FeedbackWebhookTests {
  @Test func passesOnTheNotificationsTrace() async throws {
    let log = ListedLog(1)
    let plain = event(2)
    let trace = TraceContext(
      receivedIn: ["00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"], tracestate: ["congo=1"])
    log.append(
      FeedbackEvent(
        id: 2, app: plain.app, target: plain.target, code: plain.code, notification: plain.notification,
        at: plain.at, trace: trace))
    let receiver = Receiver { _ in HTTPResponse(status: 204) }
    try await WebhookRun.run(log, receiver) { _ in
      var parents: [String: String] = [:]
      for _ in 0..<2 {
        let head = try #require(await receiver.requests.next()).head
        parents[head.headers["webhook-id"] ?? ""] = head.headers["traceparent"]
        #expect((head.headers["tracestate"] == "congo=1") == (head.headers["traceparent"] != nil))
      }
      #expect(parents[webhookID(1)] == nil)
      let parent = try #require(parents[webhookID(2)].flatMap(TraceParent.init))
      #expect(parent.traceID == trace?.parent.traceID)
      #expect(parent.spanID != trace?.parent.spanID)
    }
  }

  @Test func postsSignedEventsInTheSpecifiedForm() async throws {
    try await WebhookRun.run(ListedLog(1), Receiver { _ in HTTPResponse(status: 204) }) { run in
      let request = try #require(await run.receiver.requests.next())
      #expect(request.head.method == "POST")
      #expect(request.head.target == "/hook?x=1")
      #expect(request.head.headers["content-type"] == "application/json")
      #expect(request.head.headers["webhook-id"] == webhookID(1))
      #expect(request.head.headers["webhook-timestamp"] == "1783000001")
      let secret = try WebhookSecret(secretText)
      #expect(
        request.head.headers["webhook-signature"]
          == secret.signature(id: webhookID(1), timestamp: 1_783_000_001, body: request.body))
      let expected: JSON = [
        "type": "registration.dead", "timestamp": "2026-07-02T13:46:40.123Z",
        "data": [
          "id": "1", "type": "registration.dead", "token": "t", "code": "UNREGISTERED", "app": "default",
          "notification_id": "01990000-0000-7000-8000-000000000001", "at": "2026-07-02T13:46:40.123Z",
        ],
      ]
      #expect(try JSON.parse(request.body) == expected)
      #expect(await run.results.next() == .delivered)
      #expect(await run.log.cursors.next() == 1)
    }
  }

  @Test func signsWithEachSecretWhileTheyRotate() async throws {
    let other = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYX"
    try await WebhookRun.run(
      ListedLog(1), Receiver { _ in HTTPResponse(status: 200) }, secret: "\(other) \(secretText)"
    ) { run in
      let request = try #require(await run.receiver.requests.next())
      let signatures = try WebhookSecret.list("\(other),\(secretText)").map {
        $0.signature(id: webhookID(1), timestamp: 1_783_000_001, body: request.body)
      }
      let value = try #require(request.head.headers["webhook-signature"])
      #expect(value.split(separator: " ").map(String.init) == signatures)
    }
  }

  @Test func retriesWithTheSameIdAndANewTimestamp() async throws {
    let isUp = Atomic<Bool>(false)
    let receiver = Receiver { _ in
      HTTPResponse(status: isUp.exchange(true, ordering: .relaxed) ? 200 : 500)
    }
    try await WebhookRun.run(ListedLog(1), receiver) { run in
      let first = try #require(await run.receiver.requests.next())
      #expect(await run.results.next() == .failed)
      await run.clock.timers.next { $0 == 6000 }
      #expect(run.webhook.health.lastFailure?.reason == "HTTP 500")
      #expect(run.webhook.health.failing == 1)
      #expect(run.webhook.health.isDegraded.status)
      #expect(run.webhook.health.isDegraded.since.unixSeconds == 1_783_000_001)
      run.clock.advance(by: 5000)
      let second = try #require(await run.receiver.requests.next())
      #expect(await run.results.next() == .delivered)
      while run.webhook.health.failing > 0 { await Task.yield() }
      #expect(!run.webhook.health.isDegraded.status)
      #expect(run.webhook.health.isDegraded.since.unixSeconds == 1_783_000_006)
      #expect(first.head.headers["webhook-id"] == second.head.headers["webhook-id"])
      #expect(first.body == second.body)
      #expect(first.head.headers["webhook-timestamp"] == "1783000001")
      #expect(second.head.headers["webhook-timestamp"] == "1783000006")
      #expect(first.head.headers["webhook-signature"] != second.head.headers["webhook-signature"])
    }
  }

  @Test func followsNoRedirect() async throws {
    let receiver = Receiver { _ in
      HTTPResponse(status: 302, headers: ["Location": "/elsewhere"])
    }
    try await WebhookRun.run(ListedLog(1), receiver) { run in
      #expect(await run.results.next() == .failed)
      await run.clock.timers.next { $0 != nil }
      #expect(run.webhook.health.lastFailure?.reason == "HTTP 302")
      #expect(await run.receiver.requests.next()?.head.path == "/hook")
      run.clock.advance(by: 5000)
      #expect(await run.receiver.requests.next()?.head.path == "/hook")
    }
  }

  @Test func obeysRetryAfter() async throws {
    let receiver = Receiver { _ in HTTPResponse(status: 429, headers: ["Retry-After": "120"]) }
    try await WebhookRun.run(ListedLog(1), receiver) { run in
      #expect(await run.results.next() == .failed)
      await run.clock.timers.next { $0 == 121_000 }
    }
  }

  @Test func a410EndsItAndIsReported() async throws {
    try await WebhookRun.run(ListedLog(3), Receiver { _ in HTTPResponse(status: 410) }) { run in
      #expect(await run.results.next() == .disabled)
      await run.webhook.stop(grace: .seconds(5))
      #expect(run.webhook.health.isDisabled)
      #expect(run.webhook.health.outstanding == 3)
    }
  }

  @Test func boundsTheAnswer() async throws {
    let long = [UInt8](repeating: 0x78, count: 5_000_000)
    try await WebhookRun.run(ListedLog(2), Receiver { _ in HTTPResponse(status: 200, body: long) }) { run in
      #expect(await run.results.next() == .delivered)
      #expect(await run.results.next() == .delivered)
    }
  }

  @Test func silentReceiverTimesOutAndIsRetried() async throws {
    let held = Mutex<[HTTPResponder]>([])
    let receiver = Receiver(answer: { _, responder in held.withLock { $0.append(responder) } })
    try await WebhookRun.run(ListedLog(1), receiver, timeout: .milliseconds(200)) { run in
      #expect(await run.results.next() == .failed)
      await run.clock.timers.next { $0 == 6000 }
      #expect(run.webhook.health.lastFailure?.reason.contains("timed out") == true)
      run.clock.advance(by: 5000)
      #expect(await run.results.next() == .failed)
    }
    held.withLock { $0.removeAll() }
  }

  @Test func stopAbandonsAHangingRequest() async throws {
    let held = Mutex<[HTTPResponder]>([])
    let receiver = Receiver(answer: { _, responder in held.withLock { $0.append(responder) } })
    try await WebhookRun.run(ListedLog(1), receiver) { run in
      _ = await run.receiver.requests.next()
      await run.webhook.stop(grace: .zero)
    }
    held.withLock { $0.removeAll() }
  }

  @Test func stopEndsWhatWaitsForTheLog() async throws {
    try await WebhookRun.run(ListedLog(1), Receiver { _ in HTTPResponse(status: 200) }) { run in
      #expect(await run.results.next() == .delivered)
      #expect(run.log.endCount == 0)
      await run.webhook.stop(grace: .zero)
      #expect(run.log.endCount == 1)
    }
  }

  @Test(arguments: ["127.0.0.1", "localhost", "[::1]", "[::ffff:127.0.0.1]", "0.0.0.0", "2130706433"])
  func connectsToNoPrivateAddress(host: String) async throws {
    let receiver = Receiver { _ in HTTPResponse(status: 200) }
    try await WebhookRun.run(ListedLog(1), receiver, host: host, allowsPrivate: false) { run in
      #expect(await run.results.next() == .failed)
      await run.clock.timers.next { $0 != nil }
      #expect(run.webhook.health.lastFailure?.reason == "the host's address is not public")
    }
  }

  @Test func ignoresProxiesOfTheEnvironment() async throws {
    setenv("http_proxy", "http://127.0.0.1:1", 1)
    defer { unsetenv("http_proxy") }
    try await WebhookRun.run(ListedLog(1), Receiver { _ in HTTPResponse(status: 200) }) { run in
      #expect(await run.results.next() == .delivered)
    }
  }

  @Test func givesUpAnEventThatIsTooLarge() async throws {
    let log = ListedLog(0)
    log.append(event(1, target: .token(String(repeating: "\u{1}", count: 4000))))
    log.append(event(2, target: .fid("f")))
    try await WebhookRun.run(log, Receiver { _ in HTTPResponse(status: 200) }) { run in
      let request = try #require(await run.receiver.requests.next())
      #expect(try JSON.parse(request.body)["data"]?["fid"] == "f")
      await run.log.cursors.next { $0 == 2 }
      #expect(await run.results.next() == .givenUp)
    }
  }

  @Test func continuesWhenTheQueueRecovers() async throws {
    let log = ListedLog(1)
    log.fail(with: OutboxError(code: .unavailable, description: "disk full"))
    try await WebhookRun.run(log, Receiver { _ in HTTPResponse(status: 200) }) { run in
      await run.clock.timers.next { $0 == 6000 }
      log.fail(with: nil)
      run.clock.advance(by: 5000)
      #expect(await run.results.next() == .delivered)
    }
  }

  @Test func thousandEventsArriveOnceWithFewInMemory() async throws {
    try await WebhookRun.run(ListedLog(1000), Receiver { _ in HTTPResponse(status: 200) }) { run in
      var ids: Set<String> = []
      for _ in 0..<1000 {
        let request = try #require(await run.receiver.requests.next())
        ids.insert(request.head.headers["webhook-id"] ?? "")
        #expect(run.webhook.health.outstanding <= WebhookPolicy().outstandingMax)
      }
      #expect(ids.count == 1000)
      await run.log.cursors.next { $0 == 1000 }
    }
  }
}
