import DeliveryReports
import FCM
import Outbox
import Testing

@testable import Delivery

/// One gateway's breaker opens all, and one of them probes for all.
struct SharedBreakerTests {
  /// Three gateways, the first of which had ten server errors at time 0 and told the others at 900.
  private func opened() -> SharedBenches {
    var shared = SharedBenches(3)
    fail(&shared, at: 0)
    shared.exchange(at: 900)
    return shared
  }

  /// Ten server errors for the first gateway.
  @discardableResult
  private func fail(_ shared: inout SharedBenches, from first: Int = 1, at now: Int64) -> [String] {
    shared.give(0, (first..<first + 10).map { delivery($0) }, at: now)
    return shared.answer(0, unavailable, all: true, at: now)
  }

  @Test func opensForAll() {
    var shared = opened()
    #expect(shared.areOpen(at: 900) == [true, true, true])
    #expect(shared.benches.map { $0.health(at: 900)?.breakerOpenSince } == [wall(0), wall(0), wall(0)])
    #expect(shared.benches[1].health(at: 900)?.lastFailure?.code == .unavailable)
    for index in 0..<3 { #expect(shared.tell(index, .due(app: 0), at: 4999) == []) }
    #expect(shared.stops.count == 1)
  }

  @Test func reportsItOnceAtEach() {
    var shared = SharedBenches(2)
    fail(&shared, at: 0)
    #expect(shared.exchange(at: 900)[1].contains("opened default: UNAVAILABLE"))
    #expect(!shared.exchange(at: 1900).joined().contains { $0.hasPrefix("opened") })
  }

  @Test func oneProbesForAll() {
    var shared = opened()
    shared.give(0, (21...40).map { delivery($0) }, at: 901)
    var sent = 0
    var now: Int64 = 5000
    for round in 0..<4 {
      // All have work and ask at the same time; another one is the first in each round.
      let order = (0..<3).map { ($0 + round) % 3 }
      for index in order { sent += shared.tell(index, .due(app: 0), at: now).sends }
      #expect(shared.prober?.core == order[0])
      #expect(sent == round + 1)
      // While its answer is awaited, the others ask again in vain.
      for index in order.dropFirst() {
        #expect(shared.timer(of: index, at: now) == now + 1000)
        #expect(shared.tell(index, .timer, at: now + 1000) == ["ask to probe 0"])
      }
      shared.answer(order[0], unavailable, at: now + 1500)
      shared.exchange(at: now + 1600)
      now += 31_500
    }
  }

  @Test func anAnsweredProbeClosesAll() {
    var shared = opened()
    shared.give(1, [delivery(31)], at: 5000)
    #expect(shared.answer(1, nil, at: 5200).contains("closed default"))
    let words = shared.exchange(at: 6000)
    #expect(words[0].contains("closed default"))
    #expect(words[2].contains("closed default"))
    #expect(shared.areOpen(at: 6000) == [false, false, false])
    #expect(shared.give(2, [delivery(41)], at: 6000).sends == 1)
  }

  @Test func leavesTheTurnWhenItHasNothingToSend() {
    var shared = opened()
    let words = shared.tell(0, .due(app: 0), at: 5000)
    #expect(words.prefix(3) == ["ask to probe 0", "claim 42 for 0", "leave probes of 0"])
    #expect(shared.prober == nil)
    #expect(shared.give(1, [delivery(31)], at: 5001).sends == 1)
    #expect(shared.prober?.core == 1)
  }

  /// A gateway whose own network fails stops the others once, not again and again.
  @Test func keepsAnOutageThatOnlyItHasToItself() {
    var shared = opened()
    shared.give(1, [delivery(31)], at: 5000)
    shared.answer(1, nil, at: 5200)
    shared.exchange(at: 6000)
    let stops = shared.stops.count
    #expect(fail(&shared, from: 101, at: 7000).contains("opened default: UNAVAILABLE"))
    #expect(shared.stops.count == stops)
    shared.exchange(at: 8000)
    #expect(shared.areOpen(at: 8000) == [true, false, false])
    // It probes by itself.
    #expect(shared.give(0, [delivery(51)], at: 12_000).sends == 1)
    #expect(shared.answer(0, nil, at: 12_100).contains("closed default"))
    #expect(shared.stops.count == stops)
  }

  /// A pause of a gateway's own comes first; what the others know applies after it.
  @Test func heedsTheOthersAfterItsOwnPause() {
    var shared = SharedBenches(2)
    shared.give(1, [delivery(61)], at: 0)
    shared.answer(1, noToken, at: 0)
    #expect(shared.benches[1].health()?.isPaused == true)
    fail(&shared, at: 100)
    shared.exchange(at: 900)
    #expect(shared.benches[1].health(at: 900)?.isPaused == true)
    #expect(shared.tell(1, .timer, at: 60_000).sends == 1)
    shared.answer(1, nil, at: 60_100)
    #expect(shared.areOpen(at: 60_100) == [true, true])
  }

  /// A quota answer that asks for longer than any wait without a probe.
  @Test func aLongQuotaPauseIsProbedByOne() {
    var shared = SharedBenches(2)
    shared.give(0, [delivery(1)], at: 0)
    let hour = failure(.quotaExceeded, .retry, .projectQuota, status: 429, retryAfter: 3000)
    shared.answer(0, hour, at: 100)
    shared.exchange(at: 900)
    for index in 0..<2 { #expect(shared.give(index, [delivery(71 + index)], at: 299_000) == []) }
    #expect(shared.tell(1, .timer, at: 300_100).sends == 1)
    #expect(shared.tell(0, .timer, at: 300_100).sends == 0)
  }
}
