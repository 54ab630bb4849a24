import Outbox
import Synchronization

@testable import Delivery

/// Time that stands still until a test moves it.
final class ManualClock: DeliveryClock {
  private struct State {
    var milliseconds: Int64 = 0
    var timer: (at: Int64, fire: @Sendable () -> Void)?

    /// The timer, if its time has come; once.
    mutating func takeDue() -> (@Sendable () -> Void)? {
      guard let timer, timer.at <= milliseconds else { return nil }
      self.timer = nil
      return timer.fire
    }
  }

  private let state = Mutex(State())

  var now: Moment { moment(state.withLock(\.milliseconds)) }

  func setTimer(at ticks: Int64?, fire: @escaping @Sendable () -> Void) {
    let due = state.withLock { state in
      state.timer = ticks.map { ($0, fire) }
      return state.takeDue()
    }
    due?()
  }

  /// Sets the time, from when the tests' time began, and fires what is due by then.
  func move(to milliseconds: Int64) {
    let due = state.withLock { state in
      state.milliseconds = milliseconds
      return state.takeDue()
    }
    due?()
  }
}
