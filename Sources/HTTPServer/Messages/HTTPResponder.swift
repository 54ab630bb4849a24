internal import Synchronization

/// Accepts the answer to one request, once, from any thread. An answer given on the request's own loop is
/// written without a wake-up. When the last copy is released without an answer, the client gets a 500.
package struct HTTPResponder: Sendable {
  private let exchange: Exchange
  /// Which of the responders of one exchange it is; only the last one can answer.
  private let number: UInt8

  init(loop: EventLoop, registration: UInt64, sequence: UInt64) {
    let place = ExchangePlace(registration: registration, sequence: sequence)
    self.init(Exchange(.connection(loop, place)), number: 0)
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
enum ExchangeResult: Sendable { case response(HTTPResponse), abort }

/// Delivers one result, and reports if there never was one.
// Guard: the atomic `owner`. `finish` is written by a responder that ends with it, and `result` by the one
// whose number it holds, once. From then on, both are read only by the loop or, without one, by that
// responder.
final class Exchange: @unchecked Sendable {
  enum Destination: Sendable {
    case connection(EventLoop, ExchangePlace)
    case closure(@Sendable (HTTPResponse?) -> Void)
  }

  typealias Finish = @Sendable (inout HTTPResponse) -> Void

  /// In place of a responder's number when there is a result.
  private static let nobody = UInt8.max

  private let destination: Destination
  private var finish: Finish?
  private var result: ExchangeResult?
  /// The number of the responder that can answer.
  private let owner = Atomic<UInt8>(0)

  init(_ destination: Destination) { self.destination = destination }

  /// Makes the next responder the owner, if that one is; it answers with `finish`.
  func takeOver(from number: UInt8, _ finish: @escaping Finish) {
    if replaceOwner(number, by: number &+ 1) { self.finish = finish }
  }

  func finish(_ result: ExchangeResult, by number: UInt8) {
    guard replaceOwner(number, by: Self.nobody) else { return }
    self.result = result
    switch destination {
    case .connection(let loop, let place): loop.deliver(self, at: place)
    case .closure(let onAnswer): onAnswer(takeResponse())
    }
  }

  /// The finished answer; nil to close the connection without one. For the one who gets the result, once.
  func takeResponse() -> HTTPResponse? {
    guard case .response(var response) = result else { return nil }
    result = nil
    finish?(&response)
    return response
  }

  private func replaceOwner(_ number: UInt8, by next: UInt8) -> Bool {
    owner.compareExchange(expected: number, desired: next, ordering: .acquiringAndReleasing).exchanged
  }

  deinit {
    if owner.load(ordering: .relaxed) == Self.nobody { return }
    switch destination {
    case .connection(let loop, let place): loop.reportDropped(at: place)
    case .closure(let onAnswer): onAnswer(HTTPResponse(status: 500))
    }
  }
}

/// Where an answer goes: a connection of a loop, and its place among the answers there.
struct ExchangePlace: Sendable {
  let registration: UInt64
  let sequence: UInt64
}
