import Clock
import FCMMessage
import Outbox
import OutboxModel
import Testing

@testable import Delivery

/// When the core asks the queue for work, and for how much.
struct ClaimTests {
  @Test func startsWithAClaimAndAsksForTheNextDueTimeWhenItGetsLess() {
    var bench = CoreBench()
    #expect(bench.tell() == ["claim 500 for 0"])
    #expect(bench.tell(.claimed(app: 0, .success([delivery(1)]))) == ["send 1 for 0", "next due of 0"])
    #expect(bench.tell(.nextDue(app: 0, .success(nil))) == [])
    #expect(bench.timer(at: 0) == nil)
  }

  @Test func waitsForTheNextDueTimeAndChecksEveryMinute() {
    var bench = CoreBench()
    bench.tell()
    bench.tell(.claimed(app: 0, .success([])))
    bench.tell(.nextDue(app: 0, .success(wall(3_600_000))))
    #expect(bench.timer(at: 0) == 60_000)
    #expect(bench.tell(.timer, at: 60_000) == [])
    #expect(bench.timer(at: 60_000) == 120_000)
    #expect(bench.tell(.timer, at: 3_599_000) == [])
    #expect(bench.timer(at: 3_599_000) == 3_600_000)
    #expect(bench.tell(.timer, at: 3_600_000) == ["claim 500 for 0"])
  }

  @Test func noticesAClockSetForwardAtTheNextCheck() {
    var bench = CoreBench()
    bench.tell()
    bench.tell(.claimed(app: 0, .success([])))
    bench.tell(.nextDue(app: 0, .success(wall(3_600_000))))
    #expect(bench.tell([.timer], at: Moment(wall: wall(9_000_000), ticks: 60_000)) == ["claim 500 for 0"])
  }

  @Test func claimsNothingWhoseTurnIsFarOff() {
    var bench = CoreBench(rate: 0.125)
    #expect(bench.tell() == ["claim 1 for 0"])
    #expect(bench.tell(.claimed(app: 0, .success([delivery(1)]))) == ["send 1 for 0"])
    #expect(bench.timer(at: 0) == 7_500)
    #expect(bench.tell(.timer, at: 7_500) == ["claim 1 for 0"])
  }

  @Test func claimsWorkThatArrivesDuringAClaim() {
    var bench = CoreBench()
    bench.tell()
    #expect(bench.tell(.due(app: 0)) == [])
    #expect(bench.tell(.claimed(app: 0, .success([]))) == ["claim 500 for 0"])
  }

  @Test func remembersWorkThatArrivesDuringTheNextDueQuery() {
    var bench = CoreBench()
    bench.tell()
    #expect(bench.tell(.claimed(app: 0, .success([]))) == ["next due of 0"])
    #expect(bench.tell(.due(app: 0)) == [])
    #expect(bench.tell(.nextDue(app: 0, .success(nil))) == ["claim 500 for 0"])
  }

  @Test func claimsWhenABatchFitsIntoTheWindow() {
    var bench = CoreBench {
      $0.inFlightPerAppMax = 4
      $0.claimBatchMax = 2
    }
    #expect(bench.tell() == ["claim 2 for 0"])
    #expect(
      bench.tell(.claimed(app: 0, .success([delivery(1), delivery(2)])))
        == ["send 1 for 0", "send 2 for 0", "claim 2 for 0"])
    #expect(
      bench.tell(.claimed(app: 0, .success([delivery(3), delivery(4)])))
        == ["send 3 for 0", "send 4 for 0", "claim 2 for 0"])
    // Two wait in addition to the four in flight: no room for another batch.
    #expect(bench.tell(.claimed(app: 0, .success([delivery(5), delivery(6)]))) == [])
    // An answered delivery counts until its outcome is on disk.
    #expect(bench.tell(accept(1)) == ["attempted", "send 5 for 0", "settle 1"])
    #expect(bench.tell(accept(2)) == ["attempted", "send 6 for 0"])
    #expect(bench.tell(.settled(.success([]))) == ["recorded sent after 0", "settle 1"])
    #expect(bench.tell(.settled(.success([]))) == ["recorded sent after 0", "claim 2 for 0"])
  }

  @Test func manyAppsShareTheTotalEvenly() {
    var bench = CoreBench(apps: (0..<10).map { "app\($0)" }) {
      $0.inFlightTotalMax = 200
      $0.inFlightPerAppMax = 100
    }
    #expect(bench.tell().first == "claim 20 for 0")
  }

  @Test func retriesAFailedClaimWithAGrowingDelay() {
    var bench = CoreBench()
    bench.tell()
    var now: Int64 = 0
    for wait in [100, 200, 400, 800, 1600, 3200, 5000, 5000] as [Int64] {
      #expect(bench.tell(.claimed(app: 0, .failure(diskFull)), at: now) == ["store failed"])
      #expect(bench.timer(at: now) == now + wait)
      now += wait
      #expect(bench.tell(.timer, at: now) == ["claim 500 for 0"])
    }
  }

  @Test func storeThatReportsDueButReturnsNothingIsNotAskedEndlessly() {
    var bench = CoreBench()
    bench.tell()
    var rounds = 0
    while rounds < 10 {
      rounds += 1
      guard bench.tell(.claimed(app: 0, .success([]))) == ["next due of 0"] else { break }
      if bench.tell(.nextDue(app: 0, .success(wall(0)))).isEmpty { break }
    }
    #expect(rounds == 3)
    #expect(bench.timer(at: 0) == 8)
  }

  /// The clock was set back between the claim and now.
  @Test func postponesWhatWasClaimedBeforeItsTime() {
    var bench = CoreBench()
    let early = ClaimedDelivery(
      id: deliveryID(1), notification: NotificationID(deliveryID(1).uuid), app: "default",
      target: .token("t"), message: delivery(1).message, priority: .high, attempts: 0, createdAt: wall(-10),
      dueSince: wall(60_000), expiresAt: wall(120_000))
    #expect(!bench.give([early]).contains { $0.hasPrefix("send") })
    #expect(bench.settled == [.deferred(until: 60_000)])
  }
}
