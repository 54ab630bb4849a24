internal import FCM
internal import Outbox

/// One app's part of the engine: what it holds, when it wants more, and whether it may send.
///
/// A delivery that was claimed is `ready`, then in `sending`, then among the `unsettled` until its outcome is on
/// disk. After each event `advance` does all that can be done now; it does nothing more when called again.
struct AppStateMachine {
  /// What is known of work that waits in the queue.
  private enum Work {
    /// There may be due deliveries: a claim tells.
    case maybe
    /// None is due; when the next one will be has to be asked (`unasked`) or was asked (`asked`).
    case unasked, asked
    case nothing
    case due(at: Timestamp)
  }

  struct Sending {
    let delivery: ClaimedDelivery
    let startedAtTicks: Int64
  }

  /// FCM refuses the app as a whole.
  private struct Pause {
    let since: Timestamp
    var failure: SendFailure
    var backoff: Backoff
    var probeAtTicks: Int64
    var probe: DeliveryID?
  }

  /// The queue's answer may be far off; look again this often, so that a wall clock that is set forth is noticed.
  private static let recheckMilliseconds: Int64 = 60_000
  /// A probe's claim is small, yet gets past a few that have expired meanwhile.
  private static let probeClaimMax = 32

  let app: Int
  let name: String
  private let inFlightMax: Int
  private let claimBatch: Int
  private let probeBackoff: Backoff

  /// Next one last, so that taking it is cheap.
  private var ready: [ClaimedDelivery] = []
  private(set) var sending: [DeliveryID: Sending] = [:]
  private(set) var unsettledCount = 0

  private var work = Work.maybe
  private var claimLimit: Int?
  /// Something became due while the queue was being asked.
  private var dueMeanwhile = false
  private var storeBackoff: Backoff
  private var askNotBeforeTicks = Int64.min
  private var emptyClaimsInARow = 0

  private var pause: Pause?
  private var stopping = false

  private var lastFailure: SendFailure?
  private var lastSentAt: Timestamp?
  private var serviceFailuresInARow = 0

  init(app: Int, name: String, appCount: Int, configuration: DeliveryConfiguration) {
    self.app = app
    self.name = name
    inFlightMax = configuration.inFlightMax(appCount: appCount)
    claimBatch = max(1, min(configuration.claimBatchMax, inFlightMax))
    probeBackoff = Backoff(from: configuration.probeMin, to: configuration.probeMax)
    storeBackoff = Backoff(from: configuration.storeRetryMin, to: configuration.storeRetryMax)
  }

  var health: AppHealth {
    AppHealth(
      app: name, inFlight: sending.count, pausedSince: pause?.since,
      lastFailure: pause?.failure ?? lastFailure,
      serviceFailuresInARow: serviceFailuresInARow, lastSentAt: lastSentAt)
  }

  /// Whether nothing is held or about to be.
  var isDrained: Bool { ready.isEmpty && sending.isEmpty && claimLimit == nil }
}

// MARK: Events

extension AppStateMachine {
  /// The store says that work came, or came forward.
  mutating func becameDue() {
    dueMeanwhile = true
    if case .asked = work { return }
    work = .maybe
  }

  mutating func claimed(
    _ result: Result<[ClaimedDelivery], OutboxError>, now: Moment, into effects: inout Effects
  ) {
    let limit = claimLimit ?? 0
    claimLimit = nil
    switch result {
    case .failure(let error): storeFailed(error, now: now, into: &effects)
    case .success(let deliveries):
      storeBackoff.reset()
      emptyClaimsInARow = deliveries.isEmpty ? emptyClaimsInARow + 1 : 0
      work = deliveries.count >= limit || dueMeanwhile ? .maybe : .unasked
      // What is being sent already and comes again would be sent twice.
      let fresh = deliveries.filter { sending[$0.id] == nil }
      ready.insert(contentsOf: fresh.reversed(), at: 0)
    }
  }

