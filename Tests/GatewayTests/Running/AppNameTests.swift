import Gateway
import JSON
import TestSupport
import Testing

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
}
