import Testing

@testable import HTTPServer

/// What clients make the server hold is bounded over all connections.
@Suite(.timeLimit(.minutes(1))) struct TrafficBudgetTests {
  private static let largeBytes = 8_388_608

  private static let large = TestHandler { request, responder in
    let count = request.head.target == "/large" ? largeBytes : 2
    responder.respond(HTTPResponse(status: 200, body: [UInt8](repeating: 0x61, count: count)))
  }

  private func post(_ count: Int) -> String {
    "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: \(count)\r\n\r\n" + String(repeating: "a", count: count)
  }

  @Test func aReaderThatTakesNothingIsCutWithinTheIdleTimeout() async throws {
    try await withServer(Self.large) {
      $0.writeTimeout = .seconds(60)
      $0.idleTimeout = .milliseconds(200)
    } _: { address, _ in
      let client = try RawClient(address, receiveBufferBytes: 4096)
      client.send(get("/large"))
      let started = ContinuousClock.now
      try client.waitUntilCut()
      #expect(ContinuousClock.now - started < .seconds(8))
    }
  }

  @Test func anAnswerThatIsReadMayTakeLongerThanTheIdleTimeout() async throws {
    try await withServer(Self.large) {
      $0.idleTimeout = .milliseconds(300)
    } _: { address, _ in
      let client = try RawClient(address)
      client.send(get("/large"))
      #expect(try client.answer().body.utf8.count == Self.largeBytes)
    }
  }

  @Test func outputThatWaitsIsBoundedOverAllConnections() async throws {
    try await withServer(Self.large) {
      $0.outputBytesTotalMax = 2 * Self.largeBytes
      $0.loopCount = 1
    } _: { address, _ in
      let first = try RawClient(address, receiveBufferBytes: 4096)
      first.send(get("/large"))
      // The first has certainly waited longest once others are answered.
      let reader = try RawClient(address)
      reader.send(get("/small"))
      #expect(try reader.answer().status == 200)
      let others = try (0..<3).map { _ in try RawClient(address, receiveBufferBytes: 4096) }
      for client in others { client.send(get("/large")) }
      try first.waitUntilCut()
      reader.send(get("/small"))
      #expect(try reader.answer().status == 200)
      withExtendedLifetime(others) {}
    }
  }

  @Test func requestsInFlightAreBoundedOverAllConnections() async throws {
    let pending = PendingRequests()
    try await withServer(pending.handler) {
      $0.requestBytesTotalMax = 20_000
      $0.loopCount = 1
    } _: { address, _ in
      let clients = try (0..<2).map { _ in try RawClient(address) }
      for client in clients { client.send(post(10_000)) }
      let held = await pending.take(2)
      let refused = try RawClient(address)
      refused.send(post(10))
      let answer = try refused.answer()
      #expect(answer.status == 503)
      #expect(answer.field("Connection") == "close")
      // Requests without a body still pass.
      let bodiless = try RawClient(address)
      bodiless.send(get("/"))
      for request in await pending.take(1) + held { request.responder.respond(HTTPResponse(status: 200)) }
      for client in clients + [bodiless] { #expect(try client.answer().status == 200) }
      // What has been answered counts no longer.
      let next = try RawClient(address)
      next.send(post(10))
      for request in await pending.take(1) { request.responder.respond(HTTPResponse(status: 200)) }
      #expect(try next.answer().status == 200)
    }
  }

  @Test func aBodyThatIsBeingReadCounts() async throws {
    try await withServer {
      $0.requestBytesTotalMax = 100_000
    } _: { address, _ in
      let client = try RawClient(address)
      client.send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 1000000\r\n\r\n")
      client.send(String(repeating: "a", count: 200_000))
      #expect(try client.answer().status == 503)
    }
  }

  @Test func theBudgetFollowsTheLargestBody() {
    var configuration = HTTPServerConfiguration.testing
    configuration.bodyBytesMax = 1_073_741_824
    let budget = TrafficBudget(configuration)
    budget.exchange(.init(), for: .init(requestBytes: 4_294_967_295))
    #expect(budget.hasRoomForRequests)
    budget.exchange(.init(requestBytes: 4_294_967_295), for: .init(requestBytes: 4_294_967_296))
    #expect(!budget.hasRoomForRequests)
  }
}
