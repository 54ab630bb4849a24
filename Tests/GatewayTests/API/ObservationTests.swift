import Foundation
import JSON
import TestSupport
import Testing

@testable import API
@testable import Gateway

/// Metrics, request ids, client rates and API keys.
@Suite(.blocking) struct ObservationTests {
  private func client(
    _ name: String, scopes: Set<APIScope> = [.send, .read], rate: RequestRate? = nil
  ) -> ClientGrant {
    .init(
      name: name, keyHash: sha256(Array("key-\(name)".utf8)), scopes: scopes, apps: nil, templates: nil,
      rate: rate)
  }

  private func bearer(_ name: String) -> [(String, String)] { [("Authorization", "Bearer key-\(name)")] }

  private func metrics(_ fixture: GatewayFixture, accept: String? = nil) throws -> HTTPTestClient.Answer {
    try fixture.client.get("/metrics", headers: accept.map { [("Accept", $0)] } ?? [])
  }

  @Test func countsRequestsAndDeliveries() async throws {
    try await GatewayFixture.run { fixture in
      let sent = try fixture.client.post(
        "/v1/notifications",
        ["template": "welcome", "to": ["token": "secret-token"], "args": ["name": "Bob"]])
      _ = try await fixture.settled(sent.json["id"]?.string ?? "")
      _ = try fixture.client.post(
        "/v1/notifications",
        [
          "template": "welcome", "to": ["token": "secret-token"], "args": ["name": "Bob"],
          "validate_only": true,
        ])
      _ = try fixture.client.post("/v1/notifications", [:])
      _ = try fixture.client.get("/nowhere/secret-path")
      _ = try fixture.client.get("/v1/notifications/secret-path/retry")
      let answer = try metrics(fixture)
      #expect(answer.header("Content-Type") == "text/plain; version=0.0.4; charset=utf-8")
      let text = String(decoding: answer.body, as: UTF8.self)
      for line in [
        #"dragoman_http_requests_total{method="POST",route="/v1/notifications",status="202"} 1"#,
        #"dragoman_http_requests_total{method="POST",route="/v1/notifications",status="422"} 1"#,
        #"dragoman_http_requests_total{method="GET",route="unmatched",status="404"} 1"#,
        #"dragoman_http_requests_total{method="GET",route="/v1/notifications/{id}/retry",status="405"} 1"#,
        #"dragoman_notifications_accepted_total{app="default",template="welcome"} 1"#,
        #"dragoman_deliveries_total{app="default",outcome="sent"} 1"#,
        #"dragoman_deliveries_total{app="default",outcome="failed"} 0"#,
        #"dragoman_catalog_reloads_total{app="default",result="failure"} 0"#,
        #"dragoman_http_requests_total{method="POST",route="/v1/notifications",status="200"} 1"#,
        #"dragoman_fcm_requests_total{app="default",status="200"} 2"#,
        #"dragoman_queue_deliveries{app="default",state="sent"} 1"#,
        #"dragoman_queue_oldest_age_seconds{app="default"} 0"#,
        #"dragoman_catalog_templates{app="default"} 5"#,
        #"dragoman_catalog_findings{app="default",severity="error"} 0"#,
        #"dragoman_breaker_open{app="default"} 0"#,
        #"dragoman_build_info{version="\#(Gateway.version)"} 1"#,
      ] {
        #expect(text.contains(line + "\n") || text.contains(line + ".0\n"), "\(line)")
      }
      #expect(text.contains("dragoman_delivery_latency_seconds_count{app=\"default\"} 1"))
      #expect(text.contains("dragoman_fcm_request_duration_seconds_count{app=\"default\"} 2"))
      #expect(!text.contains("secret"))
      let open = try metrics(fixture, accept: "application/openmetrics-text; version=1.0.0")
      #expect(open.header("Content-Type") == "application/openmetrics-text; version=1.0.0; charset=utf-8")
      #expect(String(decoding: open.body, as: UTF8.self).hasSuffix("# EOF\n"))
    }
  }

