import Clock
import FCM
import FCMMessage
import Outbox
import TestSupport

@testable import Delivery

/// An FCM that answers anything, remembers its demands, and reports when they are violated. Times are
/// ticks.
struct SimulatedFCM {
  struct App {
    /// Periods in which every request fails, and in which every one is rejected.
    var outage: Range<Int64> = 0..<0
    var refusal: Range<Int64> = 0..<0
    var messagesPerSecond = 10_000.0
    var inFlight = 0
    fileprivate var notBefore = Int64.min
    fileprivate var sendTimes: [Int64] = []
    fileprivate var windowStart = 0
    fileprivate var open: (since: Int64, lastProbe: Int64?)?
  }

  private struct Flight {
    let target: String
    let startedAt: Int64
  }

  var apps: [App]
  var violations: [String] = []
  private(set) var sends = 0
  let inFlightMax: Int
  private var flights: [DeliveryID: Flight] = [:]
  private var targetNotBefore: [String: Int64] = [:]
  private var deliveryNotBefore: [DeliveryID: Int64] = [:]

  init(appCount: Int, inFlightMax: Int) {
    apps = Array(repeating: App(), count: appCount)
    self.inFlightMax = inFlightMax
  }

  /// A request is begun; it may leave later, or not at all.
  mutating func begin(_ delivery: ClaimedDelivery, app: Int, now: Int64, wall: Timestamp) {
    let target = "\(app) \(delivery.target.value)"
    if flights[delivery.id] != nil { violations.append("sent twice at once") }
    if wall >= delivery.expiresAt { violations.append("sent after its expiry") }
    if now < deliveryNotBefore[delivery.id] ?? .min { violations.append("retried too early") }
    if now < targetNotBefore[target] ?? .min { violations.append("sent to a target that is held") }
    if now < apps[app].notBefore { violations.append("sent while the app is held") }
    flights[delivery.id] = Flight(target: target, startedAt: now)
    apps[app].inFlight += 1
    if apps[app].inFlight > inFlightMax { violations.append("more in flight than allowed") }
    checkRate(app: app, now: now)
    checkBreaker(app: app, now: now)
  }

  func hasBegun(_ id: DeliveryID) -> Bool { flights[id] != nil }

  /// It does not leave.
  mutating func withdrew(_ id: DeliveryID, app: Int) {
    guard let flight = flights.removeValue(forKey: id) else { return }
    apps[app].inFlight -= 1
    if let index = apps[app].sendTimes.lastIndex(of: flight.startedAt) {
      apps[app].sendTimes.remove(at: index)
      if index < apps[app].windowStart { apps[app].windowStart -= 1 }
    }
    if apps[app].open?.lastProbe == flight.startedAt { apps[app].open?.lastProbe = nil }
  }

  /// Answers a request that leaves now, after the returned milliseconds.
  mutating func send(
    app: Int, now: Int64, using generator: inout SeededGenerator
  ) -> (after: Int64, outcome: SendOutcome) {
    sends += 1
    let latency = Int64.random(in: 1..<200, using: &generator)
    if apps[app].outage.contains(now) { return outageAnswer(latency, using: &generator) }
    if apps[app].refusal.contains(now) { return (latency, .failed(forbidden)) }
    return answer(latency, using: &generator)
  }

  private func outageAnswer(
    _ latency: Int64, using generator: inout SeededGenerator
  ) -> (Int64, SendOutcome) {
    switch Int.random(in: 0..<4, using: &generator) {
    case 0: (10_000, .failed(failure(.timeout, .retryOutcomeUnknown, .service)))
    case 1:
      (
        latency,
        .failed(
          failure(
            .unavailable, .retry, .service, status: 503, retryAfter: Int.random(in: 1..<50, using: &generator)
          ))
      )
    default: (latency, .failed(unavailable))
    }
  }

