import Testing

@testable import HTTPClient

/// The pool's decisions, without sockets: events with their time in, actions out.
@Suite struct HTTP2PoolStateMachineTests {
  private struct Request: HTTP2PoolRequest {
    let number: Int
    var begunAt: ContinuousClock.Instant
    var deadline: ContinuousClock.Instant
    var isWithdrawn = false
    mutating func leave(now: ContinuousClock.Instant) -> Bool {
      begunAt = now
      deadline = now + .seconds(10)
      return !isWithdrawn
    }
    static func == (one: Request, other: Request) -> Bool { one.number == other.number }
  }

  private typealias Machine = HTTP2PoolStateMachine<Request>

  private let start = ContinuousClock.now
  private static let refused = TransportError(code: .connection, wasSent: false, detail: "refused")

  private func at(_ seconds: Double) -> ContinuousClock.Instant { start + .seconds(seconds) }

  /// Request `number`, begun at `seconds`, due ten seconds later.
  private func request(_ number: Int, at seconds: Double = 0) -> Request {
    Request(number: number, begunAt: at(seconds), deadline: at(seconds + 10))
  }

  private func machine(admitting count: Int = 0, limits: TransportLimits = .init()) -> Machine {
    var machine = Machine(limits: limits)
    for number in 0..<count { machine.admit(request(number)) }
    return machine
  }

  /// A connection that the peer has greeted with room for `streams`.
  private func connect(
    _ machine: inout Machine, streams: Int = 100, at seconds: Double = 0
  ) -> (Machine.ConnectionID, [Machine.Action]) {
    let id = machine.connected(now: at(seconds))
    let actions = machine.assign(now: at(seconds)) { other in
      other == id ? .init(streamsMax: streams, room: streams) : .init(streamsMax: 1, room: 0)
    }
    return (id, actions)
  }

