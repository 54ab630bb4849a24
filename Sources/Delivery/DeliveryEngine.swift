internal import Dispatch
package import FCM
internal import FCMMessage
package import Outbox
internal import Synchronization
package import Telemetry

/// Takes due deliveries from the queue, sends them, and records what came of each: `DeliveryCore` with its hands.
///
/// Everything happens on one serial queue. Answers of FCM and of the store are gathered from whatever thread they
/// come on and taken in together, so that a busy engine wakes up seldom and records outcomes in large batches.
/// What is claimed when the process dies is due again at the next start.
package final class DeliveryEngine: Sendable {
  private let queue: DispatchQueue
  private let clock: any DeliveryClock
  private let store: any DeliveryQueue
  private let log: Log
  private let observer: (@Sendable (DeliveryEvent) -> Void)?
  private let loop: Loop
  private let inbox = Mutex(Inbox())
  private let published: Mutex<Published>

  /// `observer` is called on the engine's queue and must not block; `random` gives numbers uniform in 0..<1.
  package init(
    apps: [DeliveryApp], store: any DeliveryQueue, policy: RetryPolicy = RetryPolicy(),
    configuration: DeliveryConfiguration = DeliveryConfiguration(), log: Log,
    clock: (any DeliveryClock)? = nil,
    random: @escaping @Sendable () -> Double = { Double.random(in: 0..<1) },
    observer: (@Sendable (DeliveryEvent) -> Void)? = nil
  ) {
    let queue = DispatchQueue(label: "dragoman.delivery")
    self.queue = queue
    let clock = clock ?? SystemDeliveryClock(queue: queue)
    self.clock = clock
    self.store = store
    self.log = log
    self.observer = observer
    let core = DeliveryCore(
      apps: apps.map(\.quota), policy: policy, configuration: configuration, random: random)
    published = Mutex(Published(core, now: clock.now.wall))
    loop = Loop(core: core)
    _ = loop.assign(apps)
  }

  /// The same for apps with FCM's default quota.
  package convenience init(
    apps: [String: any MessageSender], store: any DeliveryQueue, policy: RetryPolicy = RetryPolicy(),
    configuration: DeliveryConfiguration = DeliveryConfiguration(), log: Log,
    clock: (any DeliveryClock)? = nil,
    random: @escaping @Sendable () -> Double = { Double.random(in: 0..<1) },
    observer: (@Sendable (DeliveryEvent) -> Void)? = nil
  ) {
    self.init(
      apps: apps.sorted { $0.key < $1.key }.map { DeliveryApp(name: $0.key, sender: $0.value) }, store: store,
      policy: policy, configuration: configuration, log: log, clock: clock, random: random,
      observer: observer)
  }

  /// Begins to claim and send. Call once, before the store's first enqueue.
  package func start() {
    store.onDue { [weak self] app in
      guard let self, let index = self.published.withLock({ $0.indices[app] }) else { return }
      self.post(.due(app: index))
    }
    post(.timer)
  }

  /// Claims nothing more, lets what is being sent finish for up to `grace`, hands the rest back without counting
  /// an attempt, and returns when the store has all of it. Further calls wait for the same end.
  package func stop(grace: Duration) async {
    await withCheckedContinuation { continuation in
      queue.async { [self] in
        if loop.isFinished { return continuation.resume() }
        loop.waiters.append(continuation)
        process([.stop(grace: grace)])
      }
    }
  }

  /// Serves these apps from now on, and no others: new ones begin, senders and rates are replaced. What is being
  /// sent is finished by the sender it went to; what is claimed of a removed app goes back to the queue. Returns
  /// when no request is left with a sender that was removed or replaced, so that it can be shut down.
  package func update(apps: [DeliveryApp]) async {
    let retired = await withCheckedContinuation { continuation in
      queue.async { [self] in
        guard !loop.isFinished else { return continuation.resume(returning: [SenderInUse]()) }
        process([.update(apps.map(\.quota))]) { continuation.resume(returning: self.loop.assign(apps)) }
      }
    }
    for sender in retired { await sender.untilUnused() }
  }

  /// How each app's sending is doing. Any thread; does not wait for the engine.
  package var health: [AppHealth] { overallHealth.apps }

  /// The same, with what holds of all apps together. Any thread; does not wait for the engine.
  package var overallHealth: DeliveryHealth {
    let ticks = clock.now.ticks
    return published.withLock { $0.health(now: ticks) }
  }
}

// MARK: The loop

extension DeliveryEngine {
  private struct Inbox {
    var events: [DeliveryCore.Event] = []
    var isScheduled = false
  }

