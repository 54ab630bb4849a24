import FCM
import Outbox
import Testing

@testable import Delivery

/// What the core records, and what it does while it cannot.
struct SettleTests {
  @Test func recordsEachOutcomeWithItsReason() {
    var bench = CoreBench()
    _ = bench.give((1...3).map { delivery($0) })
    bench.tell(accept(1), answer(2, unregistered), answer(3, unavailable), at: 250)
    #expect(
      bench.settled
        == [.sent("projects/p/messages/1"), .failed("UNREGISTERED"), .retry(at: 10_250, "UNAVAILABLE")])
    #expect(
      bench.tell(.settled(.success([])), at: 260)
        == [
          "recorded sent after 250", "recorded failed after 250", "dead: UNREGISTERED",
          "waits until 1800000010250",
        ])
  }

  @Test func outcomesThatArriveDuringASettleJoinTheNext() {
    var bench = CoreBench()
    _ = bench.give((1...3).map { delivery($0) })
    #expect(bench.tell(accept(1)) == ["attempted", "settle 1"])
    #expect(bench.tell(accept(2)) == ["attempted"])
    #expect(bench.tell(accept(3)) == ["attempted"])
    #expect(bench.tell(.settled(.success([]))) == ["recorded sent after 0", "settle 2"])
  }

  @Test func retryWakesTheAppWhenItIsDue() {
    var bench = CoreBench()
    _ = bench.give([delivery(1)])
    bench.tell(.nextDue(app: 0, .success(nil)))
    bench.tell(answer(1, failure(.unavailable, .retry, .service, status: 503, retryAfter: 30)), at: 1000)
    #expect(bench.settled == [.retry(at: 31_000, "UNAVAILABLE")])
    bench.tell(.settled(.success([])), at: 1001)
    #expect(bench.timer(at: 1001) == 31_000)
    #expect(bench.tell(.timer, at: 30_999) == [])
    #expect(bench.tell(.timer, at: 31_000) == ["claim 500 for 0"])
  }

  @Test func remembersARetryRecordedDuringTheNextDueQuery() {
    var bench = CoreBench()
    _ = bench.give([delivery(1)])
    bench.tell(answer(1, unavailable))
    bench.tell(.settled(.success([])))
    #expect(bench.tell(.nextDue(app: 0, .success(nil))) == ["claim 500 for 0"])
  }

  @Test func expiredDeliveryIsNeverSent() {
    var bench = CoreBench()
    let words = bench.give([delivery(1, lifetime: 1000), delivery(2, lifetime: 1001)], at: 1000)
    #expect(!words.contains("send 1 for 0"))
    #expect(words.contains("send 2 for 0"))
    #expect(bench.settled == [.expired(nil)])
  }

  @Test func deliveryThatExpiresBeforeItsTurnIsNeverSent() {
    var bench = CoreBench {
      $0.inFlightPerAppMax = 1
      $0.claimBatchMax = 1
    }
    _ = bench.give([delivery(1)])
    bench.tell(.claimed(app: 0, .success([delivery(2, lifetime: 500)])))
    #expect(bench.tell(accept(1), at: 500) == ["attempted", "settle 2"])
    #expect(bench.settled == [.sent("projects/p/messages/1"), .expired(nil)])
  }

  @Test func resubmitsRefusedOutcomesWithAGrowingDelay() {
    var bench = CoreBench()
    _ = bench.give((1...2).map { delivery($0) })
    bench.tell(.nextDue(app: 0, .success(nil)))
    #expect(bench.tell(accept(1)) == ["attempted", "settle 1"])
    #expect(bench.tell(.settled(.failure(diskFull))) == ["store failed"])
    #expect(bench.timer(at: 0) == 100)
    // Outcomes that arrive meanwhile are submitted together with it.
    #expect(bench.tell(accept(2), at: 50) == ["attempted"])
    #expect(bench.tell(.timer, at: 100) == ["settle 2"])
    #expect(bench.tell(.settled(.failure(diskFull)), at: 100) == [])
    #expect(bench.timer(at: 100) == 300)
    #expect(bench.tell(.timer, at: 300) == ["settle 2"])
    #expect(
      bench.tell(.settled(.success([])), at: 300)
        == ["store recovered", "recorded sent after 0", "recorded sent after 50"])
    #expect(bench.core.unsettledCount == 0)
  }

  @Test func nothingIsSentWhileOutcomesCannotBeRecorded() {
    var bench = CoreBench()
    _ = bench.give([delivery(1)])
    bench.tell(.nextDue(app: 0, .success(nil)))
    bench.tell(accept(1))
    bench.tell(.settled(.failure(diskFull)))
    #expect(!bench.give([delivery(2)], at: 10).contains("send 2 for 0"))
    bench.tell(.timer, at: 100)
    #expect(bench.tell(.settled(.success([])), at: 101).contains("send 2 for 0"))
  }

  @Test func secondAnswerToOneAttemptIsIgnored() {
    var bench = CoreBench()
    _ = bench.give([delivery(1)])
    #expect(bench.tell(accept(1), accept(1)) == ["attempted", "settle 1"])
  }

  @Test func fewOutcomesWaitForAnotherWrite() {
    var bench = CoreBench { $0.settleCompanyMin = 3 }
    _ = bench.give((1...4).map { delivery($0) })
    bench.tell(accept(1))
    #expect(bench.settleWait == 100)
    #expect(bench.tell(accept(2)) == ["attempted"])
    #expect(bench.tell(accept(3)) == ["attempted", "settle now"])
    // Once is enough.
    #expect(bench.tell(accept(4)) == ["attempted"])
    bench.tell(.settled(.success([])))
    #expect(bench.settleWait == 0)
  }

  @Test func outcomesDoNotWaitWhereAnAppMayHoldFew() {
    var bench = CoreBench { $0.inFlightPerAppMax = 8 }
    _ = bench.give((1...4).map { delivery($0) })
    bench.tell(accept(1))
    #expect(bench.settleWait == 100)
    #expect(bench.tell(accept(2)) == ["attempted", "settle now"])
  }

  @Test func whatIsDueAgainDoesNotWait() {
    var bench = CoreBench()
    _ = bench.give((1...2).map { delivery($0) })
    bench.tell(answer(1, unavailable))
    #expect(bench.settleWait == 0)
    bench.tell(.settled(.success([])))
    bench.tell(accept(2))
    #expect(bench.settleWait == 100)
    bench.give([delivery(3)])
    #expect(bench.tell(answer(3, unavailable)) == ["attempted", "settle now"])
  }

  @Test func stoppingEndsTheWait() {
    var bench = CoreBench()
    _ = bench.give((1...2).map { delivery($0) })
    bench.tell(.nextDue(app: 0, .success(nil)))
    bench.tell(accept(1))
    #expect(bench.tell(.stop(grace: .seconds(1))) == ["settle now"])
    bench.tell(.settled(.success([])))
    bench.tell(accept(2))
    #expect(bench.settleWait == 0)
  }

  @Test func outcomesDoNotWaitAfterAFailure() {
    var bench = CoreBench()
    _ = bench.give([delivery(1)])
    bench.tell(accept(1))
    bench.tell(.settled(.failure(diskFull)))
    bench.tell(.timer, at: 100)
    #expect(bench.settleWait == 0)
  }
}