  mutating func learnedNextDue(
    _ result: Result<Timestamp?, OutboxError>, now: Moment, into effects: inout Effects
  ) {
    switch result {
    case .failure(let error): storeFailed(error, now: now, into: &effects)
    case .success(let next):
      storeBackoff.reset()
      guard !dueMeanwhile else { return work = .maybe }
      work = next.map { .due(at: $0) } ?? .nothing
      // A store whose clock is not ours may call due what it does not give: don't ask it without end.
      if let next, next <= now.wall, emptyClaimsInARow > 2 {
        askNotBeforeTicks = now.ticks + min(1000, 1 << Int64(min(emptyClaimsInARow, 10)))
      }
    }
  }

  private mutating func storeFailed(_ error: OutboxError, now: Moment, into effects: inout Effects) {
    effects.actions.append(.report(.storeFailed(error)))
    work = .maybe
    askNotBeforeTicks = now.ticks + storeBackoff.fail()
  }

  mutating func answered(
    _ id: DeliveryID, _ outcome: SendOutcome, policy: RetryPolicy, random: Double, now: Moment,
    into effects: inout Effects
  ) {
    guard let attempt = sending.removeValue(forKey: id) else { return }
    let delivery = attempt.delivery
    effects.actions.append(
      .report(
        .attempted(app: name, outcome: outcome, milliseconds: max(0, now.ticks - attempt.startedAtTicks))))
    note(outcome, now: now)
    let wasProbe = pause?.probe == id
    switch policy.verdict(
      on: outcome, attempts: delivery.attempts, expiresAt: delivery.expiresAt, now: now.wall, random: random)
    {
    case .settle(let result):
      settle(delivery, result, now: now, into: &effects)
      if wasProbe { probeAnswered(outcome, now: now, into: &effects) }
    case .pauseApp(let failure):
      settle(delivery, .release, now: now, into: &effects)
      pauseOrProlong(failure, wasProbe: wasProbe, now: now, into: &effects)
    }
  }

  private mutating func note(_ outcome: SendOutcome, now: Moment) {
    switch outcome {
    case .sent:
      lastFailure = nil
      lastSentAt = now.wall
      serviceFailuresInARow = 0
    case .failed(let failure):
      lastFailure = failure
      serviceFailuresInARow = failure.scope == .service ? serviceFailuresInARow + 1 : 0
    }
  }

  /// The store kept what became of a delivery; a retry or release is work again.
  mutating func settled(_ result: Settlement.Result) {
    unsettledCount -= 1
    switch result {
    case .sent, .failed, .expired: break
    case .release: becameDue()
    case .retry(let at, _):
      switch work {
      case .maybe: break
      case .nothing: work = .due(at: at)
      case .due(let known): work = .due(at: min(known, at))
      // The answer that is on its way may be older than this.
      case .unasked, .asked: dueMeanwhile = true
      }
      if claimLimit != nil { dueMeanwhile = true }
    }
  }

  /// Takes nothing new; what is being sent may still finish.
  mutating func stop() { stopping = true }

  /// Hands back what FCM has not answered.
  mutating func giveUp(now: Moment, into effects: inout Effects) {
    for attempt in sending.values { settle(attempt.delivery, .release, now: now, into: &effects) }
    sending = [:]
  }

  private mutating func settle(
    _ delivery: ClaimedDelivery, _ result: Settlement.Result, now: Moment, into effects: inout Effects
  ) {
    unsettledCount += 1
    effects.unsettled.append(
      Unsettled(
        app: app, createdAt: delivery.createdAt,
        settlement: Settlement(delivery: delivery.id, at: now.wall, result: result)))
  }
}

// MARK: Pause and probe

extension AppStateMachine {
  private mutating func pauseOrProlong(
    _ failure: SendFailure, wasProbe: Bool, now: Moment, into effects: inout Effects
  ) {
    guard var current = pause else {
      var backoff = probeBackoff
      let wait = backoff.fail()
      pause = Pause(
        since: now.wall, failure: failure, backoff: backoff, probeAtTicks: now.ticks + wait, probe: nil)
      effects.actions.append(.report(.paused(app: name, failure: failure)))
      return
    }
    // Requests that were on their way when the pause began say nothing new.
    guard wasProbe else { return }
    let isNews = current.failure.code != failure.code
    current.failure = failure
    current.probe = nil
    current.probeAtTicks = now.ticks + current.backoff.fail()
    pause = current
    if isNews { effects.actions.append(.report(.paused(app: name, failure: failure))) }
  }

