import Testing

@testable import HTTPServer

struct RefusalTests {
  @Test func handlerAnswersAProtocolErrorAndTheConnectionCloses() async throws {
    try await withServer { address, _ in
      let client = try RawClient(address)
      client.send("GET / HTTP/1.1\r\n\r\n")
      let answer = try client.answer()
      #expect(answer.status == 400)
      #expect(answer.body == "error: badRequest")
      #expect(answer.field("Connection") == "close")
      client.endInput()
      #expect(try client.waitForClose() == "")
    }
  }

  @Test func invalidSecondRequestDoesNotAffectTheFirstAnswer() async throws {
    let pending = PendingRequests()
    try await withServer(pending.handler) { address, _ in
      let client = try RawClient(address)
      client.send(get("/1") + "garbage\r\n\r\n" + get("/3"))
      for (request, responder) in await pending.take(1) { responder.respond(.echo(request)) }
      #expect(try client.answer().body == "GET /1 ")
      #expect(try client.answer().status == 400)
      client.endInput()
      #expect(try client.waitForClose() == "")
      #expect(pending.count == 0)
    }
  }

  @Test func continuesOnlyAfterAdmission() async throws {
    let handler = TestHandler(
      onAdmit: { head in
        head.path == "/no" ? .refuse(HTTPResponse(status: 401)) : .accept(bodyBytesMax: 3)
      },
      onRequest: { request, responder in responder.respond(.echo(request)) })
    let fields = "Host: h\r\nExpect: 100-continue\r\nContent-Length:"
    try await withServer(handler) { address, _ in
      let accepted = try RawClient(address)
      accepted.send("POST /yes HTTP/1.1\r\n\(fields) 3\r\n\r\n")
      #expect(try accepted.answer().status == 100)
      accepted.send("abc")
      #expect(try accepted.answer().body == "POST /yes abc")

      let refused = try RawClient(address)
      refused.send("POST /no HTTP/1.1\r\n\(fields) 3\r\n\r\n")
      #expect(try refused.answer().status == 401)
      refused.endInput()
      #expect(try refused.waitForClose() == "")

      let tooLarge = try RawClient(address)
      tooLarge.send("POST /yes HTTP/1.1\r\n\(fields) 4\r\n\r\n")
      #expect(try tooLarge.answer().status == 413)
    }
  }

  @Test func passesEachRequestToTheHandlerChosenAtAdmission() async throws {
    struct Chooser: HTTPHandler {
      struct Chosen: HTTPRequestHandler {
        let decision: String
        func handle(_ request: HTTPRequest, responder: HTTPResponder) {
          responder.respond(HTTPResponse(status: 200, body: Array(decision.utf8) + request.body))
        }
      }

      func admit(_ head: HTTPRequestHead) -> HTTPAdmission {
        .accept(by: Chosen(decision: "\(head.path) was admitted with "), bodyBytesMax: nil)
      }

      func response(to error: HTTPProtocolError) -> HTTPResponse { HTTPResponse(status: error.status) }
    }
    try await withServer(Chooser()) { address, _ in
      let client = try RawClient(address)
      client.send("POST /1 HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\n\r\na" + get("/2"))
      #expect(try client.answer().body == "/1 was admitted with a")
      #expect(try client.answer().body == "/2 was admitted with ")
    }
  }

  @Test func continueWaitsForEarlierAnswers() async throws {
    let pending = PendingRequests()
    try await withServer(pending.handler) { address, _ in
      let client = try RawClient(address)
      client.send(
        get("/1") + "POST /2 HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 1\r\n\r\n")
      for (request, responder) in await pending.take(1) { responder.respond(.echo(request)) }
      #expect(try client.answer().body == "GET /1 ")
      #expect(try client.answer().status == 100)
      client.send("x")
      for (request, responder) in await pending.take(1) { responder.respond(.echo(request)) }
      #expect(try client.answer().body == "POST /2 x")
    }
  }

  @Test func refusalOfARequestWithoutBodyKeepsTheConnection() async throws {
    let handler = TestHandler(
      onAdmit: { _ in .refuse(HTTPResponse(status: 401)) }, onRequest: { _, responder in responder.abort() })
    try await withServer(handler) { address, _ in
      let client = try RawClient(address)
      for _ in 1...2 {
        client.send(get("/"))
        #expect(try client.answer().status == 401)
      }
    }
  }

  @Test func clientStillUploadingReadsItsRefusal() async throws {
    let handler = TestHandler(
      onAdmit: { _ in .refuse(HTTPResponse(status: 401, body: Array("no".utf8))) },
      onRequest: { _, responder in responder.abort() })
    try await withServer(handler) { address, _ in
      let client = try RawClient(address)
      let body = String(repeating: "x", count: 1_000_000)
      client.send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
      let answer = try client.answer()
      #expect(answer.status == 401)
      #expect(answer.body == "no")
      client.endInput()
      #expect(try client.waitForClose() == "")
    }
  }

  @Test func clientUploadingTooMuchReadsIts413() async throws {
    try await withServer {
      $0.bodyBytesMax = 10
    } _: { address, _ in
      let client = try RawClient(address)
      let body = String(repeating: "x", count: 500_000)
      client.send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
      #expect(try client.answer().status == 413)
    }
  }

  @Test func lingeringIsBoundedInBytesAndTime() async throws {
    try await withServer {
      $0.lingerTimeout = .milliseconds(50)
    } _: { address, _ in
      let client = try RawClient(address)
      client.send("garbage\r\n\r\n")
      #expect(try client.answer().status == 400)
      // The server half-closes at once, and rejects further bytes only after the full close.
      #expect(try client.waitForClose() == "")
    }
    try await withServer {
      $0.lingerBytesMax = 1000
    } _: { address, _ in
      let client = try RawClient(address)
      client.send("garbage\r\n\r\n")
      #expect(try client.answer().status == 400)
      client.send(String(repeating: "x", count: 1_000_000))
      #expect(try client.waitForClose() == "")
    }
  }

  @Test func answers503BeyondTheConnectionLimit() async throws {
    try await withServer {
      $0.connectionsMax = 2
    } _: { address, _ in
      let first = try RawClient(address)
      let second = try RawClient(address)
      for client in [first, second] {
        client.send(get("/1"))
        #expect(try client.answer().status == 200)
      }
      let third = try RawClient(address)
      third.send(get("/1"))
      let answer = try third.answer()
      #expect(answer.status == 503)
      #expect(answer.body == "error: tooManyConnections")
    }
  }

  @Test func acceptingPausesAndResumes() async throws {
    try await withServer {
      $0.connectionsMax = 1
      $0.refusedConnectionsMax = 0
      $0.acceptBackoff = .milliseconds(10)
    } _: { address, _ in
      let first = try RawClient(address)
      first.send(get("/1"))
      #expect(try first.answer().status == 200)
      let second = try RawClient(address)
      second.send(get("/2"))
      first.close()
      #expect(try second.answer().body == "GET /2 ")
    }
  }
}