  /// What other threads may see of the core.
  private struct Published {
    private(set) var status: [AppStatus]
    private(set) var indices: [String: Int] = [:]
    private var isRefused: Standing<Bool>
    private var isTroubled: Standing<Bool>

    init(_ core: DeliveryCore, now: Timestamp) {
      status = core.status
      isRefused = Standing(false, since: now)
      isTroubled = Standing(false, since: now)
      take(core.appNames)
    }

    func health(now ticks: Int64) -> DeliveryHealth {
      DeliveryHealth(
        apps: status.map { $0.health(now: ticks) }, isRefused: isRefused, isTroubled: isTroubled)
    }

    mutating func take(_ core: DeliveryCore, now: Timestamp) {
      status = core.status
      isRefused.become(status.contains { $0.health.isPaused }, at: now)
      isTroubled.become(status.contains { $0.health.isTroubled }, at: now)
      if indices.count != core.appNames.count { take(core.appNames) }
    }

    private mutating func take(_ names: [String]) {
      for (index, name) in names.enumerated() { indices[name] = index }
    }
  }

  /// What belongs to the engine's queue alone.
  private final class Loop: @unchecked Sendable {
    // Guard: touched on the engine's serial queue only, but for `init` and the first `assign`.
    var core: DeliveryCore
    var lag = ClockLag()
    var senders: [SenderInUse?] = []
    var waiters: [CheckedContinuation<Void, Never>] = []
    var isFinished = false
    var timerTicks: Int64?

    init(core: DeliveryCore) { self.core = core }

    /// Gives each app of the core its sender; returns those that serve no longer.
    func assign(_ apps: [DeliveryApp]) -> [SenderInUse] {
      var retired: [SenderInUse] = []
      for (index, name) in core.appNames.enumerated() {
        let app = apps.last { $0.name.utf8.elementsEqual(name.utf8) }
        if index == senders.count { senders.append(nil) }
        let current = senders[index]
        if let app, current?.isFor(app.sender) == true { continue }
        senders[index] = app.map { SenderInUse($0.sender) }
        if let current { retired.append(current) }
      }
      return retired
    }
  }

  private func post(_ event: DeliveryCore.Event) {
    let mustSchedule = inbox.withLock { inbox in
      inbox.events.append(event)
      defer { inbox.isScheduled = true }
      return !inbox.isScheduled
    }
    if mustSchedule { queue.async { [self] in drain() } }
  }

  private func drain() {
    let events = inbox.withLock { inbox in
      inbox.isScheduled = false
      defer { inbox.events = [] }
      return inbox.events
    }
    process(events)
  }

  /// `taken` is called when the core knows of the events and nothing is done about them yet.
  private func process(_ events: [DeliveryCore.Event], taken: () -> Void = {}) {
    guard !loop.isFinished else { return }
    let now = clock.now
    // What the core knows of due times is by the clock as it was.
    let isSet = loop.lag.note(now)
    let events = isSet ? events + loop.core.appNames.indices.map { .due(app: $0) } : events
    let actions = loop.core.handle(events, now: now)
    taken()
    published.withLock { $0.take(loop.core, now: now.wall) }
    for action in actions { perform(action, now: now) }
    let wake = loop.isFinished ? nil : loop.core.timerTicks(now: now)
    guard wake != loop.timerTicks else { return }
    loop.timerTicks = wake
    clock.setTimer(at: wake) { [weak self] in self?.timerFired() }
  }

  private func timerFired() {
    queue.async { [self] in
      loop.timerTicks = nil
      process([.timer])
    }
  }

  private func perform(_ action: DeliveryCore.Action, now: Moment) {
    switch action {
    case .claim(let app, let limit, let normalMin):
      let name = loop.core.appNames[app]
      store.claim(app: name, limit: limit, normalMin: normalMin, now: loop.lag.inQueue(now.wall)) {
        [self] result in
        post(.claimed(app: app, result))
      }
    case .nextDue(let app):
      let lag = loop.lag
      store.nextDue(app: loop.core.appNames[app]) { [self] result in
        post(.nextDue(app: app, result.map { $0.map(lag.fromQueue) }))
      }
    case .send(let app, let delivery):
      let id = delivery.id
      let body = delivery.message.sendRequestBody(
        to: delivery.target, values: SealedMessage.PlaceholderValues(for: delivery, now: now.wall))
      loop.senders[app]?.send(body, trace: delivery.trace) { [self] in
        post(.answered(app: app, id, $0))
      }
    case .settle(let records):
      store.settle(records.map { Settlement(loop.lag.inQueue($0)) }) { [self] in post(.settled($0)) }
    case .report(let event):
      log.write(event)
      observer?(event)
    case .finished:
      loop.isFinished = true
      for waiter in loop.waiters { waiter.resume() }
      loop.waiters = []
    }
  }
}
