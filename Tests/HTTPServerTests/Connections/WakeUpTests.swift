import Dispatch
import Glibc
import Synchronization
import Testing

@testable import HTTPServer

/// Wake-ups of loops by threads that give many answers.
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

  @Test func answersTogetherWakeALoopAfterThem() throws {
    let wakeUps = try (0..<2).map { _ in try #require(WakeUp()) }
    HTTPAnswers.together {
      // Calls within calls belong to the first.
      HTTPAnswers.together { wakeUps[0].send() }
      wakeUps[1].send()
      #expect(!wakeUps.contains(where: isSent))
    }
    #expect(wakeUps.allSatisfy(isSent))
    wakeUps[0].clear()
    wakeUps[0].send()
    #expect(isSent(wakeUps[0]))
  }

  @Test func anotherThreadIsNotDelayed() throws {
    let (mine, other) = (try #require(WakeUp()), try #require(WakeUp()))
    HTTPAnswers.together {
      mine.send()
      let isDone = DispatchSemaphore(value: 0)
      DispatchQueue(label: "other").async {
        other.send()
        isDone.signal()
      }
      isDone.wait()
      #expect(isSent(other) && !isSent(mine))
    }
    #expect(isSent(mine))
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
      HTTPAnswers.together { for (request, responder) in all { responder.respond(.echo(request)) } }
      for (index, client) in clients.enumerated() {
        #expect(try client.answer().body == "GET /\(index) ")
      }
    }
  }
}
