import Outbox
import Testing

@testable import Delivery

/// How the core stops: it claims nothing more, loses nothing, and always ends.
struct StopTests {
  @Test func endsAtOnceWhenIdle() {
    var bench = CoreBench()
    bench.tell()
    bench.tell(.claimed(app: 0, .success([])))
    #expect(bench.tell(.stop(grace: .seconds(20))) == ["finished"])
    #expect(bench.tell(.due(app: 0)) == [])
    #expect(bench.timer(at: 0) == nil)
  }

  @Test func waitsForAnswersAndTheirRecord() {
    var bench = CoreBench()
    _ = bench.give([delivery(1)])
    bench.tell(.nextDue(app: 0, .success(nil)))
    #expect(bench.tell(.stop(grace: .seconds(20))) == [])
    #expect(bench.timer(at: 0) == 20_000)
    #expect(bench.tell(.due(app: 0), at: 10) == [])
    #expect(bench.tell(accept(1), at: 20) == ["attempted", "settle 1"])
    #expect(bench.tell(.settled(.success([])), at: 21) == ["recorded sent after 20", "finished"])
  }

  @Test func releasesUnansweredDeliveriesWhenTheGraceEnds() {
    var bench = CoreBench()
    let waiting = delivery(1)
    _ = bench.give([waiting])
    bench.tell(.nextDue(app: 0, .success(nil)))
    bench.tell(.stop(grace: .seconds(20)))
    #expect(bench.tell(.timer, at: 20_000) == ["settle 1"])
    #expect(bench.settled == [.release])
    // If it still waits for a connection, it does not leave any more.
    #expect(!waiting.departure.leave())
    #expect(bench.tell(accept(1), at: 20_001) == [])
    #expect(bench.tell(.settled(.success([])), at: 20_002) == ["finished"])
  }

  @Test func releasesALateClaim() {
    var bench = CoreBench()
    bench.tell()
    #expect(bench.tell(.stop(grace: .seconds(20))) == [])
    #expect(bench.tell(.claimed(app: 0, .success([delivery(1)]))) == ["settle 1"])
    #expect(bench.settled == [.release])
    #expect(bench.tell(.settled(.success([]))) == ["finished"])
  }

  @Test func anAppThatIsAddedDuringTheStopClaimsNothing() {
    var bench = CoreBench()
    _ = bench.give([delivery(1)])
    bench.tell(.nextDue(app: 0, .success(nil)))
    bench.tell(.stop(grace: .seconds(20)))
    let apps = ["default", "new"].map { DeliveryCore.AppQuota(name: $0, messagesPerSecond: 100) }
    #expect(bench.tell(.update(apps), .due(app: 1)) == [])
    #expect(bench.tell(accept(1), at: 20) == ["attempted", "settle 1"])
    #expect(bench.tell(.settled(.success([])), at: 21) == ["recorded sent after 20", "finished"])
  }

  @Test func secondStopChangesNothing() {
    var bench = CoreBench()
    _ = bench.give([delivery(1)])
    bench.tell(.stop(grace: .seconds(20)))
    bench.tell(.stop(grace: .seconds(90)), at: 10_000)
    #expect(bench.tell(.timer, at: 20_000) == ["settle 1"])
  }

  @Test func unresponsiveStoreDoesNotDelayTheStop() {
    var bench = CoreBench()
    _ = bench.give([delivery(1)])
    bench.tell(.nextDue(app: 0, .success(nil)))
    bench.tell(accept(1))
    bench.tell(.settled(.failure(diskFull)))
    bench.tell(.stop(grace: .seconds(1)))
    bench.tell(.settled(.failure(diskFull)))
    bench.tell(.timer, at: 1000)
    #expect(bench.tell(.timer, at: 3000) == ["stopped with 1 unsettled", "finished"])
  }

  @Test func closedStoreEndsTheWaiting() {
    var bench = CoreBench()
    _ = bench.give([delivery(1)])
    bench.tell(accept(1))
    bench.tell(.stop(grace: .seconds(20)))
    let closed = OutboxError(code: .closed, description: "closed")
    #expect(
      bench.tell(.settled(.failure(closed)))
        == ["store failed", "stopped with 1 unsettled", "finished"])
  }
}
