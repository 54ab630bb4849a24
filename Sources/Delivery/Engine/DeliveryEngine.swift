package import Clock
internal import Dispatch
package import DeliveryReports
package import FCM
package import FCMMessage
package import Outbox
import SendingLimits
internal import Synchronization
package import Telemetry

/// Takes due deliveries from the queue, sends them, and records their outcomes: performs the actions of
/// `DeliveryCore`.
///
/// Everything happens on one thread at a time. Answers of FCM and of the store arrive on any thread, which
/// decides about them itself if the engine is idle. Those that arrive meanwhile are handled together, so that
/// a busy engine records outcomes in large batches. A delivery that is claimed when the process dies is due
/// again at the next start.
// Guard: `gatewayCount` and `senders` are used only by the thread that has the driver's turn, except
// for the first `assign` in `init`.
package final class DeliveryEngine: DeliveryService, @unchecked Sendable {
  private let clock: any TimerClock
  private let store: any DeliveryQueue
  private let log: Log
  private let failures: FailureLog
  private let observer: (@Sendable (DeliveryEvent) -> Void)?
  private let driver: StateMachineDriver<DeliveryCore>
  private let published: Mutex<Published>
  private let offers = Mutex(ClaimOffers())
  private var gatewayCount = 1
  private var senders: [SenderInUse?] = []
  private let validations = Mutex(Validations())

  /// `observer` is called by one thread at a time and must not block; `random` gives numbers uniform in
  /// 0..<1.
  package init(
    apps: [DeliveryApp], store: any DeliveryQueue, policy: RetryPolicy = RetryPolicy(),
    configuration: DeliveryConfiguration = DeliveryConfiguration(), log: Log,
    clock: (any TimerClock)? = nil,
    random: @escaping @Sendable () -> Double = { Double.random(in: 0..<1) },
    observer: (@Sendable (DeliveryEvent) -> Void)? = nil
  ) {
    let queue = DispatchQueue(label: "dragoman.delivery")
    let clock = clock ?? SystemTimerClock(queue: queue, wall: { store.now })
    self.clock = clock
    self.store = store
    self.log = log
    failures = FailureLog(log: log)
    self.observer = observer
    var configuration = configuration
    configuration.sharesLimits = store.sharedLimits != nil
    let core = DeliveryCore(
      apps: apps.map(\.quota), policy: policy, configuration: configuration, random: random)
    published = Mutex(Published(core, now: clock.now.wall))
    driver = StateMachineDriver(machine: core, queue: queue, clock: clock)
    _ = assign(apps, names: core.appNames)
    driver.attach(
      willHandle: { [weak self] events, core, now in self?.prepare(&events, &core, now) },
      perform: { [weak self] actions, core, now in self?.perform(actions, &core, now) })
  }

  /// The same for apps with FCM's default quota.
  package convenience init(
    apps: [String: any MessageSender], store: any DeliveryQueue, policy: RetryPolicy = RetryPolicy(),
    configuration: DeliveryConfiguration = DeliveryConfiguration(), log: Log,
    clock: (any TimerClock)? = nil,
    random: @escaping @Sendable () -> Double = { Double.random(in: 0..<1) },
    observer: (@Sendable (DeliveryEvent) -> Void)? = nil
  ) {
    self.init(
      apps: apps.sorted { $0.key < $1.key }.map { DeliveryApp(name: $0.key, sender: $0.value) }, store: store,
      policy: policy, configuration: configuration, log: log, clock: clock, random: random,
      observer: observer)
  }

  /// Starts to claim and send. Call once, before the store's first enqueue.
  package func start() {
    store.onDue { [weak self] app in
      guard let self, let index = index(of: app) else { return }
      becameDue(index, name: app)
    }
    store.onAccept { [weak self] app in
      guard let self, let index = index(of: app) else { return nil }
      return offers.withLock { $0.limit(app: index) }
    }
    learnFromOthers()
    driver.post(.timer)
  }

  /// Claims nothing more, lets what is being sent finish for up to `grace`, releases the rest without
  /// counting an attempt, and returns when the store has all of it. Further calls wait for the same end.
  package func stop(grace: Duration) async {
    await driver.finish(with: .stop(grace: grace))
  }

  /// Serves these apps from now on, and no others: new ones begin, senders and rates are replaced. What is
  /// being sent is finished by its sender; the claimed deliveries of a removed app go back to the
  /// queue.
  package func update(apps: [DeliveryApp]) async -> RetiredSenders {
    let retired = await driver.handle(.update(apps.map(\.quota))) { [self] core in
      store.serve(only: apps.map(\.name))
      return assign(apps, names: core.appNames)
    }
    store.sharedLimits?.repeatAll()
    return RetiredSenders(senders: retired ?? [])
  }

  package func validate(
    app: String, _ body: [UInt8], to target: Target, trace: TraceContext?,
    completion: @escaping @Sendable (SendOutcome) -> Void
  ) {
    guard let index = index(of: app) else {
      return completion(.notServed)
    }
    let id = validations.withLock {
      $0.add(Validations.Pending(body: body, trace: trace, completion: completion))
    }
    driver.post(.validate(app: index, id, target: target))
  }

  /// Whether the app has an access token was found out without a message; `failure` is why it has none.
  /// Counts for the app as the same of a message does. Any thread; does not wait.
  package func noteCredentials(of app: String, _ failure: SendError?) {
    guard let index = index(of: app) else { return }
    driver.post(.credentialsChecked(app: index, failure))
  }

  package var overallHealth: DeliveryHealth {
    let ticks = clock.now.ticks
    return published.withLock { $0.health(now: ticks) }
  }
}

