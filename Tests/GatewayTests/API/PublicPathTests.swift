import JSON
import TestSupport
import Testing

@testable import API
@testable import Gateway

/// A gateway below a path of its proxy's host, which strips the path or passes it on.
@Suite(.blocking) struct PublicPathTests {
  private static let welcome: JSON = ["template": "welcome", "to": ["token": "t"], "args": ["name": "A"]]

  /// What `get` and `post` reach has links below `/push`.
  private func checkLinks(
    _ fixture: GatewayFixture, below path: String, headers: [(String, String)] = []
  ) throws {
    let page = try fixture.client.get("\(path)/", headers: headers)
    #expect(page.header("Content-Type")?.hasPrefix("text/html") == true)
    // Links are relative to the page.
    #expect(!page.text.contains("=\"/"))
    for match in page.text.matches(of: /(?:href|src)="(console[^"]*)"/) {
      #expect(try fixture.client.get("\(path)/\(match.output.1)", headers: headers).status == 200)
    }
    let accepted = try fixture.client.post("\(path)/v1/notifications", Self.welcome, headers: headers)
    #expect(accepted.status == 202)
    let id = try #require(accepted.json["id"]?.string)
    #expect(accepted.header("Location") == "/push/v1/notifications/\(id)")
    #expect(
      try fixture.client.get("\(path)/v1/notifications/\(id)", headers: headers).json["id"]?.string == id)
    let description = try fixture.client.get("\(path)/openapi.json", headers: headers).json
    #expect(description["servers"]?[0]?["url"] == "/push")
    let keyed = headers + [("Idempotency-Key", "key")]
    for _ in 0..<2 {
      let location = try fixture.client.post("\(path)/v1/notifications", Self.welcome, headers: keyed)
        .header("Location")
      #expect(location?.hasPrefix("/push/v1/notifications/") == true)
    }
  }

  @Test(arguments: ["", "/push"]) func linksAreBelowTheConfiguredPath(path: String) async throws {
    try await GatewayFixture.run(adjust: { $0.server.publicPath = "/push" }) { fixture in
      try checkLinks(fixture, below: path)
      // Without the slash, the page's links would lead elsewhere.
      let redirect = try fixture.client.get("/push")
      #expect(redirect.status == 308)
      #expect(redirect.header("Location") == "/push/")
      // Nobody is trusted with it.
      let forwarded = try fixture.client.get("/openapi.json", headers: [("X-Forwarded-Prefix", "/other")])
      #expect(forwarded.json["servers"]?[0]?["url"] == "/push")
      #expect(try fixture.client.get("/pushed/healthz").status == 404)
      #expect(try fixture.client.get("/push/push/healthz").status == 404)
    }
  }

  @Test(arguments: ["", "/push"]) func linksAreBelowThePathThatTheProxyNames(path: String) async throws {
    try await GatewayFixture.run(adjust: { $0.server.trustsForwarded = true }) { fixture in
      for prefix in ["/push", "/push/"] {
        try checkLinks(fixture, below: path, headers: [("X-Forwarded-Prefix", prefix)])
      }
      // None that would lead to another host, or end the field.
      for prefix in ["//host", "host", "/..", "/a b", "/a\u{9}b", "https://host/push", "/é"] {
        let answer = try fixture.client.post(
          "/v1/notifications", Self.welcome, headers: [("X-Forwarded-Prefix", prefix)])
        #expect(answer.header("Location")?.hasPrefix("/v1/notifications/") == true, "\(prefix)")
      }
    }
  }

  @Test func withoutAPathNothingChanges() async throws {
    try await GatewayFixture.run { fixture in
      let headers = [("X-Forwarded-Prefix", "/push")]
      let accepted = try fixture.client.post("/v1/notifications", Self.welcome, headers: headers)
      #expect(accepted.header("Location")?.hasPrefix("/v1/notifications/") == true)
      #expect(
        try fixture.client.get("/openapi.json", headers: headers).json["servers"]?[0]?["url"] == "/")
      #expect(try fixture.client.get("/push/healthz", headers: headers).status == 404)
    }
  }

  /// A path that is the gateway's own as it is stays so.
  @Test func aPathCanBeCalledLikeAPathOfTheGateway() async throws {
    try await GatewayFixture.run(adjust: { $0.server.publicPath = "/v1" }) { fixture in
      for path in ["/v1/stats", "/v1/v1/stats", "/v1/healthz", "/healthz"] {
        let answer = try fixture.client.get(path)
        #expect(answer.status == 200, "\(path)")
      }
    }
  }

  @Test func saysWhichPathASlashTooManyMeant() async throws {
    try await GatewayFixture.run { fixture in
      for path in [
        "/v1/notifications", "/v1/stats", "/v1/notifications/0199-x", "/v1/templates/welcome/preview",
      ] {
        for method in ["GET", "POST"] {
          let answer = try fixture.client.send(method, "\(path)/")
          #expect(answer.status == 404)
          #expect(
            answer.json["detail"]?.string == "There is nothing at this path. Did you mean \(path)?", "\(path)"
          )
        }
      }
    }
  }
}
