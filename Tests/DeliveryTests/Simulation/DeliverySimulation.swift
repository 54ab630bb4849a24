import Clock
import FCM
import FCMMessage
import Outbox
import Synchronization
import TestSupport

@testable import Delivery

/// Simulates a core with a queue that is slow and fails, an FCM that answers anything, clocks that
/// jump, crashes and reloads; one thread, and time that goes from event to event. The same seed gives the
/// same run.
struct DeliverySimulation {
  private enum Happening {
    /// An event for the core of `generation`; a later core does not receive it.
    case event(DeliveryCore.Event, generation: Int)
    case commit([Settlement], generation: Int)
    case arrival(SimulatedQueue.Row)
    case clockJump(Int64)
    case crash
    case stop, start
    case remove(app: Int)
    case serveAll
  }

  static let appNames = ["a", "b", "c"]
  static let deliveryCount = 120

  private(set) var queue = SimulatedQueue(appCount: appNames.count)
  private(set) var fcm = SimulatedFCM(appCount: appNames.count, inFlightMax: 8)
  /// The core's own violations.
  private var ownViolations: [String] = []
  private(set) var outcomeUnknown = 0

  private var core: DeliveryCore
  private var generation = 0
  private var generator: SeededGenerator
  private let numbers: Mutex<SeededGenerator>.Box
  private var agenda = Agenda<Happening>()
  private var now: Int64 = 0
  private var wallOffset: Int64 = 0
  private var hasJumped = false
  private var isSettling = false
  private var timer: Int64?
  private var isDown = false
  private let configuration: DeliveryConfiguration
  private let ends: Int64 = 600_000

  var violations: [String] { ownViolations + queue.violations + fcm.violations }

  init(seed: UInt64) {
    generator = SeededGenerator(seed: seed)
    numbers = Mutex<SeededGenerator>.Box(SeededGenerator(seed: seed &+ 1))
    var configuration = DeliveryConfiguration()
    configuration.inFlightPerAppMax = fcm.inFlightMax
    configuration.claimBatchMax = 4
    configuration.settleBatchMax = 6
    configuration.ramp = [.zero, .seconds(3), .seconds(60)].randomElement(using: &generator) ?? .zero
    configuration.sharesLimits = Bool.random(using: &generator)
    self.configuration = configuration
    for index in fcm.apps.indices {
      fcm.apps[index].messagesPerSecond = [2, 100, 250, 10_000].randomElement(using: &generator) ?? 100
    }
    core = Self.makeCore(fcm, configuration, numbers)
    plan()
  }

  private static func makeCore(
    _ fcm: SimulatedFCM, _ configuration: DeliveryConfiguration, _ numbers: Mutex<SeededGenerator>.Box
  ) -> DeliveryCore {
    DeliveryCore(
      apps: quotas(fcm), policy: RetryPolicy(), configuration: configuration,
      random: { numbers.mutex.withLock { Double.random(in: 0..<1, using: &$0) } })
  }

  private static func quotas(_ fcm: SimulatedFCM) -> [DeliveryCore.AppQuota] {
    zip(appNames, fcm.apps).map { .init(name: $0, messagesPerSecond: $1.messagesPerSecond) }
  }

  /// Fills the agenda with outside events.
  private mutating func plan() {
    let burst = Int64.random(in: 0..<ends, using: &generator)
    for number in 0..<Self.deliveryCount {
      let at = chance(0.4) ? burst : Int64.random(in: 0..<ends, using: &generator)
      let app = Int.random(in: 0..<Self.appNames.count, using: &generator)
      let lifetime = at + Int64.random(in: 1000..<7_200_000, using: &generator)
      let topic = Target.topic("topic-\(Int.random(in: 0..<3, using: &generator))")
      let claim = delivery(
        number, app: Self.appNames[app], to: chance(0.4) ? topic : nil, lifetime: lifetime,
        priority: chance(0.5) ? .high : .normal)
      agenda.add(at: at, .arrival(.init(claim: claim, app: app, dueAt: wall(at))))
    }
    for index in fcm.apps.indices {
      if chance(0.3) { fcm.apps[index].outage = period(longest: 400_000) }
      if chance(0.2) { fcm.apps[index].refusal = period(longest: 400_000) }
    }
    for _ in 0..<2 where chance(0.4) {
      agenda.add(at: moment, .clockJump(chance(0.5) ? 3_600_000 : -3_600_000))
    }
    for _ in 0..<2 where chance(0.4) { agenda.add(at: moment, .crash) }
    if chance(0.3) {
      let at = moment
      agenda.add(at: at, .stop)
      agenda.add(at: at + 60_000, .start)
    }
    if chance(0.3) {
      let at = moment
      agenda.add(at: at, .remove(app: Int.random(in: 0..<Self.appNames.count, using: &generator)))
      agenda.add(at: at + Int64.random(in: 0..<100_000, using: &generator), .serveAll)
    }
  }

  private var moment: Int64 {
    mutating get { Int64.random(in: 0..<ends, using: &generator) }
  }

  private mutating func period(longest: Int64) -> Range<Int64> {
    let start = moment
    return start..<start + Int64.random(in: 0..<longest, using: &generator)
  }

