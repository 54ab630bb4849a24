internal import DeliveryReports
internal import Dispatch
internal import FCM
internal import Outbox
internal import Synchronization

/// The deliveries for whose end callers wait.
///
/// Each caller has a connection, so their number is bounded. One timer serves all of them.
final class AwaitedDeliveries: Sendable {
  enum End: Sendable {
    /// FCM accepted the message under this name.
    case sent(name: String)
    /// How it ended is on disk: it failed, expired or was cancelled, or it was sent before somebody waited.
    case other
    /// The time is over.
    case late
  }

  private typealias Completion = @Sendable (End) -> Void

  private struct Wait: Sendable {
    /// Those who may still ask for the end.
    var expectations = 0
    var callers: [(deadline: ContinuousClock.Instant, completion: Completion)] = []
    var end: End?

    var isOver: Bool { expectations == 0 && callers.isEmpty }
  }

  private struct State: Sendable {
    var waits: [DeliveryID: Wait] = [:]
    var isTicking = false
    var isStopping: @Sendable () -> Bool = { false }

    mutating func change<Result>(_ id: DeliveryID, _ body: (inout Wait) -> Result) -> Result {
      var wait = waits[id] ?? Wait()
      let result = body(&wait)
      waits[id] = wait.isOver ? nil : wait
      return result
    }
  }

  private static let tick = DispatchTimeInterval.milliseconds(100)

  private let state = Mutex(State())
  private let isUsed = Atomic<Bool>(false)
  private let queue = DispatchQueue(label: "dragoman.awaited")

  /// Nobody waits any more once `isStopping` is true.
  func stop(when isStopping: @escaping @Sendable () -> Bool) {
    state.withLock { $0.isStopping = isStopping }
  }

  /// Notes from now on how a delivery ends.
  func expect(_ id: DeliveryID) -> ExpectedDelivery {
    state.withLock { state in
      state.change(id) { $0.expectations += 1 }
      isUsed.store(true, ordering: .releasing)
    }
    return ExpectedDelivery(id, of: self)
  }

  fileprivate func forget(_ id: DeliveryID) {
    state.withLock { state in
      state.change(id) { $0.expectations -= 1 }
      if state.waits.isEmpty { isUsed.store(false, ordering: .releasing) }
    }
  }

  fileprivate func wait(
    for id: DeliveryID, until deadline: ContinuousClock.Instant, completion: @escaping @Sendable (End) -> Void
  ) {
    let (end, begins) = state.withLock { state -> (End?, Bool) in
      let end = state.change(id) { wait in
        if wait.end == nil { wait.callers.append((deadline, completion)) }
        return wait.end
      }
      guard end == nil else { return (end, false) }
      defer { state.isTicking = true }
      return (nil, !state.isTicking)
    }
    if let end { completion(end) }
    if begins { scheduleTick() }
  }

  /// Takes an event of the delivery engine.
  func note(_ event: DeliveryEvent) {
    guard isUsed.load(ordering: .acquiring) else { return }
    switch event {
    case .attempted(_, let reference, let outcome, _, _):
      if case .sent(let name) = outcome { end(reference.delivery, .sent(name: name)) }
    case .recorded(_, let reference, _, _): end(reference.delivery, .other)
    default: break
    }
  }

  private func end(_ id: DeliveryID, _ end: End) {
    let callers = state.withLock { state in
      guard state.waits[id] != nil else { return [] as [Completion] }
      return state.change(id) { wait in
        wait.end = wait.end ?? end
        defer { wait.callers = [] }
        return wait.callers.map(\.completion)
      }
    }
    for completion in callers { completion(end) }
  }

  private func scheduleTick() {
    queue.asyncAfter(deadline: .now() + Self.tick) { [weak self] in self?.passTime() }
  }

  private func passTime() {
    let now = ContinuousClock.now
    let isStopping = state.withLock(\.isStopping)()
    let (late, goesOn) = state.withLock { state in
      var late: [Completion] = []
      for (id, wait) in state.waits where wait.callers.contains(where: { isStopping || $0.deadline <= now }) {
        state.change(id) { wait in
          late += wait.callers.filter { isStopping || $0.deadline <= now }.map(\.completion)
          wait.callers.removeAll { isStopping || $0.deadline <= now }
        }
      }
      state.isTicking = state.waits.values.contains { !$0.callers.isEmpty }
      return (late, state.isTicking)
    }
    for completion in late { completion(.late) }
    if goesOn { scheduleTick() }
  }
}

/// A delivery whose end somebody will ask for; forgotten with the last reference to it.
final class ExpectedDelivery: Sendable {
  private let id: DeliveryID
  private let awaited: AwaitedDeliveries

  fileprivate init(_ id: DeliveryID, of awaited: AwaitedDeliveries) {
    (self.id, self.awaited) = (id, awaited)
  }

  deinit { awaited.forget(id) }

  /// Calls `completion` once, on any thread: when the delivery ends, at the deadline, or at once if it has
  /// ended since it is expected.
  func wait(
    until deadline: ContinuousClock.Instant, completion: @escaping @Sendable (AwaitedDeliveries.End) -> Void
  ) {
    // Kept until then, so that the end counts as expected.
    awaited.wait(for: id, until: deadline) { [self] end in
      withExtendedLifetime(self) { completion(end) }
    }
  }
}
