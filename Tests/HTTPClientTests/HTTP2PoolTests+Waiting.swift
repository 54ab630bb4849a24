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
}
