import Clock
import Foundation
import HTTPServer
import JSON
import Synchronization
import Telemetry
import TestSupport
import Testing

@testable import API
@testable import Gateway
@testable import Outbox

/// Retrying and cancelling all deliveries that a filter finds.
@Suite(.blocking) struct DeliverySetTests {
  private let since: JSON = "2026-01-01T00:00:00Z"

  private func put(_ rules: JSON, _ fixture: GatewayFixture) throws {
    let body: JSON = ["rules": rules]
    let set = try fixture.emulator.send(
      "PUT", "/faults", headers: [("Content-Type", "application/json")], body: body.serialized)
    #expect(set.status == 200)
  }

  private func change(
    _ verb: String, _ filter: JSON, _ fixture: GatewayFixture, dryRun: Bool = false, force: Bool? = nil,
    key: String? = nil, bearer: String? = nil
  ) throws -> HTTPTestClient.Answer {
    var body: JSON.Object = .init([("filter", filter), ("dry_run", .bool(dryRun))])
    if let force { body["force"] = .bool(force) }
    let headers =
      [("Content-Type", "application/json")] + (key.map { [("Idempotency-Key", $0)] } ?? [])
      + (bearer.map { [("Authorization", "Bearer key-\($0)")] } ?? [])
    return try fixture.client.send(
      "POST", "/v1/deliveries:\(verb)", headers: headers, body: JSON.object(body).serialized)
  }

  /// Runs `body` with a notification whose deliveries have failed: two of three may succeed later.
  private func withFailures(
    log: Log = .silent, _ body: (GatewayFixture, _ id: String) async throws -> Void
  ) async throws {
    try await GatewayFixture.run(log: log, adjust: { $0.delivery.attemptsMax = 1 }) { fixture in
      try put(
        [
          ["token": "dead-*", "error_code": "UNREGISTERED"],
          ["token": "late-*", "status": 503, "error_code": "UNAVAILABLE"],
        ], fixture)
      let posted = try fixture.client.post(
        "/v1/notifications",
        [
          "template": "welcome", "args": ["name": "secret-name"],
          "to": ["tokens": ["dead-1", "late-1", "late-2"]],
        ])
      let id = try #require(posted.json["id"]?.string)
      #expect(try await fixture.settled(id)["status"] == "failed")
      try put([], fixture)
      try await body(fixture, id)
    }
  }

  @Test func retriesAfterADryRun() async throws {
    try await withFailures { fixture, id in
      let filter: JSON = ["status": "failed", "since": since, "app": "default", "template": "welcome"]
      let found: JSON = ["matched": 3, "skipped": ["UNREGISTERED": 1], "changed": 0]
      let body: JSON = ["filter": filter]
      #expect(try fixture.client.post("/v1/deliveries:retry", body).json == found)
      #expect(try fixture.inbox().isEmpty)
      let retried = try change("retry", filter, fixture)
      #expect(retried.status == 200)
      #expect(retried.json == ["matched": 3, "skipped": ["UNREGISTERED": 1], "changed": 2])
      _ = try await fixture.settled(id)
      #expect(try fixture.inboxTokens(limit: 9).sorted() == ["late-1", "late-2"])
      let forced = try change("retry", ["code": "UNREGISTERED", "since": since], fixture, force: true)
      #expect(forced.json == ["matched": 1, "skipped": [:], "changed": 1])
      #expect(try await fixture.settled(id)["status"] == "sent")
    }
  }

  @Test func cancelsWhatWaits() async throws {
    try await GatewayFixture.run { fixture in
      let due = Date(timeIntervalSinceNow: 3_600).ISO8601Format()
      let posted = try fixture.client.post(
        "/v1/notifications",
        [
          "template": "welcome", "args": ["name": "A"], "to": ["tokens": ["a", "b"]], "send_at": .string(due),
        ])
      let id = try #require(posted.json["id"]?.string)
      let cancelled = try change("cancel", ["status": "scheduled", "since": since], fixture)
      #expect(cancelled.json == ["matched": 2, "skipped": [:], "changed": 2])
      #expect(try await fixture.settled(id)["status"] == "cancelled")
    }
  }

