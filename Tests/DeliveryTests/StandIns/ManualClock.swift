import Clock
import Outbox
import Synchronization

@testable import Delivery

/// A clock that only a test moves.
final class ManualClock: TimerClock {
  private struct State {
    var milliseconds: Int64 = 0
    var setBack: Int64 = 0
    var timer: (at: Int64, fire: @Sendable () -> Void)?

    /// Returns the timer's action once it is due, and only once.
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

  /// Sets the wall clock back, or forward by a negative number; the monotonic clock continues.
  func setBack(by milliseconds: Int64) { state.withLock { $0.setBack += milliseconds } }

  func setTimer(at ticks: Int64?, fire: @escaping @Sendable () -> Void) {
    let due = state.withLock { state in
      state.timer = ticks.map { ($0, fire) }
      return state.takeDue()
    }
    due?()
  }

  /// Sets the time, relative to the start of the tests' time, and fires what is due by then.
  func move(to milliseconds: Int64) {
    let due = state.withLock { state in
      state.milliseconds = milliseconds
      return state.takeDue()
    }
    due?()
  }
}
