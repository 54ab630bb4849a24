import Foundation
import Gateway
import JSON
import Outbox
import Testing
import TestSupport

@testable import API

/// Server-sent events over real sockets.
@Suite(.blocking) struct EventsTests {
  private func post(_ fixture: GatewayFixture, _ token: String, key: String? = nil) throws -> String {
    let answer = try fixture.client.post(
      "/v1/notifications", ["template": "welcome", "to": ["token": .string(token)], "args": ["name": "A"]],
      headers: key.map(bearer) ?? [])
    return try #require(answer.json["id"]?.string, "\(answer.text)")
  }

  private func grant(_ name: String, _ scopes: Set<APIScope>) -> ClientGrant {
    ClientGrant(name: name, keyHash: sha256(Array("key-\(name)".utf8)), scopes: scopes)
  }

  private func bearer(_ name: String) -> [(String, String)] { [("Authorization", "Bearer key-\(name)")] }

  private func setFault(_ fixture: GatewayFixture, _ rule: JSON) throws {
    let answer = try fixture.emulator.send(
      "PUT", "/faults", headers: [("Content-Type", "application/json")],
      body: JSON.object(.init([("rules", .array([rule]))])).serialized)
    #expect(answer.status == 200)
  }

  @Test func followsANotificationToItsEnd() async throws {
    try await GatewayFixture.run { fixture in
      try setFault(fixture, ["token": "slow", "latency": "300ms"])
      let id = try post(fixture, "slow")
      let reader = try EventReader(fixture.client, "/v1/notifications/\(id)/events")
      #expect(reader.status == 200)
      #expect(reader.head.contains("Content-Type: text/event-stream\r\n"))
      #expect(reader.head.contains("Cache-Control: no-store\r\n"))
      let events = try reader.rest()
      #expect(events.first?.name == "notification")
      #expect(events.first?.data["id"]?.string == id)
      let attempt = try #require(events.first { $0.name == "attempt" }).data
      #expect(attempt["attempt"] == 1)
      #expect(attempt["outcome"] == "sent")
      #expect(attempt["duration_ms"] != nil)
      let last = try #require(events.last { $0.name == "delivery" }).data
      #expect(last["status"] == "sent")
      // What the stream shows of a delivery is what GET shows of it.
      let stored = try fixture.client.get("/v1/notifications/\(id)").json
      #expect(last["delivery"] == stored["deliveries"]?[0])
      #expect(events.last?.name == "end")
      #expect(events.last?.data == ["notification_id": .string(id), "status": "sent"])
      #expect(Set(events.map(\.id)).count == events.count)
    }
  }

  @Test func reportsEveryFailedAttempt() async throws {
    try await GatewayFixture.run(adjust: {
      $0.delivery.minBackoff = .milliseconds(10)
      $0.delivery.maxBackoff = .milliseconds(20)
    }) { fixture in
      try setFault(fixture, ["token": "flaky", "status": 503, "error_code": "UNAVAILABLE", "times": 3])
      // The stream begins before the first attempt.
      let all = try EventReader(fixture.client, "/v1/events")
      _ = try all.next("queue")
      let id = try post(fixture, "flaky")
      #expect(try all.next("notification").data["notification_id"]?.string == id)
      let attempts = try (1...4).map { _ in try all.next("attempt").data }
      #expect(attempts.map { $0["attempt"] } == [1, 2, 3, 4])
      #expect(attempts.map { $0["outcome"] } == ["failed", "failed", "failed", "sent"])
      #expect(attempts.map { $0["error"]?["code"] } == ["UNAVAILABLE", "UNAVAILABLE", "UNAVAILABLE", nil])
      let end = try all.next("delivery") { $0["status"] == "sent" }
      #expect(end.data["notification_id"]?.string == id)
      #expect(!"\(attempts)\(end.data)".contains("flaky"))
    }
  }

  @Test func continuesAfterTheLastEvent() async throws {
    try await GatewayFixture.run { fixture in
      let scheduled: JSON = [
        "template": "welcome", "to": ["tokens": ["a", "b"]], "args": ["name": "A"],
        "send_at": .string(Date.now.addingTimeInterval(3_600).formatted(.iso8601)),
      ]
      let answer = try fixture.client.post("/v1/notifications", scheduled)
      let id = try #require(answer.json["id"]?.string)
      let path = "/v1/notifications/\(id)/events"
      let first = try EventReader(fixture.client, path)
      let begin = try #require(try first.next())
      #expect(begin.data["status"] == "scheduled")
      #expect(try fixture.client.send("DELETE", "/v1/notifications/\(id)").status == 200)
      let seen = try first.rest()
      #expect(seen.map(\.name) == ["delivery", "delivery", "end"])
      // After each of its events, exactly the later ones.
      for (index, event) in ([begin] + seen.dropLast()).enumerated() {
        let again = try EventReader(fixture.client, path, headers: [("Last-Event-ID", event.id)]).rest()
        #expect(again.map(\.id) == seen.dropFirst(index).map(\.id), "\(event.id)")
      }
      let last = try #require(seen.last?.id)
      #expect(try EventReader(fixture.client, path, headers: [("Last-Event-ID", last)]).status == 204)
      // An id of another process: the whole again.
      for id in ["0000-1", "nonsense", "9-9-9-9"] {
        let again = try EventReader(fixture.client, path, headers: [("Last-Event-ID", id)]).rest()
        #expect(again.map(\.name) == ["notification", "end"], "\(id)")
      }
    }
  }

