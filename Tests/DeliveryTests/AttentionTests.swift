import Clock
import Outbox
import Testing

@testable import Delivery

/// Which apps a decision looks at: the cost of one must not grow with the number of apps that have nothing to
/// do.
struct AttentionTests {
  /// A core that has looked at all its apps once; none has anything to do.
  private func bench(apps count: Int = 50) -> CoreBench {
    var bench = CoreBench(apps: (0..<count).map { "app-\($0)" })
    bench.tell()
    for app in 0..<count {
      bench.tell(.claimed(app: app, .success([])), .nextDue(app: app, .success(nil)))
    }
    return bench
  }

  @Test func theFirstDecisionLooksAtAll() {
    var bench = CoreBench(apps: ["a", "b", "c"])
    #expect(bench.tell() == (0..<3).map { "claim 500 for \($0)" })
    #expect(bench.core.attended == [0, 1, 2])
  }

  @Test func anEventConcernsItsAppAlone() {
    var bench = bench()
    #expect(bench.tell(.due(app: 7)) == ["claim 120 for 7"])
    #expect(bench.core.attended == [7])
    bench.tell(.claimed(app: 7, .success([delivery(1, app: "app-7")])), .due(app: 3))
    #expect(bench.core.attended == [3, 7])
    bench.tell(accept(1, app: 7))
    #expect(bench.core.attended == [7])
    bench.tell(.settled(.success([])))
    #expect(bench.core.attended == [7])
  }

  @Test func offersOfOtherAppsStayValid() {
    var bench = bench()
    let before = bench.core.claimOffer(app: 3, now: moment(0))
    bench.tell(.due(app: 7))
    #expect(bench.core.concerned(by: [.due(app: 7)], now: moment(0)) == [7])
    #expect(before != nil)
    #expect(bench.core.claimOffer(app: 3, now: moment(0)) == before)
  }

  @Test func aTimerConcernsThoseWhoseTimeHasCome() {
    var bench = bench()
    bench.tell(.due(app: 4), .due(app: 9))
    bench.tell(
      .claimed(app: 4, .success([])), .nextDue(app: 4, .success(wall(5_000))),
      .claimed(app: 9, .success([])), .nextDue(app: 9, .success(wall(8_000))))
    #expect(bench.timer(at: 0) == 5_000)
    #expect(bench.tell(.timer, at: 5_000) == ["claim 120 for 4"])
    #expect(bench.core.attended == [4])
    #expect(bench.timer(at: 5_000) == 8_000)
    // An event of another app does not hide the time.
    #expect(bench.tell(.due(app: 1), at: 8_000) == ["claim 120 for 1", "claim 120 for 9"])
  }

  @Test func aStoreThatFailsAndRecoversConcernsAll() {
    var bench = bench(apps: 3)
    bench.tell(.due(app: 0))
    bench.tell(.claimed(app: 0, .success([delivery(1, app: "app-0")])))
    bench.tell(accept(1, app: 0))
    bench.tell(.settled(.failure(diskFull)))
    #expect(bench.core.attended == [0, 1, 2])
    bench.tell(.due(app: 1), at: 0)
    #expect(bench.tell(.claimed(app: 1, .success([delivery(2, app: "app-1")]))) == ["next due of 1"])
    bench.tell(.timer, at: 1_000)
    // What waited for the store is sent, although the event is about another app.
    #expect(bench.tell(.settled(.success([])), at: 1_000).contains("send 2 for 1"))
  }

  @Test func reloadsConcernAll() {
    var bench = bench(apps: 2)
    let quotas = (0..<3).map { DeliveryCore.AppQuota(name: "app-\($0)", messagesPerSecond: 1_000) }
    #expect(bench.tell(.update(quotas)).contains("claim 500 for 2"))
    #expect(bench.core.attended == [0, 1, 2])
    bench.tell(.gateways(2))
    #expect(bench.core.attended == [0, 1, 2])
  }
}