  private func answer(_ latency: Int64, using generator: inout SeededGenerator) -> (Int64, SendOutcome) {
    let wait = Int.random(in: 1..<90, using: &generator)
    switch Int.random(in: 0..<100, using: &generator) {
    case 0..<3: return (latency, .failed(unregistered))
    case 3: return (latency, .failed(failure(.thirdPartyAuthError, .permanent, .thirdPartyCredentials)))
    case 4..<7: return (latency, .failed(failure(.quotaExceeded, .retry, .targetQuota, status: 429)))
    case 7..<11:
      return (
        latency, .failed(failure(.quotaExceeded, .retry, .targetQuota, status: 429, retryAfter: wait))
      )
    case 11..<13: return (latency, .failed(failure(.quotaExceeded, .retry, .projectQuota, status: 429)))
    case 13..<15:
      return (
        latency, .failed(failure(.quotaExceeded, .retry, .projectQuota, status: 429, retryAfter: wait))
      )
    case 15..<18: return (latency, .failed(failure(.network, .retry, .service)))
    case 18..<21: return (10_000, .failed(failure(.timeout, .retryOutcomeUnknown, .service)))
    case 21..<25:
      return (latency, .failed(failure(.unavailable, .retry, .service, status: 503, retryAfter: wait)))
    case 25..<30: return (latency, .failed(unavailable))
    default: return (latency, sent)
    }
  }

  /// The answer has arrived; its demands now apply.
  mutating func answered(_ id: DeliveryID, app: Int, _ outcome: SendOutcome, now: Int64) {
    guard let flight = flights.removeValue(forKey: id) else { return }
    apps[app].inFlight -= 1
    guard case .failed(let failure) = outcome else { return }
    guard failure.disposition != .permanent else { return }
    let asked = failure.retryAfterSeconds.map { Int64($0) * 1000 }
    let isQuota = failure.code == .quotaExceeded
    deliveryNotBefore[id] = now + (asked ?? (isQuota ? 60_000 : 10_000))
    if failure.scope == .targetQuota {
      targetNotBefore[flight.target] = max(targetNotBefore[flight.target] ?? .min, now + (asked ?? 60_000))
    }
    if failure.scope == .projectQuota, let asked {
      apps[app].notBefore = max(apps[app].notBefore, now + asked)
    }
  }

  mutating func breakerOpened(app: Int, now: Int64) { apps[app].open = (now, nil) }
  mutating func breakerClosed(app: Int) { apps[app].open = nil }

  /// The gateway was restarted: its memory is lost, and requests in flight belong to nothing.
  mutating func gatewayRestarted(forgetting deliveries: [DeliveryID]) {
    flights = [:]
    targetNotBefore = [:]
    for id in deliveries { deliveryNotBefore[id] = nil }
    for index in apps.indices {
      apps[index].notBefore = .min
      apps[index].inFlight = 0
      apps[index].sendTimes = []
      apps[index].windowStart = 0
      apps[index].open = nil
    }
  }

  /// A jump of the wall clock makes deliveries due whose delay only an earlier process knew.
  mutating func forgetDeliveries() { deliveryNotBefore = [:] }

  private mutating func checkRate(app: Int, now: Int64) {
    apps[app].sendTimes.append(now)
    var start = apps[app].windowStart
    while apps[app].sendTimes[start] <= now - 1000 { start += 1 }
    apps[app].windowStart = start
    let rate = apps[app].messagesPerSecond
    if Double(apps[app].sendTimes.count - start) > max(rate * 1.01, rate.rounded(.up) + 1) {
      violations.append("quota passed by more than a hundredth")
    }
  }

  private mutating func checkBreaker(app: Int, now: Int64) {
    guard let open = apps[app].open else { return }
    if now < open.since + 5000 { violations.append("probed too early") }
    // Several different messages may be probed at once.
    if let last = open.lastProbe, now > last, now < last + 30_000 { violations.append("probed too often") }
    apps[app].open?.lastProbe = now
  }
}