  /// A client that missed only the end would connect again and again.
  @Test func tellsTheEndOfWhatWasFinalBefore() async throws {
    try await GatewayFixture.run { fixture in
      let path = "/v1/notifications/\(try post(fixture, "phone"))/events"
      _ = try EventReader(fixture.client, path).rest()
      let seen = try EventReader(fixture.client, path).rest()
      #expect(seen.map(\.name) == ["notification", "end"])
      let whole = try #require(seen.first?.id)
      for _ in 0..<2 {
        let again = try EventReader(fixture.client, path, headers: [("Last-Event-ID", whole)]).rest()
        #expect(again.map(\.name) == ["end"])
        #expect(again.first?.data["status"] == "sent")
        let last = try #require(again.last?.id)
        #expect(try EventReader(fixture.client, path, headers: [("Last-Event-ID", last)]).status == 204)
      }
    }
  }

  @Test func tellsTheWholeAgainAfterARetryThatNobodyFollowed() async throws {
    try await GatewayFixture.run { fixture in
      try setFault(fixture, ["token": "dead", "status": 404, "error_code": "UNREGISTERED", "times": 1])
      let id = try post(fixture, "dead")
      let path = "/v1/notifications/\(id)/events"
      let failed = try EventReader(fixture.client, path).rest()
      #expect(failed.last?.data["status"] == "failed")
      #expect(try fixture.client.send("POST", "/v1/notifications/\(id)/retry").status == 202)
      #expect(try await fixture.settled(id)["status"] == "sent")
      // What was missed is more than the events of the first end.
      for event in failed.dropLast() {
        let again = try EventReader(fixture.client, path, headers: [("Last-Event-ID", event.id)]).rest()
        #expect(again.map(\.name) == ["notification", "end"])
        #expect(again.allSatisfy { $0.data["status"] == "sent" })
      }
    }
  }

  @Test func continuesTheStreamOfAllAndReportsAGap() async throws {
    try await GatewayFixture.run { fixture in
      let reader = try EventReader(fixture.client, "/v1/events")
      _ = try reader.next("queue")
      let one = try post(fixture, "one")
      let accepted = try reader.next("notification")
      let ended = try reader.next("delivery")
      let again = try EventReader(
        fixture.client, "/v1/events", headers: [("Last-Event-ID", accepted.id)])
      #expect(try again.next("delivery").id == ended.id)
      let two = try post(fixture, "two")
      #expect(try again.next("notification").data["notification_id"]?.string == two)
      #expect(one != two)
      let foreign = try EventReader(fixture.client, "/v1/events", headers: [("Last-Event-ID", "elsewhere-7")])
      #expect(try foreign.next()?.name == "gap")
    }
  }

  @Test func aNewStreamTellsTheOthersNothing() async throws {
    try await GatewayFixture.run { fixture in
      let reader = try EventReader(fixture.client, "/v1/events")
      let known = try reader.next("queue").data
      for _ in 0..<3 { _ = try EventReader(fixture.client, "/v1/events").next("queue") }
      _ = try post(fixture, "one")
      var event = try reader.next()
      // The notification may be counted before it is told.
      while let queue = event, queue.name == "queue" {
        #expect(queue.data != known)
        event = try reader.next()
      }
      #expect(event?.name == "notification")
    }
  }

