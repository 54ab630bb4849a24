internal import Synchronization

/// Keeps a reload from being applied during or after the shutdown. The shutdown waits for one that is being
/// applied, which takes about a second at most, and not for one that is still loading.
final class ReloadGate: Sendable {
  private struct State {
    var isClosed = false
    var isApplying = false
    var waiter: CheckedContinuation<Void, Never>?
  }

  private let state = Mutex(State())

  /// Begins to apply a reload; false once the shutdown has begun. Reloads follow one another, so that no two
  /// are applied at once.
  func enter() -> Bool {
    state.withLock { state in
      guard !state.isClosed else { return false }
      state.isApplying = true
      return true
    }
  }

  /// The reload is applied.
  func leave() {
    let waiter = state.withLock { state in
      state.isApplying = false
      return state.waiter.take()
    }
    waiter?.resume()
  }

  /// Lets no further reload enter, and waits for one that has. Call once.
  func close() async {
    await withCheckedContinuation { continuation in
      let isFree = state.withLock { state in
        state.isClosed = true
        if state.isApplying { state.waiter = continuation }
        return !state.isApplying
      }
      if isFree { continuation.resume() }
    }
  }
}
