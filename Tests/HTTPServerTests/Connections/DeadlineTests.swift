import Testing

@testable import HTTPServer

struct DeadlineTests {
  @Test func answers408ToASlowHead() async throws {
    try await withServer {
      $0.headerTimeout = .milliseconds(100)
    } _: { address, _ in
      let client = try RawClient(address)
      client.send("GET / HTTP/1.1\r\nHost:")
      let answer = try client.answer()
      #expect(answer.status == 408)
      #expect(answer.field("Connection") == "close")
    }
  }

  @Test func bytesDoNotExtendTheDeadlineOfAHead() async throws {
    try await withServer {
      $0.headerTimeout = .milliseconds(200)
    } _: { address, _ in
      let client = try RawClient(address)
      client.send("GET / HTTP/1.1\r\n")
      #expect(client.sendUntilAnswered("X", every: 10) > 1)
      #expect(try client.answer().status == 408)
    }
  }

  @Test func answers408ToASlowBody() async throws {
    try await withServer {
      $0.bodyTimeout = .milliseconds(100)
    } _: { address, _ in
      let client = try RawClient(address)
      client.send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\nhell")
      #expect(try client.answer().body == "error: timeout")
    }
  }

  @Test func closesASilentConnection() async throws {
    try await withServer {
      $0.headerTimeout = .milliseconds(50)
    } _: { address, _ in
      let client = try RawClient(address)
      #expect(try client.waitForClose() == "")
    }
  }

  @Test func closesAnIdleConnection() async throws {
    try await withServer {
      $0.idleTimeout = .milliseconds(50)
    } _: { address, _ in
      let client = try RawClient(address)
      client.send(get("/1"))
      #expect(try client.answer().status == 200)
      #expect(try client.waitForClose() == "")
    }
  }

  @Test func requestInFlightHasTheHandlersDeadline() async throws {
    let pending = PendingRequests()
    try await withServer(pending.handler) {
      $0.idleTimeout = .milliseconds(20)
      $0.headerTimeout = .milliseconds(20)
    } _: { address, _ in
      let waiting = try RawClient(address)
      waiting.send(get("/1"))
      let requests = await pending.take(1)
      // Two other connections open and reach the same deadlines, one after the other.
      for _ in 1...2 {
        let other = try RawClient(address)
        #expect(try other.waitForClose() == "")
      }
      for (request, responder) in requests { responder.respond(.echo(request)) }
      #expect(try waiting.answer().body == "GET /1 ")
    }
  }

  @Test func closesAClientThatDoesNotRead() async throws {
    let body = [UInt8](repeating: UInt8(ascii: "x"), count: 8_000_000)
    let ended = PendingRequests()
    let handler = TestHandler { request, responder in
      if request.head.path == "/big" {
        responder.respond(HTTPResponse(status: 200, body: body))
      } else {
        ended.handler.handle(request, responder: responder)
      }
    }
    try await withServer(handler) {
      $0.writeTimeout = .milliseconds(100)
      $0.writeBytesPerSecondMin = 1_000_000_000
    } _: { address, _ in
      let client = try RawClient(address, receiveBufferBytes: 4096)
      client.send(get("/big") + get("/after"))
      // A truncated answer: the connection was closed, and the next request never read.
      try client.waitUntilCut()
      #expect(try client.waitForClose().utf8.count < 8_000_000)
      #expect(ended.count == 0)
    }
  }
}
