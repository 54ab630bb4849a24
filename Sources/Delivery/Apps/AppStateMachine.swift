internal import DeliveryReports
internal import Clock
internal import FCM
internal import FCMMessage
internal import Outbox
internal import SendingLimits

/// One app's part of the engine: the deliveries it holds, when it claims more, and whether it may send.
///
/// A claimed delivery is `ready`, then in `sending`, then among the `unsettled` until its outcome is on disk.
/// After each event, `advance` does everything that is possible now; a second call does nothing more.
struct AppStateMachine {
  struct Sending {
    var delivery: ClaimedDelivery
    let startedAtTicks: Int64
  }

  /// Some events are reported at most this often.
  private static let reportMilliseconds: Int64 = 60_000
  /// Quota answers for so long are more than a burst.
  private static let quotaMilliseconds: Int64 = 60_000

  let app: Int
  let name: String
  let configuration: DeliveryConfiguration
  private(set) var inFlightMax: Int
  /// How many may be sent at once: no more than the sender has connections for.
  private(set) var sendingMax: Int

  /// The next one is last, so that removing it is cheap.
  var ready: [ClaimedDelivery] = []
  var sending: [DeliveryID: Sending] = [:]
  /// Messages that FCM is to check: those that wait, and those that it has not answered, with their start.
  var validations: [Validation] = []
  var validating: [ValidationID: (target: Target, startedAtTicks: Int64)] = [:]
  var unsettledCount = 0
  /// The lease of the last claim. Claims of an earlier one are over.
  var lease: Int64 = 0
  /// Answers whose claims were over before they were recorded: the next claim of the delivery records them.
  var unrecorded: [DeliveryID: Settlement] = [:]
  var watch: QueueWatch
  var gate: AppGate
  /// Targets whose quota is used up, by their hashes.
  var targetHolds: Holds<Int>
  /// Deliveries that wait for their next attempt: a wall clock that is set forward makes none of them due.
  var retryHolds: Holds<DeliveryID>
  var claimed = 0
  private var quotaStorm = QuotaStorm()
  private(set) var isStopping = false
  private(set) var isRemoved = false

  private var lastFailure: SendError?
  private var lastSentAt: Timestamp?
  private var serviceFailuresInARow = 0
  private var foreignAnswers = ForeignAnswers()
  /// The first and the last of the project's quota answers that follow one another within a minute.
  private var quotaAnswers: (first: Timestamp, last: Timestamp)?
  private var thirdPartyAuthAt: Timestamp?
  private var thirdPartyReportedTicks: Int64?
  private var cappedReportedTicks: Int64?

  init(app: Int, quota: DeliveryCore.AppQuota, appCount: Int, configuration: DeliveryConfiguration) {
    self.app = app
    name = quota.name
    self.configuration = configuration
    inFlightMax = configuration.inFlightMax(appCount: appCount)
    sendingMax = min(inFlightMax, max(1, quota.inFlightMax ?? .max))
    watch = QueueWatch(configuration: configuration)
    gate = AppGate(name: name, messagesPerSecond: quota.messagesPerSecond, configuration: configuration)
    targetHolds = Holds(countMax: configuration.holdsMax)
    retryHolds = Holds(countMax: configuration.holdsMax)
  }

  var status: AppStatus {
    let health = AppHealth(
      app: name, inFlight: sending.count, messagesPerSecond: 0, holds: targetHolds.count,
      lastFailure: gate.failure ?? lastFailure, serviceFailuresInARow: serviceFailuresInARow,
      lastSentAt: lastSentAt, thirdPartyAuthAt: thirdPartyAuthAt, wait: gate.wait,
      refusedTargets: gate.refusals.suspectCount, foreignFailure: foreignAnswers.failure,
      isQuotaLasting: quotaAnswers.map { $0.first.milliseconds(until: $0.last) >= Self.quotaMilliseconds }
        ?? false)
    return AppStatus(health: health, limiter: gate.isClosed ? nil : gate.limiter)
  }

  /// How many more may be sent now.
  var sendingRoom: Int { sendingMax - sending.count - validating.count }

  var isLeaving: Bool { isStopping || isRemoved }

  /// Whether it holds no delivery and claims none.
  var isDrained: Bool { ready.isEmpty && sending.isEmpty && validating.isEmpty && !watch.isClaiming }
}

// MARK: Events

