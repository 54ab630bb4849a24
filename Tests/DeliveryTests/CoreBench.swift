import FCM
import Outbox

@testable import Delivery

/// A core on the bench: events in, actions out, no threads.
struct CoreBench {
  var core: DeliveryCore
  private(set) var actions: [DeliveryCore.Action] = []

  init(
    apps: [String] = ["default"], policy: RetryPolicy = RetryPolicy(),
    configure: (inout DeliveryConfiguration) -> Void = { _ in }
  ) {
    var configuration = DeliveryConfiguration()
    configure(&configuration)
    core = DeliveryCore(appNames: apps, policy: policy, configuration: configuration, random: { 0 })
  }

  /// Hands in `events` at a time and keeps the actions, which are also returned, in words.
  @discardableResult
  mutating func tell(_ events: DeliveryCore.Event..., at milliseconds: Int64 = 0) -> [String] {
    tell(events, at: moment(milliseconds))
  }

  @discardableResult
  mutating func tell(_ events: [DeliveryCore.Event], at now: Moment) -> [String] {
    actions = core.handle(events, now: now)
    return actions.map(Self.words)
  }

  /// Gives one app some deliveries that are sent at once.
  mutating func give(_ deliveries: [ClaimedDelivery], app: Int = 0, at milliseconds: Int64 = 0) -> [String] {
    tell(.due(app: app), at: milliseconds)
    return tell(.claimed(app: app, .success(deliveries)), at: milliseconds)
  }

  func timer(at milliseconds: Int64) -> Int64? { core.timerTicks(now: moment(milliseconds)) }

  /// What the last actions would record.
  var settled: [Settled] {
    actions.flatMap { action -> [Settled] in
      if case .settle(let settlements) = action { settlements.map { Settled($0.result) } } else { [] }
    }
  }

  private static func words(_ action: DeliveryCore.Action) -> String {
    switch action {
    case .claim(let app, let limit): "claim \(limit) for \(app)"
    case .nextDue(let app): "next due of \(app)"
    case .send(let app, let delivery): "send \(delivery.id.uuid.low & 0xFFFF) for \(app)"
    case .settle(let settlements): "settle \(settlements.count)"
    case .report(.attempted): "attempted"
    case .report(.recorded(_, let outcome, let milliseconds)):
      "recorded \(outcome.rawValue) after \(milliseconds)"
    case .report(.paused(let app, let failure)): "paused \(app): \(failure.code.rawValue)"
    case .report(.resumed(let app)): "resumed \(app)"
    case .report(.storeFailed): "store failed"
    case .report(.storeRecovered): "store recovered"
    case .report(.stoppedUnsettled(let count)): "stopped with \(count) unsettled"
    case .finished: "finished"
    }
  }
}

func answer(_ number: Int, app: Int = 0, _ failure: SendFailure) -> DeliveryCore.Event {
  .answered(app: app, deliveryID(number), .failed(failure))
}

func accept(_ number: Int, app: Int = 0) -> DeliveryCore.Event {
  .answered(app: app, deliveryID(number), sent)
}
