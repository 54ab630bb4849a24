@testable import HTTPClient
import Testing

/// Requests on connections whose other end and whose clock are the test's.
@Suite struct HTTP2PoolTests {
  final class Pool {
    let pool: HTTP2Pool
    var now = ContinuousClock.now
    var finished: [FinishedRequest] = []
    private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 4096, alignment: 16)

    init(_ limits: TransportLimits = .init()) { pool = HTTP2Pool(limits: limits) }
    deinit { buffer.deallocate() }

    func admit(_ count: Int = 1, _ destination: Destination = HTTP2PoolTests.destination) {
      for number in 0..<count {
        let body = Array("\(number)".utf8)
        pool.admit(
          TransportRequest(destination: destination, headers: HeaderList(["X-Name: v"]), body: body) { _ in },
          now: now)
      }
    }

    func connect(settings: UInt32? = 100) -> ScriptedLink {
      let link = ScriptedLink()
      if let settings { link.saySettings(streamsMax: settings) }
      _ = pool.connected(.http2(link), now: now, &finished)
      goRound()
      return link
    }

    @discardableResult func goRound() -> [TransportRequest] {
      pool.goRound(now: now, buffer: buffer, isReadable: { _ in true }, &finished)
    }

    func toMake() -> Int { pool.connectionsToMake(total: pool.connectionCount, now: now) }

