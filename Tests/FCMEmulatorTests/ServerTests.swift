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

  @Test func servesAPageThatNeedsNothingFromElsewhere() async throws {
    try await withServer { port in
      func get(_ path: String) throws -> (status: Int, headers: [String], body: String) {
        let client = try SocketClient(port: port)
        try client.request("GET", path)
        return try #require(try client.answer())
      }
      let page = try get("/")
      #expect(page.status == 200)
      #expect(page.headers.contains("content-type: text/html; charset=utf-8"))
      let policy = try #require(page.headers.first { $0.hasPrefix("content-security-policy: ") })
      #expect(policy.contains("default-src 'none'; script-src 'self'"))
      #expect(policy.contains("frame-ancestors 'none'"))
      #expect(policy.contains("require-trusted-types-for 'script'"))
      let named = page.body.matches(of: /(?:src|href)="(\/[^"]+)"/).map { String($0.1) }
      #expect(named.count == 5)
      for path in named {
        let file = try get(path)
        #expect(file.status == 200, "\(path)")
        #expect(!file.headers.contains("content-type: text/plain; charset=utf-8"), "\(path)")
        #expect(file.headers.contains("x-content-type-options: nosniff"))
        // The name of the SVG format is no request.
        let text = file.body.replacing("http://www.w3.org/2000/svg", with: "")
        #expect(text.firstMatch(of: /(?:src|href|url|from|import|fetch)\W{1,3}(?:https?:)?\/\//) == nil)
        #expect(!text.contains("innerHTML"))
      }
    }
  }

  @Test func saysWhatExists() async throws {
    try await withServer { port in
      let client = try SocketClient(port: port)
      try client.request("GET", "/messages")
      let answer = try #require(try client.answer())
      #expect(answer.status == 404)
      let message = try JSON.parse(answer.body)["error"]?["message"]?.string ?? ""
      for route in ["GET /", "messages:send", "POST /token", "/inbox", "PUT /faults", "/stats"] {
        #expect(message.contains(route))
      }
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
