import DeliveryReports
import FCM
import Outbox
import Telemetry
import Testing

@testable import Delivery

/// Apps are added, removed and changed while the engine runs, and no delivery is lost.
@Suite(.timeLimit(.minutes(1)))
struct UpdateTests {
  func update(_ names: String..., rate: Double = 1_000_000) -> DeliveryCore.Event {
    .update(names.map { .init(name: $0, messagesPerSecond: rate) })
  }

  @Test func removedAppFinishesRequestsUnderWayAndReleasesTheRest() {
    var bench = CoreBench(apps: ["gone", "stays"]) {
      $0.inFlightPerAppMax = 1
      $0.claimBatchMax = 1
    }
    _ = bench.give([delivery(1)])
    bench.tell(.claimed(app: 0, .success([delivery(2)])))
    #expect(bench.tell(update("stays")) == ["settle 1"])
    #expect(bench.settled == [.release])
    #expect(bench.tell(.settled(.success([])), .due(app: 0)) == [])
    #expect(bench.core.health(now: 0).map(\.app) == ["stays"])
    #expect(bench.tell(accept(1)) == ["attempted", "settle 1"])
    #expect(bench.tell(.settled(.success([]))) == ["recorded sent after 0"])
  }

  @Test func releasesAClaimThatCompletesAfterTheRemoval() {
    var bench = CoreBench(apps: ["gone"])
    bench.tell()
    #expect(bench.tell(update()) == [])
    #expect(bench.tell(.claimed(app: 0, .success([delivery(1)]))) == ["settle 1"])
    #expect(bench.settled == [.release])
  }

  @Test func readdedAppClaimsAgain() {
    var bench = CoreBench(apps: ["a", "b"])
    bench.tell()
    bench.tell(.claimed(app: 0, .success([])), .claimed(app: 1, .success([])))
    bench.tell(.nextDue(app: 0, .success(nil)), .nextDue(app: 1, .success(nil)))
    #expect(bench.tell(update("b")) == [])
    #expect(bench.tell(update("b", "a")) == ["claim 500 for 0"])
  }

  @Test func newAppStartsAtOnceAndKeepsItsState() {
    var bench = CoreBench(apps: ["b"])
    bench.tell()
    #expect(bench.tell(update("a", "b")) == ["claim 500 for 1"])
    #expect(bench.core.appNames == ["b", "a"])
  }

  @Test func changedRateAppliesAtOnce() {
    var bench = CoreBench(apps: ["a"])
    bench.tell()
    bench.tell(update("a", rate: 2))
    #expect(bench.health()?.messagesPerSecond == 2)
    let words = bench.tell(.claimed(app: 0, .success((1...5).map { delivery($0) })))
    #expect(words.count { $0.hasPrefix("send") } == 1)
    #expect(bench.timer(at: 0) == 500)
  }

  @Test func gatewaysDivideTheRate() {
    var bench = CoreBench(apps: ["a"], rate: 9)
    bench.tell()
    bench.tell(.gateways(3))
    #expect(bench.health()?.messagesPerSecond == 3)
    bench.tell(update("a", rate: 30))
    #expect(bench.health()?.messagesPerSecond == 10)
    bench.tell(.update([.init(name: "b", messagesPerSecond: 3)]))
    #expect(bench.health()?.messagesPerSecond == 1)
    bench.tell(.gateways(1))
    #expect(bench.health()?.messagesPerSecond == 3)
  }

  @Test func pausedAppStaysPausedAfterAReload() {
    var bench = CoreBench(apps: ["a"])
    _ = bench.give([delivery(1)])
    bench.tell(answer(1, noToken))
    bench.tell(update("a"))
    #expect(bench.health()?.isPaused == true)
  }

  @Test func replacedSenderFinishesItsRequestsAndIsReleased() async throws {
    let (store, old, new) = (ScriptedStore(), ScriptedSender(), ScriptedSender())
    let engine = DeliveryEngine(
      apps: [DeliveryApp(name: "default", sender: old)], store: store, log: .silent, clock: ManualClock(),
      random: { 0 })
    var recorded = store.recorded.makeAsyncIterator()
    var (oldBodies, newBodies) = (old.bodies.makeAsyncIterator(), new.bodies.makeAsyncIterator())
    old.hold("token-1")
    engine.start()
    store.add(delivery(1))
    _ = await oldBodies.next()
    let retired = await engine.update(apps: [
      DeliveryApp(name: "default", sender: new), DeliveryApp(name: "other", sender: new),
    ])
    async let released: Void = retired.untilUnused()
    #expect(store.served == ["default", "other"])
    store.add(delivery(2))
    #expect(await newBodies.next()?.contains("token-2") == true)
    #expect(await recorded.next()?.claim.id == deliveryID(2))
    old.answerHeld(sent)
    await released
    #expect(await recorded.next()?.state == .sent)
    store.add(delivery(3, app: "other"))
    #expect(await newBodies.next()?.contains("token-3") == true)
    await engine.stop(grace: .zero)
    await engine.update(apps: []).untilUnused()
  }
}