  @Test func reportsEveryMistakeAtItsPlace() async throws {
    try await GatewayFixture.run { fixture in
      func mistakes(_ verb: String, _ body: JSON) throws -> [String] {
        let answer = try fixture.client.post("/v1/deliveries:\(verb)", body)
        #expect(answer.status == 422)
        return (answer.json["errors"]?.array ?? []).map {
          "\($0["pointer"]?.string ?? "") \($0["code"]?.string ?? "")"
        }
      }
      #expect(try mistakes("retry", [:]) == ["/filter missing"])
      #expect(try mistakes("retry", ["filter": [:]]) == ["/filter/status missing", "/filter/since missing"])
      #expect(
        try mistakes("retry", ["filter": ["status": 1, "since": since], "dry_run": "no", "sure": true])
          == ["/dry_run wrong_type", "/sure unknown", "/filter/status wrong_type"])
      #expect(
        try mistakes("cancel", ["filter": ["code": "a-b", "since": "today", "until": "1", "token": "t"]])
          == [
            "/filter/code invalid", "/filter/since invalid", "/filter/until invalid", "/filter/token unknown",
          ])
      for (verb, status) in [
        ("retry", "queued"), ("retry", "sent"), ("cancel", "failed"), ("cancel", "nope"),
      ] {
        #expect(
          try mistakes(verb, ["filter": ["status": .string(status), "since": since]])
            == ["/filter/status invalid"], "\(verb) \(status)")
      }
      let key = try fixture.client.post(
        "/v1/deliveries:retry", ["filter": ["status": "failed", "since": since]],
        headers: [("Idempotency-Key", "two words")])
      #expect(key.status == 422, "a dry run reads the key, too")
      // Nothing changed in no time.
      let empty = try fixture.client.post(
        "/v1/deliveries:retry", ["filter": ["status": "failed", "since": since, "until": since]])
      #expect(empty.status == 200 && empty.json["matched"] == 0)
      let unknown = try fixture.client.post(
        "/v1/deliveries:retry", ["filter": ["app": "nope", "status": "failed", "since": "x"]])
      #expect(unknown.json["type"] == "/problems/unknown-app")
      #expect(
        unknown.json["errors"]?.array?.map { $0["pointer"] } == ["/filter/since", "/filter/app"])
    }
  }

  @Test func repeatsItsAnswerForTheSameKey() async throws {
    try await withFailures { fixture, id in
      let filter: JSON = ["status": "failed", "since": since]
      #expect(try change("retry", filter, fixture, dryRun: true, key: "k").json["changed"] == 0)
      let first = try change("retry", filter, fixture, key: "k")
      #expect(first.json["changed"] == 2)
      #expect(first.header("Idempotency-Replayed") == nil)
      _ = try await fixture.settled(id)
      let repeated = try change("retry", filter, fixture, key: "k")
      #expect(repeated.status == 200)
      #expect(repeated.body == first.body)
      #expect(repeated.header("Idempotency-Replayed") == "true")
      let other = try change("retry", ["status": "expired", "since": since], fixture, key: "k")
      #expect(other.json["type"] == "/problems/idempotency-mismatch")
    }
  }

  @Test func goesOnWhereAnEarlierCallStopped() throws {
    var step = DeliverySetStep()
    (step.matched, step.skipped, step.changed, step.next) = (5, ["UNREGISTERED": 2], 3, 4_096)
    let begun = Timestamp(milliseconds: 1_800_000_000_000)
    let totals = DeliverySetTotals(until: begun) + step
    let response = totals.response
    #expect(response.status == 102)
    let kept = StoredAnswer(status: response.status, headers: [], body: response.body)
    #expect(DeliverySetTotals(kept) == totals)
    step.next = nil
    let whole = (totals + step).response
    #expect(whole.status == 200)
    #expect(
      try JSON.parse(whole.body) == ["matched": 10, "skipped": ["UNREGISTERED": 4], "changed": 6])
    #expect(DeliverySetTotals(StoredAnswer(status: 200, headers: [], body: whole.body)) == nil)
  }

  @Test func aClientChangesOnlyItsOwn() async throws {
    let clients = [("a", Set<APIScope>([.send])), ("b", [.send]), ("reader", [.read]), ("root", [.admin])].map
    {
      ClientGrant(
        name: $0, keyHash: sha256(Array("key-\($0)".utf8)), scopes: $1, apps: nil, templates: nil)
    }
    try await GatewayFixture.run(adjust: { $0.auth.clients = clients }) { fixture in
      let due = Date(timeIntervalSinceNow: 3_600).ISO8601Format()
      let posted = try fixture.client.post(
        "/v1/notifications",
        ["template": "welcome", "args": ["name": "A"], "to": ["token": "t"], "send_at": .string(due)],
        headers: [("Authorization", "Bearer key-a")])
      #expect(posted.status == 202)
      let none: JSON = ["matched": 0, "skipped": [:], "changed": 0]
      let all: JSON = ["status": "scheduled", "since": since]
      let ofA: JSON = ["status": "scheduled", "since": since, "client": "a"]
      for filter in [all, ofA] {
        #expect(try change("cancel", filter, fixture, bearer: "b").json == none)
        #expect(try change("cancel", filter, fixture, dryRun: true, bearer: "root").json["matched"] == 1)
      }
      #expect(try change("cancel", all, fixture, bearer: "reader").status == 403)
      #expect(try change("cancel", ofA, fixture, bearer: "a").json["changed"] == 1)
      #expect(try change("cancel", all, fixture, bearer: "root").json == none)
    }
  }

  @Test func logsWhoChangedHowMany() async throws {
    let lines = Mutex<[String]>([])
    let log = Log(sink: { bytes in
      lines.withLock { $0 += String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init) }
    })
    try await withFailures(log: log) { fixture, _ in
      _ = try change(
        "retry", ["status": "failed", "since": since, "template": "welcome"], fixture, dryRun: true)
      _ = try change("retry", ["status": "failed", "since": since, "template": "welcome"], fixture)
      _ = try change("retry", ["status": "failed", "since": since, "template": "a-token"], fixture)
    }
    log.flush()
    let audits = try lines.withLock { $0 }.filter { $0.contains("deliveries changed") }
      .map { try JSON.parse(Array($0.utf8)) }
    #expect(audits.count == 2)
    #expect(audits.first?["verb"] == "retry")
    #expect(audits.first?["of_template"] == "welcome")
    #expect(audits.first?["matched"] == 3)
    #expect(audits.first?["changed"] == 2)
    #expect(audits.first?["skipped"] == 1)
    #expect(audits.first?["request_id"]?.string?.isEmpty == false)
    // A name that nothing has may be anything.
    #expect(audits.last?["of_template"] == "")
    #expect(!lines.withLock { $0 }.contains { $0.contains("late-1") || $0.contains("secret-name") })
  }
}