  @Test func showsEachClientItsOwn() async throws {
    let clients = [
      grant("a", [.send, .read]), grant("b", [.send, .read]), grant("root", [.admin]), grant("s", [.send]),
    ]
    try await GatewayFixture.run(adjust: { $0.auth.clients = clients }) { fixture in
      let readers = try ["a", "b", "root"].map { key in
        try EventReader(fixture.client, "/v1/events", headers: bearer(key))
      }
      for reader in readers { _ = try reader.next("queue") }
      let first = try post(fixture, "one", key: "a")
      let second = try post(fixture, "two", key: "b")
      #expect(try readers[0].next("notification").data["notification_id"]?.string == first)
      #expect(try readers[1].next("notification").data["notification_id"]?.string == second)
      #expect(try readers[1].next("delivery").data["notification_id"]?.string == second)
      #expect(try readers[2].next("notification").data["client"] == "a")
      #expect(try readers[2].next("notification").data["client"] == "b")
      let path = "/v1/notifications/\(first)/events"
      #expect(try EventReader(fixture.client, path, headers: bearer("b")).status == 404)
      #expect(try EventReader(fixture.client, path, headers: bearer("s")).status == 403)
      #expect(try EventReader(fixture.client, path).status == 401)
      #expect(try EventReader(fixture.client, path, headers: bearer("root")).rest().last?.name == "end")
      #expect(
        try EventReader(fixture.client, "/v1/notifications/x/events", headers: bearer("a")).status == 404)
      #expect(try EventReader(fixture.client, "/v1/events?x=1", headers: bearer("a")).status == 422)
    }
  }

  /// The reason, since when, and when the next probe is due.
  @Test func saysWhyANotificationWaits() async throws {
    try await GatewayFixture.run { fixture in
      try setFault(fixture, ["token": "*", "status": 503, "error_code": "UNAVAILABLE"])
      let tokens = JSON.array((0..<20).map { .string("t\($0)") })
      let answer = try fixture.client.post(
        "/v1/notifications", ["template": "welcome", "to": ["tokens": tokens], "args": ["name": "A"]])
      let id = try #require(answer.json["id"]?.string)
      let reader = try EventReader(fixture.client, "/v1/notifications/\(id)/events")
      let wait = try reader.next("wait").data["wait"]
      #expect(wait?["reason"] == "outage")
      #expect(wait?["code"] == "UNAVAILABLE")
      #expect(wait?["probing"] == true)
      let since = try #require(wait?["since"]?.string)
      #expect(try #require(wait?["until"]?.string) > since)
      let all = try EventReader(fixture.client, "/v1/events")
      let queue = try all.next("queue") { $0["apps"]?["default"]?["sending"]?["wait"] != .null }
      #expect(queue.data["apps"]?["default"]?["sending"]?["wait"]?["since"]?.string == since)
    }
  }

  @Test func endsWhenTheGatewayStops() async throws {
    var reader: EventReader?
    try await GatewayFixture.run { fixture in
      let open = try EventReader(fixture.client, "/v1/events")
      _ = try open.next("queue")
      reader = open
    }
    // It ended in order, and not with the connection.
    #expect(try reader?.rest() != nil)
  }

  @Test func endsWhenAReloadTakesTheKeyAway() async throws {
    var started: GatewayConfiguration?
    try await GatewayFixture.run(adjust: {
      $0.auth.clients = [grant("a", [.read]), grant("b", [.read])]
      started = $0
    }) { fixture in
      let readers = try ["a", "b"].map { key in
        try EventReader(fixture.client, "/v1/events", headers: bearer(key))
      }
      for reader in readers { _ = try reader.next("queue") }
      var configuration = try #require(started)
      configuration.auth.clients.removeFirst()
      await fixture.gateway.reload(.success(configuration))
      #expect(try readers[0].rest().count <= 1)
      // The other one goes on: it gets a sign of life after the reload.
      #expect(try readers[1].hasMore())
    }
  }

  @Test func givesEachPermitBackOnce() throws {
    let permits = StreamPermits(countMax: 3, clientCountMax: 2)
    let first = try permits.take(for: "a")
    let second = try permits.take(for: "a")
    #expect(throws: APIError.self) { try permits.take(for: "a") }
    let third = try permits.take(for: nil)
    #expect(throws: APIError.self) { try permits.take(for: "b") }
    second.release()
    second.release()
    #expect(permits.count == 2)
    let fourth = try permits.take(for: "b")
    for permit in [first, third, fourth] { permit.release() }
    #expect(permits.count == 0)
  }

  @Test func boundsTheStreamsOfAClient() async throws {
    try await GatewayFixture.run { fixture in
      var readers: [EventReader] = []
      for _ in 0..<StreamPermits.clientCountMaxDefault {
        readers.append(try EventReader(fixture.client, "/v1/events"))
      }
      #expect(readers.allSatisfy { $0.status == 200 })
      let refused = try EventReader(fixture.client, "/v1/events")
      #expect(refused.status == 429)
      #expect(refused.head.contains("Retry-After: 5\r\n"))
      // The gateway notices that a client has left.
      readers.removeLast()
      let deadline = ContinuousClock.now + .seconds(10)
      while try EventReader(fixture.client, "/v1/events").status != 200 {
        try #require(ContinuousClock.now < deadline)
        await Task.yield()
      }
    }
  }
}
