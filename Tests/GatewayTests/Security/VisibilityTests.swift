import JSON
import TestSupport
import Testing

@testable import API
@testable import Gateway

/// What a client may not see looks as if it did not exist, byte for byte, on every route that names it.
@Suite(.blocking) struct VisibilityTests {
  private static let never = "01890000-0000-7000-8000-000000000000"

  private func client(
    _ name: String, _ scopes: Set<APIScope>, apps: [String]? = nil, templates: [String]? = nil
  ) -> ClientGrant {
    ClientGrant(
      name: name, keyHash: sha256(Array("key-\(name)".utf8)), scopes: scopes, apps: apps, templates: templates
    )
  }

  private func bearer(_ name: String) -> [(String, String)] { [("Authorization", "Bearer key-\(name)")] }

  private var clients: [ClientGrant] {
    [
      client("a", [.send, .read]), client("b", [.send, .read]), client("root", [.admin]),
      client("limited", [.send, .read, .preview], apps: ["other"], templates: ["welcome"]),
      client("chief", [.admin], apps: ["other"], templates: ["welcome"]),
    ]
  }

  /// Runs `body` with a gateway that has the apps `default` and `other`, with the same catalog.
  private func run(_ body: (GatewayFixture) async throws -> Void) async throws {
    try await GatewayFixture.run(
      adjust: {
        $0.auth.clients = clients
        var other = $0.apps[0]
        other.name = "other"
        $0.apps.append(other)
      }, body)
  }

