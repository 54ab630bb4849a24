internal import Synchronization

/// The identity for new connections; it can be replaced while the server runs.
final class TLSIdentities: Sendable {
  private struct State: Sendable {
    var identity: TLSIdentity
    var renewsAt: UInt64?
  }

  /// How long one set of ticket keys is used.
  private static let ticketKeyNanoseconds: UInt64 = 6 * 3600 * 1_000_000_000

  private let state: Mutex<State>

  init(_ identity: TLSIdentity) { state = Mutex(State(identity: identity)) }

  /// The identity in force at a monotonic time in nanoseconds, with ticket keys that are not too old.
  func current(now: UInt64) -> TLSIdentity {
    state.withLock { state in
      guard let renewsAt = state.renewsAt else {
        state.renewsAt = now + Self.ticketKeyNanoseconds
        return state.identity
      }
      if renewsAt <= now {
        state.renewsAt = now + Self.ticketKeyNanoseconds
        if let renewed = state.identity.withNewTicketKeys() { state.identity = renewed }
      }
      return state.identity
    }
  }

  func replace(with identity: TLSIdentity) {
    state.withLock { $0 = State(identity: identity) }
  }
}
