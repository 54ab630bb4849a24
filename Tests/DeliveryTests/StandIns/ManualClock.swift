import Clock
import Outbox
import Synchronization

@testable import Delivery

/// Time that stands still until a test moves it.
final class ManualClock: TimerClock {
  private struct State {
    var milliseconds: Int64 = 0
    var setBack: Int64 = 0
    var timer: (at: Int64, fire: @Sendable () -> Void)?

    /// The timer, if its time has come; once.
    mutating func takeDue() -> (@Sendable () -> Void)? {
      guard let timer, timer.at <= milliseconds else { return nil }
      self.timer = nil
      return timer.fire
    }
  }

  private let state = Mutex(State())

  var now: Moment {
    state.withLock { Moment(wall: wall($0.milliseconds - $0.setBack), ticks: $0.milliseconds) }
  }

  /// Sets the wall clock back, or forth by a negative number; the steady one goes on.
  func setBack(by milliseconds: Int64) { state.withLock { $0.setBack += milliseconds } }

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
