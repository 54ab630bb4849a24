import HTTPClient
import Telemetry
import Testing

@testable import Gateway

/// Which apps share a thread and its connections.
struct TransportPoolTests {
  private let pool = TransportPool(log: .silent)

  /// The transports of so many apps, assigned one after the other.
  private func assign(_ count: Int) -> [HTTPTransport] {
    (0..<count).reduce(into: []) { used, _ in used.append(pool.transport(besides: used)) }
  }

  /// How many of `used` have each transport, the fewest first.
  private func counts(_ used: [HTTPTransport]) -> [Int] {
    Dictionary(grouping: used, by: ObjectIdentifier.init).values.map(\.count).sorted()
  }

  @Test func givesEachAppItsOwnUpToTheMaximum() {
    #expect(counts(assign(TransportPool.transportsMax)) == Array(repeating: 1, count: 32))
  }

  @Test(arguments: [33, 100, 1_000]) func moreAppsShareEvenly(apps: Int) {
    let counts = counts(assign(apps))
    #expect(counts.count == TransportPool.transportsMax)
    #expect(counts.reduce(0, +) == apps)
    #expect((counts.last ?? 0) - (counts.first ?? 0) <= 1)
  }

  @Test func aNewAppGetsWhatARemovedOneHad() {
    var used = assign(5)
    let free = used.remove(at: 2)
    #expect(pool.transport(besides: used) === free)
  }

  @Test func aFullPoolGivesTheLeastUsed() {
    var used = assign(TransportPool.transportsMax * 2)
    let left = used.remove(at: 7)
    #expect(pool.transport(besides: used) === left)
  }

  private func send(over transport: HTTPTransport) async -> TransportError? {
    await withCheckedContinuation { continuation in
      transport.send(
        TransportRequest(
          destination: Destination(url: "http://127.0.0.1:1/"), headers: HeaderList([]), body: []
        ) { result in
          if case .failure(let error) = result { continuation.resume(returning: error) }
        })
    }
  }

  /// The end of the pool is that of every transport, whether or not it has sent anything.
  @Test func endsWhatItHasStarted() async throws {
    let used = assign(1_000)
    let error = await send(over: used[0])
    #expect(error?.code == .connection)
    // The other apps of that transport use the thread that it has.
    #expect(used.count { $0 === used[0] } > 30)
    await pool.shutDown()
    for transport in used.prefix(TransportPool.transportsMax) {
      #expect(await send(over: transport) == .shuttingDown)
    }
  }
}
