import Dispatch
import Synchronization
import Testing

@testable import HTTPServer

struct FinishedAnswerTests {
  @Test(arguments: [false, true]) func answerIsFinishedOnceOnAnyThread(later: Bool) async throws {
    let handler = TestHandler { request, responder in
      let finishing = responder.finishing { $0.headers.add("X-Finished", "yes") }
      // The detached response is complete.
      responder.respond(HTTPResponse(status: 500))
      let answer = { @Sendable in
        finishing.respond(.echo(request))
        finishing.respond(HTTPResponse(status: 500))
      }
      later ? DispatchQueue.global().async(execute: answer) : answer()
    }
    try await withServer(handler) { address, _ in
      let client = try RawClient(address)
      for path in ["/1", "/2"] {
        client.send(get(path))
        let answer = try client.answer()
        #expect(answer.status == 200 && answer.body == "GET \(path) ")
        #expect(answer.field("X-Finished") == "yes")
      }
    }
  }

  @Test func abortedAndForgottenAnswersAreNotFinished() async throws {
    let handler = TestHandler { request, responder in
      let finishing = responder.finishing { _ in Issue.record("there is no answer") }
      if request.head.path == "/abort" { finishing.abort() }
    }
    try await withServer(handler) { address, _ in
      let client = try RawClient(address)
      client.send(get("/forgotten") + get("/abort"))
      #expect(try client.answer().status == 500)
      #expect(try client.waitForClose() == "")
    }
  }

  @Test func answerIsFinishedWithoutAServerToo() async {
    await confirmation(expectedCount: 2) { happened in
      HTTPResponder { response in
        #expect(response?.status == 201)
        happened()
      }
      .finishing { response in
        response.status = 201
        happened()
      }
      .respond(HTTPResponse(status: 204))
    }
  }

  @Test func observerIsToldWhenTheLastByteHasLeft() async throws {
    let (writes, continuation) = AsyncStream.makeStream(of: String.self)
    let written = Atomic<Int>(0)
    let big = [UInt8](repeating: UInt8(ascii: "x"), count: 16_000_000)
    let handler = ObservedHandler(body: big) { path in
      written.add(1, ordering: .relaxed)
      continuation.yield(path)
    }
    try await withServer(handler) { address, _ in
      let client = try RawClient(address, receiveBufferBytes: 4096)
      client.send(get("/first") + get("/big") + get("/refused"))
      #expect(try client.answer().body == "small")
      var iterator = writes.makeAsyncIterator()
      #expect(await iterator.next() == "/first")
      // The kernel cannot hold all of the next one, and the client does not read on.
      #expect(written.load(ordering: .relaxed) == 1)
      #expect(try client.answer().body.utf8.count == big.count)
      #expect(await iterator.next() == "/big")
      #expect(try client.answer().status == 401)
      #expect(await iterator.next() == "/refused")
    }
  }

  @Test func observerOfAnAbandonedAnswerIsNotTold() async throws {
    let big = [UInt8](repeating: UInt8(ascii: "x"), count: 16_000_000)
    let handler = ObservedHandler(body: big) { path in
      if path == "/big" { Issue.record("the client did not read it") }
    }
    try await withServer(handler) { address, server in
      let client = try RawClient(address, receiveBufferBytes: 4096)
      client.send(get("/first") + get("/big"))
      #expect(try client.answer().body == "small")
      client.close()
      await server.shutDown(grace: .zero)
    }
  }
}

/// Reports the path of each request whose answer has left.
private struct ObservedHandler: HTTPHandler {
  let body: [UInt8]
  let onWritten: @Sendable (String) -> Void

  struct Request: HTTPRequestHandler {
    let path: String
    let body: [UInt8]
    let onWritten: @Sendable (String) -> Void

    func handle(_ request: HTTPRequest, responder: HTTPResponder) {
      responder.respond(HTTPResponse(status: 200, body: path == "/big" ? body : Array("small".utf8)))
    }
    func answerWasWritten() { onWritten(path) }
  }

  func admit(_ head: HTTPRequestHead) -> HTTPAdmission {
    let request = Request(path: head.path, body: body, onWritten: onWritten)
    if head.path == "/refused" { return .refuse(HTTPResponse(status: 401), observer: request) }
    return .accept(by: request, bodyBytesMax: nil)
  }

  func response(to error: HTTPProtocolError) -> HTTPResponse { HTTPResponse(status: error.status) }
}
