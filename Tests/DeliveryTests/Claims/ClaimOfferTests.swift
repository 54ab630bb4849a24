import Clock
import Outbox
import Testing

@testable import Delivery

/// Claims that the store's thread makes for the core.
struct ClaimOfferTests {
  /// A core that has claimed `deliveries`, with nothing else in the queue.
  private func bench(
    _ deliveries: [ClaimedDelivery] = [], configure: (inout DeliveryConfiguration) -> Void = { _ in }
  ) -> CoreBench {
    var bench = CoreBench(configure: configure)
    bench.give(deliveries)
    bench.tell(.nextDue(app: 0, .success(nil)))
    return bench
  }

  private func offered(_ bench: CoreBench, at milliseconds: Int64 = 0) -> ClaimOffer? {
    bench.core.claimOffer(app: 0, now: moment(milliseconds))
  }

  @Test func anIdleAppOffersTheClaimThatItWouldMake() throws {
    let bench = bench()
    let offer = try #require(offered(bench))
    var other = bench
    other.tell(.due(app: 0))
    guard case .claim(app: 0, let limit, let normalMin) = other.actions.first else {
      Issue.record("no claim")
      return
    }
    #expect(offer == ClaimOffer(limit: limit, normalMin: normalMin))
  }

  @Test func aClaimThatBeganIsNotMadeAgain() throws {
    var bench = bench()
    let offer = try #require(offered(bench))
    #expect(bench.tell(.claimBegan(app: 0, offer)) == [])
    #expect(offered(bench) == nil)
    // It became due while the claim was under way: only another claim can tell whether it was in it.
    #expect(bench.tell(.due(app: 0)) == [])
    #expect(
      bench.tell(.claimed(app: 0, .success([delivery(1)])), .nextDue(app: 0, .success(nil)))
        == ["send 1 for 0", "claim 500 for 0"])
  }

  @Test func aClaimWithItsNextDueTimeNeedsNoQuery() throws {
    var bench = bench()
    bench.tell(.claimBegan(app: 0, try #require(offered(bench))))
    let events: [DeliveryCore.Event] = [
      .claimed(app: 0, .success([delivery(1)])), .nextDue(app: 0, .success(wall(5_000))),
    ]
    #expect(bench.tell(events, at: moment(0)) == ["send 1 for 0"])
    #expect(bench.timer(at: 0) == 5_000)
    #expect(offered(bench) != nil)
    // From then on the app claims by itself.
    #expect(offered(bench, at: 5_000) == nil)
    #expect(bench.tell(.timer, at: 5_000) == ["claim 500 for 0"])
  }

  @Test func anAppWithoutRoomOffersNothing() {
    let bench = bench([delivery(1), delivery(2)]) {
      $0.inFlightPerAppMax = 1
      $0.claimBatchMax = 1
    }
    #expect(offered(bench) == nil)
  }

  @Test func nothingIsOfferedWhileOutcomesCannotBeRecorded() {
    var bench = bench([delivery(1)])
    bench.tell(accept(1))
    bench.tell(.settled(.failure(diskFull)))
    #expect(offered(bench) == nil)
  }

  @Test func anEngineThatStopsOffersNothing() {
    var bench = bench([delivery(1)])
    bench.tell(.stop(grace: .seconds(1)))
    #expect(offered(bench) == nil)
  }

  @Test func anOfferIsTakenOnce() {
    var offers = ClaimOffers()
    let offer = ClaimOffer(limit: 5, normalMin: 1)
    offers.add(offer, app: 3)
    #expect(offers.take(app: 2) == nil)
    #expect(offers.take(app: 3) == offer)
    #expect(offers.take(app: 3) == nil)
    // Whoever decides learns of it, even about another app.
    #expect(offers.withdraw([2]).map(\.app) == [3])
    #expect(offers.withdraw([3]).isEmpty)
  }

  @Test func aWithdrawnOfferCannotBeTaken() {
    var offers = ClaimOffers()
    for app in 0..<3 { offers.add(ClaimOffer(limit: 5, normalMin: 1), app: app) }
    #expect(offers.withdraw([0]).isEmpty)
    #expect(offers.take(app: 0) == nil)
    #expect(offers.take(app: 1) != nil)
    #expect(offers.withdraw(nil).map(\.app) == [1])
    #expect(offers.take(app: 2) == nil)
  }
}
