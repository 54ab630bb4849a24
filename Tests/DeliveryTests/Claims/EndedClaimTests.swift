import Clock
import FCM
import Outbox
import Telemetry
import Testing

@testable import Delivery

/// What becomes of claims that another gateway may have, for example after this process was suspended.
@Suite(.timeLimit(.minutes(1)))
struct EndedClaimTests {
  @Test(
    arguments: [
      // Another gateway may have the claim; or the delivery was recalled, as by a cancellation.
      { (store: ScriptedStore) in store.endNextClaims(1) },
      { (store: ScriptedStore) in store.recallNextClaims(1) },
    ] as [@Sendable (ScriptedStore) -> Void])
  func sendsNothingThatItMayNot(_ endClaims: @Sendable (ScriptedStore) -> Void) async throws {
    let store = ScriptedStore()
    let sender = ScriptedSender()
    let engine = DeliveryEngine(
      apps: ["default": sender], store: store, log: .silent, clock: ManualClock(), random: { 0 })
    var recorded = store.recorded.makeAsyncIterator()
    endClaims(store)
    engine.start()
    store.add(delivery(1))
    let released = try #require(await recorded.next())
    #expect(released.state == .queued)
    #expect(released.attempts == 0)
    // It is claimed once more, and may be sent then.
    let row = try #require(await recorded.next())
    #expect(row.state == .sent)
    #expect(row.attempts == 1)
    await engine.stop(grace: .seconds(1))
  }

  /// The gateway is suspended while a message is under way, and claims it again.
  @Test func whatIsUnderWayIsNotSentAgain() async throws {
    let store = ScriptedStore()
    let sender = ScriptedSender()
    let engine = DeliveryEngine(
      apps: ["default": sender], store: store, log: .silent, clock: ManualClock(), random: { 0 })
    var recorded = store.recorded.makeAsyncIterator()
    var bodies = sender.bodies.makeAsyncIterator()
    sender.hold("token-1")
    engine.start()
    store.add(delivery(1))
    _ = await bodies.next()
    store.loseLease()
    store.add(delivery(2))
    #expect(await bodies.next()?.contains("token-2") == true)
    #expect(try #require(await recorded.next()).claim.id == deliveryID(2))
    sender.answerHeld(sent)
    let row = try #require(await recorded.next())
    #expect(row.state == .sent)
    #expect(row.claim.claim.lease == 2)
    #expect(row.attempts == 1)
    await engine.stop(grace: .seconds(1))
  }

  @Test func aWithdrawnRequestIsNoAttemptAndCostsNoRate() {
    var bench = CoreBench(rate: 1)
    _ = bench.give([delivery(1), delivery(2)])
    bench.tell(.nextDue(app: 0, .success(nil)))
    #expect(
      bench.tell(.answered(app: 0, deliveryID(1), .withdrawn)) == ["send 2 for 0", "settle 1"])
    #expect(bench.settled == [.release])
  }
}