  @Test func assignsNothingBeforeThePeersSettings() {
    var machine = machine(admitting: 1)
    let id = machine.connected(now: start)
    #expect(machine.assign(now: start) { _ in .init(streamsMax: nil, room: 9) } == [])
    #expect(
      machine.assign(now: start) { _ in .init(streamsMax: 1, room: 1) } == [.begin(request(0), on: id)])
  }

  @Test func triesAnotherConnectionWhenThePeerDoesNotGreet() {
    var machine = machine(admitting: 1)
    let made = machine.connectionsToMake(total: 0, now: start)
    #expect(made == 1)
    let silent = machine.connected(now: start)
    #expect(machine.due == at(3))
    #expect(machine.timerFired(now: at(2)) { _ in [] } == [])
    #expect(
      machine.timerFired(now: at(3)) { _ in [] }
        == [.close(silent, reason: "the peer sent no SETTINGS in time")])
    // The request waits on for the next connection.
    let reason = "the peer sent no SETTINGS in time"
    #expect(machine.ended([.init(id: silent, reason: reason, underWay: [])], now: at(3)) == [])
    let further = machine.connectionsToMake(total: 0, now: at(3))
    #expect(further == 1)
    let (next, actions) = connect(&machine, at: 3)
    #expect(actions == [.begin(request(0), on: next)])
  }

  @Test func asksBeforeItAssignsAndAssignsTheNextInstead() {
    var machine = machine()
    machine.admit(Request(number: 0, begunAt: start, deadline: at(10), isWithdrawn: true))
    machine.admit(request(1))
    let (id, actions) = connect(&machine, streams: 1)
    let withdrawn = Request(number: 0, begunAt: start, deadline: at(10), isWithdrawn: true)
    #expect(actions == [.end(withdrawn, .failed(.withdrawn, "withdrawn")), .begin(request(1), on: id)])
  }

  @Test func assignsInOrderUpToTheStreamLimit() {
    var machine = machine(admitting: 3)
    let (first, actions) = connect(&machine, streams: 2)
    #expect(actions == [.begin(request(0), on: first), .begin(request(1), on: first)])
    let (second, more) = connect(&machine, streams: 2)
    #expect(more == [.begin(request(2), on: second)])
    #expect(machine.firstWaiting == nil)
  }

  @Test func estimatesConnectionsByTheStreamsOfTheLastOne() {
    var machine = machine(admitting: 1)
    let made = machine.connectionsToMake(total: 0, now: start)
    #expect(made == 1)
    _ = connect(&machine, streams: 2)
    for number in 1...5 { machine.admit(request(number)) }
    _ = machine.assign(now: start) { _ in .init(streamsMax: 2, room: 0) }
    let further = machine.connectionsToMake(total: 1, now: start)
    #expect(further == 3)
    let again = machine.connectionsToMake(total: 4, now: start)
    #expect(again == 0)
  }

  @Test func makesNoMoreConnectionsThanTheTotalAllows() {
    var limits = TransportLimits()
    limits.totalConnectionsMax = 5
    limits.concurrentStreamsMax = 1
    var machine = machine(admitting: 9, limits: limits)
    let made = machine.connectionsToMake(total: 3, now: start)
    #expect(made == 2)
  }

  @Test func failsWaitingRequestsWhenTheLastAttemptFails() {
    var machine = machine(admitting: 2)
    _ = machine.connectionsToMake(total: 0, now: start)
    #expect(
      machine.connectFailed(Self.refused, now: start) == [
        .end(request(0), .unconnected(Self.refused)), .end(request(1), .unconnected(Self.refused)),
      ])
    #expect(machine.isEmpty)
  }

  @Test func keepsWaitingRequestsWhileAConnectionExists() {
    var machine = machine(admitting: 2)
    _ = connect(&machine, streams: 1)
    _ = machine.connectionsToMake(total: 1, now: start)
    #expect(machine.connectFailed(Self.refused, now: start) == [])
    let tooSoon = machine.connectionsToMake(total: 1, now: at(0.9))
    #expect(tooSoon == 0)
    let later = machine.connectionsToMake(total: 1, now: at(1))
    #expect(later == 1)
  }

  @Test func timesOutWaitingRequests() {
    var machine = machine(admitting: 1)
    #expect(machine.due == at(10))
    #expect(machine.timerFired(now: at(9)) { _ in [] } == [])
    #expect(machine.timerFired(now: at(10)) { _ in [] } == [.end(request(0), .failed(.timeout, "no answer"))])
    #expect(machine.due == nil)
  }

  @Test func theTimeOfARequestBeginsWithItsStream() {
    var machine = machine(admitting: 1)
    let (_, actions) = connect(&machine, at: 9)
    let begun = actions.compactMap { if case .begin(let request, _) = $0 { request } else { nil } }
    #expect(begun.map(\.begunAt) == [at(9)])
    #expect(begun.map(\.deadline) == [at(19)])
  }

  @Test func waitingInVainForAStreamIsNotTheFaultOfThePeer() {
    var machine = machine(admitting: 2)
    _ = connect(&machine, streams: 1, at: 9)
    #expect(
      machine.timerFired(now: at(10)) { _ in [request(0, at: 9)] } == [
        .end(request(1), .failed(.busy, "no connection or stream became free in time"))
      ])
    #expect(machine.due == at(19))
  }

  @Test func knowsHowManyRequestsThePeerCarriesAtOnce() {
    var machine = machine(admitting: 1)
    #expect(machine.concurrencyMax(now: start) == 3200)
    _ = connect(&machine, streams: 2)
    #expect(machine.concurrencyMax(now: start) == 64)
    _ = machine.peerWantsHTTP1(now: start)
    #expect(machine.concurrencyMax(now: start) == 32)
  }

  @Test func timesOutOneRequestOfALiveConnection() {
    var machine = machine(admitting: 1)
    let (id, _) = connect(&machine)
    machine.received(on: id, now: at(5))
    #expect(
      machine.timerFired(now: at(10)) { _ in [request(0), request(1, at: 4)] } == [
        .cancel(request(0), on: id, .failed(.timeout, "no answer in time"))
      ])
    #expect(machine.due == at(14))
  }

  @Test func closesASilentConnectionWithItsFirstTimeout() {
    var machine = machine()
    let (id, _) = connect(&machine)
    let reason = "the peer answers nothing"
    #expect(
      machine.timerFired(now: at(11)) { _ in [request(0, at: 1), request(1, at: 4)] } == [
        .cancel(request(0), on: id, .failed(.timeout, "no answer in time")),
        .cancel(request(1), on: id, .failed(.timeout, reason)), .close(id, reason: reason),
      ])
  }

  @Test func closesAnIdleConnectionAndOneThatIsOld() {
    var machine = machine(admitting: 1)
    let (id, _) = connect(&machine)
    #expect(machine.timerFired(now: at(109)) { _ in [] } == [])
    #expect(machine.due == at(110))
    let closing: [Machine.Action] = [.close(id, reason: "the connection is old")]
    #expect(machine.timerFired(now: at(110)) { _ in [] } == closing)
    machine.received(on: id, now: at(550))
    #expect(machine.timerFired(now: at(599)) { _ in [] } == [])
    #expect(machine.timerFired(now: at(600)) { _ in [] } == closing)
  }

  @Test func anOldConnectionTakesNoNewRequests() {
    var machine = machine()
    _ = connect(&machine)
    machine.admit(request(0, at: 600))
    #expect(machine.assign(now: at(600)) { _ in .init(streamsMax: 9, room: 9) } == [])
  }

  @Test func distinguishesSentFromUnsentWhenAConnectionEnds() {
    var machine = machine(admitting: 2)
    let (id, _) = connect(&machine)
    let end = Machine.EndedConnection(
      id: id, reason: "gone", underWay: [(request(0), wasSent: true), (request(1), wasSent: false)])
    #expect(
      machine.ended([end], now: at(0.1)) == [
        .end(request(0), .failed(.broken, "gone")), .end(request(1), .unprocessed("gone")),
      ])
    #expect(machine.isEmpty)
  }

  @Test func connectionThatEndsWithoutSettingsFailsWaitingRequests() {
    var machine = machine(admitting: 1)
    let id = machine.connected(now: start)
    let end = Machine.EndedConnection(id: id, reason: "gone", underWay: [])
    let gone = TransportError(code: .connection, wasSent: false, detail: "gone")
    #expect(machine.ended([end], now: at(60)) == [.end(request(0), .unconnected(gone))])
  }

  @Test func requeuesWhatASessionRefuses() {
    var machine = machine(admitting: 3)
    let (id, _) = connect(&machine, streams: 2)
    #expect(
      machine.refused([request(0), request(1)], on: id, reason: "no memory") == [
        .close(id, reason: "no memory")
      ])
    let (other, actions) = connect(&machine)
    #expect(actions == (0..<3).map { .begin(request($0), on: other) })
  }

  @Test func usesHTTP1ForTheLifetimeOfAConnection() {
    var machine = machine(admitting: 2)
    _ = machine.connectionsToMake(total: 0, now: start)
    #expect(
      machine.peerSpeaksHTTP1(now: start) == [.sendOverHTTP1(request(0)), .sendOverHTTP1(request(1))])
    #expect(machine.prefersHTTP1(now: at(599)))
    #expect(!machine.prefersHTTP1(now: at(600)))
  }

  @Test func requestsHTTP1Once() {
    var machine = machine(admitting: 1)
    #expect(machine.peerWantsHTTP1(now: start) == [.sendOverHTTP1(request(0))])
    machine.admit(request(1))
    #expect(machine.peerWantsHTTP1(now: at(1)) == [])
  }

  @Test func abandonsOnlySelectedRequests() {
    var machine = machine(admitting: 3)
    let (id, _) = connect(&machine, streams: 1)
    let ending = HTTP2Ending.failed(.shuttingDown, "shutting down")
    #expect(
      machine.abandon(.shuttingDown, underWay: { _ in [request(0)] }, where: { $0.number != 1 }) == [
        .end(request(2), ending), .cancel(request(0), on: id, ending),
      ])
    #expect(machine.firstWaiting == request(1))
  }
}
