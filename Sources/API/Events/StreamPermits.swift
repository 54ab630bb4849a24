internal import JSON
internal import Synchronization

/// Bounds how many streams are open, for each client and for all together.
final class StreamPermits: Sendable {
  /// The streams of all clients.
  static let countMaxDefault = 512
  /// The streams of one client. All anonymous callers are one.
  static let clientCountMaxDefault = 64
  /// When to try again.
  private static let retrySeconds = 5

  private let countMax: Int
  private let clientCountMax: Int
  private let counts = Mutex<[ExactText?: Int]>([:])

  init(countMax: Int = countMaxDefault, clientCountMax: Int = clientCountMaxDefault) {
    self.countMax = countMax
    self.clientCountMax = clientCountMax
  }

  /// Takes a permit for a client's stream.
  func take(for client: String?) throws(APIError) -> StreamPermit {
    let client = client.map(ExactText.init)
    let refusal = counts.withLock { counts -> APIError? in
      let own = counts[client] ?? 0
      guard own < clientCountMax else {
        var error = APIError(
          .rateLimited, "The client has \(own) event streams open, and may have \(clientCountMax); close one."
        )
        error.headers.append(("Retry-After", String(Self.retrySeconds)))
        return error
      }
      guard counts.values.reduce(0, +) < countMax else {
        return APIError(.overloaded, "All clients together have \(countMax) event streams open.")
      }
      counts[client] = own + 1
      return nil
    }
    if let refusal { throw refusal }
    return StreamPermit { [self] in giveBack(client) }
  }

  /// How many streams are open.
  var count: Int { counts.withLock { $0.values.reduce(0, +) } }

  private func giveBack(_ client: ExactText?) {
    counts.withLock { counts in
      let rest = (counts[client] ?? 1) - 1
      counts[client] = rest > 0 ? rest : nil
    }
  }
}

/// A place among the open streams, given back once.
final class StreamPermit: Sendable {
  private let giveBack: @Sendable () -> Void
  private let isReleased = Atomic<Bool>(false)

  init(giveBack: @escaping @Sendable () -> Void) { self.giveBack = giveBack }

  deinit { release() }

  func release() {
    if !isReleased.exchange(true, ordering: .relaxed) { giveBack() }
  }
}
