import DeliveryReports
import Clock
import FCM
import FCMMessage
import Outbox
import OutboxModel
import Telemetry
import Testing

@testable import Delivery

/// The whole engine, with a queue, an FCM and a clock that the test controls.
@Suite(.timeLimit(.minutes(1)))
struct DeliveryEngineTests {
  let store = ScriptedStore()
  let sender = ScriptedSender()
  let otherSender = ScriptedSender()
  let clock = ManualClock()
  let events: AsyncStream<DeliveryEvent>
  let engine: DeliveryEngine

  init() {
    let (events, continuation) = AsyncStream<DeliveryEvent>.makeStream()
    self.events = events
    engine = DeliveryEngine(
      apps: ["default": sender, "other": otherSender], store: store, log: .silent, clock: clock,
      random: { 0 }, observer: { continuation.yield($0) })
  }

  /// The next thing that the store recorded.
  private func nextRecorded(
    _ iterator: inout AsyncStream<ScriptedStore.Row>.Iterator
  ) async throws -> ScriptedStore.Row {
    try #require(await iterator.next())
  }

  @Test func sendsWhatIsDueAndRecordsIt() async throws {
    var recorded = store.recorded.makeAsyncIterator()
    var bodies = sender.bodies.makeAsyncIterator()
    engine.start()
    store.add(delivery(1))
    #expect(await bodies.next() == #"{"message":{"token":"token-1","data":{"n":"1"}}}"#)
    let row = try await nextRecorded(&recorded)
    #expect(row.state == .sent)
    #expect(row.attempts == 1)
  }

  @Test func findsRemainingWorkAtTheStart() async throws {
    var recorded = store.recorded.makeAsyncIterator()
    store.add(delivery(1))
    engine.start()
    #expect(try await nextRecorded(&recorded).state == .sent)
  }

