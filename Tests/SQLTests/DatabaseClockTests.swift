import Clock
import Testing

@testable import SQL

/// The database's time decides, whatever the machine's clock says.
struct DatabaseClockTests {
  @Test func continuesTheDatabasesTimeWithTheMonotonicClock() throws {
    let clock = DatabaseClock(machine: { Timestamp(milliseconds: 7_200_000) })
    #expect(clock.now == Timestamp(milliseconds: 7_200_000))
    #expect(clock.skewMilliseconds == nil)
    let begin = ContinuousClock.now
    clock.note(Timestamp(milliseconds: 3_600_000), at: begin)
    let most = ContinuousClock.now - begin + .seconds(3600)
    #expect(clock.now.milliseconds >= 3_600_000)
    let skew = try #require(clock.skewMilliseconds)
    #expect(skew <= 3_600_000 && skew >= 7_200_000 - (most + .seconds(60)).wholeMilliseconds)
  }

  @Test func ignoresTheNetworksDelayAndFollowsTheDatabase() {
    let clock = DatabaseClock(machine: { .now })
    let begin = ContinuousClock.now + .seconds(3600)
    clock.note(Timestamp(milliseconds: 1_000_000), at: begin)
    let first = clock.now
    clock.note(Timestamp(milliseconds: 1_000_049), at: begin)
    #expect(clock.now.milliseconds - first.milliseconds < 49 || clock.now < Timestamp(milliseconds: 0))
    clock.note(Timestamp(milliseconds: 500_000), at: begin)
    #expect(clock.now < first)
  }
}