extension AppStateMachine {
  mutating func claimed(
    _ result: Result<[ClaimedDelivery], OutboxError>, now: Moment, into effects: inout Effects
  ) {
    switch result {
    case .failure(let error):
      watch.claimFailed(now: now)
      effects.actions.append(.report(.storeFailed(error)))
    case .success(let deliveries):
      let isAll = watch.claimed(count: deliveries.count)
      let fresh = lease == 0 ? deliveries : deliveries.filter { !adopt($0, into: &effects) }
      // What has not been claimed again by now is another gateway's.
      if isAll { unrecorded = [:] }
      ready.insert(contentsOf: fresh.reversed(), at: 0)
      gate.claimed(fresh, isAll: isAll)
      if fresh.isEmpty { giveUpTurn(now: now, into: &effects) }
    }
  }

  mutating func learnedNextDue(
    _ result: Result<Timestamp?, OutboxError>, now: Moment, into effects: inout Effects
  ) {
    switch result {
    case .failure(let error):
      watch.failed(now: now)
      effects.actions.append(.report(.storeFailed(error)))
    case .success(let next): watch.learned(nextDue: next, now: now)
    }
  }

  mutating func answered(
    _ id: DeliveryID, _ outcome: SendOutcome, policy: RetryPolicy, random: Double, now: Moment,
    into effects: inout Effects
  ) {
    if outcome == .withdrawn { return claimEnded(id, now: now, into: &effects) }
    guard let attempt = sending.removeValue(forKey: id) else { return }
    if case .failed(let failure) = outcome, outcome.isUnsent {
      effects.actions.append(.report(.unsent(app: name, failure: failure)))
    } else {
      tell(of: attempt, outcome, policy: policy, now: now, into: &effects)
    }
    note(outcome, now: now)
    let delivery = attempt.delivery
    let seen = AppGate.Attempt(
      id: id, recipient: delivery.target, delivery: delivery, startedAtTicks: attempt.startedAtTicks)
    let isAppWide = heed(outcome, to: delivery.target, seen, policy: policy, now: now, into: &effects)
    var settlement = policy.settlement(
      of: delivery, after: outcome, isAppWide: isAppWide, now: now.wall, random: random)
    settlement.attempt = AttemptRecord(
      outcome, milliseconds: max(0, now.ticks - attempt.startedAtTicks), isCounted: settlement.countsAttempt,
      now: now.wall)
    if let dueAt = settlement.dueAt, dueAt > now.wall {
      retryHolds.hold(id, until: now.ticks(at: dueAt), now: now.ticks)
    }
    settle(settlement, into: &effects)
  }

  /// Notes what an answer says about the app and the target; whether it is a refusal of the app as a whole.
  mutating func heed(
    _ outcome: SendOutcome, to target: Target, _ attempt: AppGate.Attempt, policy: RetryPolicy, now: Moment,
    into effects: inout Effects
  ) -> Bool {
    if case .failed(let failure) = outcome {
      if failure.scope == .unsent {
        gate.unsent(failure, attempt, now: now, into: &effects)
        return true
      }
      if let refusal = failure.refusal { return gate.refused(refusal, attempt, now: now, into: &effects) }
    }
    let isStorm = quotaStorm.noted(outcome, target: target)
    let meant = isStorm ? outcome.aboutTheProject : outcome
    let hold = hold(target, meant, policy: policy, now: now, into: &effects)
    gate.noted(meant, attempt, holdMilliseconds: hold, now: now, into: &effects)
    return false
  }

  /// Hands back a delivery that was not sent.
  mutating func claimEnded(_ id: DeliveryID, now: Moment, into effects: inout Effects) {
    guard let attempt = sending.removeValue(forKey: id) else { return }
    gate.withdrew(id, now: now)
    settle(.release(attempt.delivery, at: now.wall), into: &effects)
  }

  /// Holds the target whose quota is used up; otherwise returns for how many milliseconds to hold the app.
  private mutating func hold(
    _ target: Target, _ outcome: SendOutcome, policy: RetryPolicy, now: Moment, into effects: inout Effects
  ) -> Int64 {
    guard case .failed(let failure) = outcome else { return 0 }
    switch failure.scope {
    case .targetQuota:
      let wait = policy.quotaHoldMilliseconds(after: failure)
      targetHolds.hold(target.hashValue, until: now.ticks + wait, now: now.ticks)
      if configuration.sharesLimits {
        let until = now.wall.adding(milliseconds: wait)
        effects.actions.append(.hold(TargetHold(app: name, target: target, until: until)))
      }
      return 0
    case .projectQuota where failure.askedWait: return policy.quotaHoldMilliseconds(after: failure)
    default: return 0
    }
  }

