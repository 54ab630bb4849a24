import DeliveryReports
import Clock
import FCM
import Outbox
import SendingLimits

@testable import Delivery

/// Several cores on one queue, which share what they learn as gateways on one database do once a second.
struct SharedBenches {
  private struct Row {
    let delivery: ClaimedDelivery
    var dueAt: Timestamp
    var isClaimed = false
  }

  private(set) var benches: [CoreBench]
  private(set) var known = AppLimits()
  /// Which core has the turn to probe, and for which stop.
  private(set) var prober: (core: Int, stop: Timestamp)?
  /// Stops that were published, in order.
  private(set) var stops: [AppLimits.Stop] = []
  /// What was settled, in order.
  private(set) var settled: [Settled] = []
  private var holds: [TargetHold] = []
  private var rows: [DeliveryID: Row] = [:]
  /// The deliveries that each core has sent and that have no answer yet.
  private var sending: [[DeliveryID]]

  init(
    _ count: Int, rate: Double = 1_000_000, configure: (inout DeliveryConfiguration) -> Void = { _ in }
  ) {
    benches = (0..<count).map { _ in
      CoreBench(rate: rate) {
        configure(&$0)
        $0.sharesLimits = true
      }
    }
    sending = Array(repeating: [], count: count)
    for index in benches.indices { tell(index, .gateways(count)) }
  }

  /// Passes events to one core, and what the queue answers. What it publishes reaches the others with
  /// `exchange`.
  @discardableResult
  mutating func tell(_ index: Int, _ events: DeliveryCore.Event..., at milliseconds: Int64 = 0) -> [String] {
    tell(index, events, at: milliseconds)
  }

  @discardableResult
  mutating func tell(_ index: Int, _ events: [DeliveryCore.Event], at milliseconds: Int64) -> [String] {
    var words = benches[index].tell(events, at: moment(milliseconds))
    settled += benches[index].settled
    for action in benches[index].actions {
      guard let event = perform(action, of: index, now: moment(milliseconds).wall) else { continue }
      words += tell(index, [event], at: milliseconds)
    }
    return words
  }

  /// Adds deliveries that this core learns of first.
  @discardableResult
  mutating func give(_ index: Int, _ deliveries: [ClaimedDelivery], at milliseconds: Int64) -> [String] {
    for delivery in deliveries { rows[delivery.id] = Row(delivery: delivery, dueAt: wall(milliseconds)) }
    return tell(index, .due(app: 0), at: milliseconds)
  }

  /// Answers the first delivery that a core has sent, or all of them, with a failure or success.
  @discardableResult
  mutating func answer(
    _ index: Int, _ failure: SendError?, all: Bool = false, at milliseconds: Int64
  ) -> [String] {
    let ids = sending[index].prefix(all ? .max : 1)
    sending[index].removeFirst(ids.count)
    let outcome = failure.map { SendOutcome.failed($0) } ?? sent
    return tell(index, ids.map { .answered(app: 0, $0, outcome) }, at: milliseconds)
  }

  /// Lets all cores learn what was published.
  @discardableResult
  mutating func exchange(at milliseconds: Int64) -> [[String]] {
    let (limits, holds) = (known, holds)
    return benches.indices.map { index in
      let events = holds.map { DeliveryCore.Event.held(app: 0, $0.target, until: $0.until) }
      return tell(index, [.limits(app: 0, limits)] + events, at: milliseconds)
    }
  }

  /// Messages a second that are allowed at each core.
  func rates(at milliseconds: Int64) -> [Int] {
    benches.map { Int($0.health(at: milliseconds)?.messagesPerSecond ?? -1) }
  }

  func areOpen(at milliseconds: Int64) -> [Bool] {
    benches.map { $0.health(at: milliseconds)?.isBreakerOpen == true }
  }

  mutating func timer(of index: Int, at milliseconds: Int64) -> Int64? {
    benches[index].timer(at: milliseconds)
  }

  private mutating func perform(
    _ action: DeliveryCore.Action, of index: Int, now: Timestamp
  ) -> DeliveryCore.Event? {
    switch action {
    case .claim(_, let limit, _):
      let due = rows.values.filter { !$0.isClaimed && $0.dueAt <= now }.map(\.delivery)
      let claimed = due.sorted { $0.id < $1.id }.prefix(limit)
      for delivery in claimed { rows[delivery.id]?.isClaimed = true }
      return .claimed(app: 0, .success(Array(claimed)))
    case .nextDue:
      return .nextDue(app: 0, .success(rows.values.filter { !$0.isClaimed }.map(\.dueAt).min()))
    case .send(_, let delivery):
      sending[index].append(delivery.id)
      return nil
    case .settle(let settlements, _):
      for settlement in settlements { settle(settlement) }
      return .settled(.success([]))
    case .publish(_, let limits):
      known.merge(limits)
      if let stop = limits.stop { stops.append(stop) }
      return nil
    case .hold(let hold):
      holds.append(hold)
      return nil
    case .takeProbeTurn(_, let stop):
      let isTaken = known.stop?.decidedAt == stop && (prober?.stop != stop || prober?.core == index)
      if isTaken { prober = (index, stop) }
      return .probeTurn(app: 0, stop: stop, isTaken: isTaken)
    case .returnProbeTurn:
      prober = nil
      return nil
    case .settleNow, .validate, .refuseValidation, .report, .finished: return nil
    }
  }

  private mutating func settle(_ settlement: Settlement) {
    let id = settlement.claim.id
    rows[id]?.isClaimed = false
    if let dueAt = settlement.dueAt { rows[id]?.dueAt = dueAt }
    if !settlement.waitsAgain { rows[id] = nil }
  }
}

extension [String] {
  /// How many deliveries were sent.
  var sends: Int { count { $0.hasPrefix("send") } }
}
