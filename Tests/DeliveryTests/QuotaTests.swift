import DeliveryReports
import Clock
import FCM
import FCMMessage
import Outbox
import Testing

@testable import Delivery

/// Quota answers: the project's slow the app, a target's hold that target.
struct QuotaTests {
  func quota(_ scope: SendError.Scope, retryAfter: Int? = nil) -> SendError {
    failure(.quotaExceeded, .retry, scope, status: 429, retryAfter: retryAfter)
  }

  @Test func projectRetryAfterHoldsTheWholeApp() {
    var bench = CoreBench { $0.ramp = .seconds(60) }
    _ = bench.give([delivery(1), delivery(2)])
    bench.tell(.nextDue(app: 0, .success(nil)))
    let words = bench.tell(answer(1, quota(.projectQuota, retryAfter: 30)))
    #expect(words.contains("slowed default to 1 after 30000"))
    bench.tell(.settled(.success([])))
    #expect(bench.tell(.due(app: 0), at: 29_999) == [])
    #expect(bench.health(at: 29_999)?.messagesPerSecond == 0)
    let wake = bench.timer(at: 29_999) ?? 0
    #expect(wake >= 30_000 && wake < 30_100)
    #expect(bench.tell(.timer, at: wake).first?.hasPrefix("claim") == true)
  }

  @Test func aQuotaThatLastsIsDegraded() {
    var bench = CoreBench()
    _ = bench.give((1...4).map { delivery($0) })
    bench.tell(answer(1, quota(.projectQuota)))
    #expect(bench.health()?.isDegraded == false)
    bench.tell(answer(2, quota(.projectQuota)), at: 40_000)
    #expect(bench.health(at: 40_000)?.isDegraded == false)
    bench.tell(answer(3, quota(.projectQuota)), at: 60_000)
    #expect(bench.health(at: 60_000)?.isDegraded == true)
    bench.tell(accept(4), at: 120_001)
    #expect(bench.health(at: 120_001)?.isDegraded == false)
  }

  @Test func aLongRetryAfterIsProbedAfterFiveMinutes() {
    var bench = CoreBench()
    _ = bench.give([delivery(1), delivery(2)])
    bench.tell(.nextDue(app: 0, .success(nil)))
    let words = bench.tell(answer(1, quota(.projectQuota, retryAfter: 86_400)))
    #expect(words.contains("slowed default to 1000000 after 300000"))
    #expect(bench.settled == [.retry(at: 3_600_000, "QUOTA_EXCEEDED")])
    #expect(bench.health()?.wait?.reason == .quota)
    #expect(bench.health()?.isDegraded == true)
    #expect(bench.health(at: 100_000)?.waitMilliseconds == 200_000)
    bench.tell(.settled(.success([])))
    // What had begun before tells nothing new.
    bench.tell(answer(2, quota(.projectQuota, retryAfter: 86_400)), at: 1000)
    bench.tell(.settled(.success([])), at: 1000)
    var now: Int64 = 300_000
    for number in 3...4 {
      #expect(bench.tell(.due(app: 0), at: now - 1) == [])
      #expect(bench.tell(.timer, at: now) == ["claim 32 for 0"])
      let sent = bench.tell(.claimed(app: 0, .success([delivery(number), delivery(9)])), at: now)
      #expect(sent.filter { $0.hasPrefix("send") } == ["send \(number) for 0"])
      bench.tell(.settled(.success([])), .nextDue(app: 0, .success(nil)), at: now)
      bench.tell(answer(number, quota(.projectQuota, retryAfter: 86_400)), at: now)
      bench.tell(.settled(.success([])), at: now)
      now += 300_000
    }
    bench.tell(.timer, at: now)
    bench.tell(.claimed(app: 0, .success([delivery(5)])), at: now)
    #expect(bench.tell(accept(5), at: now).contains("resumed default"))
    #expect(bench.health(at: now)?.wait == nil)
  }

  @Test func aHoldIsReportedWhileItLasts() {
    var bench = CoreBench()
    _ = bench.give([delivery(1)])
    bench.tell(answer(1, quota(.projectQuota, retryAfter: 30)))
    #expect(bench.health(at: 10_000)?.wait?.reason == .quota)
    #expect(bench.health(at: 10_000)?.waitMilliseconds == 20_000)
    #expect(bench.health(at: 30_000)?.wait == nil)
    #expect(bench.health(at: 30_000)?.isDegraded == false)
  }

