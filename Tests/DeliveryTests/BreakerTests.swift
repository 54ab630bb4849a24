import DeliveryReports
import FCM
import Outbox
import Testing

@testable import Delivery

/// A run of server errors leaves only occasional probes; waiting deliveries lose no attempt.
struct BreakerTests {
  /// A fixture whose app 0 had ten server errors at time 0.
  func opened(
    retryAfter: Int? = nil, configure: (inout DeliveryConfiguration) -> Void = { _ in }
  ) -> CoreBench {
    var bench = CoreBench(configure: configure)
    _ = bench.give((1...10).map { delivery($0) })
    bench.tell(.nextDue(app: 0, .success(nil)))
    let down = failure(.unavailable, .retry, .service, status: 503, retryAfter: retryAfter)
    bench.tell((1...10).map { answer($0, down) }, at: moment(0))
    return bench
  }

  @Test func opensAfterTenFailuresInARow() {
    var bench = CoreBench()
    _ = bench.give((1...11).map { delivery($0) })
    bench.tell((1...9).map { answer($0, unavailable) }, at: moment(0))
    #expect(bench.health()?.isBreakerOpen == false)
    #expect(bench.tell(answer(10, unavailable)).contains("opened default: UNAVAILABLE"))
    #expect(bench.health()?.breakerOpenSince == wall(0))
    #expect(bench.health()?.messagesPerSecond == 0)
    // Requests under way count by their answers and do not open the breaker again.
    #expect(bench.tell(answer(11, unavailable), at: 10) == ["attempted"])
  }

  @Test func successInBetweenKeepsItClosed() {
    var bench = CoreBench()
    _ = bench.give((1...19).map { delivery($0) })
    bench.tell((1...9).map { answer($0, unavailable) }, at: moment(0))
    bench.tell(accept(10))
    bench.tell((11...18).map { answer($0, unavailable) }, at: moment(0))
    #expect(bench.health()?.isBreakerOpen == false)
  }

  @Test func opensWhenMostOfTwentyFailWithinTenSeconds() {
    var breaker = CircuitBreaker()
    let early = (0..<19 as Range<Int64>).map { breaker.noted(isFailure: $0 % 2 == 0, now: $0 * 400) }
    #expect(!early.contains(true))
    let last = breaker.noted(isFailure: true, now: 7600)
    #expect(last)
    var slow = CircuitBreaker()
    let spread = (0..<40 as Range<Int64>).map { slow.noted(isFailure: $0 % 3 != 0, now: $0 * 1000) }
    #expect(!spread.contains(true))
  }

  @Test func forgetsAnEarlier503OnceFCMAnswers() {
    var bench = CoreBench()
    _ = bench.give((1...12).map { delivery($0) })
    bench.tell(.nextDue(app: 0, .success(nil)))
    bench.tell(answer(1, failure(.unavailable, .retry, .service, status: 503, retryAfter: 3600)))
    bench.tell(accept(2))
    bench.tell((3...12).map { answer($0, unavailable) }, at: moment(0))
    bench.tell(.settled(.success([])))
    bench.tell(.due(app: 0), at: 4999)
    #expect(bench.timer(at: 4999) == 5000)
  }

  @Test func answersAboutMessagesDoNotCount() {
    var bench = CoreBench()
    _ = bench.give((1...30).map { delivery($0) })
    bench.tell((1...30).map { answer($0, unregistered) }, at: moment(0))
    #expect(bench.health()?.isBreakerOpen == false)
  }

  @Test func probesAfterFiveSecondsThenEveryThirty() {
    var bench = opened()
    bench.tell(.settled(.success([])))
    #expect(bench.tell(.due(app: 0), at: 4999) == [])
    #expect(bench.timer(at: 4999) == 5000)
    var now: Int64 = 5000
    for probe in 21..<25 {
      // As many more than 32 as have failed.
      #expect(bench.tell(.timer, at: now) == ["claim \(21 + probe) for 0"])
      let words = bench.tell(.claimed(app: 0, .success([delivery(probe), delivery(30)])), at: now)
      #expect(words.filter { $0.hasPrefix("send") } == ["send \(probe) for 0"])
      #expect(bench.settled == [.release])
      bench.tell(.nextDue(app: 0, .success(wall(0))), .settled(.success([])), at: now)
      bench.tell(answer(probe, unavailable), .settled(.success([])), at: now + 100)
      bench.tell(.settled(.success([])), at: now + 100)
      #expect(bench.timer(at: now + 100) == now + 30_100)
      now += 30_100
    }
  }

