/// The time, and one timer: the environment of a `StateMachineDriver`. Tests and simulations supply
/// their own.
package protocol TimerClock: Sendable {
  var now: Moment { get }

  /// Calls `fire` once, as soon as `now.ticks` is at least `ticks`, on any thread and never before this call
  /// has returned to a caller that holds no lock. Replaces the timer set before; nil only clears that one.
  func setTimer(at ticks: Int64?, fire: @escaping @Sendable () -> Void)
}
