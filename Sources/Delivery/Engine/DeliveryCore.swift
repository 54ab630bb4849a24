package import DeliveryReports
package import Clock
package import FCM
package import FCMMessage
package import Outbox
package import SendingLimits

/// The decisions of the delivery engine: takes events with their time, returns actions, does no I/O.
///
/// Deterministic: the same events, moments and random numbers give the same actions, so that a simulation can
/// drive it through years in one thread. Apps are identified by their index in `appNames`.
package struct DeliveryCore: TimedStateMachine {
  package enum Event: Sendable {
    /// Work of an app became due, or may have.
    case due(app: Int)
    /// The engine began the claim of an offer.
    case claimBegan(app: Int, ClaimOffer)
    case claimed(app: Int, Result<[ClaimedDelivery], OutboxError>)
    case nextDue(app: Int, Result<Timestamp?, OutboxError>)
    case answered(app: Int, DeliveryID, SendOutcome)
    /// FCM is to check a message for `target`, whose body the engine keeps.
    case validate(app: Int, ValidationID, target: Target)
    case validated(app: Int, ValidationID, SendOutcome)
    /// Whether the app has an access token was found out without a message; the failure is why it has none.
    case credentialsChecked(app: Int, SendError?)
    /// A delivery was not sent, because its claim is over.
    case claimEnded(app: Int, DeliveryID)
    /// The store's answer to the last `settle`: the deliveries for which nothing was recorded, because their
    /// claims were over.
    case settled(Result<[DeliveryID], OutboxError>)
    /// The time of `timerTicks` has been reached.
    case timer
    /// The app's sender can have so many requests under way at once.
    case inFlightMax(app: Int, Int)
    /// So many gateways share the queue, and with it each app's rate.
    case gateways(Int)
    /// Something is new in what they know together of an app; a target is held.
    case limits(app: Int, AppLimits)
    case held(app: Int, Target, until: Timestamp)
    /// Whether this gateway sends the probes of a stop.
    case probeTurn(app: Int, stop: Timestamp, isTaken: Bool)
    /// From now on these apps are served, and no others.
    case update([AppQuota])
    case stop(grace: Duration)
  }

  package enum Action: Sendable, Equatable {
    /// Claim up to `limit`, high priority first, but `normalMin` of normal priority where so many are due.
    case claim(app: Int, limit: Int, normalMin: Int)
    case nextDue(app: Int)
    /// Fill in the message's placeholders for this moment and send it.
    case send(app: Int, ClaimedDelivery)
    /// Send the message that FCM is to check.
    case validate(app: Int, ValidationID)
    /// It is not its turn: FCM would not be reached, or its quota is used up.
    case refuseValidation(ValidationID, SendError)
    /// Tell the gateways that share the queue.
    case publish(app: Int, AppLimits)
    case hold(TargetHold)
    /// Ask for the right to send the probes of a stop, or give it up.
    case takeProbeTurn(app: Int, stop: Timestamp)
    case returnProbeTurn(app: Int, stop: Timestamp)
    /// Record outcomes; they may wait in the store for another write for so long.
    case settle([Settlement], waitMilliseconds: Int)
    /// Record the outcomes that wait in the store.
    case settleNow
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

  /// An app's name and how many messages a second its FCM project may be sent.
  package struct AppQuota: Sendable {
    package let name: String
    package let messagesPerSecond: Double
    /// How many of its requests are sent at once; nil if only the configuration limits that.
    package let inFlightMax: Int?

    package init(name: String, messagesPerSecond: Double, inFlightMax: Int? = nil) {
      self.name = name
      self.messagesPerSecond = messagesPerSecond
      self.inFlightMax = inFlightMax
    }
  }

  package static var timerEvent: Event { .timer }

  /// All apps that were ever served, by index; a removed one keeps its index.
  package private(set) var appNames: [String] = []
  private let configuration: DeliveryConfiguration
  private let policy: RetryPolicy
  private let stopSettleMilliseconds: Int64
  private let random: @Sendable () -> Double
  private var apps: [AppStateMachine]
  /// When each app has something to do without an event; `.max` for never.
  private var wakes: [Int64] = []
  /// The earliest of `wakes`.
  private var nextWake = Int64.min
  /// The apps that the last `handle` looked at, in order; nothing has changed about the others.
  private(set) var attended: [Int] = []
  private var settlements: SettlementQueue
  private var stage = Stage.running
  private var storeIsClosed = false
  private var gatewayCount = 1

  /// `random` gives numbers uniform in 0..<1.
  package init(
    apps quotas: [AppQuota], policy: RetryPolicy, configuration: DeliveryConfiguration,
    random: @escaping @Sendable () -> Double
  ) {
    self.policy = policy
    self.configuration = configuration
    self.random = random
    stopSettleMilliseconds = configuration.stopSettleMax.wholeMilliseconds
    apps = []
    settlements = SettlementQueue(configuration: configuration)
    serve(quotas)
  }

  /// The status of an app; nil if it is not served.
  func status(of app: Int) -> AppStatus? {
    // Looks at the app in place: a copy would count all its references. So does `claimOffer`.
    apps.withUnsafeBufferPointer { apps in
      guard apps.indices.contains(app), !apps[app].isRemoved else { return nil }
      return apps[app].status
    }
  }

  /// The health of each app that is served, in the order of `appNames`.
  package func health(now ticks: Int64) -> [AppHealth] {
    apps.indices.compactMap { status(of: $0)?.health(now: ticks) }
  }

  /// Outcomes that are not on disk yet.
  package var unsettledCount: Int { settlements.count }

  package var isFinished: Bool { if case .finished = stage { true } else { false } }

  /// Handles what happened up to `now`; the actions that follow, in order. Without events: the first actions.
  package mutating func handle(_ events: [Event], now: Moment) -> [Action] {
    if case .finished = stage { return [] }
    var effects = Effects()
    let concerned = concerned(by: events, now: now)
    for event in events { take(event, now: now, into: &effects) }
    giveUpByTime(now: now, into: &effects)
    if isPastWaiting(now: now) { return finish(effects) }
    attended = concerned ?? Array(apps.indices)
    advance(now: now, into: &effects)
    settlements.append(contentsOf: effects.unsettled)
    switch settlements.next(isStopping: isStopping, now: now) {
    case .submit(let batch, let wait): effects.actions.append(.settle(batch, waitMilliseconds: wait))
    case .hurry: effects.actions.append(.settleNow)
    case nil: break
    }
    return isDrained ? finish(effects) : effects.actions
  }

  /// The apps that `handle` looks at for these events, in order: those that an event is about, and those
  /// whose time has come. Nil for all.
  func concerned(by events: [Event], now: Moment) -> [Int]? {
    // While the store fails, no app sends; when it works again, all do.
    guard case .running = stage, settlements.storeWorks else { return nil }
    var concerned = nextWake <= now.ticks ? wakes.indices.filter { wakes[$0] <= now.ticks } : []
    func add(_ app: Int) { if concerned.last != app, apps.indices.contains(app) { concerned.append(app) } }
    for event in events {
      switch event.scope {
      case .all: return nil
      case .app(let app): add(app)
      case .settled: for app in settlements.apps { add(app) }
      case .none: break
      }
    }
    return concerned.count < 2 ? concerned : Set(concerned).sorted()
  }

  private mutating func advance(now: Moment, into effects: inout Effects) {
    let storeWorks = settlements.storeWorks
    for index in attended {
      apps[index].advance(storeWorks: storeWorks, now: now, into: &effects)
      wakes[index] = apps[index].wakeTicks(storeWorks: storeWorks, now: now) ?? .max
    }
    nextWake = wakes.min() ?? .max
  }

  /// The claim that the app would make if one of its deliveries became due now; nil when it would make none,
  /// or is making one. Valid until the next `handle` that looks at the app; if the engine makes it, it passes
  /// `.claimBegan`.
  func claimOffer(app: Int, now: Moment) -> ClaimOffer? {
    guard case .running = stage, settlements.storeWorks else { return nil }
    return apps.withUnsafeBufferPointer { apps in
      apps.indices.contains(app) ? apps[app].claimOffer(now: now) : nil
    }
  }

  /// The tick at which to send `.timer`, whatever else happens; nil for none. Valid until the next `handle`.
  package func timerTicks(now: Moment) -> Int64? {
    var wake = min(nextWake, settlements.wakeTicks ?? .max)
    switch stage {
    case .running: break
    case .draining(let until), .settling(let until): wake = min(wake, until)
    case .finished: return nil
    }
    return wake == .max ? nil : wake
  }

  private mutating func take(_ event: Event, now: Moment, into effects: inout Effects) {
    switch event {
    case .due(let app): with(app) { $0.watch.becameDue() }
    case .claimBegan(let app, let offer): with(app) { $0.claimBegan(offer) }
    case .claimed(let app, let result):
      if case .success(let claims) = result { endClaims(of: app, before: claims.first, into: &effects) }
      with(app) { $0.claimed(result, now: now, into: &effects) }
    case .nextDue(let app, let result): with(app) { $0.learnedNextDue(result, now: now, into: &effects) }
    case .answered(let app, let id, let outcome):
      // Only a retry needs a number, which may cost a system call.
      let number = if case .failed = outcome { random() } else { 0.0 }
      let policy = policy
      with(app) { $0.answered(id, outcome, policy: policy, random: number, now: now, into: &effects) }
    case .validate(let app, let id, let target):
      let until = now.ticks + max(0, configuration.validationWaitMax.wholeMilliseconds)
      let validation = Validation(id: id, target: target, untilTicks: until)
      with(app) { $0.validate(validation, now: now, into: &effects) }
    case .validated(let app, let id, let outcome):
      let policy = policy
      with(app) { $0.validated(id, outcome, policy: policy, now: now, into: &effects) }
    case .credentialsChecked(let app, let failure):
      with(app) { $0.gate.credentialsChecked(failure, now: now, into: &effects) }
    case .claimEnded(let app, let id): with(app) { $0.claimEnded(id, now: now, into: &effects) }
    case .settled(.success(let over)): settled(over: Set(over), into: &effects)
    case .settled(.failure(let error)): settleFailed(error, now: now, into: &effects)
    case .timer: break
    case .inFlightMax(let app, let count): with(app) { $0.limitSending(to: count) }
    case .gateways(let count):
      for index in apps.indices { apps[index].gate.share(among: count) }
      gatewayCount = count
    case .limits(let app, let limits): with(app) { $0.gate.learn(limits, now: now, into: &effects) }
    case .held(let app, let target, let until):
      with(app) { $0.targetHolds.hold(target.hashValue, until: now.ticks(at: until), now: now.ticks) }
    case .probeTurn(let app, let stop, let isTaken):
      with(app) { $0.gate.answeredTurn(of: stop, isTaken: isTaken, now: now) }
    case .update(let quotas):
      serve(quotas)
      // Credentials may have been replaced.
      for index in apps.indices { apps[index].gate.probeSoon(now: now) }
    case .stop(let grace):
      guard case .running = stage else { return }
      stage = .draining(untilTicks: now.ticks + max(0, grace.wholeMilliseconds))
      for index in apps.indices { apps[index].stop() }
      settlements.retryNow()
    }
  }

  private mutating func serve(_ quotas: [AppQuota]) {
    settlements.limit(
      inFlightMax: configuration.inFlightMax(appCount: quotas.count), configuration: configuration)
    let served = Set(quotas.map { Array($0.name.utf8) })
    for index in apps.indices where !served.contains(Array(appNames[index].utf8)) { apps[index].remove() }
    for quota in quotas {
      if let index = appNames.firstIndex(where: { $0.utf8.elementsEqual(quota.name.utf8) }) {
        apps[index].serve(quota, appCount: quotas.count)
      } else {
        appNames.append(quota.name)
        apps.append(
          AppStateMachine(
            app: apps.count, quota: quota, appCount: quotas.count, configuration: configuration))
        wakes.append(.min)
        apps[apps.count - 1].gate.share(among: gatewayCount)
        if isStopping { apps[apps.count - 1].stop() }
      }
    }
  }

  private mutating func with(_ app: Int, _ body: (inout AppStateMachine) -> Void) {
    guard apps.indices.contains(app) else { return }
    body(&apps[app])
  }

  /// The first claim under a new lease shows that the app's claims under the last one are over, and what was
  /// to be recorded for them.
  private mutating func endClaims(of app: Int, before claim: ClaimedDelivery?, into effects: inout Effects) {
    guard let lease = claim?.claim.lease, apps.indices.contains(app), lease != apps[app].lease else { return }
    settlements.append(contentsOf: effects.unsettled)
    effects.unsettled = []
    for settlement in settlements.removeAll(of: app) { apps[app].settled(settlement, isRecorded: false) }
    apps[app].began(lease: lease)
  }

  private mutating func settled(over: Set<DeliveryID>, into effects: inout Effects) {
    let (batch, isRecovered) = settlements.taken()
    if isRecovered { effects.actions.append(.report(.storeRecovered)) }
    for entry in batch {
      let (app, settlement) = (entry.app, entry.settlement)
      let isRecorded = !over.contains(settlement.claim.id)
      with(app) { $0.settled(settlement, isRecorded: isRecorded) }
      if isRecorded { report(settlement, app: appNames[app], into: &effects) }
    }
  }

  private func report(_ settlement: Settlement, app: String, into effects: inout Effects) {
    func report(_ event: DeliveryEvent) { effects.actions.append(.report(event)) }
    let delivery = DeliveryReference(settlement.claim)
    if settlement.waitsAgain {
      if let until = settlement.dueAt { report(.waits(app: app, delivery: delivery, until: until)) }
      return
    }
    guard let outcome = DeliveryEvent.Recorded(settlement.state) else { return }
    let milliseconds = max(0, settlement.at.milliseconds - settlement.claim.dueSince.milliseconds)
    report(.recorded(app: app, delivery: delivery, outcome: outcome, milliseconds: milliseconds))
    guard let code = settlement.error?.code else { return }
    switch settlement.dead {
    case .registration: report(.deadRegistration(app: app, delivery: delivery, code: code))
    case .activity: report(.deadActivity(app: app, delivery: delivery, code: code))
    case nil: break
    }
  }

  private mutating func settleFailed(_ error: OutboxError, now: Moment, into effects: inout Effects) {
    if !settlements.isRefused { effects.actions.append(.report(.storeFailed(error))) }
    settlements.refused(now: now)
    if error.code == .closed { storeIsClosed = true }
  }
}

// MARK: Stopping

extension DeliveryCore {
  /// Once the grace period is over, releases what FCM has not answered.
  private mutating func giveUpByTime(now: Moment, into effects: inout Effects) {
    guard case .draining(let until) = stage, now.ticks >= until else { return }
    for index in apps.indices { apps[index].giveUp(now: now, into: &effects) }
    stage = .settling(untilTicks: now.ticks + stopSettleMilliseconds)
    settlements.retryNow()
  }

  /// Whether waiting is pointless: the store's time is over, or it is closed.
  private func isPastWaiting(now: Moment) -> Bool {
    switch stage {
    case .running, .finished: false
    case .draining: storeIsClosed
    case .settling(let until): storeIsClosed || now.ticks >= until
    }
  }

  private var isStopping: Bool { if case .running = stage { false } else { true } }

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

/// The actions and settlements of one call of `handle`.
struct Effects {
  var actions: [DeliveryCore.Action] = []
  var unsettled: [SettlementQueue.Entry] = []
}

/// Numbers a message that FCM is to check.
package struct ValidationID: Sendable, Hashable {
  let number: UInt64
}
