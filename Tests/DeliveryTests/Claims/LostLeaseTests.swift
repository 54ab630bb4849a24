import DeliveryReports
import Clock
import FCM
import Outbox
import Testing

@testable import Delivery

/// What becomes of deliveries that a gateway claims again, under a new lease, while it still has something of
/// its earlier claims.
struct LostLeaseTests {
  /// A core that has claimed deliveries under lease 1.
  private func bench(
    _ numbers: Int..., configure: (inout DeliveryConfiguration) -> Void = { _ in }
  ) -> CoreBench {
    var bench = CoreBench(configure: configure)
    bench.give(numbers.map { delivery($0, lease: 1) })
    bench.tell(.nextDue(app: 0, .success(nil)))
    return bench
  }

  /// The leases of the claims that the last actions settle.
  private func settledLeases(_ bench: CoreBench) -> [Int64] {
    bench.actions.flatMap { action -> [Int64] in
      if case .settle(let settlements, _) = action { settlements.map(\.claim.claim.lease) } else { [] }
    }
  }

  @Test func aNewClaimReplacesOneThatIsReady() {
    var bench = bench(1) {
      $0.inFlightPerAppMax = 1
      $0.claimBatchMax = 1
    }
    bench.tell(.claimed(app: 0, .success([delivery(2, lease: 1)])))
    #expect(bench.core.unsettledCount == 0)
    bench.tell(accept(1), .claimed(app: 0, .success([delivery(2, lease: 2)])))
    let leases = bench.actions.compactMap { action -> Int64? in
      if case .send(_, let claim) = action { claim.claim.lease } else { nil }
    }
    #expect(leases == [2])
    #expect(settledLeases(bench).isEmpty)
  }

  @Test func anAnswerSettlesTheNewClaim() {
    var bench = bench(1)
    #expect(!bench.give([delivery(1, lease: 2)]).contains("send 1 for 0"))
    #expect(bench.health()?.inFlight == 1)
    bench.tell(accept(1), at: 20)
    #expect(bench.settled == [.sent("projects/p/messages/1")])
    #expect(settledLeases(bench) == [2])
    #expect(bench.tell(.settled(.success([])), at: 30).contains("recorded sent after 20"))
  }

  @Test(arguments: [
    DeliveryCore.Event.claimEnded(app: 0, deliveryID(1)),
    .answered(app: 0, deliveryID(1), .withdrawn),
  ])
  func aRequestThatNeverLeavesReleasesTheNewClaim(end: DeliveryCore.Event) {
    var bench = bench(1)
    bench.give([delivery(1, lease: 2)])
    bench.tell(.nextDue(app: 0, .success(nil)))
    #expect(bench.tell(end) == ["settle 1"])
    #expect(bench.settled == [.release])
    #expect(settledLeases(bench) == [2])
    #expect(bench.tell(.settled(.success([]))) == ["claim 500 for 0"])
    #expect(bench.tell(.claimed(app: 0, .success([delivery(1, lease: 2)]))).contains("send 1 for 0"))
  }

  @Test func aRequestThatHasLeftCannotBeRecalledByItsNewClaim() {
    let (old, new) = (delivery(1, lease: 1), delivery(1, lease: 2))
    var bench = CoreBench()
    bench.give([old])
    #expect(old.departure.leave())
    bench.give([new])
    #expect(!new.departure.recall())
    // Nor does it leave once more.
    #expect(!old.departure.leave())
  }

  @Test func aRequestThatHasNotLeftNeverLeavesUnderItsOldClaim() {
    let (old, new) = (delivery(1, lease: 1), delivery(1, lease: 2))
    var bench = CoreBench()
    bench.give([old])
    bench.give([new])
    #expect(!old.departure.leave())
    #expect(new.departure.recall())
  }

