import Testing

@testable import HTTPServer

struct ConnectionStateMachineTests {
  private static let second: UInt64 = 1_000_000_000

  private func machine(
    _ change: (inout HTTPServerConfiguration) -> Void = { _ in }
  ) -> ConnectionStateMachine {
    var configuration = HTTPServerConfiguration.testing
    change(&configuration)
    return ConnectionStateMachine(limits: ConnectionLimits(configuration), now: 0)
  }

  private func begin(_ machine: ConnectionStateMachine, keepsAlive: Bool = true) -> UInt64 {
    machine.requestEnded(isHead: false, minorVersion: 1, keepsAlive: keepsAlive, now: 0)
  }

  private func status(_ answer: ConnectionStateMachine.Answer?) -> Int? {
    guard case .ready(let ready) = answer else { return nil }
    return ready.response.status
  }

  @Test func answersInTheOrderOfTheRequests() {
    let machine = machine()
    let first = begin(machine)
    let second = begin(machine)
    machine.answered(HTTPResponse(status: 202), sequence: second)
    #expect(machine.nextAnswer() == nil)
    machine.answered(HTTPResponse(status: 201), sequence: first)
    #expect(status(machine.nextAnswer()) == 201)
    #expect(status(machine.nextAnswer()) == 202)
    #expect(machine.nextAnswer() == nil)
    machine.answered(HTTPResponse(status: 500), sequence: first)
    machine.answered(HTTPResponse(status: 500), sequence: 99)
    #expect(machine.nextAnswer() == nil)
  }

  @Test func sendsNothingAfterAClosingAnswer() {
    let machine = machine()
    let first = begin(machine)
    let second = begin(machine)
    machine.answered(HTTPResponse(status: 200, closesConnection: true), sequence: first)
    machine.answered(HTTPResponse(status: 202), sequence: second)
    #expect(status(machine.nextAnswer()) == 200)
    #expect(machine.nextAnswer() == nil)
    #expect(!machine.takesRequests)
    #expect(machine.closing(now: 0) == .halfThenLinger)
    machine.inputEnded()
    #expect(machine.closing(now: 0) == .now)
  }

  @Test func closesWithoutLingeringWhenTheClientAsks() {
    let machine = machine()
    machine.answered(HTTPResponse(status: 200), sequence: begin(machine, keepsAlive: false))
    _ = machine.nextAnswer()
    #expect(machine.closing(now: 0) == .now)
  }

  @Test func anIdleConnectionClosesWhenTheServerStops() {
    let machine = machine()
    #expect(machine.closing(now: 0) == .no)
    machine.drain()
    #expect(machine.closing(now: 0) == .now)
  }

  @Test func aRequestInFlightIsTheLastWhenTheServerStops() {
    let machine = machine()
    let sequence = begin(machine)
    machine.drain()
    #expect(machine.closing(now: 0) == .no)
    #expect(!machine.takesRequests)
    machine.answered(HTTPResponse(status: 200), sequence: sequence)
    guard case .ready(let ready) = machine.nextAnswer() else {
      Issue.record("no answer")
      return
    }
    #expect(!ready.keepsAlive)
    #expect(machine.closing(now: 0) == .halfThenLinger)
    #expect(machine.deadline == Self.second / 2)
  }

  @Test func readingPausesWhileOutputWaits() {
    let machine = machine { $0.waitingOutputBytesMax = 100 }
    machine.outputWaits(bytes: 99, written: 0, now: 0)
    #expect(machine.wantsInput)
    machine.outputWaits(bytes: 100, written: 0, now: 0)
    #expect(!machine.wantsInput)
  }

  @Test func eachPhaseHasItsDeadline() {
    let machine = machine()
    #expect(machine.deadline == 10 * Self.second)
    #expect(machine.expiry(now: 10 * Self.second) == .close)
    machine.parserMoved(to: .head, now: 5 * Self.second)
    machine.parserMoved(to: .head, now: 9 * Self.second)
    #expect(machine.deadline == 15 * Self.second)
    #expect(machine.expiry(now: 15 * Self.second - 1) == .none)
    #expect(machine.expiry(now: 15 * Self.second) == .requestTimeout)
    machine.parserMoved(to: .body, now: 10 * Self.second)
    #expect(machine.deadline == 40 * Self.second)
    let sequence = machine.requestEnded(
      isHead: false, minorVersion: 1, keepsAlive: true, now: 11 * Self.second)
    #expect(machine.deadline == nil)
    machine.answered(HTTPResponse(status: 200), sequence: sequence)
    _ = machine.nextAnswer()
    #expect(machine.deadline == 86 * Self.second)
  }

  @Test func aBodyHasTimeInProportionToWhatHasArrived() {
    let machine = machine { $0.bodyBytesPerSecondMin = 1000 }
    machine.parserMoved(to: .body, now: 0)
    #expect(machine.deadline == 30 * Self.second)
    machine.parserMoved(to: .body, bodyBytes: 10_000, now: 5 * Self.second)
    #expect(machine.deadline == 40 * Self.second)
    #expect(machine.expiry(now: 39 * Self.second) == .none)
    #expect(machine.expiry(now: 40 * Self.second) == .requestTimeout)
    // Nothing more arrives, so nothing is added.
    machine.parserMoved(to: .body, bodyBytes: 10_000, now: 39 * Self.second)
    #expect(machine.deadline == 40 * Self.second)
  }

  @Test func onlyReadingEverythingExtendsTheDeadline() {
    let machine = machine { $0.writeBytesPerSecondMin = 1000 }
    machine.outputWaits(bytes: 2000, written: 0, now: 0)
    #expect(machine.deadline == 32 * Self.second)
    machine.outputWaits(bytes: 1000, written: 1000, now: 20 * Self.second)
    #expect(machine.deadline == 32 * Self.second)
    machine.outputWaits(bytes: 5000, written: 1000, now: 30 * Self.second)
    #expect(machine.deadline == 65 * Self.second)
    #expect(machine.expiry(now: 65 * Self.second) == .close)
    machine.outputWaits(bytes: 0, written: 5000, now: 40 * Self.second)
    #expect(machine.expiry(now: 65 * Self.second) == .close)
    #expect(machine.deadline == 10 * Self.second)
  }
}
