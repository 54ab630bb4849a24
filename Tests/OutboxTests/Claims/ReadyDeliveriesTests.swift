import Clock
import FCMMessage
import JSON
import OutboxModel
import Testing

@testable import Outbox

/// How many deliveries a gateway accepts as claimed, ahead of its sender.
struct ReadyDeliveriesTests {
  private let app = ExactText("default")
  private let now = ContinuousClock.now
  private let ready = ReadyDeliveries(appMax: 1_000, totalMax: 1_500)

  private func claim(_ limit: Int, of app: String = "default") -> ClaimRequest {
    ClaimRequest(app: app, limit: limit, normalMin: 0, now: start) { _ in }
  }

  private func add(_ count: Int, to app: String = "default", at moment: ContinuousClock.Instant) {
    ready.take(
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
    #expect(ready.claimLimit(for: app, offered: nil, at: now) == 0)
  }

  @Test func anOfferMakesRoomForAsMany() {
    #expect(ready.claimLimit(for: app, offered: 20, at: now) == 20)
    add(15, at: now)
    #expect(ready.claimLimit(for: app, offered: 20, at: now) == 5)
  }

  @Test func aSenderThatIsBusyGetsWhatItTakesInASecond() {
    add(300, at: now)
    #expect(ready.answer(claim(100), at: now)?.deliveries.count == 100)
    #expect(ready.answer(claim(100), at: now + .milliseconds(900))?.deliveries.count == 100)
    #expect(ready.answer(claim(100), at: now + .milliseconds(1_100))?.deliveries.count == 100)
    // The last claim, and the 200 of the second before.
    #expect(ready.claimLimit(for: app, offered: nil, at: now + .milliseconds(1_200)) == 300)
    // It has claimed nothing for a second.
    #expect(ready.claimLimit(for: app, offered: nil, at: now + .milliseconds(2_100)) == 0)
  }

  @Test func claimsFromTheDatabaseCount() {
    #expect(ready.answer(claim(100), at: now) == nil)
    ready.note(claimed: 100, of: app, at: now)
    #expect(ready.claimLimit(for: app, offered: nil, at: now) == 200)
  }

  @Test func thereIsRoomForSoManyInAll() {
    #expect(ready.claimLimit(for: app, offered: 5_000, at: now) == 1_000)
    add(1_000, at: now)
    #expect(ready.claimLimit(for: app, offered: 5_000, at: now) == 0)
    #expect(ready.claimLimit(for: ExactText("other"), offered: 5_000, at: now) == 500)
    #expect(ready.answer(claim(400), at: now)?.deliveries.count == 400)
    #expect(ready.claimLimit(for: ExactText("other"), offered: 5_000, at: now) == 900)
    ready.clear()
    #expect(ready.claimLimit(for: ExactText("other"), offered: 5_000, at: now) == 1_000)
  }

  @Test func whatIsNotTakenInTimeIsRemovedAndMayComeBack() throws {
    add(3, at: now)
    add(2, at: now + .seconds(1))
    #expect(ready.takeUnused(since: now - .milliseconds(1)).isEmpty)
    let unused = ready.takeUnused(since: now)
    #expect(unused.count == 3)
    #expect(ready.claimLimit(for: app, offered: 10, at: now) == 8)
    ready.putBack(unused)
    #expect(ready.claimLimit(for: app, offered: 10, at: now) == 5)
    let taken = try #require(ready.answer(claim(10), at: now)).deliveries
    #expect(taken.prefix(3).map(\.id) == unused.map(\.delivery.id))
    #expect(taken.count == 5)
  }

  @Test func aClaimThatMayFindMoreInTheDatabaseSaysSo() throws {
    add(3, at: now)
    let some = try #require(ready.answer(claim(2), at: now))
    #expect(some.deliveries.count == 2)
    #expect(some.nextDue == nil)
    let last = try #require(ready.answer(claim(2), at: now))
    #expect(last.deliveries.count == 1)
    #expect(last.nextDue == .some(nil))
    add(1, at: now)
    ready.note(due: ["default"])
    let before = try #require(ready.answer(claim(2), at: now))
    #expect(before.deliveries.count == 1)
    #expect(before.nextDue == nil)
    #expect(ready.answer(claim(2), at: now) == nil)
  }

  @Test func nothingIsTakenForNothing() {
    add(1, at: now)
    #expect(ready.answer(claim(0), at: now) == nil)
    #expect(ready.claimLimit(for: app, offered: 1, at: now) == 0)
  }

  @Test func anAppIsIdleUntilSomethingIsDue() {
    #expect(!ready.isIdle(app, at: start))
    ready.note(nextDue: start.plus(seconds: 5), of: app)
    #expect(ready.isIdle(app, at: start))
    #expect(!ready.isIdle(app, at: start.plus(seconds: 5)))
    ready.note(nextDue: nil, of: app)
    #expect(ready.isIdle(app, at: start.plus(seconds: 5)))
    ready.note(due: ["default"])
    #expect(!ready.isIdle(app, at: start))
  }
}