  @Test func anAnswerThatWaitsForItsBatchIsRecordedForTheNewClaim() {
    var bench = bench(1, 2)
    bench.tell(accept(1))
    bench.tell(accept(2))
    let new = delivery(2, lease: 2)
    #expect(!bench.give([new]).contains("send 2 for 0"))
    #expect(!new.departure.recall())
    bench.tell(.settled(.success([deliveryID(1)])), at: 10)
    #expect(settledLeases(bench) == [2])
    #expect(bench.tell(.settled(.success([])), at: 20).contains("recorded sent after 0"))
    #expect(bench.core.unsettledCount == 0)
  }

  @Test func anAnswerThatTheStoreHasIsRecordedForTheNewClaim() {
    var bench = bench(1)
    #expect(bench.tell(accept(1)).contains("settle 1"))
    #expect(!bench.give([delivery(1, lease: 2)]).contains("send 1 for 0"))
    let words = bench.tell(.settled(.success([deliveryID(1)])))
    #expect(words.contains("settle 1"))
    #expect(!words.contains { $0.hasPrefix("recorded") })
    #expect(settledLeases(bench) == [2])
    #expect(bench.tell(.settled(.success([]))).contains("recorded sent after 0"))
    #expect(bench.core.unsettledCount == 0)
  }

  @Test func anAnswerInTheSameTurnIsRecordedForTheNewClaim() {
    var bench = bench(1)
    bench.tell(accept(1), .claimed(app: 0, .success([delivery(1, lease: 2)])))
    #expect(settledLeases(bench) == [2])
  }

  @Test func anAnswerWhoseClaimWasOverIsRecordedForTheNextClaim() {
    var bench = bench(1, 2)
    bench.tell(accept(1), answer(2, unregistered))
    #expect(
      bench.tell(.settled(.success([deliveryID(1), deliveryID(2)]))).allSatisfy { !$0.hasPrefix("recorded") })
    #expect(bench.core.unsettledCount == 0)
    #expect(bench.give([delivery(2, lease: 2), delivery(1, lease: 2)]).sends == 0)
    #expect(bench.settled == [.failed("UNREGISTERED"), .sent("projects/p/messages/1")])
    #expect(settledLeases(bench) == [2, 2])
  }

  @Test func aLateAnswerIsRecordedForTheNextClaim() {
    var bench = bench(1, 2) { $0.claimBatchMax = 1 }
    bench.give([delivery(2, lease: 2)])
    // Its claim is over, as the lease of the other one shows.
    bench.tell(accept(1))
    #expect(settledLeases(bench).isEmpty)
    #expect(bench.give([delivery(1, lease: 2)]).sends == 0)
    #expect(settledLeases(bench) == [2])
  }

  @Test func whatAnotherGatewayHasIsForgotten() {
    var bench = bench(1)
    bench.tell(accept(1))
    bench.tell(.settled(.success([deliveryID(1)])))
    // All that is due has been claimed, and it is not among it.
    bench.tell(.claimed(app: 0, .success([delivery(2, lease: 2)])), .nextDue(app: 0, .success(nil)))
    #expect(bench.give([delivery(1, lease: 2)]).contains("send 1 for 0"))
  }

  @Test func aReleaseWhoseClaimWasOverLeadsToAClaim() {
    var bench = bench(1)
    bench.tell(.claimEnded(app: 0, deliveryID(1)))
    #expect(bench.tell(.settled(.success([deliveryID(1)]))) == ["claim 500 for 0"])
    #expect(bench.tell(.claimed(app: 0, .success([delivery(1, lease: 2)]))).contains("send 1 for 0"))
  }

  /// What could not be recorded is of no use any more, and must not keep all apps from sending.
  @Test func allAppsSendAgainOnceNothingIsLeftToRecord() {
    var bench = CoreBench(apps: ["a", "b"])
    bench.give([delivery(1, lease: 1)], app: 0)
    bench.tell(accept(1))
    bench.tell(.settled(.failure(diskFull)))
    #expect(bench.give([delivery(2, lease: 2)], app: 1, at: 10).sends == 0)
    #expect(bench.give([delivery(3, lease: 2)], app: 0, at: 10).sends == 2)
  }
}