  @Test func answersIncludeTheRequestID() async throws {
    try await GatewayFixture.run { fixture in
      let given = try fixture.client.get("/healthz", headers: [("X-Request-Id", "abc-1")])
      #expect(given.header("X-Request-Id") == "abc-1")
      let made = try fixture.client.get("/nowhere")
      #expect(made.header("X-Request-Id")?.isEmpty == false)
    }
  }

  @Test func limitsTheRateOfAClient() async throws {
    let clients = [client("slow", rate: RequestRate(perSecond: 1)), client("other")]
    try await GatewayFixture.run(adjust: { $0.auth.clients = clients }) { fixture in
      var statuses: [Int] = []
      var last: HTTPTestClient.Answer?
      for _ in 0..<5 {
        let answer = try fixture.client.get("/v1/stats", headers: bearer("slow"))
        statuses.append(answer.status)
        if answer.status == 429 { last = answer }
      }
      #expect(statuses.first == 200)
      let limited = try #require(last)
      #expect(limited.json["type"] == "/problems/rate-limited")
      #expect(limited.header("Retry-After") == "1")
      #expect(limited.header("RateLimit-Policy") == "\"client\";q=1;w=1")
      #expect(limited.header("RateLimit")?.hasPrefix("\"client\";r=0;t=") == true)
      let other = try fixture.client.get("/v1/stats", headers: bearer("other"))
      #expect(other.status == 200)
      #expect(other.header("RateLimit") == nil)
    }
  }

  @Test func bucketFillsAtItsRate() {
    let start = ContinuousClock.now
    let rate = ClientRate(perSecond: 10, now: start)
    #expect((0..<10).allSatisfy { _ in rate.take(now: start).isAllowed })
    let refused = rate.take(now: start)
    #expect(!refused.isAllowed)
    #expect(refused.secondsToNext == 1)
    #expect(!rate.take(now: start + .milliseconds(99)).isAllowed)
    #expect(rate.take(now: start + .milliseconds(101)).isAllowed)
    #expect(rate.look(now: start + .seconds(60)).remaining == 10)
    // A clock that stands still or is set back adds nothing.
    let slow = ClientRate(perSecond: 0.5, now: start)
    #expect(slow.take(now: start).isAllowed)
    #expect(slow.take(now: start - .seconds(5)).secondsToNext == 2)
  }

  @Test func aBatchTakesATokenForEachNotification() {
    let start = ContinuousClock.now
    let rate = ClientRate(perSecond: 100, now: start)
    // The request has taken one already.
    #expect(rate.take(now: start).isAllowed)
    #expect(rate.take(batch: 60, now: start).isAllowed)
    #expect(rate.look(now: start).remaining == 40)
    #expect(rate.take(now: start).isAllowed)
    let refused = rate.take(batch: 60, now: start)
    #expect(!refused.isAllowed)
    #expect(rate.look(now: start).remaining == 39)
    // When the client comes back as told, its request and its batch pass.
    let later = start + .seconds(refused.secondsToNext)
    #expect(rate.take(now: later).isAllowed)
    #expect(rate.take(batch: 60, now: later).isAllowed)
  }

  @Test func aBatchBeyondTheWindowIsPaidBack() {
    let start = ContinuousClock.now
    let rate = ClientRate(perSecond: 100, now: start)
    #expect(rate.take(now: start).isAllowed)
    #expect(rate.take(batch: 1000, now: start).isAllowed)
    let debt = rate.look(now: start)
    #expect(debt.remaining == 0)
    #expect(debt.secondsToNext == 10)
    #expect(!rate.take(now: start + .seconds(9)).isAllowed)
    #expect(rate.take(now: start + .milliseconds(9_020)).isAllowed)
    // Another one has to wait until nothing is used.
    #expect(rate.take(now: start + .seconds(10)).isAllowed)
    let second = rate.take(batch: 1000, now: start + .seconds(10))
    #expect(!second.isAllowed)
    let later = start + .seconds(10 + second.secondsToNext)
    #expect(rate.take(now: later).isAllowed)
    #expect(rate.take(batch: 1000, now: later).isAllowed)
    // In all, a window's worth and what came back since.
    let slow = ClientRate(perSecond: 1, now: start)
    #expect(slow.take(now: start).isAllowed)
    #expect(slow.take(batch: 5, now: start).isAllowed)
    #expect(slow.take(now: start + .milliseconds(4_999)).isAllowed == false)
    #expect(slow.take(now: start + .seconds(5)).isAllowed)
  }