// MARK: Other gateways

extension DeliveryEngine {
  private func learnFromOthers() {
    guard let shared = store.sharedLimits else { return }
    shared.onChange(
      limits: { [weak self] app, limits in
        guard let self, let index = index(of: app) else { return }
        driver.post(.limits(app: index, limits))
      },
      holds: { [weak self] holds in
        guard let self else { return }
        for hold in holds {
          guard let index = index(of: hold.app) else { continue }
          driver.post(.held(app: index, hold.target, until: hold.until))
        }
      })
    shared.repeatAll()
  }

  private func index(of app: String) -> Int? { published.withLock { $0.indices[Array(app.utf8)] } }
}

// MARK: What other threads see

extension DeliveryEngine {
  private struct Published {
    /// By the app's index in the core; nil for one that is not served.
    private var status: [AppStatus?] = []
    /// By the bytes of the app's name, as the store tells apps apart.
    private(set) var indices: [[UInt8]: Int] = [:]
    private var refusedCount = 0
    private var degradedCount = 0
    private var isRefused: StatusSince<Bool>
    private var isDegraded: StatusSince<Bool>

    init(_ core: DeliveryCore, now: Timestamp) {
      isRefused = StatusSince(false, since: now)
      isDegraded = StatusSince(false, since: now)
      take(core.appNames)
      for app in core.appNames.indices { replace(app, with: core.status(of: app)) }
    }

    func health(now ticks: Int64) -> DeliveryHealth {
      DeliveryHealth(
        apps: status.compactMap { $0?.health(now: ticks) }, isRefused: isRefused, isDegraded: isDegraded)
    }

    /// Takes what may have changed in the core's last decision. `inout` spares a copy; it changes nothing.
    mutating func take(_ core: inout DeliveryCore, now: Timestamp) {
      if status.count != core.appNames.count { take(core.appNames) }
      for app in core.attended { replace(app, with: core.status(of: app)) }
      isRefused.become(refusedCount > 0, at: now)
      isDegraded.become(degradedCount > 0, at: now)
    }

    private mutating func replace(_ app: Int, with new: AppStatus?) {
      if let old = status[app] { count(old, by: -1) }
      if let new { count(new, by: 1) }
      status[app] = new
    }

    private mutating func count(_ status: AppStatus, by one: Int) {
      if status.health.isRefused { refusedCount += one }
      if status.health.isDegraded { degradedCount += one }
    }

    private mutating func take(_ names: [String]) {
      for (index, name) in names.enumerated().dropFirst(status.count) {
        indices[Array(name.utf8)] = index
        status.append(nil)
      }
    }
  }
}

// MARK: In the driver's turn

extension DeliveryEngine {
  private func prepare(_ events: inout [DeliveryCore.Event], _ core: inout DeliveryCore, _ now: Moment) {
    var first: [DeliveryCore.Event] = []
    let count = store.gatewayCount
    if count != gatewayCount {
      gatewayCount = count
      // Before the others, so that nothing is sent at an old rate.
      first.append(.gateways(count))
    }
    let concerned = first.isEmpty ? core.concerned(by: events, now: now) : nil
    for app in concerned ?? Array(senders.indices) where senders.indices.contains(app) {
      guard let most = senders[app]?.takeInFlightChange() else { continue }
      first.append(.inFlightMax(app: app, most))
    }
    let begun = offers.withLock { $0.withdraw(concerned) }
    first += begun.map { .claimBegan(app: $0, $1) }
    if !first.isEmpty { events.insert(contentsOf: first, at: 0) }
  }

  private func perform(_ actions: [DeliveryCore.Action], _ core: inout DeliveryCore, _ now: Moment) {
    published.withLock { $0.take(&core, now: now.wall) }
    for action in actions { perform(action, appNames: core.appNames, now: now) }
    for app in core.attended {
      // Outside the lock, whose closure would get a copy of the core.
      guard let offer = core.claimOffer(app: app, now: now) else { continue }
      offers.withLock { $0.add(offer, app: app) }
    }
  }

