internal import Clock
package import DeliveryReports
internal import Dispatch
package import Outbox
internal import Synchronization
package import Telemetry

/// The result of a webhook request or event; the label `result` of `dragoman_webhook_deliveries_total`.
package enum WebhookResult: String, Sendable, CaseIterable {
  /// The receiver has the event.
  case delivered
  /// A request failed; the event is tried again, or given up.
  case failed
  /// Every attempt over a day failed, or too many events wait for another one.
  case givenUp = "given_up"
  /// The receiver answered 410 and gets nothing more until the next start.
  case disabled
}

/// Reports events of the queue's feedback log to the webhook's receiver: performs the actions of
/// `WebhookStateMachine`. One event a request, signed as Standard Webhooks specifies.
///
/// Everything is decided on one thread at a time and sent on the thread of its own transport.
// Guard: `lastFailure` is used only by the thread that has the driver's turn.
package final class FeedbackWebhook: Webhook, @unchecked Sendable {
  package static let timeout: Duration = .seconds(15)

  private let secrets: [WebhookSecret]
  private let source: any WebhookLog
  private let receiver: WebhookReceiver
  private let clock: any TimerClock
  private let log: Log
  private let observer: (@Sendable (WebhookResult) -> Void)?
  private let driver: StateMachineDriver<WebhookStateMachine>
  private let published: Mutex<WebhookHealth>
  private var lastFailure: WebhookHealth.Failure?

  /// Outcomes among `events` are those that the store logs: see `OutboxStore.logOutcomes`. `caFile` holds
  /// certificates to trust in place of the system's. `observer` is called on the webhook's
  /// queue and must not block.
  package convenience init(
    url: WebhookURL, secrets: [WebhookSecret], events: Set<WebhookEventType> = WebhookEventType.standard,
    caFile: String? = nil, store: any OutboxStore, log: Log,
    observer: (@Sendable (WebhookResult) -> Void)? = nil
  ) {
    self.init(
      url: url, secrets: secrets, caFile: caFile, source: StoredLog(store: store, types: events),
      policy: WebhookPolicy(events: events), log: log, observer: observer)
  }

  init(
    url: WebhookURL, secrets: [WebhookSecret], caFile: String? = nil, source: any WebhookLog,
    policy: WebhookPolicy = WebhookPolicy(), timeout: Duration = FeedbackWebhook.timeout,
    clock: (any TimerClock)? = nil,
    random: @escaping @Sendable () -> Double = { Double.random(in: 0..<1) }, log: Log,
    observer: (@Sendable (WebhookResult) -> Void)? = nil
  ) {
    let queue = DispatchQueue(label: "dragoman.webhook", qos: .utility)
    let clock = clock ?? SystemTimerClock(queue: queue)
    self.clock = clock
    published = Mutex(WebhookHealth(since: clock.now.wall))
    self.secrets = secrets
    self.source = source
    self.log = log
    self.observer = observer
    receiver = WebhookReceiver(
      url: url, caFile: caFile, timeout: timeout, connectionsMax: policy.inFlightMax, log: log)
    driver = StateMachineDriver(
      machine: WebhookStateMachine(policy: policy, random: random), queue: queue, clock: clock)
    driver.attach { [weak self] actions, machine, now in self?.perform(actions, machine, now) }
  }

  /// Starts at the saved cursor. Call once.
  package func start() { driver.post(.start) }

  /// New events may be in the log. Cheap, from any thread.
  package func wake() { driver.post(.wake) }

  /// Sends nothing more, lets requests under way finish for up to `grace`, saves the cursor, and returns.
  /// Events that were interrupted are sent again after the next start, with the same id.
  package func stop(grace: Duration) async {
    await driver.finish(with: .stop(grace: grace.wholeMilliseconds))
    await receiver.shutDown()
  }

  /// Any thread; does not wait.
  package var health: WebhookHealth { published.withLock { $0 } }
}

// MARK: On the driver's queue

extension FeedbackWebhook {
  private func perform(
    _ actions: [WebhookStateMachine.Action], _ machine: WebhookStateMachine, _ now: Moment
  ) {
    for action in actions { perform(action) }
    publish(machine, now: now.wall)
  }

  private func perform(_ action: WebhookStateMachine.Action) {
    switch action {
    case .readCursor: source.cursor { [self] in driver.post(.cursorRead($0)) }
    case .read(let after, let limit):
      source.events(after: after, limit: limit) { [self] in driver.post(.pageRead($0)) }
    case .saveCursor(let event): source.setCursor(event) { [self] in driver.post(.cursorSaved($0)) }
    case .send(let event): send(event)
    case .abandon: break  // `stop` shuts the receiver's transport down, which ends them.
    case .report(let report): tell(report)
    case .finished: source.end()
    }
  }

  private func send(_ event: WebhookEvent) {
    let message = WebhookMessage(event)
    guard message.fits else {
      return driver.post(.answered(event.id, .unsendable(reason: "the event is too large for a webhook")))
    }
    guard let headers = message.headers(timestamp: clock.now.wall.unixSeconds, secrets: secrets) else {
      return driver.post(.answered(event.id, .failed(reason: "cannot sign", retryAfter: nil)))
    }
    let clock = clock
    receiver.post(message.body, headers: headers, now: { clock.now.wall.unixSeconds }) { [self] answer in
      driver.post(.answered(event.id, answer))
    }
  }

  private func publish(_ machine: WebhookStateMachine, now: Timestamp) {
    let failing = machine.failing
    let lastFailure = lastFailure
    published.withLock { health in
      health.isDisabled = machine.isDisabled
      health.outstanding = machine.outstanding
      health.failing = failing
      health.oldestEventAt = machine.oldest?.at
      health.lastFailure = lastFailure
      health.isDegraded.become(machine.isDisabled || failing > 0, at: now)
    }
  }

  private func tell(_ report: WebhookStateMachine.Report) {
    switch report {
    case .delivered: observer?(.delivered)
    case .failed(let id, let reason):
      lastFailure = WebhookHealth.Failure(at: clock.now.wall, reason: reason)
      log.debug("webhook request failed", ["event": .integer(Int(id)), "reason": .string(reason)])
      observer?(.failed)
    case .givenUp(let id, let reason):
      log.warning("webhook event given up", ["event": .integer(Int(id)), "reason": .string(reason)])
      observer?(.givenUp)
    case .disabled(let id):
      lastFailure = WebhookHealth.Failure(at: clock.now.wall, reason: "HTTP 410")
      log.error(
        "webhook disabled: its receiver answers 410; restart or reload to try again",
        ["event": .integer(Int(id))])
      observer?(.disabled)
    case .receiverDegraded(let reason):
      log.warning("webhook receiver is degraded; events wait", ["reason": .string(reason)])
    case .receiverRecovered: log.info("webhook receiver is back")
    case .storeFailed(let reason):
      log.warning("webhook waits for the queue", ["reason": .string(reason)])
    }
  }
}