  @Test func limitsTheNotificationsOfAClient() async throws {
    let clients = [client("slow", rate: RequestRate(requests: 4, windowSeconds: 3600))]
    try await GatewayFixture.run(adjust: { $0.auth.clients = clients }) { fixture in
      let notification: JSON = ["template": "welcome", "to": ["token": "t"], "args": ["name": "A"]]
      func send(_ count: Int, key: String? = nil) throws -> HTTPTestClient.Answer {
        try fixture.client.post(
          "/v1/notifications/batch", ["notifications": .array(Array(repeating: notification, count: count))],
          headers: bearer("slow") + (key.map { [("Idempotency-Key", $0)] } ?? []))
      }
      let first = try send(2, key: "k")
      #expect(first.status == 202)
      #expect(first.header("RateLimit")?.hasPrefix("\"client\";r=2;") == true)
      // A repeat sends nothing again, and costs no more than its request.
      let repeated = try send(2, key: "k")
      #expect(repeated.status == 202)
      #expect(repeated.header("Idempotency-Replayed") == "true")
      let refused = try send(2)
      #expect(refused.status == 429)
      #expect(refused.header("Retry-After").flatMap(Int.init) ?? 0 > 1000)
      #expect(refused.header("RateLimit")?.hasPrefix("\"client\";r=0;") == true)
    }
  }

  @Test(arguments: ["42", "1e3", "null", "true", "-", "no"])
  func writesAnyNameSoThatTheGatewayReadsIt(_ name: String) throws {
    let output = try DragomanProcess.run(["keys", "new", name]).output
    let configuration = output.split(separator: "\n").dropFirst().joined(separator: "\n")
    let folder = try TemporaryFolder()
    try folder.write("\(configuration)\napps: {default: {catalog: c.yaml}}\n", to: "gateway.yaml")
    try folder.write("", to: "c.yaml")
    let read = try GatewayConfiguration.load(file: "\(folder.path)/gateway.yaml", environment: [:])
    #expect(read.auth.clients.map(\.name) == [name])
  }

  @Test func makesKeysThatTheGatewayKnows() async throws {
    let result = try DragomanProcess.run(["keys", "new", "orders", "--scope", "read", "--scope=preview"])
    #expect(result.status == 0)
    let lines = result.output.split(separator: "\n").map(String.init)
    let key = try #require(lines.first)
    #expect(key.hasPrefix("dgm_"))
    #expect(key.utf8.count == 47)
    #expect(lines.filter { $0.contains(key) }.count == 1)
    let folder = try TemporaryFolder()
    let configuration = lines.dropFirst().joined(separator: "\n")
    try folder.write("\(configuration)\napps: {default: {catalog: c.yaml}}\n", to: "gateway.yaml")
    try folder.write("", to: "c.yaml")
    let read = try GatewayConfiguration.load(file: "\(folder.path)/gateway.yaml", environment: [:])
    #expect(read.auth.clients.first?.keyHash == sha256(Array(key.utf8)))
    #expect(read.auth.clients.first?.scopes == [.read, .preview])
    let second = try DragomanProcess.run(["keys", "new", "orders"])
    #expect(!second.output.contains(key))
    for wrong in [
      ["keys"], ["keys", "new"], ["keys", "old", "x"], ["keys", "new", "a b"],
      ["keys", "new", "a", "--scope", "x"],
    ] {
      #expect(try DragomanProcess.run(wrong).status == 2)
    }
  }
}
