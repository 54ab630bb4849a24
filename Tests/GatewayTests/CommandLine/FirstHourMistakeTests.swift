import Foundation
import JSON
import TestSupport
import Testing

@testable import Gateway

/// What people do wrong in their first hour, and what they read then.
@Suite(.blocking) struct FirstHourMistakeTests {
  private let folder: TemporaryFolder
  private var file: String { "\(folder.path)/gateway.yaml" }

  init() throws { folder = try TemporaryFolder() }

  private func write(app: String = "project_id: p", more: String = "") throws {
    try folder.write(
      """
      server: {listen: "127.0.0.1:0"\(more)}
      apps:
        default:
          catalog: \(GatewayFixture.repository)/config/catalog.yaml
          credentials: none
          endpoint: http://127.0.0.1:1
          \(app)
      queue: {url: "sqlite:queue.db"}

      """, to: "gateway.yaml")
  }

  @Test(arguments: [
    (["serve", "ok.yaml"], "unexpected argument ok.yaml; name the file with --config ok.yaml"),
    (["check", "ok.yaml"], "unexpected argument ok.yaml; name the file with --catalog ok.yaml"),
    (["serve", "now"], "unexpected argument now"), (["send"], "missing argument; name the template"),
  ])
  func saysOnlyWhatIsWrong(_ arguments: [String], _ message: String) throws {
    let result = try DragomanProcess.run(arguments)
    #expect(result.status == 2)
    #expect(result.errors == "dragoman \(arguments[0]): \(message)\n")
  }

  @Test func aDisplayNameIsNoProjectID() throws {
    try write(app: "project_id: My Project")
    let result = try DragomanProcess.run(["serve", "--config", file])
    #expect(result.status == 2)
    #expect(
      result.errors.contains(
        "apps.default.project_id: must be the project's id, such as my-project-1a2b3, not"),
      "\(result.errors)")
    for id in ["my-project-1a2b3", "example.com:project", "123456789012"] {
      try write(app: "project_id: \"\(id)\"")
      #expect(try DragomanProcess.run(["serve", "--config", file, "--print-config"]).status == 0, "\(id)")
    }
  }

  @Test func warnsOfAVariableThatChangesNothing() throws {
    try write()
    let log = CollectedText()
    let gateway = try DragomanProcess(
      ["serve", "--config", file], environment: ["DRAGOMAN_SERVER_LISTN": "127.0.0.1:1"], log: log)
    defer { gateway.kill() }
    #expect(log.wait(for: #"did you mean \"DRAGOMAN_SERVER_LISTEN\"?"#, count: 1))
    #expect(gateway.terminate() == 0)
  }

  @Test func saysHowToTrustACertificate() throws {
    try folder.makeCertificate()
    try write(more: ", tls: {certificate: tls.crt, key: tls.key}")
    let gateway = try DragomanProcess(["serve", "--config", file])
    defer { gateway.kill() }
    let url = try gateway.address(after: "gateway listening on ")
    for command in [["send", "welcome", "--token", "t"], ["notifications", "list"], ["healthcheck"]] {
      let result = try DragomanProcess.run(command + ["--url", url])
      #expect(result.status == 1)
      #expect(
        result.errors.hasSuffix(
          "; name the authority that issued its certificate with --ca-file, and the gateway by a name in the "
            + "certificate\n"), "\(result.errors)")
    }
    #expect(gateway.terminate() == 0)
  }

  /// Such as the emulator, or a proxy before the gateway.
  @Test(arguments: [
    (404, "check that --url names a gateway\n"),
    (413, "check that --url names a gateway, and that a proxy before it allows requests of this size\n"),
  ])
  func saysThatAnAnswerIsNoGateways(_ status: Int, _ advice: String) throws {
    let other = try StandIn { _ in .respond(status, [:], "<h1>No</h1>") }
    defer { other.stop() }
    let result = try DragomanProcess.run(["send", "welcome", "--token", "t", "--url", other.url])
    #expect(result.status == 1)
    #expect(result.errors == "dragoman send: status \(status), but not a gateway's answer; \(advice)")
  }

  @Test func aCheckOfPluralsSaysThatAllIsWell() throws {
    try folder.write(
      "version: 1\nplurals: {languages: [en]}\ntemplates: {t: {body: {ios: K}}}\n", to: "catalog.yaml")
    let result = try DragomanProcess.run(["plurals", "--check", "--catalog", "\(folder.path)/catalog.yaml"])
    #expect(result.status == 0)
    #expect(result.errors == "Nothing to change: `dragoman plurals --write` would change no file.\n")
  }

  @Test func anAnswerSaysWhereToLookAndEndsItsLine() async throws {
    try await GatewayFixture.run(adjust: { $0.server.bodyBytesMax = 2048 }) { fixture in
      let near = try fixture.client.get("/v1/notification")
      #expect(near.json["detail"] == "There is nothing at this path. Did you mean /v1/notifications?")
      let far = try fixture.client.get("/send")
      #expect(far.json["detail"] == "There is nothing at this path. GET /openapi.json lists the paths.")
      let large = try fixture.client.post("/v1/notifications", bytes: [UInt8](repeating: 0x20, count: 4096))
      #expect(
        large.json["detail"]?.string
          == "The body is larger than the 2048 bytes that are allowed. Send fewer notifications, or raise "
          + "server.max_body_bytes.")
      let mistyped = try fixture.client.post(
        "/v1/notifications", ["template": "welcome", "to": ["token": "t"], "collapseKey": "x"])
      #expect(
        mistyped.json["errors"]?.array?.first?["detail"] == "No such field; did you mean collapse_key?")
      let accepted = try fixture.client.post(
        "/v1/notifications", ["template": "welcome", "to": ["token": "t"], "args": ["name": "A"]])
      let others = try ["/v1/stats", "/v1/templates", "/readyz", "/healthz", "/openapi.json"].map {
        try fixture.client.get($0)
      }
      for answer in [near, large, mistyped, accepted] + others {
        #expect(answer.text.hasSuffix("}\n") || answer.text == "ok\n")
      }
    }
  }
}
