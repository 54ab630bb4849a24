import Clock
import FCMMessage
import JSON
import Testing

@testable import Outbox

/// How many deliveries a gateway claims ahead of its engine.
struct PostgresPrefetchTests {
  private let app = ExactText("default")
  private let now = ContinuousClock.now
  private let prefetch = PostgresPrefetch(appMax: 1_000, totalMax: 1_500)

  private func claim(_ limit: Int, of app: String = "default") -> ClaimRequest {
    ClaimRequest(app: app, limit: limit, normalMin: 0, now: start) { _ in }
  }

  private func add(_ count: Int, to app: String = "default", at moment: ContinuousClock.Instant) {
    prefetch.take(
      [ExactText(app): deliveries(count, of: app)], due: [], nextDue: [ExactText(app): nil as Timestamp?],
      at: moment)
  }

  private func deliveries(_ count: Int, of app: String) -> [ClaimedDelivery] {
    let one = notification(app: app)
    return (0..<count).map { _ in
      ClaimedDelivery(
        id: DeliveryID(UUIDv7()), notification: one.id, app: app, target: .token("t"), message: one.message,
        priority: .high, attempts: 0, createdAt: start, expiresAt: start.plus(seconds: 60))
    }
  }

  @Test func anAppThatNobodyServesHasNoRoom() {
    #expect(prefetch.room(for: app, offered: nil, at: now) == 0)
  }

  @Test func anOfferMakesRoomForAsMany() {
    #expect(prefetch.room(for: app, offered: 20, at: now) == 20)
    add(15, at: now)
    #expect(prefetch.room(for: app, offered: 20, at: now) == 5)
  }

  @Test func anEngineThatIsBusyGetsWhatItTakesInASecond() {
    add(300, at: now)
    #expect(prefetch.answer(claim(100), at: now)?.deliveries.count == 100)
    #expect(prefetch.answer(claim(100), at: now + .milliseconds(900))?.deliveries.count == 100)
    #expect(prefetch.answer(claim(100), at: now + .milliseconds(1_100))?.deliveries.count == 100)
    // The last claim, and the 200 of the second before.
    #expect(prefetch.room(for: app, offered: nil, at: now + .milliseconds(1_200)) == 300)
    // It has claimed nothing for a second.
    #expect(prefetch.room(for: app, offered: nil, at: now + .milliseconds(2_100)) == 0)
  }

  @Test func claimsFromTheDatabaseCount() {
    #expect(prefetch.answer(claim(100), at: now) == nil)
    prefetch.note(claimed: 100, of: app, at: now)
    #expect(prefetch.room(for: app, offered: nil, at: now) == 200)
  }

  @Test func thereIsRoomForSoManyInAll() {
    #expect(prefetch.room(for: app, offered: 5_000, at: now) == 1_000)
    add(1_000, at: now)
    #expect(prefetch.room(for: app, offered: 5_000, at: now) == 0)
    #expect(prefetch.room(for: ExactText("other"), offered: 5_000, at: now) == 500)
    #expect(prefetch.answer(claim(400), at: now)?.deliveries.count == 400)
    #expect(prefetch.room(for: ExactText("other"), offered: 5_000, at: now) == 900)
    prefetch.clear()
    #expect(prefetch.room(for: ExactText("other"), offered: 5_000, at: now) == 1_000)
  }

  @Test func whatIsNotTakenInTimeIsRemovedAndMayComeBack() throws {
    add(3, at: now)
    add(2, at: now + .seconds(1))
    #expect(prefetch.takeUnused(since: now - .milliseconds(1)).isEmpty)
    let unused = prefetch.takeUnused(since: now)
    #expect(unused.count == 3)
    #expect(prefetch.room(for: app, offered: 10, at: now) == 8)
    prefetch.putBack(unused)
    #expect(prefetch.room(for: app, offered: 10, at: now) == 5)
    let taken = try #require(prefetch.answer(claim(10), at: now)).deliveries
    #expect(taken.prefix(3).map(\.id) == unused.map(\.delivery.id))
    #expect(taken.count == 5)
  }

  @Test func anAppIsIdleUntilSomethingIsDue() {
    #expect(!prefetch.isIdle(app, at: start))
    prefetch.note(nextDue: start.plus(seconds: 5), of: app)
    #expect(prefetch.isIdle(app, at: start))
    #expect(!prefetch.isIdle(app, at: start.plus(seconds: 5)))
    prefetch.note(nextDue: nil, of: app)
    #expect(prefetch.isIdle(app, at: start.plus(seconds: 5)))
    prefetch.note(due: ["default"])
    #expect(!prefetch.isIdle(app, at: start))
  }
}
