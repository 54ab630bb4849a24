import Testing

@testable import Delivery

struct RateLimiterTests {
  /// Sends whenever sending is allowed, from `start` for `milliseconds`; returns the ticks of each
  /// message.
  func drain(_ limiter: inout RateLimiter, from start: Int64 = 0, for milliseconds: Int64) -> [Int64] {
    var (now, taken) = (start, [Int64]())
    while now < start + milliseconds {
      let count = limiter.available(now: now)
      if count > 0 {
        limiter.take(count, now: now)
        taken += Array(repeating: now, count: count)
      }
      now = max(now + 1, limiter.nextTicks(waiting: 1000, now: now))
    }
    return taken
  }

  /// The maximum number of messages in any window of one second.
  func busiestSecond(_ ticks: [Int64]) -> Int {
    var (start, most) = (0, 0)
    for (end, tick) in ticks.enumerated() {
      while ticks[start] <= tick - 1000 { start += 1 }
      most = max(most, end - start + 1)
    }
    return most
  }

  @Test(arguments: [100, 333, 1000, 10_000, 40_000] as [Double])
  func exceedsTheQuotaByAtMostOnePercentAndUsesItUp(rate: Double) {
    var limiter = RateLimiter(messagesPerSecond: rate, ramp: .zero)
    let taken = drain(&limiter, for: 5000)
    #expect(Double(busiestSecond(taken)) <= rate * 1.01)
    #expect(Double(taken.count) >= rate * 5 * 0.99)
    #expect(Double(taken.count) <= rate * 5 * 1.01)
  }

  @Test func slowRatesAreExact() {
    var limiter = RateLimiter(messagesPerSecond: 1, ramp: .zero)
    #expect(drain(&limiter, for: 5500) == [0, 1000, 2000, 3000, 4000, 5000])
    var slower = RateLimiter(messagesPerSecond: 100.0 / 3600, ramp: .seconds(60))
    #expect(drain(&slower, for: 80_000) == [0, 36_000, 72_000])
  }

  @Test func sendsAreSpreadEvenly() {
    var limiter = RateLimiter(messagesPerSecond: 10_000, ramp: .zero)
    let taken = drain(&limiter, for: 1000)
    let perTick = Dictionary(grouping: taken, by: { $0 }).mapValues(\.count)
    #expect(perTick[0] == 80)
    #expect(perTick.filter { $0.key > 0 }.values.max() ?? 0 <= 30)
  }

  @Test func coldAppReachesItsQuotaOverTheRamp() {
    var limiter = RateLimiter(messagesPerSecond: 10_000, ramp: .seconds(60))
    #expect(limiter.perSecond(now: 0) == 500)
    #expect(limiter.available(now: 0) == 80)
    limiter.take(1, now: 0)
    #expect(abs(limiter.perSecond(now: 30_000) - 5250) < 1)
    #expect(limiter.perSecond(now: 60_000) == 10_000)
    #expect(limiter.perSecond(now: 119_000) == 10_000)
  }

  @Test func smallBurstOfAnIdleAppIsSentAtOnce() {
    var limiter = RateLimiter(messagesPerSecond: 10_000, ramp: .seconds(60))
    limiter.take(1, now: 0)
    #expect(limiter.available(now: 3_600_000) == 80)
    #expect(limiter.perSecond(now: 3_600_000) == 500)
    var small = RateLimiter(messagesPerSecond: 300, ramp: .seconds(60))
    #expect(small.perSecond(now: 0) == 100)
    #expect(drain(&small, for: 1000).count >= 100)
  }

  @Test func withoutRampTheFullRateAppliesAtOnce() {
    let limiter = RateLimiter(messagesPerSecond: 10_000, ramp: .zero)
    #expect(limiter.perSecond(now: 0) == 10_000)
  }

  @Test func quotaAnswerHalvesTheRateInUseAndItRecovers() {
    var limiter = RateLimiter(messagesPerSecond: 1000, ramp: .seconds(60))
    _ = drain(&limiter, for: 70_000)
    #expect(limiter.decrease(attemptBegan: 69_990, holdMilliseconds: 0, now: 70_000) == true)
    #expect(abs(limiter.perSecond(now: 70_000) - 500) < 10)
    #expect(limiter.available(now: 70_000) == 0)
    #expect(abs(limiter.perSecond(now: 100_000) - 750) < 10)
    #expect(limiter.perSecond(now: 130_000) == 1000)
  }

