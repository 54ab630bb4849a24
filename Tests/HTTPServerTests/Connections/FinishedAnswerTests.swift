import Dispatch
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
}
