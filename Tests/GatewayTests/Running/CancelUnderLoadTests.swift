import API
import Gateway
import JSON
import TestSupport
import Testing

/// What a DELETE calls cancelled is never sent, however much waits in memory for the rate or a connection.
struct CancelUnderLoadTests {
  private let count = 300

  /// The notifications' ids, with the token of each.
  private func post(to fixture: GatewayFixture) throws -> [(id: String, token: String)] {
    try (0..<count).map { number in
      let token = "t-\(number)"
      let answer = try fixture.client.post(
        "/v1/notifications",
        ["template": "welcome", "to": ["token": .string(token)], "args": ["name": "Bob"]])
      #expect(answer.status == 202)
      return (try #require(answer.json["id"]?.string), token)
    }
  }

  @Test(arguments: [100, 10_000]) func cancelledDeliveriesAreNotSent(rate: Int) async throws {
    try await GatewayFixture.run { configuration in
      configuration.apps[0].rate = RequestRate(perSecond: rate)
      configuration.delivery.ramp = .zero
    } _: { fixture in
      let rules: JSON = ["rules": [["latency": "300ms"]]]
      let fault = try fixture.emulator.send(
        "PUT", "/faults", headers: [("Content-Type", "application/json")], body: rules.serialized)
      #expect(fault.status == 200)
      var cancelled: Set<String> = []
      var others: Set<String> = []
      for (id, token) in try post(to: fixture).reversed() {
        let answer = try fixture.client.send("DELETE", "/v1/notifications/\(id)")
        #expect(answer.status == 200 || answer.status == 409)
        let state = answer.json["deliveries"]?.array?.first?["status"]?.string
        if answer.status == 200, state == "cancelled" {
          cancelled.insert(token)
        } else {
          others.insert(token)
        }
      }
      // At this rate, or with 64 connections, most of them have to wait.
      #expect(cancelled.count > 50)
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
      let sent = Set(try fixture.inboxTokens(limit: count))
      #expect(sent.isDisjoint(with: cancelled))
      #expect(sent.isSubset(of: others))
      #expect(
        try fixture.client.get("/v1/stats").json["deliveries"]?["cancelled"]?.int64 == Int64(cancelled.count))
    }
  }
}
