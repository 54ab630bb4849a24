import Glibc
import Synchronization

/// A stop that a signal requests, at once or while the command runs.
///
/// Until `begin`, the process simply ends: nothing has begun that would have to be finished, and starting may
/// wait for a server or a database. As the first process of a container, it would otherwise never learn of
/// the signal, because the kernel does not apply a signal's default to that one.
final class PendingStop: Sendable {
  private struct State {
    var hasBegun = false
    var isRequested = false
    var waiter: CheckedContinuation<Void, Never>?
  }

  private let state = Mutex(State())

  /// Ends the process if nothing has begun; otherwise `untilRequested` returns.
  func request() {
    let (hasBegun, waiter) = state.withLock { state in
      state.isRequested = true
      return (state.hasBegun, state.waiter.take())
    }
    if !hasBegun { _exit(0) }
    waiter?.resume()
  }

  /// From now on, a stop has to be an orderly one.
  func begin() { state.withLock { $0.hasBegun = true } }

  /// Call once.
  func untilRequested() async {
    await withCheckedContinuation { continuation in
      let isRequested = state.withLock { state in
        if !state.isRequested { state.waiter = continuation }
        return state.isRequested
      }
      if isRequested { continuation.resume() }
    }
  }
}
