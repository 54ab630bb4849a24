import FCM
import Outbox
import Synchronization

@testable import Delivery

/// Random numbers that a seed repeats (SplitMix64).
struct SeededGenerator: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}

/// A core in a world of its own: a queue that is slow and fails, an FCM that answers anything, one thread, and
/// time that jumps from event to event. The same seed gives the same run.
struct DeliverySimulation {
  struct Row {
    let claim: ClaimedDelivery
    let app: Int
    var state = DeliveryState.queued
    var attempts = 0
    var dueAt: Timestamp
    var isBeingSent = false
  }

  private enum Happening {
    case event(DeliveryCore.Event)
    case arrival(Row)
    case commit([OutcomeRecord])
  }

  private(set) var rows: [DeliveryID: Row] = [:]
  /// What must never happen and did.
  private(set) var violations: [String] = []
  private(set) var sends = 0

  private var core: DeliveryCore
  private var generator: SeededGenerator
  private var agenda: [(at: Int64, happening: Happening)] = []
  private var now: Int64 = 0
  private var isSettling = false
  private let inFlightMax = 8

  init(seed: UInt64) {
    generator = SeededGenerator(seed: seed)
    var configuration = DeliveryConfiguration()
    configuration.inFlightPerAppMax = inFlightMax
    configuration.claimBatchMax = 4
    configuration.settleBatchMax = 6
    let numbers = Mutex(SeededGenerator(seed: seed &+ 1))
    core = DeliveryCore(
      apps: ["a", "b"].map { .init(name: $0, messagesPerSecond: 10_000) }, policy: RetryPolicy(),
      configuration: configuration,
      random: { numbers.withLock { Double.random(in: 0..<1, using: &$0) } })
    for number in 0..<80 {
      let at = Int64.random(in: 0..<600_000, using: &generator)
      let app = Int.random(in: 0...1, using: &generator)
      let lifetime = at + Int64.random(in: 1000..<7_200_000, using: &generator)
      let claim = delivery(number, app: core.appNames[app], lifetime: lifetime)
      schedule(at - now, .arrival(Row(claim: claim, app: app, dueAt: wall(at))))
    }
  }

  /// Runs until nothing is left to happen, or for far too long.
  mutating func run() {
    perform(core.handle([], now: moment(now)))
    for _ in 0..<100_000 {
      let timer = core.timerTicks(now: moment(now))
      let next = agenda.indices.min { agenda[$0].at < agenda[$1].at }
      if let next, agenda[next].at <= timer ?? .max {
        let (at, happening) = agenda.remove(at: next)
        now = max(now, at)
        take(happening)
      } else if let timer {
        now = max(now, timer)
        perform(core.handle([.timer], now: moment(now)))
      } else {
        return
      }
    }
    violations.append("never came to rest")
  }

  private mutating func schedule(_ delay: Int64, _ happening: Happening) {
    agenda.append((now + delay, happening))
  }

  private mutating func chance(_ probability: Double) -> Bool {
    Double.random(in: 0..<1, using: &generator) < probability
  }

  private mutating func take(_ happening: Happening) {
    switch happening {
    case .arrival(let row):
      rows[row.claim.id] = row
      perform(core.handle([.due(app: row.app)], now: moment(now)))
    case .event(let event):
      if case .answered(_, let id, _) = event { rows[id]?.isBeingSent = false }
      perform(core.handle([event], now: moment(now)))
    case .commit(let settlements):
      isSettling = false
      let fails = chance(0.1)
      if !fails { for settlement in settlements { apply(settlement) } }
      let result: Result<Void, OutboxError> = fails ? .failure(diskFull) : .success(())
      perform(core.handle([.settled(result)], now: moment(now)))
    }
  }

  private mutating func perform(_ actions: [DeliveryCore.Action]) {
    for action in actions {
      let wait = Int64.random(in: 0..<20, using: &generator)
      switch action {
      case .claim(let app, let limit, _):
        let result: Result<[ClaimedDelivery], OutboxError> =
          chance(0.05) ? .failure(diskFull) : .success(claim(app: app, limit: limit))
        schedule(wait, .event(.claimed(app: app, result)))
      case .nextDue(let app):
        let next = rows.values.filter { $0.app == app && $0.state == .queued }.map(\.dueAt).min()
        schedule(wait, .event(.nextDue(app: app, chance(0.05) ? .failure(diskFull) : .success(next))))
      case .send(let app, let delivery):
        send(delivery, app: app)
      case .settle(let settlements):
        if isSettling { violations.append("two settles at once") }
        isSettling = true
        schedule(wait, .commit(settlements))
      case .report: break
      case .finished: violations.append("finished unasked")
      }
    }
  }

  private mutating func claim(app: Int, limit: Int) -> [ClaimedDelivery] {
    let due = rows.values.filter { $0.app == app && $0.state == .queued && $0.dueAt <= wall(now) }
      .sorted { $0.claim.id < $1.claim.id }.prefix(limit)
    return due.map { row in
      rows[row.claim.id]?.state = .sending
      return delivery(
        Int(row.claim.id.uuid.low & 0xFFFF), app: row.claim.app, attempts: row.attempts,
        lifetime: row.claim.expiresAt.milliseconds - epoch)
    }
  }

  private mutating func send(_ delivery: ClaimedDelivery, app: Int) {
    sends += 1
    guard let row = rows[delivery.id] else { return violations.append("sent what does not exist") }
    if row.state != .sending { violations.append("sent what was not claimed") }
    if row.isBeingSent { violations.append("sent twice at once") }
    if wall(now) >= row.claim.expiresAt { violations.append("sent after its expiry") }
    if wall(now) < row.dueAt { violations.append("sent before it was due") }
    rows[delivery.id]?.isBeingSent = true
    if rows.values.count(where: { $0.app == app && $0.isBeingSent }) > inFlightMax {
      violations.append("more in flight than allowed")
    }
    let outcome: SendOutcome
    switch Int.random(in: 0..<100, using: &generator) {
    case 0..<30: outcome = sent
    case 30..<35: outcome = .failed(unregistered)
    case 35..<38: outcome = .failed(forbidden)
    case 38..<50: outcome = .failed(failure(.quotaExceeded, .retry, .targetQuota, status: 429))
    case 50..<60: outcome = .failed(failure(.unavailable, .retry, .service, status: 503, retryAfter: 120))
    case 60..<70: outcome = .failed(failure(.timeout, .retryOutcomeUnknown, .service))
    default: outcome = .failed(unavailable)
    }
    let latency = Int64.random(in: 1..<12_000, using: &generator)
    schedule(latency, .event(.answered(app: app, delivery.id, outcome)))
  }

  private mutating func apply(_ settlement: OutcomeRecord) {
    guard var row = rows[settlement.delivery], row.state == .sending else {
      return violations.append("settled what was not claimed")
    }
    switch settlement.outcome {
    case .sent: row.state = .sent
    case .failed: row.state = .failed
    case .expired: row.state = .expired
    case .release: row.state = .queued
    case .deferred(let at):
      row.state = .queued
      row.dueAt = at
    case .retry(let at, _):
      row.state = .queued
      row.attempts += 1
      row.dueAt = at
      if row.attempts >= RetryPolicy().attemptsMax { violations.append("tried too often") }
    }
    rows[settlement.delivery] = row
  }
}
