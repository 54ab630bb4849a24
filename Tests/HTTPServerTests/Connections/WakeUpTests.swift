import Clock
import Dispatch
import Glibc
import Synchronization
import Testing

@testable import HTTPServer

/// Wake-ups of loops, and threads that write answers in their place.
@Suite(.timeLimit(.minutes(1))) struct WakeUpTests {
  private func isSent(_ wakeUp: WakeUp) -> Bool {
    var poll = pollfd(fd: wakeUp.descriptor, events: Int16(POLLIN), revents: 0)
    return Glibc.poll(&poll, 1, 0) == 1
  }

  @Test func aThreadWakesALoopAtOnce() throws {
    let wakeUp = try #require(WakeUp())
    #expect(!isSent(wakeUp))
    wakeUp.send()
    #expect(isSent(wakeUp))
    wakeUp.clear()
    #expect(!isSent(wakeUp))
  }

  @Test func answersTogetherReachTheirClients() async throws {
    let held = Mutex<[(HTTPRequest, HTTPResponder)]>([])
    let (arrivals, arrived) = AsyncStream.makeStream(of: Void.self)
    let handler = TestHandler { request, responder in
      held.withLock { $0.append((request, responder)) }
      arrived.yield()
    }
    try await withServer(handler) { address, _ in
      let clients = try (0..<8).map { _ in try RawClient(address) }
      for (index, client) in clients.enumerated() { client.send(get("/\(index)")) }
      var waiting = arrivals.makeAsyncIterator()
      for _ in clients { await waiting.next() }
      let all = held.withLock { $0 }
      DeferredWork.afterwards { for (request, responder) in all { responder.respond(.echo(request)) } }
      for (index, client) in clients.enumerated() {
        #expect(try client.answer().body == "GET /\(index) ")
      }
    }
  }

  /// Answers of one thread come while loops sleep, read, close and stop: each is written once, in its turn.
  @Test(.timeLimit(.minutes(2))) func manyThreadsAnswerWhileTheLoopsReadAndSleep() async throws {
    let queues = (0..<3).map { DispatchQueue(label: "answering \($0)") }
    let handler = TestHandler { request, responder in
      let queue = queues[request.head.target.utf8.reduce(0) { $0 &+ Int($1) } % queues.count]
      queue.async { responder.respond(.echo(request)) }
    }
    try await withServer(handler) {
      $0.loopCount = 2
    } _: { address, _ in
      let clients = try (0..<6).map { _ in try RawClient(address) }
      for round in 0..<60 {
        for (index, client) in clients.enumerated() {
          // One at a time, which another thread writes, and several, which the loop does.
          client.send((0...(round % 3)).map { get("/\(index)/\(round)/\($0)") }.joined())
        }
        for (index, client) in clients.enumerated() {
          for number in 0...(round % 3) {
            #expect(try client.answer().body == "GET /\(index)/\(round)/\(number) ")
          }
        }
      }
      // These are gone before their answer.
      for client in clients { client.send(get("/last")) }
    }
  }

  /// A thread that writes in place of a loop leaves it the deadlines.
  @Test func aDeadlineThatAnAnswerSetsIsKept() async throws {
    let holding = PendingRequests()
    try await withServer(holding.handler) {
      $0.loopCount = 1
      $0.idleTimeout = .milliseconds(50)
    } _: { address, _ in
      let client = try RawClient(address)
      client.send(get("/"))
      for held in await holding.take(1) { held.responder.respond(HTTPResponse(status: 200)) }
      #expect(try client.answer().status == 200)
      #expect(try client.waitForClose() == "")
    }
  }
}
