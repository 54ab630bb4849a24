internal import Synchronization

/// Where the answer to one request goes: once, from any thread. An answer given on the request's own loop is
/// written without a wake-up. When the last copy goes without an answer, the client gets a 500.
package struct HTTPResponder: Sendable {
  private let exchange: Exchange

  init(loop: EventLoop, registration: UInt64, sequence: UInt64) {
    exchange = Exchange { result in
      loop.deliver(result, registration: registration, sequence: sequence)
    }
  }

  /// For a handler that is called without a server; `onAnswer` is called once, with nil after `abort()`.
  package init(onAnswer: @escaping @Sendable (HTTPResponse?) -> Void) {
    exchange = Exchange { result in
      switch result {
      case .response(let response): onAnswer(response)
      case .abort: onAnswer(nil)
      case .dropped: onAnswer(HTTPResponse(status: 500))
      }
    }
  }

  /// Answers the request; later calls have no effect.
  package func respond(_ response: HTTPResponse) { exchange.finish(.response(response)) }

  /// Closes the connection without an answer; later calls have no effect.
  package func abort() { exchange.finish(.abort) }
}

/// How a handler ended an exchange.
enum ExchangeResult: Sendable {
  case response(HTTPResponse)
  case abort
  case dropped
}

/// Lets one result through, and says so when none ever came.
private final class Exchange: Sendable {
  private let deliver: @Sendable (ExchangeResult) -> Void
  private let isFinished = Atomic<Bool>(false)

  init(deliver: @escaping @Sendable (ExchangeResult) -> Void) { self.deliver = deliver }

  func finish(_ result: ExchangeResult) {
    guard !isFinished.exchange(true, ordering: .relaxed) else { return }
    deliver(result)
  }

  deinit {
    if !isFinished.load(ordering: .relaxed) { deliver(.dropped) }
  }
}
