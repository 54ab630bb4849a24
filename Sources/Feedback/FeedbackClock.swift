internal import Dispatch
internal import Outbox
internal import Synchronization

/// Time as the webhook sees it; a test puts its own in place.
protocol FeedbackClock: Sendable {
  var wall: Timestamp { get }
  /// Milliseconds of a clock that only goes forward.
  var ticks: Int64 { get }

  /// Calls `fire` when `ticks` is reached, and perhaps sooner, on any thread and never before this has returned.
  /// Takes the place of the timer set before; nil only clears that one.
  func setTimer(at ticks: Int64?, fire: @escaping @Sendable () -> Void)
}

/// The machine's clocks, and one dispatch timer.
// Guard: `source` is set in `init` and safe to use from any thread (dispatch objects are); the rest is in a Mutex.
final class SystemFeedbackClock: FeedbackClock, @unchecked Sendable {
  private let source: any DispatchSourceTimer
  private let alarm = Mutex(Alarm())

  /// In a struct: a closure alone in a `Mutex` would be wrapped in one more thunk by each reading.
  private struct Alarm {
    var fire: (@Sendable () -> Void)?
  }

  /// The timer fires on `queue`.
  init(queue: DispatchQueue) {
    source = DispatchSource.makeTimerSource(queue: queue)
    source.schedule(deadline: .distantFuture)
    source.setEventHandler { [weak self] in self?.alarm.withLock { $0.fire }?() }
    source.activate()
  }

  deinit { source.cancel() }

  var wall: Timestamp { .now }
  var ticks: Int64 { Int64(clamping: DispatchTime.now().uptimeNanoseconds / 1_000_000) }

  func setTimer(at ticks: Int64?, fire: @escaping @Sendable () -> Void) {
    alarm.withLock { $0.fire = ticks == nil ? nil : fire }
    guard let ticks else { return source.schedule(deadline: .distantFuture) }
    let (nanoseconds, overflow) = UInt64(max(0, ticks)).multipliedReportingOverflow(by: 1_000_000)
    let deadline = overflow ? DispatchTime.distantFuture : DispatchTime(uptimeNanoseconds: nanoseconds)
    source.schedule(deadline: deadline, leeway: .milliseconds(1))
  }
}
