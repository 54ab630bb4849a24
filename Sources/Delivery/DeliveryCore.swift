package import FCM
package import Outbox

/// The delivery engine without its I/O: takes events and the time, and says what to do.
///
/// Deterministic: the same events, moments and random numbers give the same actions, so that a simulation can
/// drive it through years in one thread. Apps are named by their place in `appNames`.
package struct DeliveryCore {
  package enum Event: Sendable {
    /// Work of an app became due, or may have.
    case due(app: Int)
    case claimed(app: Int, Result<[ClaimedDelivery], OutboxError>)
    case nextDue(app: Int, Result<Timestamp?, OutboxError>)
    case answered(app: Int, DeliveryID, SendOutcome)
    /// What the store says to the last `settle`.
    case settled(Result<Void, OutboxError>)
    /// The time of `timerTicks` has come.
    case timer
    case stop(grace: Duration)
  }

  package enum Action: Sendable {
    case claim(app: Int, limit: Int)
    case nextDue(app: Int)
    /// Render the message for this very moment and send it.
    case send(app: Int, ClaimedDelivery)
    case settle([Settlement])
    case report(DeliveryEvent)
    /// The engine has stopped; no action follows.
    case finished
  }

  private enum Stage {
    case running
    case draining(untilTicks: Int64)
    case settling(untilTicks: Int64)
    case finished
  }

  package let appNames: [String]
  private let policy: RetryPolicy
  private let stopSettleMilliseconds: Int64
  private let random: @Sendable () -> Double
  private var apps: [AppStateMachine]
  private var settlements: SettlementQueue
  private var stage = Stage.running
  private var storeIsClosed = false

  /// `random` gives numbers uniform in 0..<1.
  package init(
    appNames: [String], policy: RetryPolicy, configuration: DeliveryConfiguration,
    random: @escaping @Sendable () -> Double
  ) {
    self.appNames = appNames
    self.policy = policy
    self.random = random
    stopSettleMilliseconds = configuration.stopSettleMax.wholeMilliseconds
    apps = appNames.enumerated().map { index, name in
      AppStateMachine(app: index, name: name, appCount: appNames.count, configuration: configuration)
    }
    settlements = SettlementQueue(configuration: configuration)
  }

  /// How each app is doing, in the order of `appNames`.
  package var health: [AppHealth] { apps.map(\.health) }

  /// Outcomes that are not on disk yet.
  package var unsettledCount: Int { settlements.count }

  /// Takes in what happened up to `now` and says what to do about it, in order. Without events: what to do first.
  package mutating func handle(_ events: [Event], now: Moment) -> [Action] {
    if case .finished = stage { return [] }
    var effects = Effects()
    for event in events { take(event, now: now, into: &effects) }
    giveUpByTime(now: now, into: &effects)
    if isPastWaiting(now: now) { return finish(effects) }
    let storeWorks = settlements.storeWorks
    for index in apps.indices { apps[index].advance(storeWorks: storeWorks, now: now, into: &effects) }
    settlements.append(contentsOf: effects.unsettled)
    if let batch = settlements.next(now: now) { effects.actions.append(.settle(batch)) }
    return isDrained ? finish(effects) : effects.actions
  }

  /// The tick at which to send `.timer`, whatever else happens; nil for none. Good until the next `handle`.
  package func timerTicks(now: Moment) -> Int64? {
    var wakes = apps.compactMap { $0.wakeTicks(now: now) }
    if let wake = settlements.wakeTicks { wakes.append(wake) }
    switch stage {
    case .running: break
    case .draining(let until), .settling(let until): wakes.append(until)
    case .finished: return nil
    }
    return wakes.min()
  }

  private mutating func take(_ event: Event, now: Moment, into effects: inout Effects) {
    switch event {
    case .due(let app): with(app) { $0.becameDue() }
    case .claimed(let app, let result): with(app) { $0.claimed(result, now: now, into: &effects) }
    case .nextDue(let app, let result): with(app) { $0.learnedNextDue(result, now: now, into: &effects) }
    case .answered(let app, let id, let outcome):
      let (policy, number) = (policy, random())
      with(app) { $0.answered(id, outcome, policy: policy, random: number, now: now, into: &effects) }
    case .settled(.success): settled(into: &effects)
    case .settled(.failure(let error)): settleFailed(error, now: now, into: &effects)
    case .timer: break
    case .stop(let grace):
      guard case .running = stage else { return }
      stage = .draining(untilTicks: now.ticks + max(0, grace.wholeMilliseconds))
      for index in apps.indices { apps[index].stop() }
      settlements.hurry()
    }
  }

  private mutating func with(_ app: Int, _ body: (inout AppStateMachine) -> Void) {
    guard apps.indices.contains(app) else { return }
    body(&apps[app])
  }

  private mutating func settled(into effects: inout Effects) {
    let (batch, isRecovered) = settlements.taken()
    if isRecovered { effects.actions.append(.report(.storeRecovered)) }
    for unsettled in batch {
      let settlement = unsettled.settlement
      with(unsettled.app) { $0.settled(settlement.result) }
      let outcome: DeliveryEvent.Recorded
      switch settlement.result {
      case .sent: outcome = .sent
      case .failed: outcome = .failed
      case .expired: outcome = .expired
      case .retry, .release: continue
      }
      effects.actions.append(
        .report(
          .recorded(
            app: appNames[unsettled.app], outcome: outcome,
            milliseconds: max(0, settlement.at.milliseconds - unsettled.createdAt.milliseconds))))
    }
  }

  private mutating func settleFailed(_ error: OutboxError, now: Moment, into effects: inout Effects) {
    if settlements.storeWorks { effects.actions.append(.report(.storeFailed(error))) }
    settlements.refused(now: now)
    if error.code == .closed { storeIsClosed = true }
  }
}

// MARK: Stopping

extension DeliveryCore {
  /// Once the grace is over, hands back what FCM has not answered.
  private mutating func giveUpByTime(now: Moment, into effects: inout Effects) {
    guard case .draining(let until) = stage, now.ticks >= until else { return }
    for index in apps.indices { apps[index].giveUp(now: now, into: &effects) }
    stage = .settling(untilTicks: now.ticks + stopSettleMilliseconds)
    settlements.hurry()
  }

  /// Whether there is nothing left to hope for: the store has had its time, or takes nothing ever again.
  private func isPastWaiting(now: Moment) -> Bool {
    switch stage {
    case .running, .finished: false
    case .draining: storeIsClosed
    case .settling(let until): storeIsClosed || now.ticks >= until
    }
  }

  private var isDrained: Bool {
    switch stage {
    case .running, .finished: false
    case .draining, .settling: settlements.count == 0 && apps.allSatisfy(\.isDrained)
    }
  }

  private mutating func finish(_ effects: Effects) -> [Action] {
    stage = .finished
    var actions = effects.actions
    let count = settlements.count + effects.unsettled.count
    if count > 0 { actions.append(.report(.stoppedUnsettled(count: count))) }
    actions.append(.finished)
    return actions
  }
}

/// What one call of `handle` gathers.
struct Effects {
  var actions: [DeliveryCore.Action] = []
  var unsettled: [Unsettled] = []
}
