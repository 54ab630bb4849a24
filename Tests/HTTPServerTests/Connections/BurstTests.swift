import Dispatch
import Synchronization
import Testing

@testable import HTTPServer

/// Many answers at once, and answers that their client does not take yet.
@Suite(.timeLimit(.minutes(1))) struct BurstTests {
  @Test func answersThatWaitForRoomLeaveInOrder() async throws {
    let handler = TestHandler { request, responder in
      let padding = [UInt8](repeating: UInt8(ascii: "x"), count: 100_000)
      responder.respond(HTTPResponse(status: 200, body: Array(request.head.target.utf8) + padding))
    }
    try await withServer(handler) {
      $0.waitingOutputBytesMax = 1000
    } _: { address, _ in
      let client = try RawClient(address, receiveBufferBytes: 4096)
      client.send((0..<40).map { get("/\($0)") }.joined())
      for number in 0..<40 {
        let answer = try client.answer()
        #expect(answer.body.utf8.count == "/\(number)".utf8.count + 100_000)
        #expect(answer.body.hasPrefix("/\(number)x"))
      }
    }
  }

  /// While one turn of the loop takes answers, requests wait; so a turn takes only some of them.
  @Test func aRequestIsServedAmongManyAnswers() async throws {
    let (holding, gate, order) = (PendingRequests(), DispatchSemaphore(value: 0), Order())
    let (blocks, blocked) = AsyncStream.makeStream(of: Void.self)
    let handler = TestHandler { request, responder in
      switch request.head.path {
      case "/hold":
        let finishing = responder.finishing { _ in order.append("answer") }
        holding.handler.handle(request, responder: finishing)
      case "/block":
        blocked.yield()
        gate.wait()
        responder.respond(.echo(request))
      default:
        order.append("other")
        responder.respond(.echo(request))
      }
    }
    try await withServer(handler) {
      $0.loopCount = 1
    } _: { address, _ in
      let clients = try (0..<13).map { _ in try RawClient(address) }
      for client in clients { client.send((0..<16).map { _ in get("/hold") }.joined()) }
      let held = await holding.take(13 * 16)
      let (blocker, other) = (try RawClient(address), try RawClient(address))
      other.send(get("/other"))
      #expect(try other.answer().status == 200)
      order.clear()
      blocker.send(get("/block"))
      for await _ in blocks { break }
      // The loop stands still; then it finds all of these at once.
      other.send(get("/other"))
      for request in held { request.responder.respond(HTTPResponse(status: 200)) }
      gate.signal()
      #expect(try other.answer().status == 200)
      for client in clients { for _ in 0..<16 { #expect(try client.answer().status == 200) } }
      let place = try #require(order.list.firstIndex(of: "other"))
      #expect(place < held.count)
      #expect(order.list.count == held.count + 1)
    }
  }
}

/// What happened, in order.
private final class Order: Sendable {
  private let events = Mutex<[String]>([])
  var list: [String] { events.withLock { $0 } }
  func append(_ event: String) { events.withLock { $0.append(event) } }
  func clear() { events.withLock { $0 = [] } }
}
