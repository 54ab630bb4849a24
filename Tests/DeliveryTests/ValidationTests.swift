import DeliveryReports
import FCM
import FCMMessage
import Outbox
import Testing

@testable import Delivery

/// Messages that FCM is only to check count like deliveries.
struct ValidationTests {
  private func ask(_ number: UInt64, target: Target = .token("t")) -> DeliveryCore.Event {
    .validate(app: 0, ValidationID(number: number), target: target)
  }

  private func answered(_ number: UInt64, _ outcome: SendOutcome) -> DeliveryCore.Event {
    .validated(app: 0, ValidationID(number: number), outcome)
  }

  @Test func countAgainstTheRate() {
    var bench = CoreBench(rate: 1)
    _ = bench.give([])
    bench.tell(.nextDue(app: 0, .success(nil)))
    #expect(bench.tell(ask(1), ask(2)) == ["validate 1"])
    #expect(bench.timer(at: 0) == 1000)
    #expect(bench.tell(answered(1, sent), at: 500) == ["checked after 500"])
    #expect(bench.tell(.timer, at: 1000) == ["validate 2"])
    // A delivery finds no token left.
    #expect(bench.give([delivery(1)], at: 1000).contains("send 1 for 0") == false)
  }

  @Test func areRefusedWhenTheirTurnDoesNotCome() {
    var bench = CoreBench(rate: 0.1)
    _ = bench.give([])
    bench.tell(ask(1), ask(2))
    #expect(bench.tell(.timer, at: 4999) == [])
    #expect(bench.tell(.timer, at: 5000).contains("refused 2: QUOTA_EXCEEDED"))
  }

  @Test func costNoRateIfTheyWereNotSent() {
    var bench = CoreBench(rate: 1)
    _ = bench.give([])
    bench.tell(.nextDue(app: 0, .success(nil)))
    #expect(bench.tell(ask(1), ask(2)) == ["validate 1"])
    #expect(bench.tell(answered(1, .withdrawn)) == ["validate 2"])
  }

  @Test func areBounded() {
    var bench = CoreBench(rate: 0.1)
    _ = bench.give([])
    let words = bench.tell((0..<300).map { ask(UInt64($0)) }, at: moment(0))
    #expect(words.count { $0.hasPrefix("refused") } == 44)
  }

  @Test func openTheBreakerAndAreRefusedWhileItIsOpen() {
    var bench = CoreBench()
    _ = bench.give([])
    bench.tell((0..<10).map { ask($0) }, at: moment(0))
    bench.tell((0..<10).map { answered($0, .failed(unavailable)) }, at: moment(0))
    #expect(bench.health()?.isBreakerOpen == true)
    #expect(bench.tell(ask(11), at: 1) == ["refused 11: UNAVAILABLE"])
  }

  @Test func slowTheAppOnAQuotaAnswerAndAreRefusedDuringItsHold() {
    var bench = CoreBench()
    _ = bench.give([])
    bench.tell(ask(1))
    let used = failure(.quotaExceeded, .retry, .projectQuota, status: 429, retryAfter: 30)
    #expect(
      bench.tell(answered(1, .failed(used))) == ["checked after 0", "slowed default to 1000000 after 30000"])
    #expect(bench.tell(ask(2), at: 1) == ["refused 2: QUOTA_EXCEEDED"])
    #expect(bench.tell(ask(3), at: 30_001) == ["validate 3"])
  }

  @Test func holdTheirTargetOnItsQuotaAnswer() {
    var bench = CoreBench()
    _ = bench.give([])
    bench.tell(ask(1, target: .topic("news")))
    bench.tell(answered(1, .failed(failure(.quotaExceeded, .retry, .targetQuota, status: 429))))
    #expect(
      bench.tell(ask(2, target: .topic("news")), ask(3)) == ["refused 2: QUOTA_EXCEEDED", "validate 3"])
  }

  @Test func areRefusedByAStop() {
    var bench = CoreBench(rate: 0.1)
    _ = bench.give([])
    bench.tell(.nextDue(app: 0, .success(nil)))
    bench.tell(ask(1), ask(2))
    #expect(bench.tell(.stop(grace: .seconds(9))) == ["refused 2: UNAVAILABLE"])
    #expect(bench.tell(answered(1, sent)) == ["checked after 0", "finished"])
  }
}
