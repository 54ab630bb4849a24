import DeliveryReports
import FCM
import FCMMessage
import Outbox
import SendingLimits
import Testing

@testable import Delivery

/// What one gateway learns about an app's quota holds for all that share the queue.
struct SharedRateTests {
  private let exhausted = failure(.quotaExceeded, .retry, .projectQuota, status: 429)
  private let exhaustedFor30 = failure(.quotaExceeded, .retry, .projectQuota, status: 429, retryAfter: 30)

  /// Three gateways, two of which have sent 80 messages in this second.
  private func busy(rate: Double = 30_000) -> SharedBenches {
    var shared = SharedBenches(3, rate: rate) { $0.ramp = .seconds(60) }
    for index in 0..<2 {
      shared.give(index, [delivery(900 + index)], at: 0)
      shared.answer(index, nil, at: 10)
    }
    for index in 0..<2 {
      let words = shared.give(index, (1...80).map { delivery($0 + 100 * index) }, at: 120_000)
      #expect(words.sends == 80)
    }
    return shared
  }

  @Test func aQuotaAnswerSlowsAll() {
    var shared = busy()
    #expect(shared.rates(at: 120_000).prefix(2) == [10_000, 10_000])
    shared.answer(0, exhausted, at: 120_200)
    // Each at half of what it had sent, so that all together halve.
    #expect(shared.rates(at: 120_200).prefix(2) == [40, 10_000])
    shared.exchange(at: 120_900)
    #expect(shared.rates(at: 120_900)[1] == 40)
  }

  @Test func aRetryAfterHoldsAll() {
    var shared = busy()
    shared.answer(0, exhaustedFor30, at: 120_200)
    shared.exchange(at: 121_000)
    #expect(shared.rates(at: 150_100) == [0, 0, 0])
    for index in 0..<3 {
      #expect(shared.give(index, [delivery(700 + index)], at: 150_100) == [])
      #expect(shared.benches[index].health(at: 150_100)?.wait?.reason == .quota)
    }
    for index in 0..<3 {
      #expect(shared.tell(index, .timer, at: 150_300).contains { $0.hasPrefix("claim") })
    }
  }

  @Test func answersToEarlierAttemptsSlowOnce() {
    var shared = busy()
    shared.answer(0, exhausted, at: 120_200)
    shared.answer(1, exhausted, at: 120_300)
    let before = shared.rates(at: 120_303)
    shared.exchange(at: 120_301)
    shared.answer(0, exhausted, at: 120_302)
    shared.answer(1, exhausted, at: 120_302)
    shared.exchange(at: 120_303)
    for index in 0..<2 { #expect(abs(shared.rates(at: 120_303)[index] - before[index]) <= 1) }
  }

  @Test func aGatewayWithoutWorkIsNotSlowedToNothing() {
    var shared = busy()
    shared.answer(0, exhausted, at: 120_200)
    shared.exchange(at: 121_000)
    // 5 % of its share, as from cold.
    #expect(shared.rates(at: 121_000)[2] == 500)
  }

  @Test func anIdleGatewayJoinsAtThePaceOfTheOthers() {
    var shared = SharedBenches(2, rate: 6000) { $0.ramp = .seconds(60) }
    shared.give(0, [delivery(1)], at: 0)
    #expect(shared.rates(at: 0) == [150, 150])
    shared.exchange(at: 1000)
    #expect(shared.rates(at: 30_000) == [1575, 1575])
    #expect(shared.rates(at: 60_000) == [3000, 3000])
  }

  @Test func theFirstMessagesAreSharedToo() {
    // From cold 100 messages a second, all gateways together.
    var shared = SharedBenches(4, rate: 400) { $0.ramp = .seconds(60) }
    #expect(shared.rates(at: 0) == [25, 25, 25, 25])
    shared.give(0, [delivery(1)], at: 0)
    shared.exchange(at: 0)
    #expect(shared.rates(at: 30_000) == [62, 62, 62, 62])
  }

  @Test func theRateOfAGatewayThatIsGoneGoesToTheOthers() {
    var shared = SharedBenches(3, rate: 3000) { $0.ramp = .seconds(60) }
    shared.give(0, [delivery(1)], at: 0)
    #expect(shared.rates(at: 90_000)[0] == 1000)
    shared.tell(0, .gateways(2), at: 90_000)
    #expect(shared.rates(at: 90_000)[0] == 1500)
    shared.tell(0, .gateways(3), at: 90_001)
    #expect(shared.rates(at: 90_001)[0] == 1000)
  }

  @Test func aHoldOfATargetHoldsForAll() {
    var shared = SharedBenches(2)
    let quota = failure(.quotaExceeded, .retry, .targetQuota, status: 429, retryAfter: 20)
    shared.give(0, [delivery(1, to: .topic("news"))], at: 0)
    shared.answer(0, quota, at: 100)
    shared.exchange(at: 900)
    let words = shared.give(1, [delivery(2, to: .topic("news")), delivery(3, to: .topic("other"))], at: 1000)
    #expect(words.filter { $0.hasPrefix("send") } == ["send 3 for 0"])
  }

  /// Two gateways that each spread what waited for a device give it four messages a second together.
  @Test func gatewaysShareThePaceOfATarget() {
    var shared = SharedBenches(2)
    let quota = failure(.quotaExceeded, .retry, .targetQuota, status: 429, retryAfter: 20)
    shared.give(0, [delivery(1, to: .token("t"))], at: 0)
    shared.answer(0, quota, at: 0)
    shared.give(0, (2...4).map { delivery($0, to: .token("t")) }, at: 10)
    #expect(
      shared.settled.suffix(3) == [
        .deferred(until: 20_000), .deferred(until: 20_500), .deferred(until: 21_000),
      ])
  }

  @Test func aNewGatewayLearnsWhatTheOthersKnow() {
    var shared = busy()
    shared.answer(0, exhaustedFor30, at: 120_200)
    var fresh = CoreBench(rate: 30_000) {
      $0.ramp = .seconds(60)
      $0.sharesLimits = true
    }
    fresh.tell(.limits(app: 0, shared.known), at: 121_000)
    #expect(fresh.tell(.timer, at: 121_000) == [])
    #expect(fresh.timer(at: 121_000) == 150_200)
  }

  @Test func oneGatewayPublishesNothing() {
    var bench = CoreBench(rate: 1000) { $0.ramp = .seconds(60) }
    var words = bench.give([delivery(1), delivery(2, to: .topic("news"))])
    words += bench.tell(answer(1, exhaustedFor30))
    words += bench.tell(answer(2, failure(.quotaExceeded, .retry, .targetQuota, status: 429)))
    #expect(!words.contains { $0.hasPrefix("publish") || $0.hasPrefix("hold") })
  }
}
