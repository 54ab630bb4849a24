import Testing

@testable import HTTPServer

/// The rules of HTTP that need more than one request and one answer; numbers as in `HTTPRule`.
@Suite(.timeLimit(.minutes(1))) struct HTTPRuleBehaviourTests {
  /// Answers with what the handler sees of a request.
  private static let seen = TestHandler { request, responder in
    let head = request.head
    let fields = head.headers.map { "\($0.name)=\($0.value)" }.joined(separator: ";")
    responder.respond(
      HTTPResponse(
        status: 200, body: Array("\(head.method) \(head.path) \(head.query ?? "-") \(fields)".utf8)))
  }

  private func answer(
    to text: String, isHead: Bool = false, _ handler: TestHandler = .echo
  ) async throws -> RawClient.Answer {
    var answer = RawClient.Answer(status: 0, head: "", body: "")
    try await withServer(handler) { address, _ in
      let client = try RawClient(address)
      client.send(text)
      answer = try client.answer(isHead: isHead)
    }
    return answer
  }

  /// 17, RFC 9112 §3.2.2.
  @Test func hostOfAnAbsoluteTargetTakesPrecedence() async throws {
    let answer = try await answer(
      to: "GET http://a.example:80/x?y HTTP/1.1\r\nHost: b.example\r\nA: b\r\n\r\n", Self.seen)
    #expect(answer.body == "GET /x y A=b;Host=a.example:80")
  }

  /// 19, RFC 9110 §9.3.8: the server does not echo a TRACE; the handler rejects it.
  @Test func traceIsAMethodLikeOthers() async throws {
    let handler = TestHandler { request, responder in
      responder.respond(
        HTTPResponse(status: request.head.method == "TRACE" ? 405 : 200, headers: ["Allow": "GET"]))
    }
    let answer = try await answer(to: "TRACE / HTTP/1.1\r\nHost: h\r\nCookie: secret\r\n\r\n", handler)
    #expect(answer.status == 405)
    #expect(!answer.head.contains("secret"))
    #expect(answer.body == "")
  }

  /// 22, RFC 9110 §9.1.
  @Test func methodsAreCaseSensitive() async throws {
    #expect(try await answer(to: "get / HTTP/1.1\r\nHost: h\r\n\r\n", Self.seen).body == "get / - Host=h")
  }

  /// 23, 40, 46, 47: RFC 9110 §15.5.6, §15.5.16, §8.3, §15.5.2.
  @Test(arguments: [
    (405, "Allow", "GET, HEAD"), (415, "Accept", "application/json"), (401, "WWW-Authenticate", "Bearer"),
    (200, "Content-Type", "application/json"), (429, "Retry-After", "3"),
  ])
  func handlersFieldsAreSentUnchanged(status: Int, name: String, value: String) async throws {
    let handler = TestHandler { _, responder in
      responder.respond(
        HTTPResponse(status: status, headers: [(name, value)].reduce(into: [:]) { $0.add($1.0, $1.1) }))
    }
    let answer = try await answer(to: get("/"), handler)
    #expect(answer.status == status)
    #expect(answer.field(name) == value)
  }

  /// 32: a name with an underscore is a name of its own.
  @Test func underscoresAreNotHyphens() async throws {
    let text = "POST / HTTP/1.1\r\nHost: h\r\nContent_Length: 9\r\nX_A: b\r\nContent-Length: 0\r\n\r\n"
    #expect(
      try await answer(to: text, Self.seen).body == "POST / - Host=h;Content_Length=9;X_A=b;Content-Length=0")
  }

  /// 36, RFC 9110 §6.5.1.
  @Test func trailersNeverBecomeHeaders() async throws {
    let text =
      "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n"
      + "0\r\nAuthorization: Bearer k\r\nX-A: b\r\n\r\n"
    #expect(try await answer(to: text, Self.seen).body == "POST / - Host=h;Transfer-Encoding=chunked")
  }

  /// 38, RFC 9110 §15.5.14: the answer precedes the body.
  @Test(arguments: ["Content-Length: 99999999", "Content-Length: 99999999\r\nExpect: 100-continue"])
  func rejectsAnAnnouncedBodyThatIsTooLargeAtOnce(field: String) async throws {
    let answer = try await answer(to: "POST / HTTP/1.1\r\nHost: h\r\n\(field)\r\n\r\n")
    #expect(answer.status == 413)
    #expect(answer.field("Connection") == "close")
  }

  /// 41, RFC 9110 §15.2: HTTP/1.0 has no interim answers.
  @Test func sendsNoContinueToHTTP10() async throws {
    let answer = try await answer(
      to: "POST /x HTTP/1.0\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\nhi")
    #expect(answer.status == 200)
    #expect(answer.body == "POST /x hi")
  }

  /// 41, RFC 9110 §10.1.1: a body that has already arrived needs no 100.
  @Test func sendsNoContinueWhenTheBodyHasArrived() async throws {
    let answer = try await answer(
      to: "POST /x HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\nhi")
    #expect(answer.status == 200)
    #expect(answer.body == "POST /x hi")
  }

  /// 43, RFC 9110 §9.3.2: this includes errors.
  @Test func headHasTheFieldsOfGet() async throws {
    let handler = TestHandler { _, responder in
      responder.respond(
        HTTPResponse(status: 404, headers: ["Content-Type": "text/plain"], body: Array("none".utf8)))
    }
    try await withServer(handler) { address, _ in
      let client = try RawClient(address)
      client.send(get("/x") + "HEAD /x HTTP/1.1\r\nHost: h\r\n\r\n" + get("/y"))
      let full = try client.answer()
      let head = try client.answer(isHead: true)
      for name in ["Content-Type", "Content-Length", "Connection"] {
        #expect(full.field(name) == head.field(name))
      }
      #expect(try client.answer().body == "none")
    }
  }

  /// 44, RFC 9110 §15.2: a handler cannot leave a client waiting for the final answer.
  @Test func handlersInterimStatusIsAnError() async throws {
    let handler = TestHandler { _, responder in responder.respond(HTTPResponse(status: 101)) }
    #expect(try await answer(to: get("/"), handler).status == 500)
  }

  /// 51, RFC 9112 §9.3.2: an invalid second request leaves the first answer complete and first.
  @Test(arguments: [
    "GET / HTTP/1.1\r\n\r\n", "garbage", "GET / HTTP/3.0\r\n\r\n",
    "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
    "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
  ])
  func invalidSecondRequestDoesNotAffectTheFirstAnswer(second: String) async throws {
    let pending = PendingRequests()
    try await withServer(pending.handler) { address, _ in
      let client = try RawClient(address)
      client.send(get("/1") + second + "\r\n" + get("/3"))
      for (request, responder) in await pending.take(1) { responder.respond(.echo(request)) }
      #expect(try client.answer().body == "GET /1 ")
      let refusal = try client.answer()
      #expect(refusal.status >= 400)
      #expect(refusal.field("Connection") == "close")
      #expect(try client.waitForClose() == "")
      #expect(pending.count == 0)
    }
  }

  /// 52, RFC 9112 §9.6: the client is still sending when it is refused, and reads the whole answer.
  @Test(arguments: [
    "POST / HTTP/1.1\r\n\r\n", "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 999999999\r\n\r\n",
    "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\nFFFFFFF\r\n",
  ])
  func uploadingClientReadsItsRefusal(head: String) async throws {
    try await withServer { address, _ in
      for _ in 0..<20 {
        let client = try RawClient(address)
        client.send(head + String(repeating: "x", count: 1_000_000))
        #expect(try client.answer().body.hasPrefix("error: "))
        #expect(try client.waitForClose() == "")
      }
    }
  }

  /// 55, RFC 3986 §2.4 and RFC 9110 §4.2.3: a target is passed on unchanged, and decoded once
  /// by its user.
  @Test(arguments: ["/a/../b", "/%2e%2e/b", "/a%2Fb", "/%252e", "//a", "/./a", "/a;x"])
  func targetsArePassedOnUnchanged(target: String) async throws {
    #expect(try await answer(to: get(target), Self.seen).body == "GET \(target) - Host=h")
    #expect(HTTPRequestHead.percentDecoded("%252e") == "%2e")
  }

  /// 56, RFC 9110 §14.2 and §13: a server without ranges and versions ignores them.
  @Test func rangesAndConditionsAreIgnored() async throws {
    let fields = "Host: h\r\nRange: bytes=0-0\r\nIf-Match: \"x\"\r\nIf-None-Match: *\r\nContent-Length: 2\r\n"
    let answer = try await answer(to: "POST /x HTTP/1.1\r\n\(fields)\r\nhi")
    #expect(answer.status == 200)
    #expect(answer.body == "POST /x hi")
    #expect(answer.field("Accept-Ranges") == nil)
  }
}
