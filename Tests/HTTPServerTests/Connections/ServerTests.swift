import Dispatch
import Testing

@testable import HTTPServer

struct ServerTests {
  @Test func answersManyRequestsOnOneConnection() async throws {
    try await withServer { address, _ in
      let client = try RawClient(address)
      for number in 1...3 {
        client.send(get("/\(number)"))
        let answer = try client.answer()
        #expect(answer.status == 200)
        #expect(answer.body == "GET /\(number) ")
        #expect(answer.field("Content-Type") == "text/plain")
        #expect(answer.field("Connection") == nil)
        #expect(answer.field("Server") == nil)
        #expect(answer.field("Date")?.hasSuffix(" GMT") == true)
      }
    }
  }

  @Test func readsRequestsByteByByte() async throws {
    try await withServer { address, _ in
      let client = try RawClient(address)
      for byte in "POST /b HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n"
        .unicodeScalars
      {
        client.send(String(byte))
      }
      #expect(try client.answer().body == "POST /b abc")
    }
  }

  @Test func readsALargeBody() async throws {
    try await withServer { address, _ in
      let client = try RawClient(address)
      let body = String(repeating: "0123456789abcdef", count: 65_000)
      client.send("POST /b HTTP/1.1\r\nHost: h\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
      #expect(try client.answer().body == "POST /b \(body)")
    }
  }

  @Test func answersPipelinedRequestsInOrder() async throws {
    let pending = PendingRequests()
    try await withServer(pending.handler) { address, _ in
      let client = try RawClient(address)
      client.send(get("/1") + get("/2") + get("/3"))
      for (request, responder) in await pending.take(3).reversed() {
        responder.respond(.echo(request))
      }
      let bodies = try (1...3).map { _ in try client.answer().body }
      #expect(bodies == ["GET /1 ", "GET /2 ", "GET /3 "])
    }
  }

  @Test func stopsReadingAtThePipeliningLimit() async throws {
    let pending = PendingRequests()
    try await withServer(pending.handler) {
      $0.pipelinedRequestsMax = 2
    } _: { address, _ in
      let client = try RawClient(address)
      client.send((1...5).map { get("/\($0)") }.joined())
      let first = await pending.take(2)
      #expect(pending.count == 0)
      for (request, responder) in first { responder.respond(.echo(request)) }
      for (request, responder) in await pending.take(2) { responder.respond(.echo(request)) }
      for (request, responder) in await pending.take(1) { responder.respond(.echo(request)) }
      let bodies = try (1...5).map { _ in try client.answer().body }
      #expect(bodies == (1...5).map { "GET /\($0) " })
    }
  }

  @Test func headHasTheFieldsWithoutTheBody() async throws {
    try await withServer { address, _ in
      let client = try RawClient(address)
      client.send("HEAD /x HTTP/1.1\r\nHost: h\r\n\r\n" + get("/y"))
      let answer = try client.answer(isHead: true)
      #expect(answer.field("Content-Length") == String("HEAD /x ".utf8.count))
      #expect(try client.answer().body == "GET /y ")
    }
  }

  @Test func noContentHasNoLength() async throws {
    let handler = TestHandler { request, responder in
      responder.respond(HTTPResponse(status: request.head.path == "/304" ? 304 : 204, body: [1, 2, 3]))
    }
    try await withServer(handler) { address, _ in
      let client = try RawClient(address)
      client.send(get("/204") + get("/304"))
      for status in [204, 304] {
        let answer = try client.answer()
        #expect(answer.status == status)
        #expect(answer.field("Content-Length") == nil)
      }
    }
  }

  @Test func closesWhenTheClientAsks() async throws {
    try await withServer { address, _ in
      let client = try RawClient(address)
      client.send(get("/1", "Connection: close\r\n") + get("/2"))
      #expect(try client.answer().field("Connection") == "close")
      #expect(try client.waitForClose() == "")
    }
  }

  @Test func keepsHTTP10AliveOnlyWhenAsked() async throws {
    try await withServer { address, _ in
      let client = try RawClient(address)
      client.send("GET /1 HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
      #expect(try client.answer().field("Connection") == "keep-alive")
      client.send("GET /2 HTTP/1.0\r\n\r\n")
      #expect(try client.answer().field("Connection") == "close")
      #expect(try client.waitForClose() == "")
    }
  }

  @Test func answersAClientThatHasClosedItsSide() async throws {
    let pending = PendingRequests()
    try await withServer(pending.handler) { address, _ in
      let client = try RawClient(address)
      client.send(get("/1") + "GET /half")
      client.endInput()
      for (request, responder) in await pending.take(1) { responder.respond(.echo(request)) }
      #expect(try client.answer().body == "GET /1 ")
      #expect(try client.waitForClose() == "")
      #expect(pending.count == 0)
    }
  }

  @Test func acceptsAnswersFromOtherThreads() async throws {
    let handler = TestHandler { request, responder in
      DispatchQueue.global().async { responder.respond(.echo(request)) }
    }
    try await withServer(handler) { address, _ in
      let clients = try (0..<8).map { _ in try RawClient(address) }
      for round in 0..<20 {
        for client in clients { client.send(get("/\(round)")) }
        for client in clients { #expect(try client.answer().body == "GET /\(round) ") }
      }
    }
  }

  @Test func abortClosesWithoutAnAnswer() async throws {
    let handler = TestHandler { request, responder in
      request.head.path == "/abort" ? responder.abort() : responder.respond(.echo(request))
    }
    try await withServer(handler) { address, _ in
      let client = try RawClient(address)
      client.send(get("/1") + get("/abort") + get("/2"))
      #expect(try client.answer().body == "GET /1 ")
      #expect(try client.waitForClose() == "")
    }
  }

  @Test func onlyTheFirstAnswerCounts() async throws {
    let handler = TestHandler { request, responder in
      responder.respond(.echo(request))
      responder.respond(HTTPResponse(status: 500))
      responder.abort()
    }
    try await withServer(handler) { address, _ in
      let client = try RawClient(address)
      client.send(get("/1") + get("/2"))
      #expect(try client.answer().body == "GET /1 ")
      #expect(try client.answer().body == "GET /2 ")
    }
  }

  @Test func forgottenRequestIsAnInternalError() async throws {
    try await withServer(TestHandler { _, _ in }) { address, _ in
      let client = try RawClient(address)
      client.send(get("/1"))
      let answer = try client.answer()
      #expect(answer.status == 500)
      #expect(answer.body == "error: internalError")
    }
  }

  @Test func handlerCannotSplitItsAnswer() async throws {
    let handler = TestHandler { _, responder in
      responder.respond(
        HTTPResponse(
          status: 200,
          headers: [
            "X-A": "a\r\nSet-Cookie: b", "Bad\r\nName": "x", "Content-Length": "7", "Date": "now",
            "Connection": "upgrade", "Transfer-Encoding": "chunked",
          ]))
    }
    try await withServer(handler) { address, _ in
      let client = try RawClient(address)
      client.send(get("/"))
      let answer = try client.answer()
      #expect(answer.field("X-A") == "a  Set-Cookie: b")
      #expect(answer.field("Set-Cookie") == nil)
      #expect(answer.field("Content-Length") == "0")
      #expect(answer.field("Transfer-Encoding") == nil)
      // The status, what the server adds to every answer, and X-A.
      #expect(answer.head.split(separator: "\r\n").count == 6)
    }
  }

  @Test func servesAThousandConnections() async throws {
    try await withServer { address, _ in
      let clients = try (0..<1000).map { _ in try RawClient(address) }
      for (index, client) in clients.enumerated() { client.send(get("/\(index)")) }
      for (index, client) in clients.enumerated() { #expect(try client.answer().body == "GET /\(index) ") }
    }
  }
}
