import DeliveryReports
import Catalog
import CatalogCheck
import Clock
import FCM
import Feedback
import Foundation
import HTTPServer
import JSON
import Outbox
import OutboxModel
import Synchronization
import Telemetry
import TestSupport
import Testing

@testable import Delivery
@testable import API
@testable import Gateway

/// `/readyz` in every state of its checks.
@Suite(.blocking, .timeLimit(.minutes(1))) struct ReadinessTests {
  @Test func isReadyWhenEverythingWorks() async throws {
    try await Scene.run { scene in
      let answer = try scene.readiness()
      #expect(answer.status == 200)
      #expect(answer.json["status"] == "ready")
      let checks = try #require(answer.json["checks"]?.object)
      #expect(checks.members.map(\.key) == ["queue", "catalog", "credentials", "fcm"])
      for (name, check) in checks.members {
        #expect(check["status"] == "ok", "\(name)")
        #expect(check["since"]?.string.flatMap { Timestamp(rfc3339: $0) } != nil, "\(name)")
        #expect(check["detail"] == nil, "\(name)")
      }
    }
  }

  @Test func isUnreadyWhileTheQueueIsDegraded() async throws {
    try await Scene.run { scene in
      #expect(try scene.check("queue")["since"] == "2026-11-21T12:00:00.000Z")
      scene.clock.move(by: 1_500)
      scene.store.failWrites(with: OutboxError(code: .unavailable, description: "disk full"))
      let answer = try scene.readiness()
      #expect(answer.status == 503)
      #expect(answer.json["status"] == "unready")
      scene.clock.move(by: 500)
      let check = try scene.check("queue")
      #expect(check["status"] == "failed")
      #expect(check["detail"] == "disk full")
      #expect(check["since"] == "2026-11-21T12:00:01.500Z")
      #expect(try scene.check("catalog")["status"] == "ok")
      let refused = try scene.send(to: "t")
      #expect(refused.status == 503)
      #expect(refused.json["type"] == "/problems/storage-unavailable")
      scene.store.failWrites(with: nil)
      #expect(try scene.readiness().json["status"] == "ready")
      #expect(try scene.check("queue")["since"] == "2026-11-21T12:00:02.000Z")
    }
  }

  @Test func namesNothingWithoutAKey() async throws {
    let clients = [
      ClientGrant(name: "a", keyHash: sha256(Array("a".utf8)), scopes: [.send]),
      ClientGrant(name: "other", keyHash: sha256(Array("b".utf8)), scopes: [.admin], apps: ["other"]),
    ]
    try await Scene.run(clients: clients) { scene in
      let failure = SendError(
        code: .authentication, httpStatus: 400, message: "no", disposition: .permanent, scope: .unsent)
      scene.sender.answer(with: .failed(failure))
      #expect(try scene.send(to: "t", key: "a").status == 202)
      _ = try await scene.check("credentials", becomes: "warning")
      scene.store.failWrites(with: OutboxError(code: .unavailable, description: "postgres://me@db.internal"))
      func details(_ key: String?) throws -> [String] {
        let headers = key.map { [("Authorization", "Bearer \($0)")] } ?? []
        let checks = try scene.client.get("/readyz", headers: headers).json["checks"]
        return ["queue", "credentials"].map { checks?[$0]?["detail"]?.string ?? "" }
      }
      let open = ["the queue cannot be written", "an app cannot send; its queue waits"]
      #expect(try details(nil) == open)
      #expect(try details("unknown") == open)
      let named = "default: the credentials are refused (AUTHENTICATION); its queue waits; the next probe"
      #expect(try details("a")[0] == "postgres://me@db.internal")
      #expect(try details("a")[1].hasPrefix(named))
      // A client does not learn about apps that it may not use.
      #expect(try details("b") == ["postgres://me@db.internal", open[1]])
      scene.store.failWrites(with: nil)
    }
  }

  @Test func saysReasonPhaseAndPeerToThoseWithAKey() async throws {
    let clients = [ClientGrant(name: "a", keyHash: sha256(Array("a".utf8)), scopes: [.send])]
    try await Scene.run(clients: clients) { scene in
      let failure = SendError(
        code: .authentication, httpStatus: 400, message: "invalid_grant: no", disposition: .permanent,
        scope: .unsent)
      scene.sender.answer(with: .failed(failure))
      #expect(try scene.send(to: "t", key: "a").status == 202)
      let open = try await scene.check("credentials", becomes: "warning")
      for name in ["reason", "phase", "peer"] { #expect(open[name] == nil) }
      let headers = [("Authorization", "Bearer a")]
      let check = try scene.client.get("/readyz", headers: headers).json["checks"]?["credentials"]
      #expect(check?["reason"] == "invalid_grant: no")
      #expect(check?["phase"] == "answer")
      #expect(check?["peer"] == "token_endpoint")
    }
  }

  @Test func isUnreadyWhileItShutsDown() async throws {
    try await Scene.run { scene in
      scene.state.beginShutdown()
      let answer = try scene.readiness()
      #expect(answer.status == 503)
      #expect(answer.json["status"] == "unready")
      #expect(try scene.client.get("/healthz").status == 200)
    }
  }

  @Test func isDegradedWhileFCMRefusesTheApp() async throws {
    try await Scene.run { scene in
      let failure = SendError(
        code: .permission, httpStatus: 403, message: "no", disposition: .permanent, scope: .configuration)
      scene.sender.answer(with: .failed(failure))
      #expect(try scene.send(to: "t").status == 202)
      let check = try await scene.check("credentials", becomes: "warning")
      #expect(check["detail"]?.string?.contains("FCM refused 1 target (PERMISSION)") == true)
      #expect(check["since"]?.string != nil)
      let answer = try scene.readiness()
      #expect(answer.status == 200)
      #expect(answer.json["status"] == "degraded")
      #expect(try scene.send(to: "t").status == 202)
      scene.sender.answer(with: .sent(name: "n"))
      _ = try await scene.check("credentials", becomes: "ok")
      #expect(try scene.readiness().json["status"] == "ready")
    }
  }

  @Test(arguments: [
    (SendError.Code.senderIDMismatch, SendError.Scope.foreignRegistration, 3),
    (.thirdPartyAuthError, .thirdPartyCredentials, 1),
  ])
  func isDegradedWhileEveryMessageFailsForItsCredentials(
    code: SendError.Code, scope: SendError.Scope, needed: Int
  ) async throws {
    try await Scene.run { scene in
      let failure = SendError(
        code: code, httpStatus: 403, message: "no", disposition: .permanent, scope: scope)
      scene.sender.answer(with: .failed(failure))
      for index in 1..<needed {
        let id = try #require(try scene.send(to: "t\(index)").json["id"]?.string)
        try await scene.until { try scene.client.get("/v1/notifications/\(id)").json["status"] == "failed" }
      }
      #expect(try scene.check("credentials")["status"] == "ok")
      #expect(try scene.send(to: "t").status == 202)
      let check = try await scene.check("credentials", becomes: "warning")
      #expect(check["detail"]?.string?.contains("\(code.rawValue) and accepted nothing since") == true)
      scene.sender.answer(with: .sent(name: "n"))
      #expect(try scene.send(to: "t").status == 202)
      _ = try await scene.check("credentials", becomes: "ok")
    }
  }

  @Test func isDegradedWhileTheBreakerIsOpen() async throws {
    try await Scene.run { scene in
      let failure = SendError(
        code: .unavailable, httpStatus: 503, message: "no", disposition: .retry, scope: .service)
      scene.sender.answer(with: .failed(failure))
      for _ in 0..<6 { #expect(try scene.send(to: "t").status == 202) }
      let early = try await scene.check("fcm", becomes: "warning")
      #expect(early["detail"]?.string?.contains("attempts failed (UNAVAILABLE)") == true)
      for _ in 0..<6 { #expect(try scene.send(to: "t").status == 202) }
      let check = try await scene.check("fcm", becomes: "warning") {
        $0["detail"]?.string?.contains("the breaker is open") == true
      }
      #expect(check["since"]?.string.flatMap { Timestamp(rfc3339: $0) } != nil)
      #expect(try scene.readiness().status == 200)
      scene.sender.answer(with: .sent(name: "n"))
      #expect(try scene.send(to: "probe").status == 202)
      _ = try await scene.check("fcm", becomes: "ok")
    }
  }

  @Test func isDegradedWhileTheWebhookIsOff() async throws {
    try await Scene.run { scene in
      let receiver = Gone()
      let server = HTTPServer(
        configuration: HTTPServerConfiguration(listen: .tcp(host: "127.0.0.1", port: 0)), handler: receiver,
        log: .silent)
      guard case .tcp(_, let port) = try server.start() else { return }
      let webhook = FeedbackWebhook(
        url: try WebhookURL("http://127.0.0.1:\(port)/", allowsPrivateAddresses: true),
        secrets: try WebhookSecret.list("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"), store: scene.store,
        log: .silent)
      scene.state.replaceWebhook(with: webhook)
      #expect(try scene.check("webhook")["status"] == "ok")
      let dead = SendError(
        code: .unregistered, httpStatus: 404, message: "gone", disposition: .permanent, scope: .registration)
      scene.sender.answer(with: .failed(dead))
      #expect(try scene.send(to: "t").status == 202)
      try await scene.until { try scene.client.get("/v1/feedback").json["events"]?.array?.count == 1 }
      webhook.start()
      let check = try await scene.check("webhook", becomes: "warning") {
        $0["detail"]?.string?.contains("410") == true
      }
      #expect(check["since"]?.string != nil)
      #expect(try scene.readiness().json["status"] == "degraded")
      await webhook.stop()
      await server.shutDown(grace: .zero)
    }
  }

  @Test func reportsSinceWhenTheCatalogsAreCurrent() async throws {
    try await Scene.run { scene in
      let start = scene.clock.now
      #expect(try scene.check("catalog")["since"]?.string == start.rfc3339)
      let snapshot = scene.state.snapshot
      let times = (1...4).map { start.adding(milliseconds: $0 * 1_000) }
      // Neither a second failure nor a second success changes the time.
      for (index, (fails, began)) in [(false, start), (true, times[1]), (true, times[1]), (false, times[3])]
        .enumerated()
      {
        if fails {
          scene.state.reloadFailed(now: times[index])
        } else {
          scene.state.replace(with: snapshot, now: times[index])
        }
        let check = try scene.check("catalog")
        #expect(check["status"] == (fails ? "warning" : "ok"))
        #expect(check["since"]?.string == began.rfc3339)
      }
    }
  }

  @Test func isDegradedFromAFailedReloadUntilTheNextSuccess() async throws {
    var used: GatewayConfiguration?
    try await GatewayFixture.run(adjust: { used = $0 }) { fixture in
      let configuration = try #require(used)
      var broken = configuration
      broken.apps[0].catalog = "/nowhere/secret-folder/catalog.yaml"
      await fixture.gateway.reload(.success(broken))
      let answer = try fixture.client.get("/readyz")
      #expect(answer.status == 200)
      #expect(answer.json["status"] == "degraded")
      let check = answer.json["checks"]?["catalog"]
      #expect(check?["status"] == "warning")
      // The endpoint is public, so the details about a file are only in the log.
      #expect(!answer.text.contains("secret-folder"))
      await fixture.gateway.reload(.success(broken))
      #expect(try fixture.client.get("/readyz").json["checks"]?["catalog"]?["since"] == check?["since"])
      await fixture.gateway.reload(.success(configuration))
      #expect(try fixture.client.get("/readyz").json["status"] == "ready")
    }
  }
}

/// Answers 410 to everything.
private struct Gone: HTTPHandler, HTTPRequestHandler {
  func handle(_ request: HTTPRequest, responder: HTTPResponder) {
    responder.respond(HTTPResponse(status: 410))
  }
  func response(to error: HTTPProtocolError) -> HTTPResponse { HTTPResponse(status: error.status) }
}

/// A sender that gives all messages the same answer.
private final class SameAnswer: MessageSender {
  private let outcome = Mutex(SendOutcome.sent(name: "projects/p/messages/1"))

  func answer(with outcome: SendOutcome) { self.outcome.withLock { $0 = outcome } }

  func send(_ body: [UInt8], completion: @escaping @Sendable (SendOutcome) -> Void) {
    let outcome = outcome.withLock { $0 }
    DispatchQueue.global().async { completion(outcome) }
  }
}

/// A clock that only a test moves.
private final class StoppedClock: Sendable {
  private let time = Mutex(Timestamp(milliseconds: 1_795_262_400_000))

  var now: Timestamp { time.withLock { $0 } }
  func move(by milliseconds: Int64) { time.withLock { $0 = $0.adding(milliseconds: milliseconds) } }
}

/// The API over a queue and a sender that the test can make fail.
private struct Scene: Sendable {
  let state: APIState
  let store: MemoryOutboxStore
  let sender: SameAnswer
  let client: HTTPTestClient
  /// The queue's.
  let clock: StoppedClock

  static func run(clients: [ClientGrant] = [], _ test: (Scene) async throws -> Void) async throws {
    let clock = StoppedClock()
    let store = MemoryOutboxStore(clock: { clock.now })
    let sender = SameAnswer()
    let catalog = try CheckedCatalog(
      try AppCatalog.load(file: "\(GatewayFixture.repository)/config/catalog.yaml"))
    let state = APIState(
      .init(
        authenticator: Authenticator(clients: clients),
        apps: [
          .init(
            name: "default", catalog: catalog.catalog, resources: catalog.resources, report: catalog.report,
            projectID: "p", sender: sender)
        ], maxAgeMilliseconds: 86_400_000), now: clock.now)
    var delivery = DeliveryConfiguration()
    delivery.probeMin = .milliseconds(20)
    (delivery.breakerProbeFirst, delivery.breakerProbeNext) = (.milliseconds(20), .milliseconds(20))
    delivery.ramp = .zero
    let engine = DeliveryEngine(
      apps: [DeliveryApp(name: "default", sender: sender)], store: store, configuration: delivery,
      log: .silent)
    let handler = APIHandler(
      state: state, store: store, engine: engine, metrics: DragomanMetrics(version: "test"), log: .silent)
    let server = HTTPServer(
      configuration: HTTPServerConfiguration(listen: .tcp(host: "127.0.0.1", port: 0)), handler: handler,
      log: .silent)
    engine.start()
    guard case .tcp(_, let port) = try server.start() else { return }
    let result: Result<Void, any Error>
    do {
      let scene = Scene(
        state: state, store: store, sender: sender, client: HTTPTestClient(port: port), clock: clock)
      result = .success(try await test(scene))
    } catch { result = .failure(error) }
    await server.shutDown(grace: .zero)
    await engine.stop(grace: .zero)
    await store.close()
    try result.get()
  }

  func readiness() throws -> HTTPTestClient.Answer { try client.get("/readyz") }

  func check(_ name: String) throws -> JSON { try readiness().json["checks"]?[name] ?? .null }

  func check(
    _ name: String, becomes status: String, _ condition: (JSON) -> Bool = { _ in true }
  ) async throws -> JSON {
    var check = JSON.null
    try await until {
      check = try self.check(name)
      return check["status"]?.string == status && condition(check)
    }
    return check
  }

  func until(_ condition: () throws -> Bool) async throws {
    let deadline = ContinuousClock.now + .seconds(20)
    while try !condition() {
      guard ContinuousClock.now < deadline else {
        throw DragomanProcess.Failure(description: "it never came to that: \(try readiness().text)")
      }
      await Task.yield()
    }
  }

  func send(to token: String, key: String? = nil) throws -> HTTPTestClient.Answer {
    try client.post(
      "/v1/notifications",
      ["template": "welcome", "to": ["token": .string(token)], "args": ["name": "Bob"]],
      headers: key.map { [("Authorization", "Bearer \($0)")] } ?? [])
  }
}
