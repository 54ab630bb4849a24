import Foundation
import Synchronization
import Testing

@testable import HTTPServer

/// How a loop divides its turns among clients.
@Suite(.timeLimit(.minutes(1))) struct LoopSharesTests {
  @Test func aClientThatUsedItsShareWaitsForTheNextTurn() {
    var shares = LoopShares()
    let (busy, other) = (LoopShares.Client.name("busy"), LoopShares.Client.name("other"))
    for _ in 0..<LoopShares.requestsPerTurn {
      #expect(shares.hasShare(busy))
      #expect(!shares.isUsedUp)
      shares.charge(1, to: busy)
    }
    #expect(!shares.hasShare(busy))
    #expect(shares.isUsedUp)
    #expect(shares.hasShare(other))
    #expect(shares.hasShare(.address(nil)))
    shares.beginTurn()
    #expect(shares.hasShare(busy))
    #expect(!shares.isUsedUp)
  }

  @Test func whatAClientUsedBeyondItsShareCountsInTheNextTurns() {
    var shares = LoopShares()
    let busy = LoopShares.Client.name("busy")
    shares.charge(3 * LoopShares.requestsPerTurn + 1, to: busy)
    for _ in 0..<3 {
      #expect(!shares.hasShare(busy))
      shares.beginTurn()
    }
    #expect(shares.hasShare(busy))
    shares.beginTurn()
    // It cannot save up.
    shares.beginTurn()
    shares.charge(LoopShares.requestsPerTurn, to: busy)
    #expect(!shares.hasShare(busy))
  }

  /// Names the client of each request, and holds the loop at the first `/hold`.
  private final class Recorder: HTTPHandler, Sendable {
    struct Request: HTTPRequestHandler {
      let recorder: Recorder
      let client: String?

      func handle(_ request: HTTPRequest, responder: HTTPResponder) {
        if request.head.path == "/hold" {
          recorder.isHeld.signal()
          recorder.goesOn.wait()
        }
        recorder.order.withLock { $0.append(client ?? "") }
        responder.respond(HTTPResponse(status: 204))
      }
    }

    let order = Mutex<[String]>([])
    let isHeld = DispatchSemaphore(value: 0)
    let goesOn = DispatchSemaphore(value: 0)

    func admit(_ head: HTTPRequestHead) -> HTTPAdmission {
      .accept(by: Request(recorder: self, client: head.headers["Client"]), bodyBytesMax: nil)
    }

    func response(to error: HTTPProtocolError) -> HTTPResponse { HTTPResponse(status: error.status) }
  }

  /// However many requests a client has sent over however many connections, another client's is among the
  /// first that a turn of the loop reads.
  @Test func anotherClientsRequestIsReadAmongTheFirst() async throws {
    let recorder = Recorder()
    let (connectionCount, requestCount) = (10, 40)
    try await withServer(recorder, configure: { $0.loopCount = 1 }) { address, _ in
      func request(_ path: String, _ client: String) -> String {
        "GET \(path) HTTP/1.1\r\nHost: a\r\nClient: \(client)\r\n\r\n"
      }
      let busy = try (0..<connectionCount).map { _ in try RawClient(address) }
      let (own, holding) = (try RawClient(address), try RawClient(address))
      for (client, name) in busy.map({ ($0, "busy") }) + [(own, "own"), (holding, "holding")] {
        client.send(request("/", name))
        #expect(try client.answer().status == 204)
      }
      recorder.order.withLock { $0 = [] }
      holding.send(request("/hold", "holding"))
      recorder.isHeld.wait()
      for client in busy { client.send(String(repeating: request("/", "busy"), count: requestCount)) }
      own.send(request("/", "own"))
      recorder.goesOn.signal()
      #expect(try own.answer().status == 204)
      for client in busy { for _ in 0..<requestCount { #expect(try client.answer().status == 204) } }
      let order = recorder.order.withLock { $0 }
      #expect(order.count == 2 + connectionCount * requestCount)
      let place = try #require(order.firstIndex(of: "own"))
      #expect(place <= 1 + LoopShares.requestsPerTurn)
    }
  }
}