  /// A probe got an answer that is not about the app: only one of FCM's own proves that it is well again.
  private mutating func probeAnswered(_ outcome: SendOutcome, now: Moment, into effects: inout Effects) {
    if case .failed(let failure) = outcome, failure.scope == .service, var current = pause {
      current.probe = nil
      current.probeAtTicks = now.ticks + current.backoff.milliseconds
      pause = current
    } else {
      pause = nil
      effects.actions.append(.report(.resumed(app: name)))
    }
  }

  /// How many sends may start now.
  private func allowance(now: Moment) -> Int {
    if stopping { return 0 }
    guard let pause else { return inFlightMax - sending.count }
    return pause.probe == nil && now.ticks >= pause.probeAtTicks ? 1 : 0
  }
}

// MARK: What can be done now

extension AppStateMachine {
  /// Sends, hands back, claims and asks as far as is allowed. `storeWorks` is false while outcomes cannot be
  /// recorded: what is sent then might be sent again.
  mutating func advance(storeWorks: Bool, now: Moment, into effects: inout Effects) {
    if storeWorks { startSending(now: now, into: &effects) }
    if stopping || pause != nil { releaseReady(now: now, into: &effects) }
    guard !stopping, claimLimit == nil, now.ticks >= askNotBeforeTicks else { return }
    if case .due(let time) = work, time <= now.wall { work = .maybe }
    switch work {
    case .maybe: claimIfRoom(storeWorks: storeWorks, now: now, into: &effects)
    case .unasked:
      work = .asked
      dueMeanwhile = false
      effects.actions.append(.nextDue(app: app))
    case .asked, .nothing, .due: break
    }
  }

  private mutating func startSending(now: Moment, into effects: inout Effects) {
    var allowed = allowance(now: now)
    while allowed > 0, let delivery = ready.popLast() {
      if settleIfExpired(delivery, now: now, into: &effects) { continue }
      sending[delivery.id] = Sending(delivery: delivery, startedAtTicks: now.ticks)
      pause?.probe = delivery.id
      effects.actions.append(.send(app: app, delivery))
      allowed -= 1
    }
  }

  private mutating func releaseReady(now: Moment, into effects: inout Effects) {
    while let delivery = ready.popLast() {
      if settleIfExpired(delivery, now: now, into: &effects) { continue }
      settle(delivery, .release, now: now, into: &effects)
    }
  }

  /// Nothing is sent at or after its expiry; where a pause outlasted it, the state says what the pause was about.
  private mutating func settleIfExpired(
    _ delivery: ClaimedDelivery, now: Moment, into effects: inout Effects
  ) -> Bool {
    guard delivery.expiresAt <= now.wall else { return false }
    settle(delivery, .expired(error: pause.map { DeliveryError($0.failure) }), now: now, into: &effects)
    return true
  }

  private mutating func claimIfRoom(storeWorks: Bool, now: Moment, into effects: inout Effects) {
    let limit: Int
    if pause == nil {
      let room = inFlightMax + claimBatch - ready.count - sending.count - unsettledCount
      guard room >= claimBatch, ready.count < claimBatch else { return }
      limit = claimBatch
    } else {
      guard storeWorks, ready.isEmpty, allowance(now: now) > 0 else { return }
      limit = min(claimBatch, Self.probeClaimMax)
    }
    claimLimit = limit
    dueMeanwhile = false
    effects.actions.append(.claim(app: app, limit: limit))
  }

  /// The tick at which `advance` may have something to do although nothing happened; nil when there is none.
  func wakeTicks(now: Moment) -> Int64? {
    guard !stopping, claimLimit == nil else { return nil }
    var wake: Int64
    switch work {
    case .nothing, .asked: return nil
    case .maybe, .unasked: wake = Int64.min
    case .due(let time): wake = min(now.ticks(at: time), now.ticks + Self.recheckMilliseconds)
    }
    wake = max(wake, askNotBeforeTicks)
    if let pause {
      // The probe's answer is an event of its own.
      guard pause.probe == nil else { return nil }
      wake = max(wake, pause.probeAtTicks)
    }
    // What `advance` has left undone until now waits for an event, not for time.
    return wake > now.ticks ? wake : nil
  }
}
