import Clock
import FCMMessage
import Outbox
import Testing

@testable import Delivery

/// The queue's time when the wall clock is set.
struct ClockLagTests {
  private func lag(_ moments: (wall: Int64, ticks: Int64)...) -> Int64 {
    var lag = ClockLag()
    for moment in moments { _ = lag.note(Moment(wall: wall(moment.wall), ticks: moment.ticks)) }
    return lag.milliseconds
  }

  @Test func isZeroWhileBothClocksAgree() {
    #expect(lag((0, 0), (5000, 5000), (9000, 9500)) == 0)
  }

  @Test func equalsWhatTheWallClockWasSetBack() {
    #expect(lag((0, 0), (-3_599_000, 1000)) == 3_600_000)
    #expect(lag((0, 0), (-3_599_000, 1000), (-3_590_000, 10_000), (-7_190_000, 10_000)) == 7_200_000)
  }

  @Test func shrinksWhenTheClockIsSetForwardAgain() {
    #expect(lag((0, 0), (-3_600_000, 0), (0, 0)) == 0)
    #expect(lag((0, 0), (-3_600_000, 0), (9_000_000, 0), (8_000_000, 0)) == 1_000_000)
    #expect(lag((0, 0), (3_600_000, 0)) == 0)
  }

  @Test func postponesWhatWasClaimedEarly() {
    var bench = CoreBench()
    let early = ClaimedDelivery(
      id: deliveryID(1), notification: NotificationID(deliveryID(1).uuid), app: "default",
      target: .token("t"), message: delivery(1).message, priority: .high, attempts: 0, createdAt: wall(-10),
      dueSince: wall(60_000), expiresAt: wall(120_000))
    #expect(!bench.give([early]).contains { $0.hasPrefix("send") })
    #expect(bench.settled == [.deferred(until: 60_000)])
  }
}
