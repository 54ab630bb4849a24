import Synchronization
import Testing

@testable import HTTPServer

/// A streamed body that a test supplies, and that reports what happens to it.
final class ScriptedSource: HTTPBodySource {
  private struct State: Sendable {
    var parts: [HTTPBodyPart] = []
    var waker: HTTPBodyWaker?
    var asked = 0
  }

  let idleInterval: Duration
  let idleBytes = Array(":\n\n".utf8)
  private let state = Mutex(State())
  private let ends: AsyncStream<Void>
  private let ending: AsyncStream<Void>.Continuation
  private let endsWithServer: Bool

  init(idleInterval: Duration = .seconds(60), endsWithServer: Bool = true, parts: [HTTPBodyPart] = []) {
    self.idleInterval = idleInterval
    self.endsWithServer = endsWithServer
    (ends, ending) = AsyncStream.makeStream()
    state.withLock { $0.parts = parts }
  }

  func begin(_ waker: HTTPBodyWaker) { state.withLock { $0.waker = waker } }

  func next() -> HTTPBodyPart {
    state.withLock { state in
      state.asked += 1
      return state.parts.isEmpty ? .waits : state.parts.removeFirst()
    }
  }

  func serverStops() { if endsWithServer { give(.ended) } }
  func end() { ending.yield() }

  /// Supplies further parts.
  func give(_ parts: HTTPBodyPart...) {
    let waker = state.withLock { state in
      state.parts += parts
      return state.waker
    }
    waker?.wake()
  }

  /// How many parts the connection has not taken.
  var waitingCount: Int { state.withLock(\.parts.count) }

  /// Waits until the connection takes nothing more.
  func waitForEnd() async {
    for await _ in ends { return }
  }

  /// A server's handler that answers every request with this body.
  var handler: TestHandler {
    TestHandler { _, responder in
      responder.respond(
        HTTPResponse(status: 200, headers: ["Content-Type": "text/event-stream"], stream: self))
    }
  }
}