  @Test func fillsTheMessageAtTheMomentOfSending() async throws {
    var bodies = sender.bodies.makeAsyncIterator()
    let sealed = SealedMessage(
      bytes: Array(#""android":{"ttl":"s"}"#.utf8), placeholders: [.init(offset: 18, kind: .ttlSeconds)])
    clock.move(to: 10_500)
    engine.start()
    store.add(
      ClaimedDelivery(
        id: deliveryID(1), notification: NotificationID(deliveryID(1).uuid), app: "default",
        target: .topic("Tech"), message: sealed, priority: .normal, attempts: 0, createdAt: wall(0),
        expiresAt: wall(60_000)))
    #expect(await bodies.next() == #"{"message":{"topic":"Tech","android":{"ttl":"49s"}}}"#)
  }

  @Test func obeysRetryAfter() async throws {
    var recorded = store.recorded.makeAsyncIterator()
    var bodies = sender.bodies.makeAsyncIterator()
    sender.script(
      "token-1", .failed(failure(.unavailable, .retry, .service, status: 503, retryAfter: 30)))
    engine.start()
    store.add(delivery(1))
    _ = await bodies.next()
    let refused = try await nextRecorded(&recorded)
    #expect(refused.state == .queued)
    #expect(refused.dueAt == wall(30_000))
    #expect(refused.error?.code == "UNAVAILABLE")
    // A millisecond too early, another delivery is sent, but this one is not.
    clock.move(to: 29_999)
    store.add(delivery(2))
    #expect(await bodies.next()?.contains("token-2") == true)
    _ = try await nextRecorded(&recorded)
    clock.move(to: 30_000)
    #expect(await bodies.next()?.contains("token-1") == true)
    let accepted = try await nextRecorded(&recorded)
    #expect(accepted.state == .sent)
    #expect(accepted.attempts == 2)
  }

  @Test func expiredDeliveryIsRecordedAndNotSent() async throws {
    var recorded = store.recorded.makeAsyncIterator()
    var bodies = sender.bodies.makeAsyncIterator()
    clock.move(to: 5000)
    engine.start()
    store.add(delivery(1, lifetime: 5000))
    #expect(try await nextRecorded(&recorded).state == .expired)
    store.add(delivery(2))
    #expect(await bodies.next()?.contains("token-2") == true)
  }

  @Test func usingUpTheAttemptsMakesADeadLetter() async throws {
    var recorded = store.recorded.makeAsyncIterator()
    sender.script("token-1", .failed(unavailable))
    engine.start()
    store.add(delivery(1, attempts: 11))
    let row = try await nextRecorded(&recorded)
    #expect(row.state == .failed)
    #expect(row.attempts == 12)
    #expect(row.error?.code == "UNAVAILABLE")
  }

  @Test func reportsSinceWhenTheAppsHaveTheirCommonState() async throws {
    var recorded = store.recorded.makeAsyncIterator()
    #expect(engine.overallHealth.isRefused == StatusSince(false, since: wall(0)))
    sender.script("token-1", .failed(noToken))
    otherSender.script("token-2", .failed(noToken))
    engine.start()
    clock.move(to: 1_000)
    store.add(delivery(1))
    _ = try await nextRecorded(&recorded)
    #expect(engine.overallHealth.isRefused == StatusSince(true, since: wall(1_000)))
    // A later fault of another app does not change the time, and the first app's recovery does not end it.
    clock.move(to: 1_500)
    store.add(delivery(2, app: "other"))
    _ = try await nextRecorded(&recorded)
    #expect(engine.overallHealth.isRefused == StatusSince(true, since: wall(1_000)))
    #expect(engine.overallHealth.isDegraded == StatusSince(false, since: wall(0)))
    clock.move(to: 61_000)
    #expect(try await nextRecorded(&recorded).state == .sent)
    #expect(engine.health.map(\.isPaused) == [false, true])
    #expect(engine.overallHealth.isRefused == StatusSince(true, since: wall(1_000)))
    clock.move(to: 61_500)
    #expect(try await nextRecorded(&recorded).state == .sent)
    #expect(engine.overallHealth.isRefused == StatusSince(false, since: wall(61_500)))
  }

  @Test func probesAPausedAppWithoutDelayingOthers() async throws {
    var recorded = store.recorded.makeAsyncIterator()
    sender.script("token-1", .failed(noToken))
    engine.start()
    store.add(delivery(1))
    let released = try await nextRecorded(&recorded)
    #expect(released.state == .queued)
    #expect(released.attempts == 0)
    let health = try #require(engine.health.first)
    #expect(health.isPaused)
    #expect(health.lastFailure?.code == .authentication)

    store.add(delivery(2, app: "other"))
    let other = try await nextRecorded(&recorded)
    #expect(other.claim.app == "other")
    #expect(other.state == .sent)

    clock.move(to: 60_000)
    #expect(try await nextRecorded(&recorded).state == .sent)
    #expect(engine.health.first?.isPaused == false)
  }

  @Test func resubmitsAnOutcomeThatTheStoreRefused() async throws {
    var recorded = store.recorded.makeAsyncIterator()
    store.failNextSettles(1)
    engine.start()
    store.add(delivery(1))
    for await event in events { if case .storeFailed = event { break } }
    clock.move(to: 100)
    let row = try await nextRecorded(&recorded)
    #expect(row.state == .sent)
    #expect(row.attempts == 1)
  }

  @Test func reportsAttemptsAndRecordedOutcomesToItsObserver() async throws {
    sender.script("token-1", .failed(unregistered))
    engine.start()
    store.add(delivery(1))
    var told: [String] = []
    for await event in events {
      switch event {
      case .attempted(let app, _, .failed(let failure), _, false):
        told.append("\(app) \(failure.code.rawValue)")
      case .recorded(let app, _, let outcome, _): told.append("\(app) \(outcome.rawValue)")
      case .deadRegistration(_, _, let code): told.append("dead: \(code)")
      default: told.append("unexpected")
      }
      if told.count == 3 { break }
    }
    #expect(told == ["default UNREGISTERED", "default failed", "dead: UNREGISTERED"])
  }

  @Test func stopWaitsForTheAnswerAndItsRecord() async throws {
    var bodies = sender.bodies.makeAsyncIterator()
    sender.hold("token-1")
    engine.start()
    store.add(delivery(1))
    _ = await bodies.next()
    async let stopped: Void = engine.stop(grace: .seconds(20))
    sender.answerHeld(sent)
    await stopped
    #expect(store.row(1)?.state == .sent)
    // Once stopped, further calls return at once.
    await engine.stop(grace: .seconds(20))
  }

  @Test func stopReleasesUnansweredDeliveriesAfterItsGrace() async throws {
    var bodies = sender.bodies.makeAsyncIterator()
    sender.hold("token-1")
    engine.start()
    store.add(delivery(1))
    _ = await bodies.next()
    await engine.stop(grace: .zero)
    #expect(store.row(1)?.state == .queued)
    #expect(store.row(1)?.attempts == 0)
    sender.answerHeld(sent)
    #expect(store.row(1)?.state == .queued)
  }
}