  /// Targets that always fail do not hide that FCM accepts the others.
  @Test func probesATargetThatHasNotFailedIfThereIsOne() {
    var bench = opened()
    bench.tell(.settled(.success([])))
    bench.tell(.timer, at: 5000)
    let words = bench.tell(.claimed(app: 0, .success((1...11).map { delivery($0) })), at: 5000)
    #expect(words.filter { $0.hasPrefix("send") } == ["send 11 for 0"])
    #expect(bench.tell(accept(11), at: 5001).contains("closed default"))
    bench.tell(.settled(.success([])), .nextDue(app: 0, .success(nil)), at: 5001)
    // What is accepted again has not failed any more.
    _ = bench.give([delivery(2)], at: 20_000)
    bench.tell(accept(2), .settled(.success([])), .nextDue(app: 0, .success(nil)), at: 20_000)
    for number in 12...21 {
      let now = Int64(number) * 10_000
      _ = bench.give([delivery(number)], at: now)
      bench.tell(
        answer(number, unavailable), .settled(.success([])), .nextDue(app: 0, .success(nil)), at: now)
    }
    bench.tell(.timer, at: 215_000)
    let next = bench.tell(.claimed(app: 0, .success([delivery(1), delivery(2)])), at: 215_000)
    #expect(next.filter { $0.hasPrefix("send") } == ["send 2 for 0"])
  }

  @Test func doesNotProbeBeforeRetryAfter() {
    var bench = opened(retryAfter: 20)
    bench.tell(.settled(.success([])))
    bench.tell(.due(app: 0))
    #expect(bench.timer(at: 0) == 20_000)
  }

  @Test(arguments: [sent, .failed(unregistered)])
  func closesOnAnAnswerOfFCMAndRaisesTheRateAgain(outcome: SendOutcome) {
    var bench = opened { $0.ramp = .seconds(60) }
    bench.tell(.settled(.success([])))
    bench.tell(.due(app: 0), at: 5000)
    bench.tell(.claimed(app: 0, .success([delivery(21)])), at: 5000)
    bench.tell(.nextDue(app: 0, .success(nil)), at: 5000)
    #expect(bench.tell(.answered(app: 0, deliveryID(21), outcome), at: 5100).contains("closed default"))
    #expect(bench.health(at: 5100)?.isBreakerOpen == false)
    #expect(bench.health(at: 5100)?.messagesPerSecond == 50_000)
  }

  @Test func aRefusalIsAnAnswerOfFCM() {
    var bench = opened()
    bench.tell(.settled(.success([])))
    bench.tell(.due(app: 0), at: 5000)
    bench.tell(.claimed(app: 0, .success([delivery(21)])), at: 5000)
    #expect(bench.tell(answer(21, forbidden), at: 5100).contains("closed default"))
    #expect(bench.health()?.isPaused == false)
    #expect(bench.health()?.isRefused == true)
    #expect(bench.health()?.isBreakerOpen == false)
  }

  @Test func otherAppsContinue() {
    var bench = CoreBench(apps: ["down", "well"])
    _ = bench.give((1...10).map { delivery($0) })
    bench.tell((1...10).map { answer($0, unavailable) }, at: moment(0))
    #expect(bench.give([delivery(50)], app: 1).contains("send 50 for 1"))
  }

  @Test func reportsUnknownOutcomesWithAHashOfTheTarget() {
    var bench = CoreBench()
    _ = bench.give([delivery(1)])
    bench.tell(.nextDue(app: 0, .success(nil)))
    let words = bench.tell(answer(1, failure(.timeout, .retryOutcomeUnknown, .service)))
    #expect(words.first == "attempted, unknown")
    #expect(words.dropFirst().first?.hasPrefix("TIMEOUT of ") == true)
    #expect(!words.joined().contains("token-1"))
  }
}