  @Test func releasesClaimsDuringALongHold() {
    var bench = CoreBench {
      $0.inFlightPerAppMax = 1
      $0.claimBatchMax = 2
    }
    _ = bench.give([delivery(1)])
    bench.tell(.claimed(app: 0, .success([delivery(2)])))
    bench.tell(answer(1, quota(.projectQuota, retryAfter: 30)))
    #expect(bench.settled == [.retry(at: 30_000, "QUOTA_EXCEEDED"), .release])
  }

  @Test func sendsNoMoreThanTheSenderHasConnectionsFor() {
    var bench = CoreBench()
    bench.tell(.update([.init(name: "default", messagesPerSecond: 1_000_000, inFlightMax: 2)]))
    let words = bench.give((1...4).map { delivery($0) })
    #expect(words.filter { $0.hasPrefix("send") } == ["send 1 for 0", "send 2 for 0"])
    bench.tell(.nextDue(app: 0, .success(nil)))
    #expect(bench.tell(accept(1)).contains("send 3 for 0"))
    bench.tell(.settled(.success([])))
    bench.tell(answer(2, quota(.projectQuota, retryAfter: 30)))
    #expect(bench.settled == [.retry(at: 30_000, "QUOTA_EXCEEDED"), .release])
  }

  @Test func followsWhatTheSenderCanCarryAtOnce() {
    var bench = CoreBench()
    bench.tell(.inFlightMax(app: 0, 1))
    let words = bench.give((1...3).map { delivery($0) })
    #expect(words.filter { $0.hasPrefix("send") } == ["send 1 for 0"])
    #expect(bench.tell(.inFlightMax(app: 0, 2)).contains("send 2 for 0"))
    // More are under way than a lower limit allows.
    #expect(!bench.tell(.inFlightMax(app: 0, 1), accept(1)).contains("send 3 for 0"))
    #expect(bench.tell(accept(2)).contains("send 3 for 0"))
  }

  @Test func projectQuotaWithoutRetryAfterSlowsWithoutHolding() {
    var bench = CoreBench(rate: 1000) { $0.ramp = .seconds(60) }
    _ = bench.give([delivery(1)])
    bench.tell(.nextDue(app: 0, .success(nil)))
    bench.tell(answer(1, quota(.projectQuota)))
    #expect(bench.settled == [.retry(at: 60_000, "QUOTA_EXCEEDED")])
    #expect(bench.health(at: 0)?.messagesPerSecond == 1)
    #expect(bench.health(at: 60_000)?.messagesPerSecond == 1000)
  }

  @Test func targetQuotaHoldsOnlyThatTargetAndCountsNoAttempt() {
    var bench = CoreBench()
    let topic = Target.topic("news")
    _ = bench.give([delivery(1, to: topic)])
    bench.tell(.nextDue(app: 0, .success(nil)))
    bench.tell(answer(1, quota(.targetQuota, retryAfter: 30)))
    bench.tell(.settled(.success([])))
    #expect(bench.health()?.holds == 1)
    let words = bench.give([delivery(2, to: topic), delivery(3, to: topic), delivery(4)], at: 1000)
    #expect(words.contains("send 4 for 0"))
    #expect(bench.settled == [.deferred(until: 30_000), .deferred(until: 30_250)])
    bench.tell(.settled(.success([])), .nextDue(app: 0, .success(nil)), at: 1000)
    #expect(bench.give([delivery(5, to: topic)], at: 30_000).contains("send 5 for 0"))
    #expect(bench.health()?.holds == 0)
  }

  @Test func targetQuotaWithoutRetryAfterHoldsForAMinute() {
    var bench = CoreBench()
    _ = bench.give([delivery(1, to: .topic("news"))])
    bench.tell(answer(1, quota(.targetQuota)))
    bench.tell(.settled(.success([])), .nextDue(app: 0, .success(nil)))
    _ = bench.give([delivery(2, to: .topic("news"))], at: 59_999)
    #expect(bench.settled == [.deferred(until: 60_000)])
  }

