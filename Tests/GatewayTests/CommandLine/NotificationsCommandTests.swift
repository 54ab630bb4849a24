import Foundation
import Gateway
import JSON
import TestSupport
import Testing

@testable import API
@testable import dragoman

/// `dragoman send` and `dragoman notifications` against a running gateway.
@Suite(.blocking) struct NotificationsCommandTests {
  private func url(_ fixture: GatewayFixture) -> String { "http://127.0.0.1:\(fixture.client.port)" }

  private func grant(_ name: String, _ scopes: Set<APIScope>) -> ClientGrant {
    ClientGrant(name: name, keyHash: sha256(Array("key-\(name)".utf8)), scopes: scopes)
  }

  private func send(_ fixture: GatewayFixture, _ arguments: String...) throws -> DragomanProcess.Result {
    try DragomanProcess.run(
      ["send", "welcome", "--args", #"{"name": "A"}"#, "--url", url(fixture)] + arguments)
  }

  @Test func followsANotificationAndSaysWhyItFailed() async throws {
    try await GatewayFixture.run { fixture in
      let faults: JSON = ["rules": [["token": "dead", "status": 404, "error_code": "UNREGISTERED"]]]
      _ = try fixture.emulator.send(
        "PUT", "/faults", headers: [("Content-Type", "application/json")], body: faults.serialized)
      let sent = try send(fixture, "--token", "good", "--wait")
      #expect(sent.status == 0, "\(sent.errors)")
      let lines = sent.output.split(separator: "\n").map(String.init)
      let id = try #require(lines.first)
      #expect(try fixture.client.get("/v1/notifications/\(id)").json["status"] == "sent")
      #expect(lines.last?.hasPrefix("sent as projects/p/messages/") == true, "\(lines)")
      let failed = try send(fixture, "--token", "good", "--token", "dead", "--wait")
      #expect(failed.status == 1)
      #expect(failed.output.contains("dead: failed (UNREGISTERED)"), "\(failed.output)")
      #expect(failed.output.contains("good: sent as "))
    }
  }

  /// The first attempt may have ended before anybody follows.
  @Test func tellsOfTheAttemptBeforeTheFirstEvent() throws {
    func event(_ name: String, _ data: JSON) -> ServerSentEvent {
      ServerSentEvent(id: "1", name: name, data: String(decoding: data.serialized, as: UTF8.self))
    }
    let error: JSON = ["code": "UNAVAILABLE", "http_status": 503, "message": "busy"]
    let queued: JSON = [
      "id": "d", "target": ["token": "t"], "status": "queued", "attempts": 1, "error": error,
      "next_attempt_at": "2026-11-23T00:08:07.000Z",
    ]
    var lines = FollowedLines()
    #expect(
      lines.lines(of: event("notification", ["deliveries": [queued]])) == [
        "attempt 1 failed: UNAVAILABLE 503, busy", "queued, next attempt at 00:08:07 UTC",
      ])
    // The same again, after the connection was lost.
    #expect(
      lines.lines(of: event("notification", ["deliveries": [queued]])) == [
        "queued, next attempt at 00:08:07 UTC"
      ])
    let second: JSON = ["delivery_id": "d", "attempt": 2, "outcome": "sent", "duration_ms": 3]
    #expect(lines.lines(of: event("attempt", second)) == ["attempt 2 sent after 3 ms"])
    let failed: JSON = [
      "delivery_id": "d", "attempt": 2, "outcome": "failed", "duration_ms": 3, "error": error,
    ]
    #expect(
      lines.lines(of: event("attempt", failed)) == ["attempt 2 failed after 3 ms: UNAVAILABLE 503, busy"])
    let sending: JSON = ["id": "d", "status": "sending", "attempts": 1, "error": error]
    #expect(lines.lines(of: event("delivery", ["delivery": sending])) == [])
    let third: JSON = ["id": "d", "status": "sending", "attempts": 2]
    #expect(lines.lines(of: event("delivery", ["delivery": third])) == ["sending"])
  }

  @Test func saysThatANewerMessageReplacedOne() {
    for (code, line) in [("SUPERSEDED", "cancelled (SUPERSEDED)"), ("UNAVAILABLE", "cancelled")] {
      let delivery: JSON = [
        "id": "d", "status": "cancelled", "attempts": 1, "error": ["code": .string(code)],
      ]
      let data = JSON.object(JSON.Object([("delivery", delivery)])).serialized
      var lines = FollowedLines()
      let event = ServerSentEvent(id: "1", name: "delivery", data: String(decoding: data, as: UTF8.self))
      #expect(lines.lines(of: event) == [line])
    }
  }

  /// The first failure may come hours after the stream began.
  @Test func givesAGatewayThatIsAwayAMinuteFromItsFirstFailure() {
    let begin = ContinuousClock.now
    var absence = GatewayAbsence()
    let first = [7_200, 7_259, 7_260].map { absence.shouldRetry(afterFailureAt: begin + .seconds($0)) }
    #expect(first == [true, true, false])
    absence.end()
    let second = absence.shouldRetry(afterFailureAt: begin + .seconds(7_261))
    #expect(second)
  }

  @Test func leavesAKeyWithoutReadWithTheID() async throws {
    try await GatewayFixture.run(adjust: { $0.auth.clients = [grant("s", [.send])] }) { fixture in
      let sent = try send(fixture, "--token", "t", "--key", "key-s", "--wait")
      #expect(sent.status == 0)
      let id = sent.output.trimmingCharacters(in: .newlines)
      #expect(UUID(uuidString: id) != nil)
      #expect(sent.errors == "dragoman send: accepted as \(id); following it needs the scope read\n")
    }
  }

  @Test func saysHowToPassAKey() async throws {
    try await GatewayFixture.run(adjust: { $0.auth.clients = [grant("s", [.send])] }) { fixture in
      let advice = "Pass the API key with --key or in DRAGOMAN_KEY."
      for arguments in [["send", "welcome", "--token", "t"], ["notifications", "list"]] {
        let refused = try DragomanProcess.run(arguments + ["--url", url(fixture)])
        #expect(refused.status == 1)
        #expect(refused.errors.contains("no Authorization header. \(advice)\n"), "\(refused.errors)")
      }
      let unknown = try send(fixture, "--token", "t", "--key", "key-x")
      #expect(unknown.errors.contains("status 401"))
      #expect(!unknown.errors.contains(advice), "\(unknown.errors)")
    }
  }

  @Test func sendsOnlyTheKey() async throws {
    try await GatewayFixture.run(adjust: { $0.auth.clients = [grant("s", [.send])] }) { fixture in
      let arguments = ["send", "welcome", "--args", #"{"name": "A"}"#, "--token", "t", "--url", url(fixture)]
      // As a file has it.
      for key in ["key-s\n", "key-s\r\n"] {
        let sent = try DragomanProcess.run(arguments, environment: ["DRAGOMAN_KEY": key])
        #expect(sent.status == 0, "\(sent.errors)")
      }
      for key in ["key-s\r\nX-Evil: 1", "key-s\n\n", "\u{1B}key-s"] {
        let refused = [
          "--key": try DragomanProcess.run(arguments + ["--key", key]),
          "DRAGOMAN_KEY": try DragomanProcess.run(arguments, environment: ["DRAGOMAN_KEY": key]),
        ]
        for (source, result) in refused {
          #expect(result.status == 2)
          #expect(result.errors.contains("dragoman send: \(source): the key contains a control character"))
          #expect(!result.errors.contains("key-s"))
        }
      }
    }
  }

  @Test func leavesAnInterruptedCommandWithTheID() async throws {
    try await GatewayFixture.run { fixture in
      let faults: JSON = ["rules": [["token": "slow", "latency": "60s"]]]
      _ = try fixture.emulator.send(
        "PUT", "/faults", headers: [("Content-Type", "application/json")], body: faults.serialized)
      let process = try DragomanProcess([
        "send", "welcome", "--args", #"{"name": "A"}"#, "--url", url(fixture), "--token", "slow", "--wait",
      ])
      let id = try process.line(startingWithOneOf: [""])
      // Its first state shows that it follows.
      try process.line(startingWithOneOf: ["queued", "sending"])
      #expect(process.terminate() == 130)
      let stored = try fixture.client.get("/v1/notifications/\(id)").json
      #expect(stored["status"]?.string != nil)
    }
  }

  /// A page of them is larger than what the client reads at once.
  @Test func listsNotificationsWithManyTargets() async throws {
    try await GatewayFixture.run { fixture in
      let filler = String(repeating: "x", count: 300)
      let request: JSON = [
        "template": "welcome", "args": ["name": "A"],
        "to": ["tokens": .array((0..<1_000).map { .string("\($0)-\(filler)") })],
        "send_at": .string(Date.now.addingTimeInterval(3_600).formatted(.iso8601)),
      ]
      let count = GatewayClient.answerBytesMax / 420_000
      for _ in 0..<count { #expect(try fixture.client.post("/v1/notifications", request).status == 202) }
      #expect(try fixture.client.get("/v1/notifications").text.utf8.count > GatewayClient.answerBytesMax)
      let list = try DragomanProcess.run(["notifications", "list", "--url", url(fixture)])
      #expect(list.status == 0, "\(list.errors)")
      #expect(list.output.split(separator: "\n").count == 1 + count)
      #expect(list.errors.isEmpty)
    }
  }

  /// Another server at the address, such as that of an intranet's start page.
  @Test func takesNoOtherServerForAGateway() throws {
    for (status, body) in [(200, "<html>"), (200, "{}"), (202, "null"), (302, "")] {
      let other = try StandIn { _ in .respond(status, [:], body) }
      defer { other.stop() }
      for arguments in [
        ["notifications", "list"], ["notifications", "show", "a"],
        ["send", "welcome", "--token", "t", "--args", "{}"],
      ] {
        let result = try DragomanProcess.run(arguments + ["--url", other.url])
        #expect(result.status == 1)
        #expect(result.output == "")
        #expect(
          result.errors.contains("status \(status), but not a gateway's answer; check that --url names"),
          "\(result.errors)")
      }
    }
  }

  @Test func showsTheControlCharactersOfARefusal() throws {
    let problem = #"{"title": "T\u001b[31m", "errors": [{"pointer": "/a\u001b", "detail": "\u202e"}]}"#
    let other = try StandIn { _ in .respond(422, [:], problem) }
    defer { other.stop() }
    let refused = try DragomanProcess.run(["notifications", "list", "--url", other.url])
    #expect(refused.errors == "dragoman notifications: status 422: T␛[31m\n  /a␛: \\u{202E}\n")
  }

  @Test func listsShowsCancelsAndRetries() async throws {
    try await GatewayFixture.run { fixture in
      let faults: JSON = ["rules": [["token": "dead", "status": 404, "error_code": "UNREGISTERED"]]]
      _ = try fixture.emulator.send(
        "PUT", "/faults", headers: [("Content-Type", "application/json")], body: faults.serialized)
      let dead = try send(fixture, "--token", "dead", "--wait").output.split(separator: "\n").first.map(
        String.init)
      let id = try #require(dead)
      _ = try send(fixture, "--topic", "news", "--wait")
      func run(_ arguments: String...) throws -> DragomanProcess.Result {
        try DragomanProcess.run(["notifications"] + arguments + ["--url", url(fixture)])
      }
      let failed = try run("list", "--code", "UNREGISTERED", "--token=dead", "--status", "failed")
      #expect(failed.status == 0, "\(failed.errors)")
      let table = failed.output.split(separator: "\n")
      #expect(table.count == 2)
      #expect(table.last?.hasPrefix(id) == true)
      #expect(table.last?.hasSuffix("dead    UNREGISTERED") == true, "\(failed.output)")
      let all = try JSON.parse(try run("list", "--format", "json", "--limit", "1000").output)
      #expect(all.array?.count == 2)
      #expect(
        try run("list", "--until", "2001-01-01T00:00:00Z").output
          == "ID  CREATED  STATUS  APP  TEMPLATE  CLIENT  TARGET  ERROR\n")
      #expect(try run("show", id).output.contains("status: failed\n"))
      #expect(try run("retry", id).status == 0)
      _ = try await fixture.settled(id)
      let cancelled = try run("cancel", id)
      #expect(cancelled.status == 1)
      #expect(cancelled.errors.contains("status 409"))
      #expect(try run("show", "nope").status == 1)
      #expect(try run("list", "--since", "yesterday").errors.contains("RFC 3339"))
      #expect(try run("shwo", id).errors.contains("did you mean show?"))
      for wrong in [["list", id], ["show"], [], ["show", id, "--token", "t"], ["list", "--limit", "0"]] {
        #expect(try DragomanProcess.run(["notifications"] + wrong).status == 2, "\(wrong)")
      }
    }
  }

  @Test func readsEventsInPieces() throws {
    let text = "retry: 1\n\nid: 1\nevent: a\ndata: {\"x\":1}\r\n\r\n:\n\ndata: one\ndata:two\n\nid: 3\n\n"
    let wanted = [
      ServerSentEvent(id: "1", name: "a", data: #"{"x":1}"#),
      ServerSentEvent(id: "1", name: "message", data: "one\ntwo"),
    ]
    for size in 1...text.utf8.count {
      var parser = ServerSentEventParser()
      var found: [ServerSentEvent] = []
      let bytes = Array(text.utf8)
      for start in stride(from: 0, to: bytes.count, by: size) {
        let events = parser.take(bytes[start..<min(bytes.count, start + size)])
        found += try #require(events)
      }
      #expect(found == wanted, "\(size)")
    }
    var parser = ServerSentEventParser()
    #expect(parser.take([UInt8](repeating: 0x61, count: ServerSentEventParser.eventBytesMax + 1)) == nil)
  }
}
