import Outbox
import Testing

/// Of a cancel and a send that meet, exactly one succeeds.
struct DepartureTests {
  @Test func whatHasLeftIsNotRecalledButNotRepeatedEither() {
    let departure = Departure()
    #expect(departure.leave())
    // FCM reported that it had not processed the request, and it is sent again.
    #expect(departure.leave())
    #expect(!departure.recall())
    #expect(!departure.isRecalled)
    #expect(!departure.leave())
    #expect(!departure.recall())
  }

  @Test func whatIsRecalledNeverLeaves() {
    let departure = Departure()
    #expect(departure.recall())
    #expect(departure.isRecalled)
    #expect(!departure.leave())
    // A transaction that is repeated recalls it again.
    #expect(departure.recall())
  }

  @Test func oneOfBothWins() async {
    for _ in 0..<1000 {
      let departure = Departure()
      async let left = Task { departure.leave() }.value
      async let recalled = Task { departure.recall() }.value
      #expect(await left != (await recalled))
    }
  }
}
