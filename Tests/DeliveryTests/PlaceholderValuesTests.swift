import FCMMessage
import Outbox
import Testing

@testable import Delivery

struct PlaceholderValuesTests {
  @Test func ttlIsTheRemainderAndNeverRoundedUp() {
    let values = SealedMessage.PlaceholderValues(for: delivery(7, lifetime: 60_000), now: wall(1))
    #expect(values.ttlSeconds == 59)
    #expect(
      SealedMessage.PlaceholderValues(for: delivery(7, lifetime: 60_000), now: wall(0)).ttlSeconds == 60)
    #expect(
      SealedMessage.PlaceholderValues(for: delivery(7, lifetime: 60_000), now: wall(1_001)).ttlSeconds == 58)
    #expect(values.expiration == Int(epoch / 1000) + 60)
    #expect(values.deliveryID == deliveryID(7).description)
  }

  @Test func lastSecondHasATTLOfZero() {
    #expect(
      SealedMessage.PlaceholderValues(for: delivery(1, lifetime: 60_000), now: wall(59_001)).ttlSeconds == 0)
    #expect(
      SealedMessage.PlaceholderValues(for: delivery(1, lifetime: 60_000), now: wall(61_000)).ttlSeconds == 0)
  }

  @Test func clockSetBackNeverExceedsTheOriginalTTL() {
    let values = SealedMessage.PlaceholderValues(for: delivery(1, lifetime: 60_000), now: wall(-3_600_000))
    #expect(values.ttlSeconds == 60)
  }

  @Test func clockSetBackNeverExceedsFCMsLongestTTL() {
    let values = SealedMessage.PlaceholderValues(
      for: delivery(1, lifetime: 2_419_200_000), now: wall(-3_600_000))
    #expect(values.ttlSeconds == 2_419_200)
  }
}
