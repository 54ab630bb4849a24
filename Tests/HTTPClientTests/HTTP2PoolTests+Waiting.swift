import Testing

@testable import HTTPClient

// Requests that wait for a stream.
extension HTTP2PoolTests {
  @Test func sendsTheBodyThatARequestHasWhenItLeaves() {
    let pool = Pool()
    for body in ["longer than before", nil] {
      pool.pool.admit(
        TransportRequest(
          destination: Self.destination, headers: HeaderList([]), body: [1],
          atDeparture: { body.map { Array($0.utf8) } }
        ) { _ in }, now: pool.now)
    }
    let link = pool.connect()
    let data = link.heard().filter { $0.type == ScriptedLink.data }
    #expect(data.map(\.payload) == [Array("longer than before".utf8)])
    #expect(pool.finished.map(\.1) == [.failure(.withdrawn)])
  }

  /// A peer with a low limit answers each request in time, although some wait for longer than that.
  @Test func waitingForAStreamCostsNoneOfTheTimeToBeAnswered() {
    let pool = Pool()
    let link = pool.connect(settings: 1)
    pool.admit(3)
    pool.goRound()
    pool.now += .seconds(9)
    link.answer(1)
    pool.goRound()
    #expect(pool.outcomes() == ["0: 200"])
    pool.now += .seconds(1)
    pool.goRound()
    // The third has waited in vain, and nothing of it was sent.
    #expect(pool.outcomes() == ["2: busy"])
    pool.now += .seconds(8)
    pool.goRound()
    link.answer(3)
    pool.goRound()
    #expect(pool.outcomes() == ["1: 200"])
    #expect(!link.heard().contains { $0.type == ScriptedLink.reset })
  }

  @Test func tellsDestinationsWhatThePeerCarriesAtOnce() {
    let destination = Destination(url: "https://fcm.example/v1/send", timeout: .seconds(10))
    let pool = Pool()
    pool.admit(1, destination)
    #expect(destination.concurrencyMax == nil)
    _ = pool.connect(settings: 2)
    #expect(destination.concurrencyMax == 64)
  }
}
