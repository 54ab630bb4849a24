package import Dispatch
internal import Synchronization

/// The machine's clocks, and one dispatch timer for the life of the clock.
///
/// The timer is rescheduled rather than replaced: libdispatch on Linux has open faults with sources that are
/// created and cancelled in quick succession (swift-corelibs-libdispatch #949).
// Guard: `source` is set in `init` and safe to use from any thread (dispatch objects are); the rest is in a
// Mutex.
package final class SystemTimerClock: TimerClock, @unchecked Sendable {
  private struct Pending {
    let deadline: DispatchTime
    let fire: @Sendable () -> Void
  }

  private let pending = Mutex<Pending?>(nil)
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
    guard let ticks else {
      pending.withLock { $0 = nil }
      return source.schedule(deadline: .distantFuture)
    }
    let (nanoseconds, overflow) = UInt64(max(0, ticks)).multipliedReportingOverflow(by: 1_000_000)
    let deadline = overflow ? DispatchTime.distantFuture : DispatchTime(uptimeNanoseconds: nanoseconds)
    pending.withLock { $0 = Pending(deadline: deadline, fire: fire) }
    source.schedule(deadline: deadline, leeway: .milliseconds(1))
  }

  private func fired() {
    // A firing that was under way when the timer was rescheduled comes too early for the new deadline.
    let due = pending.withLock { pending -> Pending? in
      guard let current = pending, current.deadline <= .now() else { return nil }
      pending = nil
      return current
    }
    due?.fire()
  }
}
