package import Dispatch
internal import Synchronization

/// The machine's clocks, and one dispatch timer for the life of the clock.
///
/// The timer is rescheduled rather than replaced: libdispatch on Linux has open faults with sources that are
/// created and cancelled in quick succession (swift-corelibs-libdispatch #949). And it is rescheduled only to
/// fire earlier, which wakes a thread of libdispatch: most deadlines are replaced by later ones before they
/// come, so that the timer finds out what to wait for when it fires.
// Guard: `source` is set in `init` and safe to use from any thread (dispatch objects are); the rest is in a
// Mutex.
package final class SystemTimerClock: TimerClock, @unchecked Sendable {
  private struct Pending {
    let deadline: DispatchTime
    let fire: @Sendable () -> Void
  }

  private struct State {
    var pending: Pending?
    /// When the source fires; nil for never.
    var armed: DispatchTime?
  }

  private let state = Mutex(State())
  private let source: any DispatchSourceTimer
  private let wall: @Sendable () -> Timestamp

  /// Timers fire on `queue`. `wall` is the wall clock, the machine's unless another one decides.
  package init(queue: DispatchQueue, wall: @escaping @Sendable () -> Timestamp = { .now }) {
    self.wall = wall
    source = DispatchSource.makeTimerSource(queue: queue)
    source.schedule(deadline: .distantFuture)
    source.setEventHandler { [weak self] in self?.fired() }
    source.activate()
  }

  deinit { source.cancel() }

  package var now: Moment {
    Moment(wall: wall(), ticks: Int64(clamping: DispatchTime.now().uptimeNanoseconds / 1_000_000))
  }

  package func setTimer(at ticks: Int64?, fire: @escaping @Sendable () -> Void) {
    guard let ticks else { return state.withLock { $0.pending = nil } }
    let (nanoseconds, overflow) = UInt64(max(0, ticks)).multipliedReportingOverflow(by: 1_000_000)
    let deadline = overflow ? DispatchTime.distantFuture : DispatchTime(uptimeNanoseconds: nanoseconds)
    state.withLock { state in
      state.pending = Pending(deadline: deadline, fire: fire)
      arm(&state, for: deadline)
    }
  }

  /// Has the source fire no later than at `deadline`.
  private func arm(_ state: inout State, for deadline: DispatchTime) {
    if let armed = state.armed, armed <= deadline { return }
    state.armed = deadline
    source.schedule(deadline: deadline, leeway: .milliseconds(1))
  }

  private func fired() {
    let due = state.withLock { state -> Pending? in
      state.armed = nil
      guard let pending = state.pending else { return nil }
      guard pending.deadline <= .now() else {
        arm(&state, for: pending.deadline)
        return nil
      }
      state.pending = nil
      return pending
    }
    due?.fire()
  }
}
