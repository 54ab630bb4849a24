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
  private let store: any OutboxStore
  private let senders: [any MessageSender]
  private let appIndices: [String: Int]
  private let log: Log
  private let observer: (@Sendable (DeliveryEvent) -> Void)?
  private let loop: Loop
  private let inbox = Mutex(Inbox())
  private let published: Mutex<[AppHealth]>

  /// `observer` is called on the engine's queue and must not block; `random` gives numbers uniform in 0..<1.
  package init(
    apps: [String: any MessageSender], store: any OutboxStore, policy: RetryPolicy = RetryPolicy(),
    configuration: DeliveryConfiguration = DeliveryConfiguration(), log: Log,
    clock: (any DeliveryClock)? = nil,
    random: @escaping @Sendable () -> Double = { Double.random(in: 0..<1) },
    observer: (@Sendable (DeliveryEvent) -> Void)? = nil
  ) {
    let ordered = apps.sorted { $0.key < $1.key }
    let queue = DispatchQueue(label: "dragoman.delivery")
    self.queue = queue
    self.clock = clock ?? SystemDeliveryClock(queue: queue)
    self.store = store
    self.log = log
    self.observer = observer
    senders = ordered.map(\.value)
    appIndices = Dictionary(uniqueKeysWithValues: ordered.enumerated().map { ($1.key, $0) })
    let core = DeliveryCore(
      appNames: ordered.map(\.key), policy: policy, configuration: configuration, random: random)
    published = Mutex(core.health)
    loop = Loop(core: core)
  }

  /// Begins to claim and send. Call once, before the store's first enqueue.
  package func start() {
    store.onDue { [weak self] app in
      guard let self, let index = self.appIndices[app] else { return }
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

  /// How each app's sending is doing. Any thread; does not wait for the engine.
  package var health: [AppHealth] { published.withLock { $0 } }
}

// MARK: The loop

extension DeliveryEngine {
  private struct Inbox {
    var events: [DeliveryCore.Event] = []
    var isScheduled = false
  }

  /// What belongs to the engine's queue alone.
  private final class Loop: @unchecked Sendable {
    // Guard: touched on the engine's serial queue only, but for `init`.
    var core: DeliveryCore
    var waiters: [CheckedContinuation<Void, Never>] = []
    var isFinished = false
    var timerTicks: Int64?

    init(core: DeliveryCore) { self.core = core }
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

  private func process(_ events: [DeliveryCore.Event]) {
    guard !loop.isFinished else { return }
    let now = clock.now
    let actions = loop.core.handle(events, now: now)
    let health = loop.core.health
    published.withLock { $0 = health }
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
    case .claim(let app, let limit):
      store.claim(app: loop.core.appNames[app], limit: limit, now: now.wall) { [self] result in
        post(.claimed(app: app, result))
      }
    case .nextDue(let app):
      store.nextDue(app: loop.core.appNames[app]) { [self] in post(.nextDue(app: app, $0)) }
    case .send(let app, let delivery):
      let id = delivery.id
      let body = delivery.message.sendRequestBody(
        to: delivery.target, filling: SealedMessage.Filling(for: delivery, now: now.wall))
      senders[app].send(body) { [self] in post(.answered(app: app, id, $0)) }
    case .settle(let settlements):
      store.settle(settlements) { [self] in post(.settled($0)) }
    case .report(let event):
      write(event)
      observer?(event)
    case .finished:
      loop.isFinished = true
      for waiter in loop.waiters { waiter.resume() }
      loop.waiters = []
    }
  }

  private func write(_ event: DeliveryEvent) {
    switch event {
    case .attempted(let app, .failed(let failure), let milliseconds):
      log.debug(
        "attempt failed",
        [
          "app": .string(app), "code": .string(failure.code.rawValue),
          "milliseconds": .integer(Int(milliseconds)),
        ])
    case .attempted, .recorded: break
    case .paused(let app, let failure):
      log.error(
        "app paused: FCM refuses it as a whole",
        [
          "app": .string(app), "code": .string(failure.code.rawValue),
          "http_status": .integer(failure.httpStatus ?? 0), "reason": .string(failure.message),
        ])
    case .resumed(let app): log.info("app resumed", ["app": .string(app)])
    case .storeFailed(let error):
      log.error("queue failed; sending waits for it", ["reason": .string(error.description)])
    case .storeRecovered: log.info("queue recovered")
    case .stoppedUnsettled(let count):
      log.error("stopped before all outcomes were recorded", ["deliveries": .integer(count)])
    }
  }
}
