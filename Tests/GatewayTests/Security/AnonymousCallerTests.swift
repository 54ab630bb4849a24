import FCMEmulator
import HTTPServer
import JSON
import Telemetry
import TestSupport
import Testing

@testable import API
@testable import Gateway

/// What a page in a browser on the same machine can reach where callers need no key.
@Suite(.blocking) struct AnonymousCallerTests {
  private let json = ("Content-Type", "application/json")

  private func get(
    _ client: HTTPTestClient, _ path: String, host: String, key: String? = nil
  ) throws
    -> HTTPTestClient.Answer
  {
    let authorization = key.map { "Authorization: Bearer \($0)\r\n" } ?? ""
    return try client.exchange(
      Array("GET \(path) HTTP/1.1\r\nHost: \(host)\r\n\(authorization)Connection: close\r\n\r\n".utf8))
  }

  @Test func aForeignNameIsRefused() async throws {
    try await GatewayFixture.run(adjust: { $0.server.allowedHosts = ["gateway.internal"] }) { fixture in
      for path in ["/v1/stats", "/metrics", "/readyz", "/openapi.json", "/", "/problems/forbidden"] {
        let answer = try get(fixture.client, path, host: "attacker.example:8080")
        #expect(answer.status == 403, "\(path)")
        #expect(answer.text.contains("server.allowed_hosts"))
      }
      for host in ["localhost:1", "127.0.0.1", "[::1]:8080", "10.0.0.1:80", "Gateway.Internal:8080"] {
        #expect(try get(fixture.client, "/v1/stats", host: host).status == 200, "\(host)")
      }
      #expect(try get(fixture.client, "/healthz", host: "attacker.example").status == 200)
      #expect(try get(fixture.emulator, "/inbox", host: "attacker.example").status == 403)
      #expect(try get(fixture.emulator, "/inbox", host: "localhost").status == 200)
    }
  }

  @Test func theEmulatorHasConfiguredNamesToo() throws {
    let emulator = FCMEmulator(log: .silent, allowedHosts: ["emulator"])
    func isAccepted(_ host: String) -> Bool {
      let head = HTTPRequestHead(method: "GET", target: "/inbox", headers: ["Host": host])
      if case .accept = emulator.admit(head) { return true }
      return false
    }
    #expect(isAccepted("emulator:8085"))
    #expect(!isAccepted("attacker.example"))
  }

  @Test func aReloadAppliesTheNames() async throws {
    var used: GatewayConfiguration?
    try await GatewayFixture.run(adjust: { used = $0 }) { fixture in
      #expect(try get(fixture.client, "/v1/stats", host: "gateway.internal").status == 403)
      var changed = try #require(used)
      changed.server.allowedHosts = ["gateway.internal"]
      await fixture.gateway.reload(.success(changed))
      #expect(try get(fixture.client, "/v1/stats", host: "gateway.internal").status == 200)
    }
  }

  @Test func whereKeysAreNeededAnyNameWillDo() async throws {
    let client = ClientGrant(name: "a", keyHash: sha256(Array("key".utf8)), scopes: [.read])
    try await GatewayFixture.run(adjust: { $0.auth.clients = [client] }) { fixture in
      let known = try get(fixture.client, "/v1/stats", host: "push.example", key: "key")
      #expect(known.status == 200)
      let unknown = try get(fixture.client, "/v1/stats", host: "push.example")
      #expect(unknown.status == 401)
    }
  }

  @Test func aChangeWithoutABodyNeedsWhatABrowserSendsOnlyWithConsent() async throws {
    try await GatewayFixture.run { fixture in
      let sent = try fixture.client.post(
        "/v1/notifications", ["template": "welcome", "to": ["token": "t"], "args": ["name": "A"]])
      let path = "/v1/notifications/\(sent.json["id"]?.string ?? "")/retry"
      let settled = try await fixture.settled(sent.json["id"]?.string ?? "")
      #expect(settled["status"] == "sent")
      let page = ("Origin", "http://attacker.example")
      #expect(try fixture.client.send("POST", path, headers: [page]).status == 415)
      let form = ("Sec-Fetch-Site", "cross-site")
      #expect(try fixture.client.send("POST", path, headers: [form]).status == 415)
      #expect(try fixture.client.send("POST", path, headers: [("Content-Type", "text/plain")]).status == 415)
      #expect(try fixture.client.send("POST", path, headers: [page, json]).status == 409)
      #expect(try fixture.client.send("POST", path).status == 409)
      #expect(try fixture.client.send("POST", path, headers: [("Authorization", "Bearer x")]).status == 409)
      // A cross-site DELETE needs consent, which the gateway does not give.
      let preflight = try fixture.client.send(
        "OPTIONS", path,
        headers: [("Origin", "http://attacker.example"), ("Access-Control-Request-Method", "DELETE")])
      #expect(preflight.status == 405)
      #expect(preflight.header("Access-Control-Allow-Origin") == nil)
    }
  }
}