  mutating func note(_ outcome: SendOutcome, now: Moment) {
    foreignAnswers.note(outcome)
    noteQuota(outcome, now: now.wall)
    switch outcome {
    case .sent:
      lastFailure = nil
      lastSentAt = now.wall
      serviceFailuresInARow = 0
    case .failed(let failure):
      lastFailure = failure
      serviceFailuresInARow = failure.scope == .service ? serviceFailuresInARow + 1 : 0
    case .withdrawn: break
    }
  }

  private mutating func noteQuota(_ outcome: SendOutcome, now: Timestamp) {
    if let last = quotaAnswers?.last, last.milliseconds(until: now) > Self.quotaMilliseconds {
      quotaAnswers = nil
    }
    guard case .failed(let failure) = outcome, failure.scope == .projectQuota else { return }
    quotaAnswers = (quotaAnswers?.first ?? now, now)
  }

  private mutating func tell(
    of attempt: Sending, _ outcome: SendOutcome, policy: RetryPolicy, now: Moment, into effects: inout Effects
  ) {
    func tell(_ event: DeliveryEvent) { effects.actions.append(.report(event)) }
    let reference = DeliveryReference(attempt.delivery)
    let milliseconds = max(0, now.ticks - attempt.startedAtTicks)
    guard case .failed(let failure) = outcome else {
      return tell(
        .attempted(
          app: name, delivery: reference, outcome: outcome, milliseconds: milliseconds, outcomeUnknown: false)
      )
    }
    let isUnknown = failure.disposition == .retryOutcomeUnknown
    tell(
      .attempted(
        app: name, delivery: reference, outcome: outcome, milliseconds: milliseconds,
        outcomeUnknown: isUnknown))
    if isUnknown { tell(.outcomeUnknown(app: name, delivery: reference, code: failure.code)) }
    if failure.scope == .thirdPartyCredentials {
      thirdPartyAuthAt = now.wall
      if Self.mayReport(&thirdPartyReportedTicks, now: now) {
        tell(.thirdPartyAuth(app: name, failure: failure))
      }
    }
    if policy.isCapped(failure), let seconds = failure.retryAfterSeconds,
      Self.mayReport(&cappedReportedTicks, now: now)
    {
      tell(.retryAfterCapped(app: name, seconds: seconds))
    }
  }

  private static func mayReport(_ reportedTicks: inout Int64?, now: Moment) -> Bool {
    if let reported = reportedTicks, now.ticks - reported < reportMilliseconds { return false }
    reportedTicks = now.ticks
    return true
  }

  /// Claims nothing more; requests under way can still finish.
  mutating func stop() { isStopping = true }

  /// The app is no longer served: requests under way can finish, the rest goes back to the queue.
  mutating func remove() { isRemoved = true }

  /// The app is served, at this rate and with this share.
  mutating func serve(_ quota: DeliveryCore.AppQuota, appCount: Int) {
    if isRemoved { watch.becameDue() }
    isRemoved = false
    inFlightMax = configuration.inFlightMax(appCount: appCount)
    limitSending(to: quota.inFlightMax ?? .max)
    gate.setQuota(messagesPerSecond: quota.messagesPerSecond)
  }

  /// More would only wait for each other where they cannot be claimed by another gateway.
  mutating func limitSending(to senderMax: Int) { sendingMax = min(inFlightMax, max(1, senderMax)) }

  /// Releases the deliveries that FCM has not answered, of which none leaves any more; checks that it has not
  /// answered end without a verdict.
  mutating func giveUp(now: Moment, into effects: inout Effects) {
    for attempt in sending.values {
      _ = attempt.delivery.departure.recall()
      settle(.release(attempt.delivery, at: now.wall), into: &effects)
    }
    sending = [:]
    validating = [:]
  }
}

/// An app's health except its rate, which climbs between events.
struct AppStatus: Sendable {
  let health: AppHealth
  /// Nil while the rate is 0.
  let limiter: RateLimiter?

  func health(now ticks: Int64) -> AppHealth {
    var health = health
    health.messagesPerSecond = limiter?.perSecond(now: ticks) ?? 0
    health.observe(ticks: ticks)
    return health
  }
}
