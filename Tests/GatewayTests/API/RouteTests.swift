import JSON
import TestSupport
import Testing

@testable import API
@testable import Gateway

@Suite(.blocking) struct RouteTests {
  private func client(
    _ name: String, scopes: Set<APIScope>, apps: [String]? = nil, templates: [String]? = nil
  ) -> ClientGrant {
    .init(
      name: name, keyHash: sha256(Array("key-\(name)".utf8)), scopes: scopes, apps: apps,
      templates: templates,
      rate: nil)
  }

  private func bearer(_ name: String) -> [(String, String)] { [("Authorization", "Bearer key-\(name)")] }

  @Test func hashesAsSpecified() {
    let digits = sha256(Array("abc".utf8)).map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }
      .joined()
    #expect(digits == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
  }

  @Test func requiresAKey() async throws {
    try await GatewayFixture.run(adjust: { $0.auth.clients = [client("a", scopes: [.send])] }) { fixture in
      for headers in [[], [("Authorization", "Basic x")], [("Authorization", "Bearer nope")]] {
        let answer = try fixture.client.get("/v1/notifications/x", headers: headers)
        #expect(answer.status == 401)
        #expect(answer.header("WWW-Authenticate")?.hasPrefix("Bearer") == true)
        #expect(answer.json["type"] == "/problems/unauthorized")
      }
      for path in ["/healthz", "/readyz", "/problems/not-found"] {
        #expect(try fixture.client.get(path).status == 200)
      }
    }
  }

  /// RFC 9110 §11.4: `1*SP` separates the scheme from the credentials, and §11.1: the scheme is in any case.
  @Test func acceptsSeveralSpacesBeforeTheKey() async throws {
    try await GatewayFixture.run(adjust: { $0.auth.clients = [client("a", scopes: [.read])] }) { fixture in
      for value in ["Bearer  key-a", "Bearer     key-a", "bearer key-a", "BEARER  key-a"] {
        let answer = try fixture.client.get("/v1/stats", headers: [("Authorization", value)])
        #expect(answer.status == 200, "\(value)")
      }
      for value in ["Bearerkey-a", "Bearer key-a x", "Bearer key -a", "Bearer", "Bearer  "] {
        let answer = try fixture.client.get("/v1/stats", headers: [("Authorization", value)])
        #expect(answer.status == 401, "\(value)")
      }
    }
  }

  @Test func limitsHowManyUnknownKeysAnAddressMayTry() async throws {
    try await GatewayFixture.run(adjust: { $0.auth.clients = [client("a", scopes: [.read])] }) { fixture in
      var refused = 0
      var answer = try fixture.client.get("/v1/stats", headers: [("Authorization", "Bearer nope")])
      while answer.status == 401, refused < 10 * Int(LoginGuard.failuresMax) {
        refused += 1
        answer = try fixture.client.get("/v1/stats", headers: [("Authorization", "Bearer nope\(refused)")])
      }
      #expect(refused >= Int(LoginGuard.failuresMax))
      #expect(answer.status == 429)
      #expect(answer.json["type"] == "/problems/rate-limited")
      #expect(answer.header("Retry-After").flatMap(Int.init) ?? 0 > 0)
      // A client is not locked out by another with the same address.
      #expect(try fixture.client.get("/v1/stats", headers: bearer("a")).status == 200)
      #expect(try fixture.client.get("/v1/stats").status == 401)
    }
  }

  /// RFC 9110 §9.3.7.
  @Test func answersOPTIONSForTheWholeServer() async throws {
    try await GatewayFixture.run(adjust: { $0.auth.clients = [client("a", scopes: [.send])] }) { fixture in
      let answer = try fixture.client.send("OPTIONS", "*", headers: [], body: nil)
      #expect(answer.status == 204)
      #expect(answer.header("Allow") == "DELETE, GET, HEAD, OPTIONS, POST")
      #expect(answer.header("X-Request-Id") != nil)
      #expect(answer.header("Content-Length") == nil)
    }
  }

  /// RFC 9111 §4.2.2: unless forbidden, a cache may keep an answer for a while.
  @Test func forbidsCachingOfAnswers() async throws {
    try await GatewayFixture.run { fixture in
      for path in [
        "/v1/notifications", "/v1/notifications/x", "/v1/feedback", "/v1/stats", "/v1/templates", "/healthz",
        "/readyz", "/metrics", "/openapi.json", "/problems/not-found", "/nope", "/problems/nope",
      ] {
        #expect(try fixture.client.get(path).header("Cache-Control") == "no-store", "\(path)")
      }
      #expect(try fixture.client.get("/").header("Cache-Control") == "no-cache")
      let preview = try fixture.client.post("/v1/templates/welcome/preview", ["args": ["name": "x"]])
      #expect(preview.header("Cache-Control") == "no-store")
      for method in ["PUT", "CONNECT"] {
        let refused = try fixture.client.send(method, "/healthz", headers: [], body: nil)
        #expect(refused.header("Cache-Control") == "no-store", "\(method)")
      }
    }
  }

  @Test func protectsAllAnswersFromOtherSites() async throws {
    try await GatewayFixture.run { fixture in
      let accepted = try fixture.client.post(
        "/v1/notifications",
        ["template": "welcome", "to": ["token": "t"], "args": ["name": "x"]])
      #expect(accepted.status == 202)
      #expect(accepted.header("Cache-Control") == "no-store")
      for answer in try [
        accepted, fixture.client.get("/"), fixture.client.get("/metrics"), fixture.client.get("/nope"),
        fixture.client.send("CONNECT", "/healthz", headers: [], body: nil),
      ] {
        #expect(answer.header("X-Content-Type-Options") == "nosniff")
        #expect(answer.header("Cross-Origin-Resource-Policy") == "same-origin")
      }
    }
  }

  @Test func checksEveryScopeOnEveryRoute() async throws {
    let scopes: [APIScope] = [.send, .read, .preview, .admin]
    let clients = scopes.map { client($0.rawValue, scopes: [$0]) }
    try await GatewayFixture.run(adjust: { $0.auth.clients = clients }) { fixture in
      for route in APIRoute.table {
        guard let needed = route.scope else { continue }
        let path =
          "/"
          + route.segments.map { segment -> String in
            if case .literal(let text) = segment { text } else { "x" }
          }.joined(separator: "/")
        for scope in scopes {
          // A stream of events would not end.
          let answer = try fixture.client.send(
            route.action == .followAll ? "HEAD" : route.method, path,
            headers: bearer(scope.rawValue) + [("Content-Type", "application/json")],
            body: route.method == "POST" ? Array("{}".utf8) : nil)
          #expect(
            (answer.status != 403) == (scope == needed || scope == .admin), "\(route.method) \(path) \(scope)"
          )
          #expect(answer.status != 401)
        }
      }
    }
  }

  /// `POST /v1/notifications?validate_only=true` must not send.
  @Test func refusesUnknownQueryParametersOnEveryRoute() async throws {
    try await GatewayFixture.run { fixture in
      // FCM's own API has errors of its own form.
      for route in APIRoute.table where route.scope != nil && !route.answersAsFCM {
        let path = route.template.replacing("{id}", with: "x").replacing("{template}", with: "welcome")
          .replacing("{icon}", with: "0")
        let answer = try fixture.client.send(
          route.method, path + "?validate_only=true&a%2Fb=1", headers: [("Content-Type", "application/json")],
          body: route.method == "POST" ? Array(Self.notification.serialized) : nil)
        #expect(answer.status == 422, "\(route.method) \(path)")
        #expect(answer.json["type"] == "/problems/invalid-request", "\(route.method) \(path)")
        let errors = answer.json["errors"]?.array ?? []
        #expect(errors.compactMap { $0["pointer"]?.string } == ["/validate_only", "/a~1b"], "\(path)")
        #expect(errors.allSatisfy { $0["code"] == "unknown" }, "\(path)")
      }
      #expect(try fixture.client.get("/v1/notifications").json["notifications"] == [])
      let many = String(repeating: "a=1&", count: 50)
      #expect(try fixture.client.get("/v1/notifications?\(many.dropLast())").status == 422)
      #expect(try fixture.client.get("/v1/notifications?\(many)a=1").status == 400)
      let malformed = try fixture.client.post("/v1/notifications?a=%zz", Self.notification)
      #expect(malformed.json["type"] == "/problems/bad-request")
      for path in ["/healthz", "/readyz", "/metrics", "/openapi.json", "/problems/not-found", "/"] {
        #expect(try fixture.client.get(path + "?a=1").status == 200, "\(path)")
      }
      #expect(try fixture.client.post("/v1/notifications?", Self.notification).status == 202)
    }
  }

  private static let notification: JSON = [
    "template": "welcome", "to": ["token": "t"], "args": ["name": "A"],
  ]

  @Test func hidesNotificationsOfOtherClients() async throws {
    let clients = [
      client("a", scopes: [.send, .read]), client("b", scopes: [.send, .read]),
      client("root", scopes: [.admin]),
    ]
    try await GatewayFixture.run(adjust: { $0.auth.clients = clients }) { fixture in
      let answer = try fixture.client.post(
        "/v1/notifications", ["template": "welcome", "to": ["token": "t"], "args": ["name": "A"]],
        headers: bearer("a"))
      #expect(answer.json["client"] == "a")
      let path = try #require(answer.header("Location"))
      #expect(try fixture.client.get(path, headers: bearer("a")).status == 200)
      #expect(try fixture.client.get(path, headers: bearer("b")).status == 404)
      #expect(try fixture.client.get(path, headers: bearer("root")).status == 200)
    }
  }

  @Test func listsAllowedMethods() async throws {
    try await GatewayFixture.run { fixture in
      let answer = try fixture.client.send("PUT", "/v1/notifications")
      #expect(answer.status == 405)
      #expect(answer.header("Allow") == "GET, HEAD, POST")
      #expect(try fixture.client.send("POST", "/healthz").header("Allow") == "GET, HEAD")
      // Not the notification whose id is "batch".
      for method in ["GET", "DELETE", "OPTIONS"] {
        let answer = try fixture.client.send(method, "/v1/notifications/batch")
        #expect(answer.status == 405)
        #expect(answer.header("Allow") == "POST")
      }
      #expect(try fixture.client.get("/nowhere").status == 404)
    }
  }

  @Test func acceptsOnlyJSON() async throws {
    try await GatewayFixture.run { fixture in
      for type in ["text/plain", "application/x-www-form-urlencoded", ""] {
        let answer = try fixture.client.send(
          "POST", "/v1/notifications", headers: [("Content-Type", type)], body: Array("{}".utf8))
        #expect(answer.status == 415)
      }
      let withCharset = try fixture.client.send(
        "POST", "/v1/notifications", headers: [("Content-Type", "Application/JSON; charset=utf-8")],
        body: Array("{}".utf8))
      #expect(withCharset.status == 422)
    }
  }

  /// RFC 9110 §8.4 and §12.5.3.
  @Test func refusesCompressedBodies() async throws {
    try await GatewayFixture.run { fixture in
      let body: JSON = ["template": "welcome", "to": ["token": "t"], "args": ["name": "A"]]
      for coding in ["gzip", "GZIP", "br", "identity, gzip", "x"] {
        let answer = try fixture.client.post(
          "/v1/notifications", body, headers: [("Content-Encoding", coding)])
        #expect(answer.status == 415, "\(coding)")
        #expect(answer.json["type"] == "/problems/unsupported-media-type")
        #expect(answer.header("Accept-Encoding") == "identity")
      }
      for coding in ["identity", " Identity ", ""] {
        let answer = try fixture.client.post(
          "/v1/notifications", body, headers: [("Content-Encoding", coding)])
        #expect(answer.status == 202, "\(coding)")
      }
    }
  }

  @Test func refusesABodyThatIsTooLarge() async throws {
    try await GatewayFixture.run(adjust: { $0.server.bodyBytesMax = 2048 }) { fixture in
      let answer = try fixture.client.post("/v1/notifications", bytes: [UInt8](repeating: 0x20, count: 4096))
      #expect(answer.status == 413)
      #expect(answer.json["type"] == "/problems/payload-too-large")
      let metrics = try fixture.client.get("/metrics").text
      #expect(
        metrics.contains(
          #"dragoman_http_requests_total{method="POST",route="/v1/notifications",status="413"} 1"#))
      #expect(
        metrics.contains(#"dragoman_http_request_duration_seconds_count{route="/v1/notifications"} 1"#))
    }
  }

  @Test func explainsEveryProblem() async throws {
    try await GatewayFixture.run { fixture in
      for kind in ProblemType.all {
        let answer = try fixture.client.get(kind.type)
        #expect(answer.status == 200)
        #expect(answer.text.contains(kind.title))
      }
      #expect(try fixture.client.get("/problems/nope").status == 404)
    }
  }

  @Test func showsTheCatalogsTemplates() async throws {
    try await GatewayFixture.run { fixture in
      let list = try fixture.client.get("/v1/templates")
      #expect(
        list.json["templates"]?.array?.compactMap { $0["name"]?.string } == [
          "welcome", "new_message", "stock", "match_goal", "match_score",
        ])
      let one = try fixture.client.get("/v1/templates/new_message")
      #expect(one.json["params"]?["count"]?["type"] == "integer")
      #expect(one.json["body"]?["ios"]?["key"] == "NEW_MESSAGE_BODY")
      #expect(one.json["body"]?["android"]?["args"] == ["count", "sender"])
      #expect(try fixture.client.get("/v1/templates/nope").status == 404)
      #expect(try fixture.client.get("/v1/templates?app=nope").status == 422)
    }
  }

  @Test func reportsReadiness() async throws {
    try await GatewayFixture.run { fixture in
      let answer = try fixture.client.get("/readyz")
      #expect(answer.json["status"] == "ready")
      #expect(answer.json["checks"]?["queue"]?["status"] == "ok")
    }
  }
}
