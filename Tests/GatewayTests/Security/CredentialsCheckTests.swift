import FCM
import HTTPServer
import JSON
import Synchronization
import TestSupport
import Testing

@testable import Gateway

/// Credentials that are wrong show in `/readyz` before the first message needs them.
@Suite(.blocking, .timeLimit(.minutes(1))) struct CredentialsCheckTests {
  /// A token endpoint whose answer can change.
  private final class TokenEndpoint: HTTPRequestHandler {
    let isRefusing = Atomic<Bool>(true)

    func handle(_ request: HTTPRequest, responder: HTTPResponder) {
      let body: JSON =
        isRefusing.load(ordering: .acquiring)
        ? ["error": "invalid_grant", "error_description": "Token has been expired or revoked."]
        : ["access_token": "made-up", "expires_in": 3600, "token_type": "Bearer"]
      let isRefused = body["error"] != nil
      responder.respond(HTTPResponse(status: isRefused ? 400 : 200, body: body.serialized))
    }
  }

  private func check(_ fixture: GatewayFixture, becomes status: String) async throws -> JSON {
    while true {
      let check = try fixture.client.get("/readyz").json["checks"]?["credentials"]
      if let check, check["status"] == .string(status) { return check }
      await Task.yield()
    }
  }

  @Test func readinessShowsRefusedCredentialsBeforeAnyMessage() async throws {
    let endpoint = TokenEndpoint()
    let (peer, server) = try RecordingPeer.start(endpoint)
    let folder = try TemporaryFolder()
    let user: JSON = [
      "type": "authorized_user", "client_id": "made-up", "client_secret": "made-up",
      "refresh_token": "made-up", "token_uri": .string("http://127.0.0.1:\(peer.port)/token"),
    ]
    try folder.write(String(decoding: user.serialized, as: UTF8.self), to: "user.json")
    var started: GatewayConfiguration?
    try await GatewayFixture.run(adjust: {
      var idle = $0.apps[0]
      idle.name = "none"
      $0.apps[0].credentials = .file("\(folder.path)/user.json")
      $0.apps.append(idle)
      started = $0
    }) { fixture in
      let refused = try await check(fixture, becomes: "warning")
      #expect(refused["detail"]?.string?.hasPrefix("default: ") == true)
      #expect(try fixture.client.get("/readyz").status == 200)
      #expect(peer.requests.count == 1)
      // A reload tries again at once, and ends the warning although no message was sent.
      endpoint.isRefusing.store(false, ordering: .releasing)
      await fixture.gateway.reload(.success(try #require(started)))
      _ = try await check(fixture, becomes: "ok")
      #expect(peer.requests.count >= 2)
    }
    await server.shutDown(grace: .zero)
  }

  @Test func aTokenEndpointThatCannotBeReachedPreventsNoStart() async throws {
    let folder = try TemporaryFolder()
    let user: JSON = [
      "type": "authorized_user", "client_id": "made-up", "client_secret": "made-up",
      "refresh_token": "made-up", "token_uri": "http://127.0.0.1:1/token",
    ]
    try folder.write(String(decoding: user.serialized, as: UTF8.self), to: "user.json")
    try await GatewayFixture.run(adjust: {
      $0.apps[0].credentials = .file("\(folder.path)/user.json")
    }) { fixture in
      _ = try await check(fixture, becomes: "warning")
      #expect(try fixture.client.get("/readyz").json["status"] == "degraded")
    }
  }
}

/// The rounds of checks, without a token service.
struct CredentialsChecksTests {
  private typealias Completion = @Sendable (SendError?) -> Void

  private static let refused = SendError(
    code: .authentication, httpStatus: 400, message: "no", disposition: .permanent, scope: .unsent)

  /// What the checks ask for and report, in order.
  private final class Records: Sendable {
    let asked = Mutex<[(app: String, answer: Completion)]>([])
    let reported = Mutex<[String]>([])
    let pauses = Mutex<[(milliseconds: Int, resume: @Sendable () -> Void)]>([])

    func app(_ name: String) -> CredentialsChecks.App {
      CredentialsChecks.App(name: name) { [self] answer in asked.withLock { $0.append((name, answer)) } }
    }

    var checks: CredentialsChecks {
      CredentialsChecks(
        pause: { [self] milliseconds, resume in pauses.withLock { $0.append((milliseconds, resume)) } },
        report: { [self] app, failure in
          reported.withLock { $0.append("\(app) \(failure == nil ? "ok" : "refused")") }
        })
    }

    func answer(_ failure: SendError?) {
      let next = asked.withLock { $0.isEmpty ? nil : $0.removeFirst() }
      next?.answer(failure)
    }

    /// Ends the first pause; returns its length.
    func resume() -> Int? {
      let next = pauses.withLock { $0.isEmpty ? nil : $0.removeFirst() }
      next?.resume()
      return next?.milliseconds
    }
  }

  @Test func asksForAFewAppsAtATime() {
    let records = Records()
    let checks = records.checks
    checks.begin((0..<40).map { records.app("\($0)") })
    #expect(records.asked.withLock { $0.map(\.app) } == (0..<32).map(String.init))
    records.answer(nil)
    #expect(records.asked.withLock { $0.last?.app } == "32")
    for _ in 1..<40 { records.answer(nil) }
    #expect(records.reported.withLock { $0 } == (0..<40).map { "\($0) ok" })
    #expect(records.resume() == nil)
  }

  @Test func repeatsAtGrowingIntervalsWhileAnAppHasNoToken() {
    let records = Records()
    let checks = records.checks
    checks.begin([records.app("a")])
    for pause in [5_000, 10_000, 20_000, 40_000, 60_000, 60_000] {
      records.answer(Self.refused)
      #expect(records.resume() == pause)
    }
    records.answer(
      SendError(
        code: .authentication, message: "busy", disposition: .retry, scope: .unsent, retryAfterSeconds: 90))
    #expect(records.resume() == 90_000)
    records.answer(nil)
    #expect(records.resume() == nil)
    #expect(records.reported.withLock { $0.last } == "a ok")
  }

  @Test func aNewRoundReplacesTheOldOne() {
    let records = Records()
    let checks = records.checks
    checks.begin([records.app("old"), records.app("gone")])
    records.answer(Self.refused)
    checks.begin([records.app("new")])
    // The old ones, one of them in its pause, report nothing more.
    #expect(records.resume() == 5_000)
    records.answer(Self.refused)
    #expect(records.asked.withLock { $0.map(\.app) } == ["new"])
    records.answer(nil)
    #expect(records.reported.withLock { $0 } == ["old refused", "new ok"])
    checks.stop()
    #expect(records.resume() == nil)
  }
}
