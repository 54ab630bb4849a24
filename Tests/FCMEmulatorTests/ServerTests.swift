import FCMEmulator
import HTTPServer
import JSON
import Telemetry
import Testing

@Suite struct ServerTests {
  /// Runs `body` against an emulator behind a real server.
  private func withServer(_ body: (Int) throws -> Void) async throws {
    let listen = try #require(HTTPListenAddress("127.0.0.1:0"))
    let server = HTTPServer(
      configuration: HTTPServerConfiguration(listen: listen), handler: FCMEmulator(log: .silent), log: .silent
    )
    guard case .tcp(_, let port) = try server.start() else { return }
    let result = Result { try body(port) }
    await server.shutDown(grace: .seconds(1))
    try result.get()
  }

  private let sendTarget = "/v1/projects/p/messages:send"

  @Test func answersManyRequestsOnOneConnection() async throws {
    try await withServer { port in
      let client = try SocketClient(port: port)
      for number in 1...50 {
        try client.request("POST", sendTarget, body: "{\"message\":{\"token\":\"t\(number)\"}}")
        #expect(try client.answer()?.status == 200)
      }
      try client.request("GET", "/inbox?limit=1")
      let inbox = try JSON.parse(try #require(try client.answer()).body)
      #expect(inbox["count"] == 50)
      #expect(inbox["messages"]?[0]?["message"] == ["token": "t50"])
    }
  }

  @Test func closesTheConnectionWithoutAnAnswer() async throws {
    try await withServer { port in
      let control = try SocketClient(port: port)
      try control.request("PUT", "/faults", body: #"{"rules":[{"token":"cut","close":true}]}"#)
      #expect(try control.answer()?.status == 200)
      let client = try SocketClient(port: port)
      try client.request("POST", sendTarget, body: #"{"message":{"token":"cut"}}"#)
      #expect(try client.answer() == nil)
      try control.request("GET", "/stats")
      #expect(try control.answer()?.body.contains("\"closed\":1") == true)
    }
  }

  @Test func servesOthersWhileOneAnswerIsDelayed() async throws {
    try await withServer { port in
      let control = try SocketClient(port: port)
      try control.request("PUT", "/faults", body: #"{"rules":[{"token":"slow","latency":"300ms"}]}"#)
      #expect(try control.answer()?.status == 200)
      // More requests than event loops or threads.
      let slow = try (0..<32).map { _ in try SocketClient(port: port) }
      let begin = ContinuousClock.now
      for client in slow { try client.request("POST", sendTarget, body: #"{"message":{"token":"slow"}}"#) }
      for _ in 0..<10 {
        try control.request("POST", sendTarget, body: #"{"message":{"token":"quick"}}"#)
        #expect(try control.answer()?.status == 200)
      }
      for client in slow { #expect(try client.answer()?.status == 200) }
      #expect(ContinuousClock.now - begin >= .milliseconds(300))
      #expect(ContinuousClock.now - begin < .seconds(3))
    }
  }

  @Test func rejectsInvalidHTTPInGooglesForm() async throws {
    try await withServer { port in
      let client = try SocketClient(port: port)
      try client.write("POST /token HTTP/1.1\r\nHost: localhost\r\nContent-Length: x\r\n\r\n")
      let answer = try #require(try client.answer())
      #expect(answer.status == 400)
      #expect(try JSON.parse(answer.body)["error"]?["status"] == "INVALID_ARGUMENT")
    }
  }

  @Test func rejectsABodyThatIsTooLarge() async throws {
    try await withServer { port in
      let client = try SocketClient(port: port)
      try client.write("POST \(sendTarget) HTTP/1.1\r\nHost: localhost\r\nContent-Length: 65537\r\n\r\n")
      let answer = try #require(try client.answer())
      #expect(answer.status == 413)
      #expect(try JSON.parse(answer.body)["error"]?["code"] == 413)
    }
  }
}
