import JSON
import TestSupport
import Testing

@testable import API
@testable import Gateway

/// Names are compared as bytes, because Swift's `String` treats canonically equivalent texts as equal.
@Suite(.blocking, .timeLimit(.minutes(1))) struct AppNameTests {
  @Test func appsWhoseNamesUnicodeConsidersEqualAreTwo() async throws {
    let names = ["caf\u{E9}", "cafe\u{301}"]
    #expect(names[0] == names[1])
    try await GatewayFixture.run(adjust: { configuration in
      configuration.apps = names.enumerated().map { index, name in
        var app = GatewayConfiguration.App(name: name, catalog: configuration.apps[0].catalog)
        app.credentials = .none
        app.projectID = "project-\(index)"
        app.endpoint = configuration.apps[0].endpoint
        return app
      }
    }) { fixture in
      for (index, name) in names.enumerated() {
        let sent = try fixture.client.post(
          "/v1/notifications",
          [
            "app": .string(name), "template": "welcome", "to": ["token": .string("token-\(index)")],
            "args": ["name": "A"],
          ])
        #expect(sent.status == 202)
        #expect(try await fixture.settled(sent.json["id"]?.string ?? "")["status"] == "sent")
      }
      let inbox = try fixture.emulator.get("/inbox").json["messages"]?.array ?? []
      let received = inbox.map { message in
        "\(message["project"]?.string ?? "") \(message["message"]?["token"]?.string ?? "")"
      }
      #expect(received == ["project-1 token-1", "project-0 token-0"])
      let stats = try fixture.client.get("/v1/stats").json["apps"]?.object
      #expect(stats?.members.count == 2)
      #expect(stats?.members.allSatisfy { $0.value["deliveries"]?["sent"] == 1 } == true)
    }
  }

  /// Changes the configuration to one app for each name, all with the same catalog.
  private func nameApps(_ names: [String], _ configuration: inout GatewayConfiguration) {
    let first = configuration.apps[0]
    configuration.apps = names.map { name in
      var app = GatewayConfiguration.App(name: name, catalog: first.catalog)
      (app.credentials, app.projectID, app.endpoint) = (.none, "p", first.endpoint)
      return app
    }
  }

  private func client(_ name: String, apps: [String]?) -> ClientGrant {
    ClientGrant(
      name: name, keyHash: sha256(Array("key-\(name)".utf8)), scopes: [.send, .read, .preview], apps: apps)
  }

  private func bearer(_ name: String) -> [(String, String)] { [("Authorization", "Bearer key-\(name)")] }

  @Test func listsTheAppsToChooseFromWhereNoneIsTheDefault() async throws {
    let clients = [client("all", apps: nil), client("some", apps: ["one", "two"])]
    try await GatewayFixture.run(adjust: {
      nameApps(["one", "two", "three"], &$0)
      $0.auth.clients = clients
    }) { fixture in
      let request: JSON = ["template": "welcome", "to": ["token": "t"], "args": ["name": "A"], "ttl": 5]
      for (name, known) in [("all", "one, two, three"), ("some", "one, two")] {
        let answers = [
          try fixture.client.post("/v1/notifications", request, headers: bearer(name)).json,
          try fixture.client.post("/v1/templates/welcome/preview", [:], headers: bearer(name)).json,
          try fixture.client.get("/v1/templates", headers: bearer(name)).json,
        ]
        for answer in answers {
          #expect(answer["type"] == "/problems/invalid-request")
          let error = answer["errors"]?.array?.first { $0["pointer"] == "/app" }
          #expect(error?["code"] == "missing")
          #expect(error?["detail"]?.string?.contains("Name one of the apps: \(known).") == true)
        }
        #expect(answers.first?["errors"]?.array?.count == 2)
      }
      let batch = try fixture.client.post(
        "/v1/notifications/batch", ["notifications": [request]], headers: bearer("all"))
      let error = batch.json["results"]?[0]?["problem"]?["errors"]?[1]
      #expect(error?["pointer"] == "/notifications/0/app")
      #expect(error?["code"] == "missing")
    }
  }

  @Test func listsNotificationsOfARemovedApp() async throws {
    let clients = [
      client("all", apps: nil), client("both", apps: ["default", "second"]), client("one", apps: ["default"]),
    ]
    try await GatewayFixture.run(adjust: { $0.auth.clients = clients }) { fixture in
      var configuration = fixture.configuration
      nameApps(["default", "second"], &configuration)
      await fixture.gateway.reload(.success(configuration))
      let request: JSON = [
        "app": "second", "template": "welcome", "to": ["token": "t"], "args": ["name": "A"],
      ]
      for name in ["all", "both"] {
        #expect(try fixture.client.post("/v1/notifications", request, headers: bearer(name)).status == 202)
      }
      nameApps(["default"], &configuration)
      await fixture.gateway.reload(.success(configuration))
      func list(_ query: String, _ name: String) throws -> JSON {
        try fixture.client.get("/v1/notifications?\(query)", headers: bearer(name)).json
      }
      for name in ["all", "both"] {
        let found = try list("app=second", name)["notifications"]?.array
        #expect(found?.map { $0["client"]?.string } == [name])
      }
      #expect(try list("app=third", "all")["type"] == "/problems/unknown-app")
      #expect(try list("app=second", "one")["type"] == "/problems/unknown-app")
      let mistakes = try list("app=second&limit=0", "all")
      #expect(mistakes["type"] == "/problems/invalid-request")
      #expect(mistakes["errors"]?.array?.map { $0["pointer"] } == ["/limit"])
    }
  }
}
