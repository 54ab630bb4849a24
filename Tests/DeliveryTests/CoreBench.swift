import DeliveryReports
import Clock
import FCM
import FCMMessage
import Outbox
import SendingLimits

@testable import Delivery

/// Drives a core without threads: events in, actions out.
struct CoreBench {
  var core: DeliveryCore
  private(set) var actions: [DeliveryCore.Action] = []

  init(
    apps: [String] = ["default"], rate: Double = 1_000_000, policy: RetryPolicy = RetryPolicy(),
    configure: (inout DeliveryConfiguration) -> Void = { _ in }
  ) {
    var configuration = DeliveryConfiguration()
    configuration.ramp = .zero
    configure(&configuration)
    core = DeliveryCore(
      apps: apps.map { .init(name: $0, messagesPerSecond: rate) }, policy: policy,
      configuration: configuration, random: { 0 })
  }

  /// Passes `events` at a time to the core; records and returns the actions as text.
  @discardableResult
  mutating func tell(_ events: DeliveryCore.Event..., at milliseconds: Int64 = 0) -> [String] {
    tell(events, at: moment(milliseconds))
  }

  @discardableResult
  mutating func tell(_ events: [DeliveryCore.Event], at now: Moment) -> [String] {
    actions = core.handle(events, now: now)
    return actions.map(Self.words)
  }

  /// Lets an app claim deliveries that are sent at once.
  @discardableResult
  mutating func give(_ deliveries: [ClaimedDelivery], app: Int = 0, at milliseconds: Int64 = 0) -> [String] {
    tell(.due(app: app), at: milliseconds)
    return tell(.claimed(app: app, .success(deliveries)), at: milliseconds)
  }

  mutating func timer(at milliseconds: Int64) -> Int64? { core.timerTicks(now: moment(milliseconds)) }

  /// The health of app number `app`.
  func health(_ app: Int = 0, at milliseconds: Int64 = 0) -> AppHealth? {
    core.health(now: milliseconds).dropFirst(app).first
  }

  /// What the last actions would record.
  var settled: [Settled] {
    actions.flatMap { action -> [Settled] in
      if case .settle(let records, _) = action { records.map(Settled.init) } else { [] }
    }
  }

  /// For how many milliseconds what the last actions record may wait; nil if they record nothing.
  var settleWait: Int? {
    actions.lazy.compactMap { if case .settle(_, let wait) = $0 { wait } else { nil } }.first
  }

  private static func words(_ action: DeliveryCore.Action) -> String {
    switch action {
    case .claim(let app, let limit, _): "claim \(limit) for \(app)"
    case .nextDue(let app): "next due of \(app)"
    case .send(let app, let delivery): "send \(delivery.id.uuid.low & 0xFFFF) for \(app)"
    case .validate(_, let id): "validate \(id.number)"
    case .refuseValidation(let id, let failure): "refused \(id.number): \(failure.code.rawValue)"
    case .publish(let app, _): "publish for \(app)"
    case .hold(let hold): "hold \(hold.target.value)"
    case .takeProbeTurn(let app, _): "ask to probe \(app)"
    case .returnProbeTurn(let app, _): "leave probes of \(app)"
    case .settle(let settlements, _): "settle \(settlements.count)"
    case .settleNow: "settle now"
    case .report(let event): words(event)
    case .finished: "finished"
    }
  }

  private static func words(_ event: DeliveryEvent) -> String {
    switch event {
    case .attempted(_, _, _, _, let outcomeUnknown): outcomeUnknown ? "attempted, unknown" : "attempted"
    case .unsent(_, let failure): "unsent: \(failure.code.rawValue)"
    case .validated(_, _, let milliseconds): "checked after \(milliseconds)"
    case .outcomeUnknown(_, let delivery, let code): "\(code.rawValue) of \(delivery.targetHash)"
    case .recorded(_, _, let outcome, let milliseconds): "recorded \(outcome.rawValue) after \(milliseconds)"
    case .waits(_, _, let until): "waits until \(until.milliseconds)"
    case .deadRegistration(_, _, let code), .deadActivity(_, _, let code): "dead: \(code)"
    case .thirdPartyAuth(let app, let failure): "credentials of \(app): \(failure.code.rawValue)"
    case .slowed(let app, let rate, let hold): "slowed \(app) to \(Int(rate)) after \(hold)"
    case .retryAfterCapped(_, let seconds): "capped \(seconds)"
    case .breakerOpened(let app, let failure): "opened \(app): \(failure.code.rawValue)"
    case .breakerClosed(let app): "closed \(app)"
    case .paused(let app, let failure): "paused \(app): \(failure.code.rawValue)"
    case .resumed(let app): "resumed \(app)"
    case .storeFailed: "store failed"
    case .storeRecovered: "store recovered"
    case .stoppedUnsettled(let count): "stopped with \(count) unsettled"
    }
  }
}

func answer(_ number: Int, app: Int = 0, _ failure: SendError) -> DeliveryCore.Event {
  .answered(app: app, deliveryID(number), .failed(failure))
}

func accept(_ number: Int, app: Int = 0) -> DeliveryCore.Event {
  .answered(app: app, deliveryID(number), sent)
}
