import Foundation
import Gateway
import JSON
import Synchronization
import Telemetry
import TestSupport
import Testing

/// Each row of the table of docs/operations.md: its condition, with three messages, is named in the log or in
/// `/readyz`.
@Suite(.blocking, .timeLimit(.minutes(2))) struct OperationsTableTests {
  static let page = "<html><title>Blocked</title>by WebGuard</html>"

  static func answer(_ status: Int, _ name: String, _ details: String = "") -> StandIn.Answer {
    .respond(
      status, [:],
      #"{"error":{"code":\#(status),"message":"words","status":"\#(name)","details":[\#(details)]}}"#)
  }

  static func fcm(_ code: String) -> String {
    #"{"@type":"type.googleapis.com/google.firebase.fcm.v1.FcmError","errorCode":"\#(code)"}"#
  }

  /// What FCM answers in each row that its answer alone makes.
  static let answers: [(row: String, answer: StandIn.Answer)] = [
    ("something other than FCM answered", .respond(403, ["Content-Type": "text/html"], page)),
    ("PERMISSION", answer(403, "PERMISSION_DENIED")),
    (
      "INVALID_ARGUMENT",
      answer(
        400, "INVALID_ARGUMENT",
        #"{"@type":"type.googleapis.com/google.rpc.BadRequest","fieldViolations":[{"field":"message.x","#
          + #""description":"y"}]}"#)
    ),
    ("UNREGISTERED", answer(404, "NOT_FOUND", fcm("UNREGISTERED"))),
    ("SENDER_ID_MISMATCH", answer(403, "PERMISSION_DENIED", fcm("SENDER_ID_MISMATCH"))),
    ("QUOTA_EXCEEDED", answer(429, "RESOURCE_EXHAUSTED", fcm("QUOTA_EXCEEDED"))),
  ]

  @Test(arguments: answers.map(\.row)) func namesWhatFCMAnswers(row: String) async throws {
    let answer = try #require(Self.answers.first { $0.row == row }?.answer)
    let peer = try StandIn { _ in answer }
    defer { peer.stop() }
    try await expect(row) { $0.endpoint = peer.url }
  }

  @Test func namesAnOutage() async throws {
    let peer = try StandIn { _ in Self.answer(503, "UNAVAILABLE") }
    defer { peer.stop() }
    try await expect("breaker open", messages: 20) { $0.endpoint = peer.url }
  }

  @Test func namesThePhaseOfAConnection() async throws {
    let port = try StandIn.deadPort()
    try await expect(#""phase":"connect""#) { $0.endpoint = "http://127.0.0.1:\(port)" }
    let plain = try StandIn { _ in .close }
    defer { plain.stop() }
    try await expect(#""phase":"tls""#) { $0.endpoint = "https://127.0.0.1:\(plain.port)" }
  }

  @Test func namesANameWithoutAnAddress() async throws {
    // RFC 6761 §6.4.
    try await expect("has no address") { $0.endpoint = "https://fcm.invalid" }
  }

  @Test(arguments: [
    ("invalid_grant", 400, #"{"error":"invalid_grant","error_description":"Invalid JWT Signature."}"#),
    ("something other than the token endpoint answered", 302, ""),
  ])
  func namesWhatTheTokenEndpointAnswers(row: String, status: Int, body: String) async throws {
    let peer = try StandIn { _ in .respond(status, ["Location": "https://login.example/"], body) }
    defer { peer.stop() }
    let folder = try TemporaryFolder()
    let user: JSON = [
      "type": "authorized_user", "client_id": "made-up", "client_secret": "made-up",
      "refresh_token": "made-up", "token_uri": .string(peer.url + "/token"),
    ]
    try folder.write(String(decoding: user.serialized, as: UTF8.self), to: "user.json")
    try await expect(row) { $0.credentials = .file("\(folder.path)/user.json") }
  }

  @Test func namesFilesThatAreMissingOrWrong() async throws {
    let folder = try TemporaryFolder()
    try await expect("does not exist") { $0.credentials = .file("\(folder.path)/none.json") }
    try folder.write(#"{"project_info": {}, "client": []}"#, to: "wrong.json")
    try await expect("google-services.json", withAnotherApp: true) {
      $0.credentials = .file("\(folder.path)/wrong.json")
    }
  }

  /// A proxy is named by the environment of the process.
  @Test func namesAProxyThatRefuses() async throws {
    let proxy = try StandIn { _ in .raw("HTTP/1.1 407 Authenticate\r\nContent-Length: 0\r\n\r\n") }
    defer { proxy.stop() }
    let folder = try TemporaryFolder()
    try folder.write(
      """
      server: {listen: "127.0.0.1:0"}
      apps: {default: {catalog: "\(GatewayFixture.repository)/config/catalog.yaml", credentials: none,
        project_id: p, endpoint: "https://fcm.invalid"}}
      queue: {url: "sqlite:queue.db"}

      """, to: "gateway.yaml")
    let log = CollectedText()
    let gateway = try DragomanProcess(
      ["serve", "--config", "\(folder.path)/gateway.yaml"], environment: ["HTTPS_PROXY": proxy.url], log: log)
    defer { gateway.kill() }
    let url = try gateway.address(after: "gateway listening on ")
    let sent = try DragomanProcess.run([
      "send", "welcome", "--token", "t", "--args", #"{"name": "A"}"#, "--url", url,
    ])
    #expect(sent.status == 0, "\(sent.errors)")
    try expectDocumented("the proxy refuses to connect")
    #expect(log.wait(for: "the proxy refuses to connect: HTTP 407", count: 1), "\(log.text)")
    #expect(log.text.contains(#""phase":"proxy","peer":"proxy""#))
    #expect(gateway.terminate() == 0)
  }

  private func expectDocumented(_ row: String) throws {
    let document = try String(
      contentsOfFile: "\(GatewayFixture.repository)/docs/operations.md", encoding: .utf8)
    #expect(document.contains("\n| `\(row)` |"), "\(row)")
  }

  /// Sends messages with an app that `adjust` has changed, until the log or `/readyz` names the condition.
  private func expect(
    _ row: String, messages: Int = 3, withAnotherApp: Bool = false,
    adjust: (inout GatewayConfiguration.App) -> Void
  ) async throws {
    try expectDocumented(row)
    let written = Mutex("")
    let log = Log { lines in written.withLock { $0 += String(decoding: lines, as: UTF8.self) } }
    try await GatewayFixture.run(
      log: log,
      adjust: {
        if withAnotherApp {
          var other = $0.apps[0]
          other.name = "other"
          $0.apps.append(other)
        }
        adjust(&$0.apps[0])
      }
    ) { fixture in
      for number in 1...messages {
        let message: JSON = [
          "template": "welcome", "app": "default", "to": ["token": .string("t-\(number)")],
          "args": ["name": "A"],
        ]
        #expect(try fixture.client.post("/v1/notifications", message).status == 202)
      }
      let deadline = ContinuousClock.now + .seconds(60)
      while true {
        log.flush()
        let ready = try fixture.client.get("/readyz").text
        if written.withLock({ $0.contains(row) }) || ready.contains(row) { return }
        guard ContinuousClock.now < deadline else {
          Issue.record("\(row) is neither in the log nor in \(ready): \(written.withLock { $0 })")
          return
        }
        await Task.yield()
      }
    }
  }
}
