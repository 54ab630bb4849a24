internal import Synchronization

/// Accepts the answer to one request, once, from any thread. An answer given on the request's own loop is
/// written without a wake-up. When the last copy is released without an answer, the client gets a 500.
package struct HTTPResponder: Sendable {
  private let exchange: Exchange
  /// Which of the responders of one exchange it is; only the last one can answer.
  private let number: UInt8

  init(loop: EventLoop, registration: UInt64, sequence: UInt64) {
    self.init(Exchange(.connection(loop, registration: registration, sequence: sequence)), number: 0)
  }

  /// For a handler that is called without a server; `onAnswer` is called once, with nil after `abort()`.
  package init(onAnswer: @escaping @Sendable (HTTPResponse?) -> Void) {
    self.init(Exchange(.closure(onAnswer)), number: 0)
  }

  /// Takes the request over from this responder, once: `finish` changes the answer on the loop that writes
  /// it, which keeps that work off the thread that gives many answers.
  package func finishing(with finish: @escaping @Sendable (inout HTTPResponse) -> Void) -> HTTPResponder {
    exchange.takeOver(from: number, finish)
    return HTTPResponder(exchange, number: number &+ 1)
  }

  private init(_ exchange: Exchange, number: UInt8) {
    self.exchange = exchange
    self.number = number
  }

  /// Answers the request; later calls have no effect.
  package func respond(_ response: HTTPResponse) { exchange.finish(.response(response), by: number) }

  /// Closes the connection without an answer; later calls have no effect.
  package func abort() { exchange.finish(.abort, by: number) }
}

/// How a handler ended an exchange.
enum ExchangeResult: Sendable {
  case response(HTTPResponse)
  case abort
  case dropped
}

/// Delivers one result, and reports if there never was one.
// Guard: `finish` is written by the responder that ends with it, and read by its successor, which nobody else
// has yet; no responder but the one whose number is in `owner` gets as far as reading it.
private final class Exchange: @unchecked Sendable {
  enum Destination: Sendable {
    case connection(EventLoop, registration: UInt64, sequence: UInt64)
    case closure(@Sendable (HTTPResponse?) -> Void)
  }

  typealias Finish = @Sendable (inout HTTPResponse) -> Void

  /// In place of a responder's number when there is a result.
  private static let nobody = UInt8.max

  private let destination: Destination
  private var finish: Finish?
  /// The number of the responder that can answer.
  private let owner = Atomic<UInt8>(0)

  init(_ destination: Destination) { self.destination = destination }

  /// Makes the next responder the owner, if that one is; it answers with `finish`.
  func takeOver(from number: UInt8, _ finish: @escaping Finish) {
    if replaceOwner(number, by: number &+ 1) { self.finish = finish }
  }

  func finish(_ result: ExchangeResult, by number: UInt8) {
    if replaceOwner(number, by: Self.nobody) { deliver(result) }
  }

  private func replaceOwner(_ number: UInt8, by next: UInt8) -> Bool {
    owner.compareExchange(expected: number, desired: next, ordering: .acquiringAndReleasing).exchanged
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
    if owner.load(ordering: .relaxed) != Self.nobody { deliver(.dropped) }
  }
}
