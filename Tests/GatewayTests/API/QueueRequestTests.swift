import Foundation
import JSON
import TestSupport
import Testing

@testable import API
@testable import Gateway

/// Lists, cancelling, retrying, feedback and stats.
@Suite(.blocking) struct QueueRequestTests {
  private let json = [("Content-Type", "application/json")]

  private func send(
    _ fixture: GatewayFixture, token: String = "t", template: String = "welcome",
    extra: [(String, JSON)] = [],
    headers: [(String, String)] = []
  ) throws -> String {
    var body = JSON.Object([
      ("template", .string(template)), ("to", ["token": .string(token)]), ("args", ["name": "A"]),
    ])
    for (key, value) in extra { body.members.append((key, value)) }
    let answer = try fixture.client.send(
      "POST", "/v1/notifications", headers: [("Content-Type", "application/json")] + headers,
      body: JSON.object(body).serialized)
    #expect(answer.status == 202)
    return answer.json["id"]?.string ?? ""
  }

  private func fault(_ fixture: GatewayFixture, token: String, status: Int, code: String) throws {
    let rules: JSON = [
      "rules": [["token": .string(token), "status": JSON(status), "error_code": .string(code)]]
    ]
    let answer = try fixture.emulator.send(
      "PUT", "/faults", headers: [("Content-Type", "application/json")], body: rules.serialized)
    #expect(answer.status == 200)
  }

  private var inAnHour: (String, JSON) {
    ("send_at", .string(Date.now.addingTimeInterval(3600).ISO8601Format()))
  }

  private func client(
    _ name: String, scopes: Set<APIScope>, apps: [String]? = nil
  )
    -> ClientGrant
  {
    .init(
      name: name, keyHash: sha256(Array("key-\(name)".utf8)), scopes: scopes, apps: apps, templates: nil,
      rate: nil)
  }

  private func bearer(_ name: String) -> [(String, String)] { [("Authorization", "Bearer key-\(name)")] }

