internal import Synchronization

/// Has credentials read again at once when a token service refuses them: their files may hold new ones. Does
/// so once in a while at most, however often they are refused.
final class RefusedCredentials: Sendable {
  private struct State {
    var read: (@Sendable () -> Void)?
    var lastRead: ContinuousClock.Instant?
  }

  static let pause = Duration.seconds(5)

  private let state = Mutex(State())

  /// Names what reads them.
  func onRefusal(_ read: @escaping @Sendable () -> Void) { state.withLock { $0.read = read } }

  func note(now: ContinuousClock.Instant = .now) {
    let read = state.withLock { state -> (@Sendable () -> Void)? in
      if let last = state.lastRead, now < last + Self.pause { return nil }
      state.lastRead = now
      return state.read
    }
    read?()
  }
}
