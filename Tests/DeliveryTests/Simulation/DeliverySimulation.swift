import Clock
import FCM
import FCMMessage
import Outbox
import Synchronization
import TestSupport

@testable import Delivery

/// Simulates a core with a queue that is slow and fails, an FCM that answers anything, clocks that
/// jump, crashes and reloads; one thread, and time that goes from event to event. Half of the gateways share
/// the queue with another one, are suspended, and lose their lease. The same seed gives the same run.
struct DeliverySimulation {
  enum Happening {
    /// Events for the core of `generation`; a later core does not receive them.
    case events([DeliveryCore.Event], generation: Int)
    /// The store writes settlements.
    case commit([Settlement], generation: Int)
    /// A request that waited for its token or connection may leave.
    case departure(ClaimedDelivery, app: Int, generation: Int)
    case arrival(SimulatedQueue.Row)
    case cancellation(DeliveryID)
    case clockJump(Int64)
    case crash
    case stop, start
    case remove(app: Int)
    case serveAll
    /// The process is suspended for so long.
    case suspension(Int64)
    case wake
    /// The lease ends, and the store can't be reached for so long.
    case leaseEnd(unreachable: Int64)
    case reconnection
    case otherClaims
    case otherSettles([ClaimedDelivery], sent: Set<DeliveryID>)
  }

  /// What a gateway that lost its lease still has of a delivery.
  enum HeldState: CaseIterable {
    case ready, waitingToLeave, underWay, unrecorded
  }

  static let appNames = ["a", "b", "c"]
  static let deliveryCount = 120

  var queue: SimulatedQueue
  var fcm = SimulatedFCM(appCount: appNames.count, inFlightMax: 8)
  var ledger = SendLedger()
  /// The core's own violations.
  var ownViolations: [String] = []
  var outcomeUnknown = 0
  /// How often a delivery was claimed again while the gateway still had something of an earlier claim.
  var claimsAgain: [HeldState: Int] = [:]
  /// Claims that the gateway got and has not begun to send or settle.
  var ready: Set<DeliveryID> = []

  var core: DeliveryCore
  var generation = 0
  var generator: SeededGenerator
  let numbers: Mutex<SeededGenerator>.Box
  var agenda = Agenda<Happening>()
  var now: Int64 = 0
  var wallOffset: Int64 = 0
  /// Whether a crash forgets of any delivery when it may be sent.
  var forgetsDemands = false
  var isSettling = false
  var timer: Int64?
  var isDown = false
  var isStopping = false
  var isSuspended = false
  var isUnreachable = false
  /// What awaits the end of a suspension.
  var held: [Happening] = []
  /// The store answers in order.
  var lastAnswerAt = Int64.min
  let isShared: Bool
  let configuration: DeliveryConfiguration
  private let ends: Int64 = 600_000

  var violations: [String] { ownViolations + queue.violations + fcm.violations + ledger.violations }

  var time: Moment { Moment(wall: wall(now + wallOffset), ticks: now) }

  init(seed: UInt64) {
    generator = SeededGenerator(seed: seed)
    numbers = Mutex<SeededGenerator>.Box(SeededGenerator(seed: seed &+ 1))
    isShared = seed.isMultiple(of: 2)
    queue = SimulatedQueue(appCount: Self.appNames.count, isShared: isShared)
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

  static func makeCore(
    _ fcm: SimulatedFCM, _ configuration: DeliveryConfiguration, _ numbers: Mutex<SeededGenerator>.Box
  ) -> DeliveryCore {
    DeliveryCore(
      apps: quotas(fcm), policy: RetryPolicy(), configuration: configuration,
      random: { numbers.mutex.withLock { Double.random(in: 0..<1, using: &$0) } })
  }

  static func quotas(_ fcm: SimulatedFCM) -> [DeliveryCore.AppQuota] {
    zip(appNames, fcm.apps).map { .init(name: $0, messagesPerSecond: $1.messagesPerSecond) }
  }

  /// Fills the agenda with outside events.
  private mutating func plan() {
    let burst = Int64.random(in: 0..<ends, using: &generator)
    for number in 0..<Self.deliveryCount {
      let at = chance(0.4) ? burst : moment
      let app = Int.random(in: 0..<Self.appNames.count, using: &generator)
      let lifetime = at + upTo(7_200_000, from: 1000)
      let topic = Target.topic("topic-\(Int.random(in: 0..<3, using: &generator))")
      let new = delivery(
        number, app: Self.appNames[app], to: chance(0.4) ? topic : nil, lifetime: lifetime,
        priority: chance(0.5) ? .high : .normal)
      agenda.add(at: at, .arrival(.init(delivery: new, app: app, dueAt: wall(at))))
      if chance(0.05) { agenda.add(at: at + upTo(2000), .cancellation(new.id)) }
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
      agenda.add(at: at + upTo(100_000), .serveAll)
    }
    for _ in 0..<2 where chance(0.3) { agenda.add(at: moment, .suspension(upTo(20_000))) }
    if isShared { planLosses(burst: burst) }
  }

  /// Most losses hit a busy gateway.
  private mutating func planLosses(burst: Int64) {
    for _ in 0..<6 {
      let at = chance(0.7) ? burst + upTo(3000) : moment
      agenda.add(at: at, chance(0.5) ? .suspension(upTo(10_000)) : .leaseEnd(unreachable: unreachable))
      if chance(0.3) { agenda.add(at: moment, .otherClaims) }
    }
  }

  private var unreachable: Int64 {
    mutating get { chance(0.5) ? 0 : upTo(20_000) }
  }

  private var moment: Int64 {
    mutating get { upTo(ends) }
  }

  private mutating func period(longest: Int64) -> Range<Int64> {
    let start = moment
    return start..<start + upTo(longest)
  }

  mutating func upTo(_ end: Int64, from start: Int64 = 0) -> Int64 {
    Int64.random(in: start..<end, using: &generator)
  }

  mutating func chance(_ probability: Double) -> Bool {
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
