import Synchronization

/// Reloads that are requested before the gateway runs are carried out, as one, when it does.
final class PendingReload: Sendable {
  private struct State {
    var isRequested = false
    var action: (@Sendable () -> Void)?
  }

  private let state = Mutex(State())

  /// Reloads now, or later if the gateway does not run yet.
  func request() {
    let action = state.withLock { state in
      if state.action == nil { state.isRequested = true }
      return state.action
    }
    action?()
  }

  /// The gateway runs: carries out a request that is waiting, and every later one.
  func onRequest(_ action: @escaping @Sendable () -> Void) {
    let wasRequested = state.withLock { state in
      state.action = action
      return state.isRequested
    }
    if wasRequested { action() }
  }
}
