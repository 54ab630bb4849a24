import Foundation
import HTTPServer
import JSON
import Telemetry
import TestSupport
import Testing

@testable import Gateway

/// The emulator's inbox and faults at the gateway's own address in `dragoman dev`.
@Suite(.blocking, .timeLimit(.minutes(1))) struct DevelopmentInboxTests {
  /// Runs `body` with clients of a development gateway and of its emulator, on the example app.
  private func run(_ body: (HTTPTestClient, HTTPTestClient) throws -> Void) async throws {
    var settings = DevelopmentGateway.Settings()
    settings.listen = .tcp(host: "127.0.0.1", port: 0)
    settings.emulatorListen = .tcp(host: "127.0.0.1", port: 0)
    let development = try await DevelopmentGateway(settings: settings, log: .silent)
    let result = Result {
      try body(client(of: development.gateway.address), client(of: development.emulatorAddress))
    }
    await development.shutDown()
    try result.get()
  }

  private func client(of address: HTTPListenAddress) throws -> HTTPTestClient {
    guard case .tcp(_, let port) = address else { throw CancellationError() }
    return HTTPTestClient(port: port)
  }

  private func send(_ message: JSON, to emulator: HTTPTestClient) throws {
    let body: JSON = ["message": message]
    let answer = try emulator.send(
      "POST", "/v1/projects/p/messages:send", headers: [("Authorization", "Bearer owner")],
      body: body.serialized)
    #expect(answer.status == 200, "\(answer.text)")
  }

  @Test func showsWhatPhonesShowOfEachMessage() async throws {
    try await run { gateway, emulator in
      #expect(try gateway.get("/readyz").json["emulator"]?.string == "http://127.0.0.1:\(emulator.port)")
      let keys: JSON = ["titleLocKey": "welcome_title", "titleLocArgs": ["Ada"]]
      try send(["token": "a", "android": ["notification": keys]], to: emulator)
      let literal: JSON = ["title": "Plain", "body": "text"]
      try send(["topic": "news", "notification": literal], to: emulator)
      try send(["token": "a", "data": ["only": "data"]], to: emulator)
      let answer = try gateway.get("/dev/inbox?locale=de&locale=he").json
      #expect(answer["count"] == 3)
      #expect(answer["locales"]?.array?.contains("pt-BR") == true)
      let messages = try #require(answer["messages"]?.array)
      func shown(_ index: Int) -> [[String?]] {
        (messages[index]["previews"]?.array ?? []).map { preview in
          [
            preview["platform"]?.string, preview["locale"]?.string, preview["title"]?["text"]?.string,
            preview["rendered_by"]?.string,
          ]
        }
      }
      #expect(shown(0).isEmpty, "a data message shows nothing")
      #expect(
        shown(1) == [
          ["android", "de", "Plain", "gateway"], ["android", "he", "Plain", "gateway"],
          ["ios", "de", "Plain", "gateway"], ["ios", "he", "Plain", "gateway"],
        ])
      #expect(
        shown(2) == [
          ["android", "de", "Willkommen, Ada!", "device"], ["android", "he", "ברוכים הבאים, Ada!", "device"],
        ])
      let last = try #require(messages[1]["name"]?.string)
      let later = try gateway.get("/dev/inbox?after=\(last)&limit=5").json
      #expect(later["messages"]?.array?.map { $0["name"] } == [messages[0]["name"]])
      #expect(try gateway.get("/dev/inbox?limit=1").json["messages"]?.array?.count == 1)
      for query in ["limit=0", "limit=101", "locale=%2F", "nothing=1", "%zz", tooMany("locale=de")] {
        #expect(try gateway.get("/dev/inbox?\(query)").status == 400, "\(query)")
      }
      #expect(try gateway.send("DELETE", "/dev/inbox").status == 200)
      #expect(try gateway.get("/dev/inbox").json["count"] == 0)
    }
  }

  private func tooMany(_ item: String) -> String {
    Array(repeating: item, count: EmulatorRoutes.localesMax + 1).joined(separator: "&")
  }

  @Test func setsFaultsAndCounts() async throws {
    try await run { gateway, emulator in
      let rules: JSON = ["rules": [["token": "gone-*", "error_code": "UNREGISTERED"]]]
      #expect(try gateway.send("PUT", "/dev/faults", body: rules.serialized).status == 200)
      #expect(try emulator.get("/faults").json == rules)
      #expect(try gateway.get("/dev/faults").json == rules)
      #expect(try gateway.send("PUT", "/dev/faults", body: Array("{".utf8)).status == 400)
      try send(["token": "a"], to: emulator)
      #expect(try gateway.get("/dev/stats").json["answers"]?["200"] == 1)
      // Another site's page cannot reach it through a name of its own, and may not change it.
      let foreign = "GET /dev/inbox HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n"
      #expect(try gateway.exchange(Array(foreign.utf8)).status == 403)
      let asked = try gateway.send("OPTIONS", "/dev/faults", headers: [("Origin", "http://evil.example")])
      #expect(asked.header("Access-Control-Allow-Origin") == nil)
    }
  }

  /// What a gateway serves to callers has no emulator.
  @Test func isInDevelopmentOnly() async throws {
    try await GatewayFixture.run { fixture in
      for path in ["/dev/inbox", "/dev/faults", "/dev/stats"] {
        let status = try fixture.client.get(path).status
        #expect(status == 404, "\(path)")
      }
      let readiness = try fixture.client.get("/readyz").json
      #expect(readiness["emulator"] == nil)
    }
    try await run { gateway, _ in
      for path in ["/dev", "/dev/", "/dev/token", "/dev/inbox/", "/dev/v1/projects/p/messages:send"] {
        let status = try gateway.get(path).status
        #expect(status == 404, "\(path)")
      }
      let status = try gateway.get("/v1/templates").status
      #expect(status == 200)
    }
  }
}