  /// Deliveries of an app became due: claims them from the store's thread if the core offers that, which
  /// spares waking the engine to decide and the store to answer. Otherwise the core decides.
  private func becameDue(_ app: Int, name: String) {
    guard let offer = offers.withLock({ $0.take(app: app) }) else {
      return driver.post(.due(app: app))
    }
    claim(app, name: name, offer, now: clock.now.wall)
  }

  private func claim(_ app: Int, name: String, _ claim: ClaimOffer, now: Timestamp) {
    store.claim(app: name, limit: claim.limit, normalMin: claim.normalMin, now: now) { [self] in
      claimed(app, $0)
    }
  }

  private func claimed(_ app: Int, _ result: Result<ClaimedDeliveries, OutboxError>) {
    let next: DeliveryCore.Event? =
      if case .success(let claimed) = result, let nextDue = claimed.nextDue {
        .nextDue(app: app, .success(nextDue))
      } else {
        nil
      }
    let deliveries = result.map(\.deliveries)
    let count = if case .success(let claimed) = deliveries { claimed.count } else { 1 }
    driver.post(.claimed(app: app, deliveries), then: next, size: count)
  }

  private func perform(_ action: DeliveryCore.Action, appNames: [String], now: Moment) {
    switch action {
    case .claim(let app, let limit, let normalMin):
      let offer = ClaimOffer(limit: limit, normalMin: normalMin)
      claim(app, name: appNames[app], offer, now: now.wall)
    case .nextDue(let app):
      store.nextDue(app: appNames[app]) { [self] in driver.post(.nextDue(app: app, $0)) }
    case .send(let app, let delivery):
      let id = delivery.id
      // A process that was suspended may have lost its claims to another gateway.
      guard store.holds(delivery), !delivery.departure.isRecalled else {
        return driver.post(.claimEnded(app: app, id))
      }
      let message = OutgoingMessage(delivery, now: now.wall)
      senders[app]?.send(
        message.body, trace: delivery.trace, atDeparture: atDeparture(of: message)
      ) { [self] in driver.post(.answered(app: app, id, $0)) }
    case .validate(let app, let id):
      guard let pending = validations.withLock({ $0.pending[id] }) else { return }
      guard let sender = senders[app] else { return end(id, .notServed) }
      sender.send(pending.body, trace: pending.trace, atDeparture: { pending.body }) { [self] outcome in
        driver.post(.validated(app: app, id, outcome))
        end(id, outcome == .withdrawn ? .failed(.overloaded) : outcome)
      }
    case .refuseValidation(let id, let failure): end(id, .failed(failure))
    case .settle(let settlements, let waitMilliseconds):
      store.settle(settlements, waitMilliseconds: waitMilliseconds) { [self] in driver.post(.settled($0)) }
    case .settleNow: store.settleNow()
    case .publish(let app, let limits): store.sharedLimits?.publish(limits, app: appNames[app])
    case .hold(let hold): store.sharedLimits?.publish(hold)
    case .takeProbeTurn(let app, let stop):
      store.sharedLimits?.takeProbeTurn(app: appNames[app], stop: stop) { [weak self] isTaken in
        self?.driver.post(.probeTurn(app: app, stop: stop, isTaken: isTaken))
      }
    case .returnProbeTurn(let app, let stop):
      store.sharedLimits?.returnProbeTurn(app: appNames[app], stop: stop)
    case .report(let event):
      log.write(event)
      failures.note(event)
      observer?(event)
    case .finished:
      for completion in validations.withLock({ $0.close() }) { completion(.notServed) }
    }
  }

  /// Whether the message may leave, and with which body: it can have waited for an access token, for a
  /// connection, or for another try.
  private func atDeparture(of message: OutgoingMessage) -> @Sendable () -> [UInt8]? {
    let (store, clock, delivery) = (store, clock, message.delivery)
    return {
      let now = clock.now.wall
      guard now < delivery.expiresAt, store.holds(delivery), delivery.departure.leave() else { return nil }
      return message.body(now: now)
    }
  }

  private func end(_ id: ValidationID, _ outcome: SendOutcome) {
    validations.withLock { $0.take(id) }?(outcome)
  }

  /// Gives each app of the core, named by `names`, its sender; returns those that are no longer used.
  private func assign(_ apps: [DeliveryApp], names: [String]) -> [SenderInUse] {
    var retired: [SenderInUse] = []
    for (index, name) in names.enumerated() {
      let app = apps.last { $0.name.utf8.elementsEqual(name.utf8) }
      if index == senders.count { senders.append(nil) }
      let current = senders[index]
      if let app, let current, current.isFor(app.sender) {
        current.forgetInFlightMax()
        continue
      }
      senders[index] = app.map { SenderInUse($0.sender) }
      if let current { retired.append(current) }
    }
    return retired
  }
}
