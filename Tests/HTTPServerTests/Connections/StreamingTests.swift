import Glibc
import Synchronization
import Testing

@testable import HTTPServer

struct StreamingTests {
  private func bytes(_ text: String) -> HTTPBodyPart { .bytes(Array(text.utf8)) }

  @Test func sendsPartsAsChunksAndKeepsTheConnection() async throws {
    let source = ScriptedSource(parts: [bytes("one")])
    let handler = TestHandler { request, responder in
      if request.head.path == "/stream" {
        source.handler.onRequest(request, responder)
      } else {
        responder.respond(.echo(request))
      }
    }
    try await withServer(handler) { address, _ in
      let client = try RawClient(address)
      client.send(get("/stream") + get("/after"))
      let head = try client.answer(isHead: true)
      #expect(head.status == 200)
      #expect(head.field("Transfer-Encoding") == "chunked")
      #expect(head.field("Content-Length") == nil)
      #expect(try client.line() == "3")
      #expect(try client.line() == "one")
      source.give(bytes("0123456789abcdef"))
      #expect(try client.line() == "10")
      #expect(try client.line() == "0123456789abcdef")
      source.give(.ended)
      #expect(try client.line() == "0")
      #expect(try client.line() == "")
      await source.waitForEnd()
      #expect(try client.answer().body == "GET /after ")
    }
  }

  @Test func endsTheConnectionAfterAStreamInHTTP10() async throws {
    let source = ScriptedSource(parts: [bytes("one"), bytes("two"), .ended])
    try await withServer(source.handler) { address, _ in
      let client = try RawClient(address)
      client.send("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
      let answer = try client.waitForClose()
      #expect(answer.hasSuffix("\r\n\r\nonetwo"))
      #expect(answer.contains("Connection: close\r\n"))
      #expect(!answer.contains("Transfer-Encoding"))
    }
  }

  @Test func answersHEADWithoutAskingTheSource() async throws {
    let source = ScriptedSource(parts: [bytes("one")])
    try await withServer(source.handler) { address, _ in
      let client = try RawClient(address)
      client.send("HEAD / HTTP/1.1\r\nHost: h\r\n\r\n" + "HEAD / HTTP/1.1\r\nHost: h\r\n\r\n")
      #expect(try client.answer(isHead: true).field("Content-Length") == nil)
      #expect(try client.answer(isHead: true).status == 200)
      #expect(source.waitingCount == 1)
    }
  }

  @Test func noticesThatTheClientHasLeft() async throws {
    let source = ScriptedSource(parts: [bytes("one")])
    try await withServer(source.handler) { address, _ in
      let client = try RawClient(address)
      client.send(get("/"))
      _ = try client.answer(isHead: true)
      client.close()
      await source.waitForEnd()
    }
  }

  @Test func noticesThatTheClientHasClosedItsSide() async throws {
    let source = ScriptedSource()
    try await withServer(source.handler) { address, _ in
      let client = try RawClient(address)
      client.send(get("/"))
      _ = try client.answer(isHead: true)
      client.endInput()
      await source.waitForEnd()
      #expect(try client.waitForClose() == "")
    }
  }

  /// A client that reads nothing holds the source up, and then loses its connection.
  @Test func cutsAClientThatReadsNothing() async throws {
    let part = HTTPBodyPart.bytes([UInt8](repeating: 0x61, count: 16_384))
    let source = ScriptedSource(parts: Array(repeating: part, count: 4_000))
    try await withServer(source.handler) {
      $0.writeTimeout = .milliseconds(200)
      $0.writeBytesPerSecondMin = 1 << 30
    } _: { address, _ in
      let client = try RawClient(address, receiveBufferBytes: 4_096)
      client.send(get("/"))
      await source.waitForEnd()
      // What fits the sockets' buffers was taken, and no more than the connection may hold beyond them.
      #expect(source.waitingCount > 3_000)
      try client.waitUntilCut()
    }
  }

  @Test func sendsSignsOfLifeWhileTheSourceIsSilent() async throws {
    let source = ScriptedSource(idleInterval: .milliseconds(20))
    try await withServer(source.handler) { address, _ in
      let client = try RawClient(address)
      client.send(get("/"))
      _ = try client.answer(isHead: true)
      for _ in 0..<3 {
        #expect(try client.line() == "3")
        #expect(try client.line() == ":\n\n")
      }
    }
  }

  @Test func endsWithTheServer() async throws {
    let source = ScriptedSource(parts: [bytes("one")])
    try await withServer(source.handler) { address, server in
      let client = try RawClient(address)
      client.send(get("/"))
      _ = try client.answer(isHead: true)
      let (stopped, end) = AsyncStream<Void>.makeStream()
      server.beginShutDown(grace: .seconds(10)) { end.finish() }
      #expect(try client.waitForClose() == "3\r\none\r\n0\r\n\r\n")
      for await _ in stopped {}
    }
  }

  @Test func theGraceEndsAStreamThatGoesOn() async throws {
    let source = ScriptedSource(endsWithServer: false, parts: [bytes("one")])
    try await withServer(source.handler) { address, server in
      let client = try RawClient(address)
      client.send(get("/"))
      _ = try client.answer(isHead: true)
      await server.shutDown(grace: .milliseconds(50))
      // Without the last chunk, so that it does not look complete.
      #expect(try client.waitForClose() == "3\r\none\r\n")
      await source.waitForEnd()
    }
  }

  @Test func anAbortedBodyDoesNotLookComplete() async throws {
    let source = ScriptedSource(parts: [bytes("one")])
    try await withServer(source.handler) { address, _ in
      let client = try RawClient(address)
      client.send(get("/"))
      _ = try client.answer(isHead: true)
      #expect(try client.line() == "3")
      source.give(.aborted)
      await source.waitForEnd()
      try client.waitUntilCut()
    }
  }

  @Test func manyStreamsShareTheLoops() async throws {
    let sources = (0..<200).map { _ in ScriptedSource() }
    let next = Atomic<Int>(0)
    let handler = TestHandler { request, responder in
      let index = next.add(1, ordering: .relaxed).newValue - 1
      sources[index].handler.onRequest(request, responder)
    }
    try await withServer(handler) { address, _ in
      let clients = try sources.map { _ in try RawClient(address) }
      for client in clients {
        client.send(get("/"))
        _ = try client.answer(isHead: true)
      }
      for (index, source) in sources.enumerated() { source.give(bytes("\(index)"), .ended) }
      for (index, client) in clients.enumerated() {
        _ = try client.line()
        #expect(try client.line() == "\(index)")
      }
    }
  }
}

/// Streams as the state machine of a connection sees them, with told times.
struct StreamingStateMachineTests {
  private static let second: UInt64 = 1_000_000_000

