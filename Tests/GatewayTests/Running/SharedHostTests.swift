import API
import Gateway
import JSON
import TestSupport
import Testing

/// Apps whose messages go to the same host.
struct SharedHostTests {
  @Test func hangingAppTakesNoConnectionFromAnother() async throws {
    try await GatewayFixture.run { configuration in
      var hanging = configuration.apps[0]
      hanging.name = "hanging"
      configuration.apps.append(hanging)
      // The other app must not depend on the end of the hanging requests.
      configuration.delivery.requestTimeout = .seconds(600)
      configuration.server.shutdownGrace = .zero
    } _: { fixture in
      let rules: JSON = ["rules": [["token": "hang*", "latency": "3600s"]]]
      let fault = try fixture.emulator.send(
        "PUT", "/faults", headers: [("Content-Type", "application/json")], body: rules.serialized)
      #expect(fault.status == 200)
      let tokens = JSON.array((1...200).map { .string("hang\($0)") })
      #expect(try fixture.post(app: "hanging", to: ["tokens": tokens]).status == 202)
      try await fixture.untilSending(64)
      let id = try #require(try fixture.post(app: "default", to: ["token": "t"]).json["id"]?.string)
      #expect(try await fixture.settled(id)["status"]?.string == "sent")
    }
  }
}

extension GatewayFixture {
  fileprivate func post(app: String, to target: JSON) throws -> HTTPTestClient.Answer {
    try client.post(
      "/v1/notifications",
      ["template": "welcome", "app": .string(app), "to": target, "args": ["name": "Bob"]])
  }

  /// Waits until this many deliveries are being sent, for at most 10 s.
  fileprivate func untilSending(_ count: Int64) async throws {
    let deadline = ContinuousClock.now + .seconds(10)
    while ContinuousClock.now < deadline {
      let sending = try client.get("/v1/stats").json["deliveries"]?["sending"]?.int64 ?? 0
      if sending >= count { return }
      await Task.yield()
    }
    Issue.record("not sending \(count)")
  }
}
