package import Dispatch
internal import Synchronization

/// Decisions without I/O: takes events and the time, and returns what to do.
package protocol TimedStateMachine: SendableMetatype {
  associatedtype Event: Sendable
  associatedtype Action: Equatable

  /// The event to pass at the time of `timerTicks`.
  static var timerEvent: Event { get }

  /// Handles what happened up to `now` and returns what to do about it, in order.
  mutating func handle(_ events: [Event], now: Moment) -> [Action]

  /// The tick at which to pass `timerEvent`, whatever else happens; nil for none. Valid until the next
  /// `handle`.
  mutating func timerTicks(now: Moment) -> Int64?

  /// Whether no event has an effect any more.
  var isFinished: Bool { get }
}

/// Runs a state machine on one serial queue: passes it events and the time, has its owner perform the
/// actions, and keeps its timer.
///
/// Events may come from any thread. Those that arrive while the queue is busy are handled together, so that a
/// busy machine wakes up seldom.
// Guard: `machine`, `owner`, `timerTicks` and `waiters` are used on `queue` only, once `init` is over; the
// inbox is in a Mutex.
package final class StateMachineDriver<Machine: TimedStateMachine>: @unchecked Sendable {
  private struct Inbox {
    var events: [Machine.Event] = []
    var isScheduled = false
  }

  private struct Owner {
    let willHandle: (_ events: inout [Machine.Event], inout Machine, Moment) -> Void
    let perform: ([Machine.Action], inout Machine, Moment) -> Void
  }

  private let queue: DispatchQueue
  private let clock: any TimerClock
  private let inbox = Mutex(Inbox())
  private var machine: Machine
  private var owner: Owner?
  private var timerTicks: Int64?
  private var waiters: [CheckedContinuation<Void, Never>] = []

  /// `queue` must be serial and used by nothing else.
  package init(machine: Machine, queue: DispatchQueue, clock: any TimerClock) {
    self.machine = machine
    self.queue = queue
    self.clock = clock
  }

  /// Sets the closure that performs actions in order, given the machine that decided on them, and one that
  /// can add events before the machine handles those that arrived. Both run on the queue and must hold their
  /// owner weakly. They get the machine `inout` because it would be copied otherwise, and must not change it.
  /// Call once, before the first event.
  package func attach(
    willHandle: @escaping (_ events: inout [Machine.Event], inout Machine, Moment) -> Void = { _, _, _ in },
    perform: @escaping ([Machine.Action], inout Machine, Moment) -> Void
  ) {
    owner = Owner(willHandle: willHandle, perform: perform)
  }

  /// Passes `event`, and `next` together with it, to the machine soon; returns at once. Any thread.
  package func post(_ event: Machine.Event, then next: Machine.Event? = nil) {
    let mustSchedule = inbox.withLock { inbox in
      inbox.events.append(event)
      if let next { inbox.events.append(next) }
      defer { inbox.isScheduled = true }
      return !inbox.isScheduled
    }
    if mustSchedule { queue.async { [self] in drain() } }
  }

  /// Passes `event` to the machine and returns once the machine is finished. Further calls wait for the same
  /// end.
  package func finish(with event: Machine.Event) async {
    await withCheckedContinuation { continuation in
      queue.async { [self] in
        if machine.isFinished { return continuation.resume() }
        waiters.append(continuation)
        process([event])
      }
    }
  }

  /// Passes `event` to the machine and returns the result of `body` for the machine, before any action is
  /// performed; nil if the machine is finished.
  package func handle<Value: Sendable>(
    _ event: Machine.Event, _ body: @escaping @Sendable (Machine) -> Value
  ) async -> Value? {
    await withCheckedContinuation { continuation in
      queue.async { [self] in
        guard !machine.isFinished else { return continuation.resume(returning: nil) }
        process([event]) { continuation.resume(returning: body($0)) }
      }
    }
  }

  private func drain() {
    let events = inbox.withLock { inbox in
      inbox.isScheduled = false
      defer { inbox.events = [] }
      return inbox.events
    }
    process(events)
  }

  private func process(_ events: [Machine.Event], handled: ((Machine) -> Void)? = nil) {
    guard !machine.isFinished else { return }
    let now = clock.now
    var events = events
    owner?.willHandle(&events, &machine, now)
    let actions = machine.handle(events, now: now)
    handled?(machine)
    owner?.perform(actions, &machine, now)
    setTimer(now: now)
    guard machine.isFinished else { return }
    for waiter in waiters { waiter.resume() }
    waiters = []
  }

  private func setTimer(now: Moment) {
    let wanted = machine.isFinished ? nil : machine.timerTicks(now: now)
    guard wanted != timerTicks else { return }
    timerTicks = wanted
    clock.setTimer(at: wanted) { [weak self] in self?.timerFired() }
  }

  private func timerFired() {
    queue.async { [self] in
      timerTicks = nil
      process([Machine.timerEvent])
    }
  }
}