  /// An answer without the parts that always differ.
  private func essence(_ answer: HTTPTestClient.Answer) -> String {
    let headers = answer.headers.filter { !["date", "x-request-id"].contains($0.name.lowercased()) }
    let text = answer.text.replacing(#/"now":"[^"]*"/#, with: "")
    return "\(answer.status)\n\(headers.map { "\($0.name): \($0.value)" }.sorted())\n\(text)"
  }

  private static func notification(app: String, template: String) -> JSON {
    ["app": .string(app), "template": .string(template), "to": ["token": "t"], "args": ["name": "A"]]
  }

  /// The requests that name an app or a template.
  private static let requests: [@Sendable (_ app: String, _ template: String) -> (String, String, JSON?)] = [
    { app, template in ("POST", "/v1/notifications", notification(app: app, template: template)) },
    { app, template in
      let one = notification(app: app, template: template)
      return ("POST", "/v1/notifications/batch", ["notifications": [one, one]])
    },
    { app, template in
      ("POST", "/v1/templates/\(template)/preview", ["app": .string(app), "args": ["name": "A"]])
    },
    { app, template in ("GET", "/v1/templates/\(template)?app=\(app)", nil) },
    { app, _ in ("GET", "/v1/templates?app=\(app)", nil) },
    { app, _ in ("GET", "/v1/matrix?app=\(app)", nil) },
    { app, _ in ("GET", "/v1/notifications?app=\(app)", nil) },
    { app, _ in ("GET", "/v1/notifications?app=\(app)&limit=0&status=none", nil) },
    { app, _ in ("GET", "/v1/stats/history?app=\(app)", nil) },
    { _, template in ("GET", "/v1/notifications?template=\(template)", nil) },
    { app, template in
      let filter: JSON = [
        "app": .string(app), "template": .string(template), "code": "NETWORK",
        "since": "2026-01-01T00:00:00Z",
      ]
      return ("POST", "/v1/deliveries:retry", ["filter": filter])
    },
  ]

  @Test(arguments: ["limited", "chief"], requests.indices)
  func otherAppsAndTemplatesDoNotExist(_ name: String, _ request: Int) async throws {
    try await run { fixture in
      for template in ["welcome", "new_message"] {
        let posted = try fixture.client.post(
          "/v1/notifications",
          [
            "app": "other", "template": .string(template), "to": ["token": "t"],
            "args": template == "welcome" ? ["name": "A"] : ["name": "A", "count": 1, "sender": "B"],
          ],
          headers: bearer("root"))
        #expect(posted.status == 202)
      }
      func ask(_ app: String, _ template: String) throws -> String {
        let (method, path, body) = Self.requests[request](app, template)
        return essence(
          try fixture.client.send(
            method, path, headers: bearer(name) + [("Content-Type", "application/json")],
            body: body?.serialized))
      }
      // The names have the same length.
      let hiddenApp = try ask("default", "welcome")
      #expect(hiddenApp == (try ask("defaulx", "welcome")).replacing("defaulx", with: "default"))
      let hiddenTemplate = try ask("other", "new_message")
      let absent = try ask("other", "new_messagx")
      #expect(hiddenTemplate == absent.replacing("new_messagx", with: "new_message"))
      // What it may see is there.
      #expect(!hiddenApp.hasPrefix("403"))
      if request < 4 { #expect(!(try ask("other", "welcome")).contains("unknown")) }
    }
  }

  @Test func templatesLimitWhatAnAdminSees() async throws {
    try await run { fixture in
      let args: JSON = ["name": "A", "count": 1, "sender": "B"]
      let made = try fixture.client.post(
        "/v1/notifications",
        ["app": "other", "template": "new_message", "to": ["token": "t"], "args": args], headers: bearer("a"))
      let id = try #require(made.json["id"]?.string)
      let seen = try fixture.client.post(
        "/v1/notifications",
        ["app": "other", "template": "welcome", "to": ["token": "t"], "args": ["name": "A"]],
        headers: bearer("a"))
      let visible = try #require(seen.json["id"]?.string)
      for (method, suffix) in [
        ("GET", ""), ("GET", "?include=message"), ("DELETE", ""), ("POST", "/retry"), ("GET", "/events"),
      ] {
        func ask(_ id: String) throws -> String {
          essence(
            try fixture.client.send(
              method, "/v1/notifications/\(id)\(suffix)", headers: bearer("chief"),
              body: method == "POST" ? [] : nil))
        }
        #expect(try ask(id) == ask(Self.never), "\(method) \(suffix)")
      }
      let list = try fixture.client.get("/v1/notifications", headers: bearer("chief")).json
      #expect(list["notifications"]?.array?.map { $0["id"]?.string } == [visible])
      #expect(try fixture.client.get("/v1/notifications/\(id)", headers: bearer("root")).status == 200)
    }
  }

  /// Without a name, the default app is sought among those that the client may use.
  @Test func theOnlyVisibleAppNeedsNoName() async throws {
    try await run { fixture in
      let answer = try fixture.client.post(
        "/v1/notifications", ["template": "welcome", "to": ["token": "t"], "args": ["name": "A"]],
        headers: bearer("limited"))
      #expect(answer.json["app"] == "other")
    }
  }

  @Test func feedbackIsAboutOnesOwnNotifications() async throws {
    try await run { fixture in
      let faults: JSON = ["rules": [["token": "dead", "error_code": "UNREGISTERED"]]]
      let set = try fixture.emulator.send(
        "PUT", "/faults", headers: [("Content-Type", "application/json")], body: faults.serialized)
      #expect(set.status == 200)
      var ids: [String: [String]] = [:]
      for name in ["a", "b", "b", "a"] {
        let answer = try fixture.client.post(
          "/v1/notifications",
          ["app": "default", "template": "welcome", "to": ["token": "dead"], "args": ["name": "A"]],
          headers: bearer(name))
        let id = try #require(answer.json["id"]?.string)
        ids[name, default: []].append(id)
        // One after the other, so that the order of the events is known.
        while try fixture.client.get("/v1/notifications/\(id)", headers: bearer(name)).json["status"]
          != "failed"
        {
          await Task.yield()
        }
      }
      func events(_ name: String, _ query: String = "") throws -> JSON {
        try fixture.client.get("/v1/feedback\(query)", headers: bearer(name)).json
      }
      func notifications(_ answer: JSON) -> [String] {
        (answer["events"]?.array ?? []).compactMap { $0["notification_id"]?.string }
      }
      for name in ["a", "b"] { #expect(notifications(try events(name)) == ids[name]) }
      let first = try events("a", "?limit=1")
      #expect(notifications(first) == ids["a"].map { [$0[0]] })
      let next = try #require(first["next"]?.string)
      // It does not count the events of others.
      #expect(next.utf8.count == 32)
      #expect(first["events"]?[0]?["id"]?.string == next)
      #expect(notifications(try events("a", "?after=\(next)")) == ids["a"].map { [$0[1]] })
      #expect(notifications(try events("a", "?after=0")) == ids["a"])
      for foreign in ["1", try events("b")["next"]?.string ?? ""] {
        #expect(try fixture.client.get("/v1/feedback?after=\(foreign)", headers: bearer("a")).status == 422)
      }
      #expect(notifications(try events("root")).count == 4)
      #expect(try events("root")["next"] == "4")
    }
  }
}
