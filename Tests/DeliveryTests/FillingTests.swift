import FCMMessage
import Outbox
import Testing

@testable import Delivery

struct FillingTests {
  @Test func ttlIsWhatIsLeftToTheNearestSecond() {
    let filling = SealedMessage.Filling(for: delivery(7, lifetime: 60_000), now: wall(1))
    #expect(filling.ttlSeconds == 60)
    #expect(SealedMessage.Filling(for: delivery(7, lifetime: 60_000), now: wall(501)).ttlSeconds == 59)
    #expect(filling.expiration == Int(epoch / 1000) + 60)
    #expect(filling.deliveryID == deliveryID(7).description)
  }

  @Test func lastHalfSecondSaysNowOrNever() {
    #expect(SealedMessage.Filling(for: delivery(1, lifetime: 60_000), now: wall(59_501)).ttlSeconds == 0)
    #expect(SealedMessage.Filling(for: delivery(1, lifetime: 60_000), now: wall(61_000)).ttlSeconds == 0)
  }

  @Test func clockSetBackNeverPassesFCMsLongestTtl() {
    let filling = SealedMessage.Filling(for: delivery(1, lifetime: 2_419_200_000), now: wall(-3_600_000))
    #expect(filling.ttlSeconds == 2_419_200)
  }
}