  private mutating func chance(_ probability: Double) -> Bool {
    Double.random(in: 0..<1, using: &generator) < probability
  }
}

extension Mutex {
  /// A mutex that closures share.
  final class Box: Sendable where Value: Sendable {
    let mutex: Mutex<Value>
    init(_ value: sending Value) { mutex = Mutex(value) }
  }
}

// MARK: Running

extension DeliverySimulation {
  /// Runs until no event is left, or far too many have happened.
  mutating func run() {
    tell([])
    for _ in 0..<100_000 {
      if let next = agenda.nextAt, next <= timer ?? .max, let (at, happening) = agenda.takeNext() {
        now = max(now, at)
        take(happening)
      } else if let timer {
        now = max(now, timer)
        tell([.timer])
      } else {
        return
      }
    }
    ownViolations.append("never came to rest")
  }

  private var time: Moment { Moment(wall: wall(now + wallOffset), ticks: now) }

  private mutating func tell(_ events: [DeliveryCore.Event]) {
    guard !isDown else { return }
    perform(core.handle(events, now: time))
    timer = isDown ? nil : core.timerTicks(now: time)
  }

  private mutating func take(_ happening: Happening) {
    switch happening {
    case .arrival(let row):
      queue.add(row)
      tell([.due(app: row.app)])
    case .event(let event, let generation):
      guard generation == self.generation else { return }
      if case .answered(let app, let id, let outcome) = event {
        fcm.answered(id, app: app, outcome, now: now)
      }
      tell([event])
    case .commit(let records, let generation):
      guard generation == self.generation else { return }
      isSettling = false
      let fails = chance(0.1)
      if !fails { queue.settle(records) }
      tell([.settled(fails ? .failure(diskFull) : .success(()))])
    case .clockJump(let by):
      wallOffset += by
      hasJumped = true
      if generation > 0 { fcm.forgetDeliveries() }
    case .crash: if !isDown { start() }
    case .stop: tell([.stop(grace: .seconds(20))])
    case .start: start()
    case .remove(let app):
      tell([.update(Self.quotas(fcm).filter { $0.name != Self.appNames[app] })])
    case .serveAll: tell([.update(Self.quotas(fcm))])
    }
  }

  /// A new process: it knows only what is on disk.
  private mutating func start() {
    generation += 1
    isDown = false
    isSettling = false
    // The demands of an answer are lost with it if it was not recorded.
    let unrecorded = queue.rows.values.filter { $0.state == .sending }.map(\.claim.id)
    fcm.gatewayRestarted(forgetting: hasJumped ? Array(queue.rows.keys) : unrecorded)
    queue.recover()
    core = Self.makeCore(fcm, configuration, numbers)
    tell([])
  }

  private mutating func perform(_ actions: [DeliveryCore.Action]) {
    for action in actions {
      let at = now + Int64.random(in: 0..<20, using: &generator)
      switch action {
      case .claim(let app, let limit, let normalMin):
        let result: Result<[ClaimedDelivery], OutboxError> =
          chance(0.05)
          ? .failure(diskFull)
          : .success(queue.claim(app: app, limit: limit, normalMin: normalMin, now: time.wall))
        agenda.add(at: at, .event(.claimed(app: app, result), generation: generation))
      case .nextDue(let app):
        let result: Result<Timestamp?, OutboxError> =
          chance(0.05) ? .failure(diskFull) : .success(queue.nextDue(app: app))
        agenda.add(at: at, .event(.nextDue(app: app, result), generation: generation))
      case .send(let app, let delivery): send(delivery, app: app)
      case .settle(let records):
        if isSettling { ownViolations.append("two settles at once") }
        isSettling = true
        agenda.add(at: at, .commit(records, generation: generation))
      case .report(let event): note(event)
      case .takeProbeTurn(let app, let stop):
        let event = DeliveryCore.Event.probeTurn(app: app, stop: stop, isTaken: !chance(0.2))
        agenda.add(at: at, .event(event, generation: generation))
      case .validate, .refuseValidation, .publish, .hold, .returnProbeTurn: break
      case .finished: isDown = true
      }
    }
  }

  private mutating func send(_ delivery: ClaimedDelivery, app: Int) {
    if queue.rows[delivery.id]?.state != .sending { ownViolations.append("sent what was not claimed") }
    let (wait, outcome) = fcm.send(delivery, app: app, now: now, wall: time.wall, using: &generator)
    agenda.add(
      at: now + wait, .event(.answered(app: app, delivery.id, outcome), generation: generation))
  }

  private mutating func note(_ event: DeliveryEvent) {
    switch event {
    case .breakerOpened(let app, _): index(app).map { fcm.breakerOpened(app: $0, now: now) }
    // A pause replaces an open breaker.
    case .breakerClosed(let app), .paused(let app, _): index(app).map { fcm.breakerClosed(app: $0) }
    case .outcomeUnknown: outcomeUnknown += 1
    default: break
    }
  }

  private func index(_ app: String) -> Int? { Self.appNames.firstIndex(of: app) }
}
