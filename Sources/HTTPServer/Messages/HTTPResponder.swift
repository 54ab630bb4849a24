internal import Synchronization

/// Accepts the answer to one request, once, from any thread. An answer given on the request's own loop is
/// written without a wake-up. When the last copy is released without an answer, the client gets a 500.
package struct HTTPResponder: Sendable {
  private let exchange: Exchange

  init(loop: EventLoop, registration: UInt64, sequence: UInt64) {
    exchange = Exchange(.connection(loop, registration: registration, sequence: sequence))
  }

  /// For a handler that is called without a server; `onAnswer` is called once, with nil after `abort()`.
  package init(onAnswer: @escaping @Sendable (HTTPResponse?) -> Void) {
    exchange = Exchange(.closure(onAnswer))
  }

  /// Takes the request over from this responder: `finish` changes the answer on the loop that writes it,
  /// which keeps that work off the thread that gives many answers.
  package func finishing(with finish: @escaping @Sendable (inout HTTPResponse) -> Void) -> HTTPResponder {
    HTTPResponder(exchange: exchange.takeOver(finish))
  }

  private init(exchange: Exchange) { self.exchange = exchange }

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

/// Delivers one result, and reports if there never was one.
private final class Exchange: Sendable {
  enum Destination: Sendable {
    case connection(EventLoop, registration: UInt64, sequence: UInt64)
    case closure(@Sendable (HTTPResponse?) -> Void)
  }

  typealias Finish = @Sendable (inout HTTPResponse) -> Void

  private let destination: Destination
  private let finish: Finish?
  private let isFinished = Atomic<Bool>(false)

  init(_ destination: Destination, finish: Finish? = nil) {
    self.destination = destination
    self.finish = finish
  }

  /// The same exchange with `finish`; this one has ended.
  func takeOver(_ finish: @escaping Finish) -> Exchange {
    let wasFinished = isFinished.exchange(true, ordering: .relaxed)
    let exchange = Exchange(destination, finish: finish)
    exchange.isFinished.store(wasFinished, ordering: .relaxed)
    return exchange
  }

  func finish(_ result: ExchangeResult) {
    guard !isFinished.exchange(true, ordering: .relaxed) else { return }
    deliver(result)
  }

  private func deliver(_ result: ExchangeResult) {
    switch destination {
    case .connection(let loop, let registration, let sequence):
      loop.deliver(result, finish: finish, registration: registration, sequence: sequence)
    case .closure(let onAnswer):
      switch result {
      case .response(var response):
        finish?(&response)
        onAnswer(response)
      case .abort: onAnswer(nil)
      case .dropped: onAnswer(HTTPResponse(status: 500))
      }
    }
  }

  deinit {
    if !isFinished.load(ordering: .relaxed) { deliver(.dropped) }
  }
}