  @Test func expiryDuringAHoldNamesItsReason() {
    var bench = CoreBench()
    _ = bench.give([delivery(1, to: .topic("news"))])
    bench.tell(answer(1, quota(.targetQuota, retryAfter: 30)))
    bench.tell(.settled(.success([])), .nextDue(app: 0, .success(nil)))
    _ = bench.give(
      [
        delivery(2, to: .topic("news"), lifetime: 30_000), delivery(3, to: .topic("news"), lifetime: 30_001),
        delivery(4, to: .topic("news"), lifetime: 30_001),
      ], at: 10)
    #expect(
      bench.settled == [.expired("QUOTA_EXCEEDED"), .deferred(until: 30_000), .deferred(until: 30_000)])
  }

  @Test func clockSetForwardMakesNoRetryEarly() {
    var bench = CoreBench()
    _ = bench.give([delivery(1)])
    bench.tell(.nextDue(app: 0, .success(nil)))
    bench.tell(answer(1, failure(.unavailable, .retry, .service, status: 503, retryAfter: 30)))
    bench.tell(.settled(.success([])))
    let later = Moment(wall: wall(3_600_000), ticks: 1000)
    #expect(bench.tell([.due(app: 0)], at: later) == ["claim 500 for 0"])
    let words = bench.tell([.claimed(app: 0, .success([delivery(1, attempts: 1)]))], at: later)
    #expect(!words.contains { $0.hasPrefix("send") })
    #expect(bench.settled == [.deferred(until: 3_629_000)])
  }

  @Test func tenDeviceQuotasInARowCountAsTheProjects() {
    var bench = CoreBench()
    _ = bench.give((1...12).map { delivery($0) })
    bench.tell(.nextDue(app: 0, .success(nil)))
    for id in 1...9 { bench.tell(answer(id, quota(.targetQuota, retryAfter: 30))) }
    #expect(bench.health(at: 0)?.messagesPerSecond != 0)
    bench.tell(answer(10, quota(.targetQuota, retryAfter: 30)))
    #expect(bench.health(at: 29_999)?.messagesPerSecond == 0)
    #expect(bench.health(at: 30_000)?.messagesPerSecond != 0)
  }

  @Test func anotherAnswerBetweenDeviceQuotasKeepsThemSeparate() {
    var bench = CoreBench()
    _ = bench.give((1...12).map { delivery($0) })
    bench.tell(.nextDue(app: 0, .success(nil)))
    for id in 1...9 { bench.tell(answer(id, quota(.targetQuota, retryAfter: 30))) }
    bench.tell(accept(10))
    bench.tell(answer(11, quota(.targetQuota, retryAfter: 30)))
    #expect(bench.health(at: 0)?.messagesPerSecond != 0)
  }

  @Test func topicQuotasHoldOnlyTheTopics() {
    var bench = CoreBench()
    _ = bench.give((1...12).map { delivery($0, to: .topic("news-\($0)")) })
    bench.tell(.nextDue(app: 0, .success(nil)))
    for id in 1...12 { bench.tell(answer(id, quota(.targetQuota, retryAfter: 30))) }
    #expect(bench.health(at: 0)?.messagesPerSecond != 0)
  }

  @Test func holdsAreBoundedAndTheOldestIsEvicted() {
    var holds = Holds<Int>(countMax: 100)
    for key in 0..<1000 { holds.hold(key, until: 60_000, now: Int64(key)) }
    #expect(holds.count == 100)
    #expect(holds.heldUntil(899, now: 1000) == nil)
    #expect(holds.heldUntil(900, now: 1000) == 60_000)
    holds.sweep(now: 60_000)
    #expect(holds.isEmpty)
    holds.hold(7, until: 61_000, now: 60_000)
    holds.hold(7, until: 60_500, now: 60_000)
    #expect(holds.heldUntil(7, now: 60_999) == 61_000)
    #expect(holds.heldUntil(7, now: 61_000) == nil)
  }

  @Test func reportsThirdPartyCredentialsOnceAMinuteAndNeverRetries() {
    var bench = CoreBench()
    _ = bench.give((1...3).map { delivery($0) })
    let refused = failure(.thirdPartyAuthError, .permanent, .thirdPartyCredentials, status: 401)
    let alarm = "credentials of default: THIRD_PARTY_AUTH_ERROR"
    #expect(bench.tell(answer(1, refused)).contains(alarm))
    #expect(bench.settled == [.failed("THIRD_PARTY_AUTH_ERROR")])
    #expect(!bench.tell(answer(2, refused), at: 59_999).contains(alarm))
    #expect(bench.tell(answer(3, refused), at: 60_000).contains(alarm))
    #expect(bench.health()?.thirdPartyAuthAt == wall(60_000))
    #expect(bench.health()?.isPaused == false)
  }

  @Test func reportsAnAbsurdRetryAfter() {
    var bench = CoreBench()
    _ = bench.give([delivery(1, lifetime: 200_000_000)])
    let absurd = failure(.unavailable, .retry, .service, status: 503, retryAfter: 2_419_200)
    #expect(bench.tell(answer(1, absurd)).contains("capped 2419200"))
    #expect(bench.settled == [.retry(at: 3_600_000, "UNAVAILABLE")])
  }
}
