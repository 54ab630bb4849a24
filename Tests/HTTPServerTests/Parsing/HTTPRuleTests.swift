import Synchronization
import Testing

@testable import HTTPServer

/// Every rule of the tables against a real server, over a socket.
@Suite(.timeLimit(.minutes(2))) struct HTTPRuleTests {
  private static let tables: [(name: String, rules: [HTTPRule])] = [
    ("Host", HTTPRule.hosts), ("field lines", HTTPRule.fieldLines), ("request lines", HTTPRule.requestLines),
    ("lengths", HTTPRule.lengths), ("codings", HTTPRule.codings), ("chunks", HTTPRule.chunks),
    ("ends", HTTPRule.ends),
  ]

  @Test(arguments: tables.map(\.name)) func holds(table: String) async throws {
    let rules = Self.tables.first { $0.name == table }?.rules ?? []
    let handled = Atomic<Int>(0)
    let handler = TestHandler { request, responder in
      handled.add(1, ordering: .relaxed)
      responder.respond(.echo(request))
    }
    try await withServer(handler) { address, _ in
      for rule in rules {
        let before = handled.load(ordering: .relaxed)
        do {
          try check(rule, address)
        } catch {
          Issue.record("\(rule.testDescription): \(error)")
        }
        let count = handled.load(ordering: .relaxed) - before
        switch rule.verdict {
        case .refused, .waits: #expect(count == 0, "\(rule.testDescription)")
        case .served(let number), .servedLast(let number):
          // One more request if `check` tests whether the connection stays open.
          #expect(count == number + (rule.verdict == .served(number) ? 1 : 0), "\(rule.testDescription)")
        }
      }
    }
  }

  private func check(_ rule: HTTPRule, _ address: HTTPListenAddress) throws {
    let client = try RawClient(address)
    client.send(rule.bytes)
    switch rule.verdict {
    case .refused(let status):
      let answer = try client.answer()
      #expect(answer.status == status, "\(rule.testDescription)")
      #expect(answer.body.hasPrefix("error: "), "\(rule.testDescription)")
      expectGoodHead(answer, rule)
      #expect(answer.field("Connection") == "close", "\(rule.testDescription)")
      // Our side is closed at once; the rest is discarded.
      #expect(try client.waitForClose() == "", "\(rule.testDescription)")
    case .served(let count):
      for _ in 0..<count { expectServed(try client.answer(), rule) }
      client.send(get("/on"))
      #expect(try client.answer().body == "GET /on ", "\(rule.testDescription)")
    case .servedLast(let count):
      for _ in 0..<count { expectServed(try client.answer(), rule) }
      #expect(try client.waitForClose() == "", "\(rule.testDescription)")
    case .waits:
      client.endInput()
      #expect(try client.waitForClose() == "", "\(rule.testDescription)")
    }
  }

  private func expectServed(_ answer: RawClient.Answer, _ rule: HTTPRule) {
    #expect(answer.status == 200, "\(rule.testDescription)")
    expectGoodHead(answer, rule)
  }

  /// 45 RFC 9110 6.6.1: every answer has a date, and none names the server.
  private func expectGoodHead(_ answer: RawClient.Answer, _ rule: HTTPRule) {
    #expect(answer.head.hasPrefix("HTTP/1.1 "), "\(rule.testDescription)")
    #expect(
      answer.field("Date")?.wholeMatch(of: /[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT/)
        != nil,
      "\(rule.testDescription)")
    #expect(answer.field("Server") == nil, "\(rule.testDescription)")
    #expect(answer.field("Content-Length") != nil, "\(rule.testDescription)")
    #expect(answer.field("Transfer-Encoding") == nil, "\(rule.testDescription)")
  }
}