  @Test func earlierAttemptsDoNotLowerTheRateAgain() {
    var limiter = RateLimiter(messagesPerSecond: 1000, ramp: .seconds(60))
    _ = drain(&limiter, for: 70_000)
    _ = limiter.decrease(attemptBegan: 69_990, holdMilliseconds: 0, now: 70_000)
    let rate = limiter.perSecond(now: 70_000)
    #expect(limiter.decrease(attemptBegan: 69_999, holdMilliseconds: 0, now: 70_000) == false)
    #expect(limiter.perSecond(now: 70_000) == rate)
    #expect(limiter.decrease(attemptBegan: 70_050, holdMilliseconds: 0, now: 70_100) == true)
    #expect(limiter.perSecond(now: 70_100) < rate)
  }

  @Test func halvesTheRateInUseEvenWhenItIsLow() {
    var limiter = RateLimiter(messagesPerSecond: 10_000, ramp: .seconds(60))
    for second in 0..<70 as Range<Int64> { limiter.take(8, now: second * 1000) }
    _ = limiter.decrease(attemptBegan: 69_000, holdMilliseconds: 0, now: 69_100)
    #expect(abs(limiter.perSecond(now: 69_100) - 4) < 0.1)
  }

  @Test func sendsNothingBeforeRetryAfterAndThenRampsUp() {
    var limiter = RateLimiter(messagesPerSecond: 1000, ramp: .seconds(60))
    _ = drain(&limiter, for: 70_000)
    _ = limiter.decrease(attemptBegan: 69_990, holdMilliseconds: 30_000, now: 70_000)
    _ = limiter.decrease(attemptBegan: 69_991, holdMilliseconds: 20_000, now: 70_010)
    #expect(limiter.isHeld(now: 99_999))
    #expect(limiter.available(now: 99_999) == 0)
    #expect(limiter.perSecond(now: 99_999) == 0)
    #expect(limiter.nextTicks(waiting: 1, now: 80_000) > 100_000)
    #expect(drain(&limiter, from: 80_000, for: 20_001).isEmpty)
    #expect(limiter.perSecond(now: 160_000) == 1000)
  }

  @Test func repeatedQuotaAnswersNeverStopAnApp() {
    var limiter = RateLimiter(messagesPerSecond: 1000, ramp: .seconds(60))
    limiter.take(1, now: 0)
    for now in 1..<100 as Range<Int64> {
      _ = limiter.decrease(attemptBegan: now, holdMilliseconds: 0, now: now)
    }
    #expect(limiter.perSecond(now: 99) >= 1)
    #expect(limiter.nextTicks(waiting: 1, now: 99) < 1200)
  }

  @Test func drainAfterAnOutageStartsCold() {
    var limiter = RateLimiter(messagesPerSecond: 10_000, ramp: .seconds(60))
    _ = drain(&limiter, for: 61_000)
    limiter.restart(now: 61_000)
    #expect(limiter.perSecond(now: 61_000) == 500)
    #expect(limiter.available(now: 61_000) <= 1)
  }

  @Test func adoptsAChangedQuota() {
    var limiter = RateLimiter(messagesPerSecond: 10_000, ramp: .seconds(60))
    _ = drain(&limiter, for: 61_000)
    limiter.setQuota(messagesPerSecond: 100)
    #expect(limiter.perSecond(now: 61_000) == 100)
    #expect(limiter.available(now: 61_000) == 1)
    limiter.setQuota(messagesPerSecond: 1000)
    #expect(limiter.perSecond(now: 61_000) == 100)
    #expect(abs(limiter.perSecond(now: 91_000) - 550) < 5)
  }

  @Test(arguments: [0, -1, .nan, .infinity] as [Double])
  func senselessRatesNeitherTrapNorStall(rate: Double) {
    var limiter = RateLimiter(messagesPerSecond: rate, ramp: .seconds(1))
    #expect(limiter.available(now: -1_000_000) >= 1)
    limiter.take(1, now: -1_000_000)
    #expect(limiter.nextTicks(waiting: 10, now: 1 << 52) >= 1 << 52)
  }
}
