import FCMMessage
import Outbox
import Testing

@testable import Delivery

struct PlaceholderValuesTests {
  @Test func ttlIsTheRemainderToTheNearestSecond() {
    let values = SealedMessage.PlaceholderValues(for: delivery(7, lifetime: 60_000), now: wall(1))
    #expect(values.ttlSeconds == 60)
    #expect(
      SealedMessage.PlaceholderValues(for: delivery(7, lifetime: 60_000), now: wall(501)).ttlSeconds == 59)
    #expect(values.expiration == Int(epoch / 1000) + 60)
    #expect(values.deliveryID == deliveryID(7).description)
  }

  @Test func lastHalfSecondHasATTLOfZero() {
    #expect(
      SealedMessage.PlaceholderValues(for: delivery(1, lifetime: 60_000), now: wall(59_501)).ttlSeconds == 0)
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
