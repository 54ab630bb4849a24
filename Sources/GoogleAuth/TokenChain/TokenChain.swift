internal import Clock
internal import Dispatch
internal import HTTPClient

/// The requests that lead to an access token, one after the other: a subject token, its exchange,
/// impersonation. A failed step ends the chain; the next attempt starts over, so that a rotated source is
/// read again.
struct TokenChain: Sendable {
  typealias Completion = @Sendable (Result<TokenGrant, TokenError>) -> Void

  let steps: [TokenStep]
  let transport: HTTPTransport
  var skew: ClockSkew?
  var unixSeconds: @Sendable () -> Int64 = { Timestamp.now.unixSeconds }

  /// Calls `completion` once, on any thread, never before this returns.
  func fetch(_ completion: @escaping Completion) {
    run(steps[...], after: TokenGrant(value: "", lifetimeSeconds: 0), completion)
  }

  /// Abandons the requests that are under way.
  func retire() {
    for step in steps { transport.retire(step.destination) }
  }

  private func run(
    _ steps: ArraySlice<TokenStep>, after previous: TokenGrant, _ completion: @escaping Completion
  ) {
    guard let step = steps.first else { return completion(.success(previous)) }
    // Signing and reading files would block the transport's thread.
    DispatchQueue.global().async {
      let message: TokenMessage
      do throws(TokenError) {
        message = try step.compose(previous.value, unixSeconds())
      } catch {
        return completion(.failure(error))
      }
      transport.send(
        TransportRequest(
          destination: step.destination,
          headers: HeaderList(message.headers + ["Accept: application/json", "Expect:"]), body: message.body
        ) { result in
          if case .success(let response) = result { skew?.note(response) }
          switch read(result, step) {
          case .success(let grant): run(steps.dropFirst(), after: grant, completion)
          case .failure(let refusal): completion(.failure(refusal.without(message.secrets)))
          }
        })
    }
  }

  private func read(
    _ result: Result<TransportResponse, TransportError>, _ step: TokenStep
  ) -> Result<TokenGrant, TokenError> {
    switch result {
    case .success(let response):
      step.read(response, unixSeconds())
    case .failure(let failure) where failure.code == .unusable:
      .failure(.permanent("\(step.peer) cannot be asked: \(failure.detail)"))
    case .failure(let failure):
      .failure(
        .transient(
          "\(step.peer) does not answer: \(failure.detail)", status: failure.proxyStatus,
          end: .withoutToken(failure.phase, failure.phase == .proxy ? .proxy : .tokenEndpoint)))
    }
  }
}
