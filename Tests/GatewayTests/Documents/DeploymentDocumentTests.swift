import Foundation
import JSON
import TestSupport
import Testing

@testable import Gateway

/// Compares docs/deployment.md with the files in deploy/.
@Suite(.blocking) struct DeploymentDocumentTests {
  private static func text(_ path: String) throws -> String {
    try String(contentsOfFile: "\(GatewayFixture.repository)/\(path)", encoding: .utf8)
  }

  @Test(arguments: ["debian", "kubernetes/overlays/emulator", "kubernetes/overlays/fcm"])
  func catalogToStartWithAcceptsTheDocumentedRequest(folder: String) async throws {
    let document = try Self.text("docs/deployment.md")
    let found = try #require(document.firstMatch(of: /\/v1\/notifications [^']*'[^']*' -d '(?<body>[^']*)'/))
    let request = try JSON.parse(Array(found.output.body.utf8))
    try await GatewayFixture.run(catalog: Self.text("deploy/\(folder)/catalog.yaml")) { fixture in
      let answer = try fixture.client.post("/v1/notifications", request)
      #expect(answer.status == 202, "\(String(decoding: answer.body, as: UTF8.self))")
    }
  }

  /// nginx as documented, and with the path stripped.
  @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/sbin/nginx")), arguments: ["", "/"])
  func nginxServesTheGatewayBelowAPath(uri: String) async throws {
    let document = try Self.text("docs/deployment.md")
    let found = try #require(document.firstMatch(of: /```nginx\n(?<block>(?s:.*?))```/))
    try await GatewayFixture.run(adjust: { $0.server.publicPath = "/push" }) { fixture in
      let folder = try TemporaryFolder()
      let block = String(found.output.block).replacing(
        "127.0.0.1:8080", with: "127.0.0.1:\(fixture.client.port)\(uri)")
      let proxy = try Nginx(block, in: folder)
      defer { proxy.stop() }
      let client = try proxy.client()
      let page = try client.get("/push/").text
      let script = try #require(page.firstMatch(of: /src="([^"]*)"/)?.output.1)
      #expect(try client.get("/push/\(script)").status == 200)
      let accepted = try client.post(
        "/push/v1/notifications", ["template": "welcome", "to": ["token": "t"], "args": ["name": "A"]])
      let location = try #require(accepted.header("Location"))
      #expect(location.hasPrefix("/push/v1/notifications/"))
      #expect(try client.get(location).json["id"] == accepted.json["id"])
      #expect(try client.get("/push/openapi.json").json["servers"]?[0]?["url"] == "/push")
      #expect(try EventReader(client, "/push/v1/events").next("queue").name == "queue")
    }
  }
}

/// An nginx with one location.
private final class Nginx {
  private let process = Process()
  private let port: Int

  init(_ location: String, in folder: TemporaryFolder) throws {
    // Free until nginx takes it.
    let place = try StandIn { _ in .close }
    place.stop()
    port = Int(place.port)
    let temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map {
      "\($0)_temp_path \(folder.path)/\($0);"
    }
    try folder.write(
      """
      daemon off; master_process off; pid \(folder.path)/pid; error_log stderr;
      events {}
      http {
        access_log off; \(temporary.joined(separator: " "))
        server { listen 127.0.0.1:\(port); \(location) }
      }
      """, to: "nginx.conf")
    process.executableURL = URL(filePath: "/usr/sbin/nginx")
    process.arguments = ["-c", "\(folder.path)/nginx.conf", "-e", "stderr"]
    try process.run()
  }

  /// A client of it, once it listens.
  func client() throws -> HTTPTestClient {
    let client = HTTPTestClient(host: "127.0.0.1", port: port)
    let deadline = ContinuousClock.now + .seconds(30)
    while (try? client.get("/")) == nil {
      try #require(process.isRunning && ContinuousClock.now < deadline)
    }
    return client
  }

  func stop() {
    // It may have inherited a mask that blocks SIGTERM.
    kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
  }
}
