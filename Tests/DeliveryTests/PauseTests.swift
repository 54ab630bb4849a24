import Clock
import FCM
import Outbox
import Testing

@testable import Delivery

/// An app that FCM rejects as a whole keeps its queue and is probed.
struct PauseTests {
  /// A fixture whose app 0 was paused at time 0; deliveries 1 and 2 were released.
  func paused(apps: [String] = ["default"]) -> CoreBench {
    var bench = CoreBench(apps: apps)
    _ = bench.give((1...2).map { delivery($0) })
    bench.tell(.nextDue(app: 0, .success(nil)))
    bench.tell(answer(1, forbidden), answer(2, forbidden))
    return bench
  }

  @Test func configurationFaultReleasesWithoutCountingAndIsReportedOnce() {
    var bench = CoreBench()
    _ = bench.give((1...2).map { delivery($0) })
    bench.tell(.nextDue(app: 0, .success(nil)))
    #expect(
      bench.tell(answer(1, forbidden), answer(2, forbidden))
        == ["attempted", "paused default: PERMISSION", "attempted", "settle 2"])
    #expect(bench.settled == [.refused(at: 0, "PERMISSION"), .refused(at: 0, "PERMISSION")])
    #expect(bench.health()?.pausedSince == wall(0))
    #expect(bench.health()?.lastFailure?.code == .permission)
  }

  @Test func pausedAppClaimsNothingUntilItsProbe() {
    var bench = paused()
    #expect(bench.tell(.settled(.success(()))) == [])
    #expect(bench.tell(.due(app: 0), at: 30_000) == [])
    #expect(bench.timer(at: 30_000) == 60_000)
    #expect(bench.tell(.timer, at: 60_000) == ["claim 32 for 0"])
    #expect(
      bench.tell(.claimed(app: 0, .success([delivery(1), delivery(2)])), at: 60_000)
        == ["send 1 for 0", "next due of 0", "settle 1"])
    #expect(bench.settled == [.release])
  }

  @Test func failedProbesBackOffUpToFiveMinutes() {
    var bench = paused()
    bench.tell(.settled(.success(())))
    var now: Int64 = 60_000
    for wait in [120_000, 240_000, 300_000, 300_000] as [Int64] {
      #expect(bench.tell(.timer, at: now) == ["claim 32 for 0"])
      bench.tell(.claimed(app: 0, .success([delivery(1)])), at: now)
      bench.tell(.nextDue(app: 0, .success(nil)), at: now)
      #expect(bench.tell(answer(1, forbidden), at: now) == ["attempted", "settle 1"])
      bench.tell(.settled(.success(())), at: now)
      #expect(bench.timer(at: now) == now + wait)
      now += wait
    }
  }

  @Test func reportsAChangedFaultAgain() {
    var bench = paused()
    bench.tell(.settled(.success(())))
    bench.tell(.timer, at: 60_000)
    bench.tell(.claimed(app: 0, .success([delivery(1)])), at: 60_000)
    let refused = failure(.authentication, .permanent, .configuration, status: 401)
    #expect(bench.tell(answer(1, refused), at: 60_000).contains("paused default: AUTHENTICATION"))
    #expect(bench.health()?.pausedSince == wall(0))
  }

  @Test(arguments: [sent, .failed(unregistered)])
  func answerAboutTheMessageResumesTheApp(outcome: SendOutcome) {
    var bench = paused()
    bench.tell(.settled(.success(())))
    bench.tell(.timer, at: 60_000)
    bench.tell(.claimed(app: 0, .success([delivery(1), delivery(2)])), at: 60_000)
    bench.tell(.nextDue(app: 0, .success(nil)), at: 60_000)
    let words = bench.tell(.answered(app: 0, deliveryID(1), outcome), .settled(.success(())), at: 60_100)
    #expect(words.contains("resumed default"))
    #expect(words.contains("claim 500 for 0"))
    #expect(bench.health()?.isPaused == false)
  }

  @Test func unreachableServiceProvesNothing() {
    var bench = paused()
    bench.tell(.settled(.success(())))
    bench.tell(.timer, at: 60_000)
    bench.tell(.claimed(app: 0, .success([delivery(1)])), at: 60_000)
    bench.tell(.nextDue(app: 0, .success(nil)), at: 60_000)
    bench.tell(answer(1, unavailable), at: 60_000)
    #expect(bench.settled == [.retry(at: 70_000, "UNAVAILABLE")])
    #expect(bench.health()?.isPaused == true)
    bench.tell(.due(app: 0), .settled(.success(())), at: 60_000)
    #expect(bench.timer(at: 60_000) == 120_000)
  }

  @Test func answersToEarlierRequestsNeitherProlongNorEndThePause() {
    var bench = CoreBench()
    _ = bench.give((1...3).map { delivery($0) })
    bench.tell(.nextDue(app: 0, .success(nil)))
    bench.tell(answer(1, forbidden))
    bench.tell(answer(2, forbidden), accept(3), at: 5000)
    #expect(bench.health()?.isPaused == true)
    bench.tell(.settled(.success(())), at: 5000)
    #expect(bench.timer(at: 5000) == 60_000)
  }

  @Test func releasesDeliveriesClaimedBeforeThePause() {
    var bench = CoreBench()
    _ = bench.give([delivery(1)])
    bench.tell(.nextDue(app: 0, .success(nil)))
    bench.tell(.due(app: 0))
    bench.tell(answer(1, forbidden))
    bench.tell(.settled(.success(())))
    let words = bench.tell(.claimed(app: 0, .success([delivery(2), delivery(3)])), at: 10)
    #expect(!words.contains { $0.hasPrefix("send") })
    #expect(bench.settled == [.release, .release])
  }

  @Test func expiryDuringThePauseNamesItsReason() {
    var bench = paused()
    bench.tell(.settled(.success(())))
    bench.tell(.timer, at: 60_000)
    let words = bench.tell(
      .claimed(app: 0, .success([delivery(1, lifetime: 59_000), delivery(2)])), at: 60_000)
    #expect(words.contains("send 2 for 0"))
    #expect(bench.settled == [.expired("PERMISSION")])
  }

  @Test func clockThatIsSetBackDoesNotProlongThePause() {
    var bench = paused()
    bench.tell(.settled(.success(())))
    let now = Moment(wall: wall(-3_600_000), ticks: 60_000)
    #expect(bench.tell([.timer], at: now) == ["claim 32 for 0"])
  }

  @Test func otherAppsContinue() {
    var bench = paused(apps: ["broken", "healthy"])
    bench.tell(.settled(.success(())))
    #expect(bench.give([delivery(9, app: "healthy")], app: 1).contains("send 9 for 1"))
    bench.tell(accept(9, app: 1))
    #expect(bench.settled == [.sent("projects/p/messages/1")])
    #expect(bench.core.health(now: 0).map(\.isPaused) == [true, false])
  }

  @Test func appWhoseRequestsHangLeavesOthersTheirShare() {
    var bench = CoreBench(apps: ["hanging", "healthy"]) {
      $0.inFlightTotalMax = 40
      $0.claimBatchMax = 20
    }
    _ = bench.give((1...20).map { delivery($0) })
    _ = bench.tell(.claimed(app: 0, .success((21...40).map { delivery($0) })))
    #expect(bench.health()?.inFlight == 20)
    let words = bench.give((101...120).map { delivery($0) }, app: 1)
    #expect(words.count { $0.hasPrefix("send") } == 20)
  }
}
