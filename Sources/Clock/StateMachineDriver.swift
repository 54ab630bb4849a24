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

  /// Whether no event has an effect any more. `mutating` spares the driver a copy of the machine for each
  /// look; it changes nothing.
  var isFinished: Bool { mutating get }
}

/// Runs a state machine on one thread at a time: passes it events and the time, has its owner perform the
/// actions, and keeps its timer.
///
/// Events may come from any thread. A thread with few events for an idle machine runs it itself, since to
/// wake another one would cost more than most decisions. Events for a busy machine are handled together. Many
/// events, or events without end, are handled on the queue, so that no thread is kept from its own work.
// Guard: once `init` is over, `machine`, `owner`, `timerTicks` and `waiters` are used only by the thread that
// has the turn; the inbox is in a Mutex.
package final class StateMachineDriver<Machine: TimedStateMachine>: @unchecked Sendable {
  private struct Inbox {
    var events: [Machine.Event] = []
    /// How much there is to decide about in the events.
    var size = 0
    /// Whether some thread handles the events, or is about to.
    var isAttended = false
  }

  /// How much a thread that passed events decides about itself, and how often what has arrived meanwhile.
  private static var sizeMax: Int { 4 }
  private static var roundsMax: Int { 4 }

  private struct Owner {
    let willHandle: (_ events: inout [Machine.Event], inout Machine, Moment) -> Void
    let perform: ([Machine.Action], inout Machine, Moment) -> Void
  }

  private let queue: DispatchQueue
  private let clock: any TimerClock
  private let turn = Turn()
  private let inbox = Mutex(Inbox())
  private var machine: Machine
  private var owner: Owner?
  private var timerTicks: Int64?
  private var waiters: [CheckedContinuation<Void, Never>] = []

  /// `queue` must be serial.
  package init(machine: Machine, queue: DispatchQueue, clock: any TimerClock) {
    self.machine = machine
    self.queue = queue
    self.clock = clock
  }

  /// Sets the closure that performs actions in order, given the machine that decided on them, and one that
  /// can add events before the machine handles those that arrived. They run on any thread, one at a time, and
  /// must not block or own their owner. They get the machine `inout` to spare a copy, and must not change it.
  /// Call once, before the first event.
  package func attach(
    willHandle: @escaping (_ events: inout [Machine.Event], inout Machine, Moment) -> Void = { _, _, _ in },
    perform: @escaping ([Machine.Action], inout Machine, Moment) -> Void
  ) {
    owner = Owner(willHandle: willHandle, perform: perform)
  }

  /// Passes `event`, and `next` together with it, to the machine: on this thread if the machine is idle, at
  /// the end of the thread's `DeferredWork`; otherwise soon. Any thread, without a lock that the actions
  /// take. `size` is the number of things to decide about.
  package func post(_ event: Machine.Event, then next: Machine.Event? = nil, size: Int = 1) {
    let isAttended = inbox.withLock { inbox in
      inbox.events.append(event)
      inbox.size += size
      if let next { inbox.events.append(next) }
      defer { inbox.isAttended = true }
      return inbox.isAttended
    }
    if !isAttended { DeferredWork.perform { [self] in attendHere() } }
  }

  /// Handles the events on this thread, unless they are many or another thread has the turn.
  private func attendHere() {
    guard inbox.withLock({ $0.size <= Self.sizeMax }), turn.tryTake() else {
      return queue.async { [self] in withTurn { attend() } }
    }
    attend()
    turn.end()
  }

  /// Passes `event` to the machine and returns once the machine is finished. Further calls wait for the same
  /// end.
  package func finish(with event: Machine.Event) async {
    await withCheckedContinuation { continuation in
      queue.async { [self] in
        withTurn {
          if machine.isFinished { return continuation.resume() }
          waiters.append(continuation)
          process([event])
        }
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
        withTurn {
          guard !machine.isFinished else { return continuation.resume(returning: nil) }
          process([event]) { continuation.resume(returning: body($0)) }
        }
      }
    }
  }

  private func withTurn(_ body: () -> Void) {
    turn.take()
    body()
    turn.end()
  }

  /// Handles the events that have arrived; if they do not end, the queue goes on.
  private func attend() {
    for _ in 0..<Self.roundsMax {
      let events = inbox.withLock { inbox in
        inbox.isAttended = !inbox.events.isEmpty
        inbox.size = 0
        defer { inbox.events = [] }
        return inbox.events
      }
      guard !events.isEmpty else { return }
      process(events)
    }
    queue.async { [self] in withTurn { attend() } }
  }

  private func process(_ events: [Machine.Event], handled: ((Machine) -> Void)? = nil) {
    guard !machine.isFinished else { return }
    let now = clock.now
    var events = events
    owner?.willHandle(&events, &machine, now)
    let actions = machine.handle(events, now: now)
    handled?(machine)
    DeferredWork.afterwards { owner?.perform(actions, &machine, now) }
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
      withTurn {
        timerTicks = nil
        process([Machine.timerEvent])
      }
    }
  }
}
