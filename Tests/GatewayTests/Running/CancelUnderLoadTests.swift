import API
import Gateway
import JSON
import TestSupport
import Testing

/// What a DELETE calls cancelled is never sent, however much waits in memory for the rate or a connection.
struct CancelUnderLoadTests {
  private let notifications = 40
  private let targets = 50

  /// The ids of notifications to targets of their own.
  private func post(to fixture: GatewayFixture) throws -> [String] {
    try (0..<notifications).map { number in
      let tokens = (0..<targets).map { JSON.string("t-\(number)-\($0)") }
      let answer = try fixture.client.post(
        "/v1/notifications",
        ["template": "welcome", "to": ["tokens": .array(tokens)], "args": ["name": "Bob"]])
      #expect(answer.status == 202)
      return try #require(answer.json["id"]?.string)
    }
  }

  @Test(arguments: [100, 10_000]) func cancelledDeliveriesAreNotSent(rate: Int) async throws {
    try await GatewayFixture.run { configuration in
      configuration.apps[0].rate = RequestRate(perSecond: rate)
      configuration.delivery.ramp = .zero
    } _: { fixture in
      // With 64 connections, FCM takes a tenth of the faster rate.
      let rules: JSON = ["rules": [["latency": "300ms"]]]
      let fault = try fixture.emulator.send(
        "PUT", "/faults", headers: [("Content-Type", "application/json")], body: rules.serialized)
      #expect(fault.status == 200)
      var cancelled: Set<String> = []
      for id in try post(to: fixture).reversed() {
        let answer = try fixture.client.send("DELETE", "/v1/notifications/\(id)")
        // The first ones may all be sent by now.
        guard answer.status != 409 else { continue }
        #expect(answer.status == 200)
        for delivery in answer.json["deliveries"]?.array ?? [] where delivery["status"] == "cancelled" {
          cancelled.insert(try #require(delivery["target"]?["token"]?.string))
        }
      }
      #expect(cancelled.count > 100)
      let deadline = ContinuousClock.now + .seconds(60)
      while true {
        let counts = try fixture.client.get("/v1/stats").json["deliveries"]
        if counts?["queued"]?.int64 == 0, counts?["sending"]?.int64 == 0 { break }
        guard ContinuousClock.now < deadline else {
          Issue.record("they never ended")
          break
        }
        await Task.yield()
      }
      let sent = Set(try fixture.inboxTokens(limit: notifications * targets))
      #expect(!sent.isEmpty)
      #expect(sent.isDisjoint(with: cancelled))
      #expect(sent.count + cancelled.count == notifications * targets)
    }
  }
}