    /// What ended since the last call, as `BODY: OUTCOME`.
    func outcomes() -> [String] {
      defer { finished = [] }
      return finished.map { request, result in
        let body = String(decoding: request.body, as: UTF8.self)
        switch result {
        case .success(let response): return "\(body): \(response.status)"
        case .failure(let failure): return "\(body): \(failure.code)\(failure.wasSent ? ", sent" : "")"
        }
      }
    }
  }

  static let destination = Destination(url: "https://fcm.example/v1/send", timeout: .seconds(10))

  private func streams(_ link: ScriptedLink) -> [UInt32] {
    link.heard().filter { $0.type == ScriptedLink.headers }.map(\.stream)
  }

  @Test func sendsNothingBeforeThePeersSettings() {
    let pool = Pool()
    pool.admit(3)
    #expect(pool.toMake() == 1)
    let link = pool.connect(settings: nil)
    #expect(streams(link).isEmpty)
    link.saySettings(streamsMax: 2)
    pool.goRound()
    #expect(streams(link) == [1, 3])
    link.answer(1)
    pool.goRound()
    #expect(pool.outcomes() == ["0: 200"])
    #expect(streams(link) == [5])
  }

  @Test func putsManyRequestsIntoOneWrite() {
    let pool = Pool()
    let link = pool.connect()
    pool.admit(50)
    pool.goRound()
    let frames = link.heard()
    #expect(frames.count { $0.type == ScriptedLink.headers } == 50)
    #expect(frames.count { $0.type == ScriptedLink.data && $0.flags == 1 } == 50)
  }

  @Test func writesInPartsWhenTheSocketIsSlow() {
    let pool = Pool()
    let link = pool.connect()
    link.sendMax = 7
    pool.admit(5)
    pool.goRound()
    #expect(streams(link) == [1, 3, 5, 7, 9])
  }

  @Test func continuesReadingWhatOneRoundLeaves() {
    let pool = Pool()
    let link = pool.connect()
    pool.admit(100)
    pool.goRound()
    link.receiveMax = 8
    for stream in 0..<100 { link.answer(UInt32(2 * stream + 1)) }
    var turns = 0
    var mustRead = true
    while mustRead, turns < 100 {
      pool.goRound()
      turns += 1
      mustRead = false
      pool.pool.forEachConnection { mustRead = mustRead || $0.mustRead }
    }
    #expect(turns > 1)
    #expect(pool.outcomes().count == 100)
  }

  @Test func makesAsManyConnectionsAsWaitingRequestsNeed() {
    var limits = TransportLimits()
    limits.hostConnectionsMax = 3
    limits.concurrentStreamsMax = 10
    let pool = Pool(limits)
    pool.admit(15)
    #expect(pool.toMake() == 2)
    #expect(pool.toMake() == 0)
    pool.admit(100)
    #expect(pool.toMake() == 1)
    _ = pool.connect(settings: 4)
    // The two others are still being made, and a fourth is not allowed.
    #expect(pool.toMake() == 0)
  }

  @Test func waitsForExistingConnectionsAfterAFailure() {
    let pool = Pool()
    let link = pool.connect(settings: 1)
    pool.admit(3)
    pool.goRound()
    #expect(pool.toMake() == 2)
    let failure = TransportError(code: .connection, wasSent: false, detail: "refused")
    for _ in 0..<2 { _ = pool.pool.connected(.failed(failure), now: pool.now, &pool.finished) }
    #expect(pool.outcomes().isEmpty)
    #expect(pool.toMake() == 0)
    link.answer(1)
    pool.goRound()
    #expect(pool.outcomes() == ["0: 200"])
    #expect(streams(link) == [1, 3])
    pool.now += .seconds(1)
    #expect(pool.toMake() == 1)
  }

  @Test func failsWaitingRequestsWithoutAConnection() {
    let pool = Pool()
    pool.admit(2)
    #expect(pool.toMake() == 1)
    let failure = TransportError(code: .connection, wasSent: false, detail: "refused")
    _ = pool.pool.connected(.failed(failure), now: pool.now, &pool.finished)
    #expect(pool.outcomes() == ["0: connection", "1: connection"])
    #expect(pool.pool.isEmpty)
  }

  @Test func givesUpOnAPeerThatClosesBeforeItsSettings() {
    let pool = Pool()
    pool.admit(2)
    #expect(pool.toMake() == 1)
    let link = pool.connect(settings: nil)
    link.close()
    pool.goRound()
    #expect(pool.outcomes() == ["0: connection", "1: connection"])
    #expect(pool.toMake() == 0)
  }

  @Test func givesUpOnAPeerThatClosesAfterItsSettings() {
    let pool = Pool()
    pool.admit(2)
    #expect(pool.toMake() == 1)
    let link = ScriptedLink()
    link.saySettings(streamsMax: 100)
    link.sayGoAway(last: 0)
    _ = pool.pool.connected(.http2(link), now: pool.now, &pool.finished)
    pool.goRound()
    #expect(pool.outcomes() == ["0: connection", "1: connection"])
    #expect(pool.pool.isEmpty)
  }

  @Test func closedSpareConnectionFailsNoRequest() {
    let pool = Pool()
    let link = pool.connect()
    pool.now += .seconds(60)
    pool.admit()
    link.close()
    pool.goRound()
    #expect(pool.outcomes().isEmpty)
    #expect(pool.toMake() == 1)
    #expect(streams(pool.connect()) == [1])
  }

  @Test func distinguishesWhatAGOAWAYLeftUnprocessed() {
    let pool = Pool()
    let link = pool.connect()
    pool.admit(3)
    pool.goRound()
    link.sayGoAway(last: 1)
    pool.goRound()
    #expect(pool.outcomes().sorted() == ["1: goingAway", "2: goingAway"])
    pool.admit()
    #expect(pool.toMake() == 1)
    link.answer(1)
    pool.goRound()
    #expect(pool.outcomes() == ["0: 200"])
    // Its last answer has arrived: the connection is closed, and later requests wait for the next one.
    #expect(streams(link) == [1, 3, 5])
    #expect(streams(pool.connect()) == [1])
  }

  @Test func distinguishesSentFromUnsentWhenAConnectionBreaks() {
    let pool = Pool()
    let link = pool.connect(settings: 2)
    pool.admit(3)
    pool.goRound()
    link.close()
    pool.goRound()
    #expect(pool.outcomes().sorted() == ["0: broken, sent", "1: broken, sent"])
    #expect(pool.toMake() == 1)
  }

  @Test func refusingConnectionGetsNoMoreRequests() {
    let pool = Pool()
    let link = pool.connect()
    pool.admit(2)
    pool.goRound()
    link.sayReset(3, ScriptedLink.refusedStream)
    pool.goRound()
    #expect(pool.outcomes() == ["1: unprocessed"])
    pool.admit()
    pool.goRound()
    #expect(streams(link) == [1, 3])
    #expect(pool.toMake() == 1)
    link.answer(1)
    pool.goRound()
    #expect(pool.outcomes() == ["0: 200"])
  }

  @Test func switchesToHTTP1WhenThePeerRequiresIt() {
    let pool = Pool()
    let link = pool.connect(settings: 1)
    pool.admit(2)
    pool.goRound()
    link.sayReset(1, ScriptedLink.http11Required)
    let others = pool.goRound()
    #expect(pool.outcomes() == ["0: unprocessed"])
    #expect(others.map(\.body) == [Array("1".utf8)])
    #expect(pool.pool.prefersHTTP1(now: pool.now))
    #expect(!pool.pool.prefersHTTP1(now: pool.now + .seconds(600)))
  }

  @Test func switchesToHTTP1WithoutALPN() {
    let pool = Pool()
    pool.admit(2)
    #expect(pool.toMake() == 1)
    let requests = pool.pool.connected(.http1, now: pool.now, &pool.finished)
    #expect(requests.count == 2)
    #expect(pool.pool.prefersHTTP1(now: pool.now))
  }

  @Test func timesOutOneRequestWhileOthersAreAnswered() {
    let pool = Pool()
    let link = pool.connect()
    pool.admit(1)
    pool.goRound()
    pool.now += .seconds(4)
    pool.admit(1)
    pool.goRound()
    link.answer(3)
    pool.goRound()
    #expect(pool.outcomes() == ["0: 200"])
    pool.now += .seconds(6)
    #expect(pool.pool.due == pool.now)
    pool.goRound()
    #expect(pool.outcomes() == ["0: timeout, sent"])
    #expect(link.heard().contains { $0.type == ScriptedLink.reset && $0.stream == 1 })
    pool.admit()
    pool.goRound()
    #expect(streams(link) == [5])
  }

  @Test func closesASilentConnectionAtItsFirstTimeout() {
    let pool = Pool()
    let link = pool.connect()
    pool.now += .seconds(1)
    pool.admit(1)
    pool.goRound()
    pool.now += .seconds(5)
    pool.admit(2)
    pool.goRound()
    pool.now += .seconds(5)
    pool.goRound()
    #expect(pool.outcomes().sorted() == ["0: timeout, sent", "0: timeout, sent", "1: timeout, sent"])
    pool.admit()
    pool.goRound()
    #expect(streams(link) == [1, 3, 5])
    #expect(pool.toMake() == 1)
  }

  @Test func timesOutWaitingRequestsToo() {
    let pool = Pool()
    pool.admit()
    #expect(pool.toMake() == 1)
    pool.now += .seconds(10)
    pool.goRound()
    #expect(pool.outcomes() == ["0: timeout"])
    #expect(pool.toMake() == 0)
  }

  @Test func oldConnectionTakesNoNewRequestsAndClosesAfterItsLastAnswer() {
    let pool = Pool()
    let old = pool.connect()
    for stream in [1, 3, 5, 7, 9] as [UInt32] {
      pool.now += .seconds(100)
      pool.admit()
      pool.goRound()
      old.answer(stream)
      pool.goRound()
    }
    pool.now += .seconds(99)
    pool.admit()
    pool.goRound()
    pool.now += .seconds(1)
    pool.admit()
    pool.goRound()
    #expect(streams(old) == [1, 3, 5, 7, 9, 11])
    #expect(pool.toMake() == 1)
    #expect(streams(pool.connect()) == [1])
    old.answer(11)
    pool.goRound()
    #expect(pool.outcomes().count == 6)
    pool.now += .seconds(10)
    pool.goRound()
    #expect(pool.pool.connectionCount == 1)
  }

  @Test func closesAnIdleConnection() throws {
    let pool = Pool()
    _ = pool.connect()
    pool.now += .seconds(110)
    pool.goRound()
    #expect(pool.pool.isEmpty)
  }

  @Test func readsTheFinalAnswerBetweenInterimOnesAndTrailers() throws {
    let pool = Pool()
    let link = pool.connect()
    pool.admit()
    pool.goRound()
    link.sayHeaders(1, [(":status", "103"), ("retry-after", "1")])
    link.sayHeaders(1, [(":status", "503"), ("retry-after", "7")])
    link.sayBody(1, "busy", ends: false)
    link.sayHeaders(1, [("retry-after-all", "9")], ends: true)
    pool.goRound()
    let response = try #require(pool.finished.first).1.get()
    #expect(
      response
        == TransportResponse(
          status: 503, fields: .init(retryAfter: "7"), body: Array("busy".utf8), isBodyCut: false))
  }

  @Test func boundsTheFieldsOfAnAnswer() {
    var limits = TransportLimits()
    limits.headerBytesMax = 300
    let pool = Pool(limits)
    let link = pool.connect()
    pool.admit(2)
    pool.goRound()
    let many = (0..<10).map { ("x-\($0)", "value") }
    link.sayHeaders(1, [(":status", "200")] + many, ends: true)
    link.answer(3)
    pool.goRound()
    #expect(pool.outcomes().sorted() == ["0: badResponse, sent", "1: 200"])
  }

  @Test func acceptsAnAnswerBeforeTheBodyIsSent() {
    let pool = Pool()
    let link = pool.connect()
    let body = [UInt8](repeating: 1, count: 100_000)
    pool.pool.admit(
      TransportRequest(destination: Self.destination, headers: HeaderList([]), body: body) { _ in },
      now: pool.now)
    pool.goRound()
    link.sayHeaders(1, [(":status", "413")], ends: true)
    pool.goRound()
    #expect(pool.finished.count == 1)
    #expect(link.heard().contains { $0.type == ScriptedLink.reset && $0.stream == 1 })
  }

  @Test func abandonsSelectedRequests() {
    let other = Destination(url: "https://fcm.example/v1/other", timeout: .seconds(10))
    let pool = Pool()
    let link = pool.connect(settings: 2)
    pool.admit(1)
    pool.admit(2, other)
    pool.goRound()
    pool.pool.abandon(.shuttingDown, &pool.finished) { $0.destination === other }
    #expect(pool.outcomes().sorted() == ["0: shuttingDown, sent", "1: shuttingDown"])
    link.answer(1)
    pool.goRound()
    #expect(pool.outcomes() == ["0: 200"])
  }
}