  private func streaming(minorVersion: Int = 1) -> ConnectionStateMachine {
    let machine = ConnectionStateMachine(limits: ConnectionLimits(.testing), now: 0)
    let sequence = machine.requestEnded(isHead: false, minorVersion: minorVersion, keepsAlive: true, now: 0)
    machine.answered(HTTPResponse(status: 200, stream: ScriptedSource()), sequence: sequence)
    _ = machine.nextAnswer()
    machine.streamBegan(idleInterval: 15 * Self.second, now: Self.second)
    return machine
  }

  @Test func asksForASignOfLifeAfterSilence() {
    let machine = streaming()
    #expect(machine.deadline == 16 * Self.second)
    #expect(machine.expiry(now: 16 * Self.second - 1) == .none)
    machine.streamMoved(now: 10 * Self.second)
    #expect(machine.expiry(now: 16 * Self.second) == .none)
    #expect(machine.expiry(now: 25 * Self.second) == .streamIsIdle)
    machine.streamMoved(now: 25 * Self.second)
    #expect(machine.deadline == 40 * Self.second)
  }

  @Test func closesOnAReaderThatIsTooSlow() {
    let machine = streaming()
    machine.outputWaits(bytes: 1_000, written: 0, now: 2 * Self.second)
    #expect(machine.expiry(now: 16 * Self.second) == .none)
    #expect(machine.expiry(now: 32 * Self.second) == .close)
  }

  @Test func takesNoRequestsBehindAStream() {
    let machine = streaming()
    #expect(machine.isStreaming)
    #expect(!machine.takesRequests)
    #expect(machine.nextAnswer() == nil)
    machine.streamEnded()
    #expect(machine.takesRequests)
    #expect(machine.closing(now: 0) == .no)
  }

  @Test func endsTheConnectionAfterAStreamWithoutChunks() {
    let machine = streaming(minorVersion: 0)
    #expect(machine.closing(now: 0) == .no)
    machine.streamEnded()
    #expect(machine.closing(now: 0) == .halfThenLinger)
  }

  @Test func isTheLastAnswerWhenTheServerStops() {
    let machine = streaming()
    machine.drain()
    #expect(machine.closing(now: 0) == .no)
    machine.streamEnded()
    #expect(machine.closing(now: 0) == .halfThenLinger)
  }
}