  @Test func listsNewestFirstInPages() async throws {
    try await GatewayFixture.run { fixture in
      var ids: [String] = []
      for index in 0..<5 { ids.insert(try send(fixture, token: "t\(index)"), at: 0) }
      for id in ids { _ = try await fixture.settled(id) }
      var found: [String] = []
      var cursor = ""
      repeat {
        let page = try fixture.client.get("/v1/notifications?limit=2&cursor=\(cursor)").json
        found += (page["notifications"]?.array ?? []).compactMap { $0["id"]?.string }
        cursor = page["next_cursor"]?.string ?? ""
      } while !cursor.isEmpty
      #expect(found == ids)
      let sent = try fixture.client.get("/v1/notifications?status=sent&template=welcome&app=default").json
      #expect(sent["notifications"]?.array?.count == 5)
      #expect(sent["next_cursor"] == .null)
      let one = try fixture.client.get("/v1/notifications?token=t3&since=2001-01-01T00:00:00Z").json
      #expect(one["notifications"]?.array?.compactMap { $0["id"]?.string } == [ids[1]])
      for query in ["token=t9", "topic=t3", "code=UNREGISTERED", "until=2001-01-01T00:00:00Z"] {
        let empty = try fixture.client.get("/v1/notifications?\(query)").json
        #expect(empty == ["notifications": [], "next_cursor": .null], "\(query)")
      }
      let counted = try fixture.client.get("/v1/notifications?status=sent&limit=2&count=true").json
      #expect(counted["notifications"]?.array?.count == 2)
      #expect(counted["total"] == 5)
      #expect(counted["total_complete"] == true)
      let uncounted = try fixture.client.get("/v1/notifications?code=NETWORK&count=true").json
      #expect(uncounted["total"] == 0)
      let none = try fixture.client.get("/v1/notifications?status=failed").json
      #expect(none["notifications"] == [])
      for query in [
        "limit=0", "limit=x", "limit=1001", "topic=b&token=a", "code=a-b", "since=today", "until=1",
        "status=nope", "cursor=!", "colour=red", "count=1",
        "app=default&app=default",
      ] {
        let answer = try fixture.client.get("/v1/notifications?\(query)")
        #expect(answer.status == 422, "\(query)")
        #expect(answer.json["errors"]?[0]?["pointer"]?.string == "/\(query.prefix { $0 != "=" })")
      }
      let query = "app=nope&limit=0&foo=1"
      let unknown = try fixture.client.get("/v1/notifications?\(query)").json
      #expect(unknown["type"] == "/problems/unknown-app")
      #expect(
        unknown["errors"]?.array?.compactMap { $0["pointer"]?.string } == ["/limit", "/foo", "/app"])
      let stats = try fixture.client.get("/v1/stats?foo=1").json
      #expect(stats["errors"]?[0]?["detail"] == "This request takes no parameters.")
    }
  }

  @Test func cancelsUnsentDeliveries() async throws {
    try await GatewayFixture.run { fixture in
      let id = try send(fixture, extra: [inAnHour])
      let cancelled = try fixture.client.send("DELETE", "/v1/notifications/\(id)")
      #expect(cancelled.status == 200)
      #expect(cancelled.json["status"] == "cancelled")
      let again = try fixture.client.send("DELETE", "/v1/notifications/\(id)")
      #expect(again.status == 409)
      #expect(again.json["type"] == "/problems/already-final")
      let unknown = "01a1fdf9-5c1b-7c4e-9d0a-3f6b2a71c85e"
      for path in [unknown, "nope"] {
        #expect(try fixture.client.send("DELETE", "/v1/notifications/\(path)").status == 404)
        #expect(
          try fixture.client.send("POST", "/v1/notifications/\(path)/retry", headers: json).status == 404)
      }
    }
  }

  @Test func retriesDeadLetters() async throws {
    try await GatewayFixture.run { fixture in
      try fault(fixture, token: "dead", status: 400, code: "INVALID_ARGUMENT")
      let id = try send(fixture, token: "dead")
      #expect(try await fixture.settled(id)["status"] == "failed")
      _ = try fixture.emulator.send(
        "PUT", "/faults", headers: [("Content-Type", "application/json")], body: Array(#"{"rules":[]}"#.utf8))
      let retried = try fixture.client.send("POST", "/v1/notifications/\(id)/retry", headers: json)
      #expect(retried.status == 202)
      #expect(retried.json["deliveries"]?[0]?["attempts"] == 0)
      #expect(try await fixture.settled(id)["status"] == "sent")
      let nothing = try fixture.client.send("POST", "/v1/notifications/\(id)/retry", headers: json)
      #expect(nothing.status == 409)
      #expect(nothing.json["type"] == "/problems/nothing-to-retry")
    }
  }

  @Test func listsDeadRegistrationsInOrder() async throws {
    try await GatewayFixture.run { fixture in
      try fault(fixture, token: "dead*", status: 404, code: "UNREGISTERED")
      #expect(try fixture.client.get("/v1/feedback").json == ["events": [], "next": .null])
      var ids: [String] = []
      for index in 0..<3 {
        let id = try send(fixture, token: "dead\(index)")
        _ = try await fixture.settled(id)
        ids.append(id)
      }
      let first = try fixture.client.get("/v1/feedback?limit=2").json
      let events = first["events"]?.array ?? []
      #expect(events.compactMap { $0["token"]?.string } == ["dead0", "dead1"])
      #expect(events.compactMap { $0["notification_id"]?.string } == Array(ids.prefix(2)))
      #expect(events.allSatisfy { $0["type"] == "registration.dead" && $0["code"] == "UNREGISTERED" })
      let next = first["next"]?.string ?? ""
      let second = try fixture.client.get("/v1/feedback?after=\(next)").json
      #expect((second["events"]?.array ?? []).compactMap { $0["token"]?.string } == ["dead2"])
      let last = second["next"]?.string ?? ""
      let empty = try fixture.client.get("/v1/feedback?after=\(last)").json
      #expect(empty == ["events": [], "next": .string(last)])
      for query in ["after=x", "after=-1", "after=%2B1", "limit=0"] {
        #expect(try fixture.client.get("/v1/feedback?\(query)").status == 422, "\(query)")
      }
    }
  }

  @Test func countsStoredDeliveries() async throws {
    try await GatewayFixture.run { fixture in
      let sent = try send(fixture)
      _ = try await fixture.settled(sent)
      _ = try send(fixture, extra: [inAnHour])
      let stats = try fixture.client.get("/v1/stats").json
      let expected: JSON = [
        "scheduled": 1, "queued": 0, "sending": 0, "sent": 1, "failed": 0, "expired": 0, "cancelled": 0,
      ]
      #expect(stats["deliveries"] == expected)
      #expect(stats["apps"]?["default"]?["deliveries"] == expected)
      #expect(stats["oldest_queued_seconds"] == 0)
    }
  }

  @Test func showsAClientOnlyItsOwn() async throws {
    let clients = [
      client("a", scopes: [.send, .read]), client("b", scopes: [.send, .read]),
      client("boss", scopes: [.admin]),
      client("elsewhere", scopes: [.admin], apps: ["other"]),
    ]
    try await GatewayFixture.run(adjust: { $0.auth.clients = clients }) { fixture in
      let id = try send(fixture, extra: [inAnHour], headers: bearer("a"))
      for name in ["b", "elsewhere"] {
        #expect(
          try fixture.client.send("DELETE", "/v1/notifications/\(id)", headers: bearer(name)).status == 404)
        #expect(
          try fixture.client.send("POST", "/v1/notifications/\(id)/retry", headers: bearer(name)).status
            == 404)
        let list = try fixture.client.get("/v1/notifications", headers: bearer(name)).json
        #expect(list["notifications"] == [])
      }
      for name in ["a", "boss"] {
        let list = try fixture.client.get("/v1/notifications", headers: bearer(name)).json
        #expect(list["notifications"]?[0]?["id"] == .string(id))
      }
      func found(_ query: String, by name: String) throws -> Int? {
        try fixture.client.get("/v1/notifications?\(query)", headers: bearer(name)).json["notifications"]?
          .array?
          .count
      }
      #expect(try found("client=a", by: "boss") == 1)
      #expect(try found("client=b", by: "boss") == 0)
      #expect(try found("client=a", by: "a") == 1)
      #expect(try found("client=a", by: "b") == 0)
      let stats = try fixture.client.get("/v1/stats", headers: bearer("elsewhere")).json
      #expect(stats["apps"] == [:])
      #expect(
        try fixture.client.send("DELETE", "/v1/notifications/\(id)", headers: bearer("boss")).status == 200)
    }
  }

  @Test func oneOfSeveralClientsCannotFillTheQueue() async throws {
    let clients = [client("a", scopes: [.send]), client("b", scopes: [.send])]
    try await GatewayFixture.run(adjust: {
      $0.auth.clients = clients
      $0.queue.depthMax = 10
      $0.queue.clientSharePercent = 30
    }) { fixture in
      func later(_ name: String) throws -> HTTPTestClient.Answer {
        let body = JSON.Object([
          ("template", "welcome"), ("to", ["token": "t"]), ("args", ["name": "A"]), inAnHour,
        ])
        return try fixture.client.post("/v1/notifications", .object(body), headers: bearer(name))
      }
      for _ in 0..<3 { #expect(try later("a").status == 202) }
      let refused = try later("a")
      #expect(refused.status == 503)
      #expect(refused.json["type"] == "/problems/queue-full")
      #expect(refused.json["detail"]?.string?.contains("this client") == true)
      let tokens: JSON = .array((0..<4).map { .string("t\($0)") })
      let never = try fixture.client.post(
        "/v1/notifications", ["template": "welcome", "to": ["tokens": tokens], "args": ["name": "A"]],
        headers: bearer("b"))
      #expect(never.status == 503)
      #expect(never.json["type"] == "/problems/queue-full")
      #expect(never.json["detail"]?.string?.contains("no more than 3 may") == true)
      for _ in 0..<3 { #expect(try later("b").status == 202) }
      #expect(try later("b").status == 503)
    }
  }

  @Test func theOnlyClientHasTheWholeQueue() {
    var queue = GatewayConfiguration.Queue()
    queue.depthMax = 1001
    #expect(queue.clientDepthMax(clientCount: 0) == 1001)
    #expect(queue.clientDepthMax(clientCount: 1) == 1001)
    #expect(queue.clientDepthMax(clientCount: 2) == 500)
    queue.clientSharePercent = 1
    queue.depthMax = 5
    #expect(queue.clientDepthMax(clientCount: 2) == 1)
    queue.clientSharePercent = 100
    queue.depthMax = 1_000_000_000
    #expect(queue.clientDepthMax(clientCount: 9) == 1_000_000_000)
  }
}
