import Foundation
import JSON
import TestSupport
import Testing

/// Sends texts at the edges of JSON to every endpoint that accepts JSON, as a client would send them to the
/// process.
///
/// The cases follow RFC 8259 and are named as usual in JSON test suites: `n` no parser may accept, `y`
/// each must, `i` is left to the parser, and must not harm it.
@Suite(.blocking, .timeLimit(.minutes(3))) struct JSONCorpusTests {
  private static let paths = [
    "/v1/notifications", "/v1/notifications/batch", "/v1/templates/new_message/preview",
  ]

  @Test func everyEndpointReadsJSONStrictly() throws {
    let dev = try DragomanProcess(["dev", "--listen", "127.0.0.1:0", "--emulator-listen", "127.0.0.1:0"])
    defer { dev.kill() }
    let url = try dev.address(after: "gateway listening on ")
    let client = HTTPTestClient(port: Int(url.split(separator: ":").last ?? "") ?? 0)
    for path in Self.paths {
      for (name, bytes) in JSONCorpus.refused {
        let answer = try client.post(path, bytes: bytes)
        #expect(answer.status == 400, "\(path) \(name): \(answer.text)")
        #expect(answer.json["type"] == "/problems/malformed-json", "\(path) \(name)")
        #expect(answer.header("Content-Type") == "application/problem+json")
      }
      for (name, bytes) in JSONCorpus.accepted {
        let answer = try client.post(path, bytes: bytes)
        #expect(answer.json["type"] != "/problems/malformed-json", "\(path) \(name): \(answer.text)")
        #expect(
          (200..<500).contains(answer.status) && answer.status != 400, "\(path) \(name): \(answer.status)")
      }
      for (name, bytes) in JSONCorpus.eitherWay {
        #expect((200..<500).contains(try client.post(path, bytes: bytes).status), "\(path) \(name)")
      }
    }
    #expect(try client.get("/healthz").status == 200)
    #expect(dev.terminate() == 0)
  }

  /// Strings that have broken other programs pass through unchanged.
  @Test func hostileStringsArriveUnchanged() throws {
    let dev = try DragomanProcess(["dev", "--listen", "127.0.0.1:0", "--emulator-listen", "127.0.0.1:0"])
    defer { dev.kill() }
    let url = try dev.address(after: "gateway listening on ")
    let emulatorURL = try dev.address(after: "emulator listening on ")
    let client = HTTPTestClient(port: Int(url.split(separator: ":").last ?? "") ?? 0)
    let emulator = HTTPTestClient(port: Int(emulatorURL.split(separator: ":").last ?? "") ?? 0)
    var sent: [String: String] = [:]
    for (index, text) in JSONCorpus.naughty.enumerated() {
      let token = "naughty-\(index)"
      let answer = try client.post(
        "/v1/notifications",
        ["template": "welcome", "to": ["token": .string(token)], "args": ["name": .string(text)]])
      #expect(answer.status == 202, "\(text.debugDescription): \(answer.text)")
      sent[token] = text
      for place: JSON in [
        ["template": .string(text), "to": ["token": "t"]],
        ["template": "welcome", "to": ["topic": .string(text)]],
        ["template": "welcome", "to": ["condition": .string(text)]], ["app": .string(text)],
        ["template": "welcome", "to": ["token": "t"], "args": .object(.init([(text, JSON(1))]))],
        ["template": "welcome", "to": ["token": "t"], "ttl": .string(text), "send_at": .string(text)],
        ["template": "welcome", "to": ["token": "t"], "args": ["name": "x"], "collapse_key": .string(text)],
      ] {
        let status = try client.post("/v1/notifications", place).status
        #expect([202, 422].contains(status), "\(text.debugDescription): \(status)")
      }
      let preview = try client.post("/v1/templates/welcome/preview", ["args": ["name": .string(text)]])
      #expect(preview.status == 200, "\(text.debugDescription): \(preview.text)")
    }
    var arrived: [String: String] = [:]
    let deadline = ContinuousClock.now + .seconds(20)
    while arrived.count < sent.count, ContinuousClock.now < deadline {
      for message in try emulator.get("/inbox?limit=10000").json["messages"]?.array ?? [] {
        guard let token = message["message"]?["token"]?.string, sent[token] != nil else { continue }
        arrived[token] =
          message["message"]?["android"]?["notification"]?["title_loc_args"]?.array?.first?.string
      }
    }
    for (token, text) in sent {
      // An embedding and an override that are not closed get their closers.
      let closers = text.unicodeScalars.count { ["\u{202A}", "\u{202E}"].contains($0) }
      let expected = text + String(repeating: "\u{202C}", count: closers)
      #expect(arrived[token].map { Array($0.utf8) } == Array(expected.utf8), "\(text.debugDescription)")
    }
    #expect(dev.terminate() == 0)
  }
}
