internal import Clock
internal import JSON
internal import Synchronization

/// Long work that is done in steps, one at a time: the next one is of the client whose steps have taken the
/// least time so far. So others wait for one step at most, however much work there is.
final class StepQueue: Sendable {
  /// Makes a step, and calls its argument with whether it was the last one.
  typealias Step = @Sendable (_ completion: @escaping @Sendable (_ isOver: Bool) -> Void) -> Void

  /// What may be under way together; of one client.
  static let worksMax = 64
  static let clientWorksMax = 4

  private struct Work: Sendable {
    let client: ExactText?
    let step: Step
  }

  private struct State: Sendable {
    var waiting = FairQueue<Work>()
    var works: [ExactText?: Int] = [:]
    var isStepping = false
  }

  private let state = Mutex(State())

  /// Begins with the steps of a work, now or when it is its turn; false if there is too much to do.
  func start(for client: ExactText?, _ step: @escaping Step) -> Bool {
    let starts: Bool? = state.withLock { state in
      guard state.works.values.reduce(0, +) < Self.worksMax,
        state.works[client, default: 0] < Self.clientWorksMax
      else { return nil }
      state.works[client, default: 0] += 1
      state.waiting.append(Work(client: client, step: step), of: client, isShort: false)
      defer { state.isStepping = true }
      return !state.isStepping
    }
    if starts == true { stepNext() }
    return starts != nil
  }

  private func stepNext() {
    let next = state.withLock { state in
      let next = state.waiting.popNext()
      if next == nil { state.isStepping = false }
      return next
    }
    guard let work = next else { return }
    let began = ContinuousClock.now
    work.step { [self] isOver in
      let spent = Int64(saturating: (ContinuousClock.now - began) / .nanoseconds(1))
      state.withLock { state in
        state.waiting.charge(spent, to: work.client)
        if !isOver { return state.waiting.append(work, of: work.client, isShort: false) }
        let left = state.works[work.client, default: 1] - 1
        state.works[work.client] = left > 0 ? left : nil
      }
      stepNext()
    }
  }
}
