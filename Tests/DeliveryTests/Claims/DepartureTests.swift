import Clock
import FCM
import FCMMessage
import Outbox
import OutboxModel
import Telemetry
import Testing

@testable import Delivery

/// What a message is when it leaves after it has waited in its sender, as for an access token.
@Suite(.timeLimit(.minutes(1)))
struct DepartureTests {
  private let store = ScriptedStore()
  private let sender = ScriptedSender()
  private let clock = ManualClock()
  private let engine: DeliveryEngine

  init() {
    engine = DeliveryEngine(
      apps: ["default": sender], store: store, log: .silent, clock: clock, random: { 0 })
  }

  private func timed(_ number: Int, lifetime: Int64) -> ClaimedDelivery {
    let sealed = SealedMessage(
      bytes: Array(#""android":{"ttl":"s"}"#.utf8), placeholders: [.init(offset: 18, kind: .ttlSeconds)])
    return ClaimedDelivery(
      id: deliveryID(number), notification: NotificationID(deliveryID(number).uuid), app: "default",
      target: .topic("Tech"), message: sealed, priority: .normal, attempts: 0, createdAt: wall(0),
      expiresAt: wall(lifetime))
  }

  /// Starts the engine with the delivery, which its sender keeps back.
  private func startAndKeepBack(_ delivery: ClaimedDelivery) async throws {
    var keptBack = sender.keptBack.makeAsyncIterator()
    sender.keepBack()
    engine.start()
    store.add(delivery)
    try #require(await keptBack.next() != nil)
  }

  @Test(arguments: [2000, 8000] as [Int64])
  func nothingLeavesAtOrAfterItsExpiry(_ time: Int64) async throws {
    var recorded = store.recorded.makeAsyncIterator()
    try await startAndKeepBack(timed(1, lifetime: 2000))
    clock.move(to: time)
    sender.letLeave()
    var row = try #require(await recorded.next())
    if row.state == .queued { row = try #require(await recorded.next()) }
    #expect(row.state == .expired)
    #expect(row.attempts == 0)
  }

  @Test func noMoreAreSentAtOnceThanTheSenderCanCarry() async throws {
    var bodies = sender.bodies.makeAsyncIterator()
    sender.limitInFlight(to: 1)
    store.add(timed(2, lifetime: 60_000))
    try await startAndKeepBack(timed(1, lifetime: 60_000))
    #expect(sender.letLeave() == 1)
    _ = await bodies.next()
    _ = await bodies.next()
  }

  @Test func aMessageLeavesWithWhatIsLeftOfItsTTL() async throws {
    var bodies = sender.bodies.makeAsyncIterator()
    try await startAndKeepBack(timed(1, lifetime: 60_000))
    clock.move(to: 8000)
    sender.letLeave()
    #expect(await bodies.next() == #"{"message":{"topic":"Tech","android":{"ttl":"52s"}}}"#)
  }
}
