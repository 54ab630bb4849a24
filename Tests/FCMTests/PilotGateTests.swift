import Testing

@testable import FCM

struct PilotGateTests {
  private let start = ContinuousClock.now
  private var gate = PilotGate(lifetime: .seconds(600))

  @Test func theFirstGoesAheadAndTheOthersFollowItsAnswer() {
    var gate = gate
    #expect(gate.deadline == nil)
    #expect(gate.requested(now: start) == .pilot)
    #expect(gate.requested(now: start) == .wait)
    #expect(gate.deadline == start + PilotGate.waitMax)
    gate.open(now: start + .milliseconds(10))
    #expect(gate.deadline == nil)
    #expect(gate.requested(now: start + .milliseconds(10)) == .go)
  }

  @Test func closesWhenAConnectionBreaks() {
    var gate = gate
    _ = gate.requested(now: start)
    gate.open(now: start)
    gate.broke(isPilot: false)
    #expect(gate.requested(now: start) == .pilot)
    // An older connection says nothing about the pilot's.
    gate.broke(isPilot: false)
    #expect(gate.requested(now: start) == .wait)
    gate.broke(isPilot: true)
    #expect(gate.requested(now: start) == .pilot)
  }

  @Test func closesWhenTheConnectionIsTooOldOrWasIdleForLong() {
    var gate = gate
    _ = gate.requested(now: start)
    gate.open(now: start)
    for second in stride(from: 100, to: 600, by: 100) {
      #expect(gate.requested(now: start + .seconds(second)) == .go)
    }
    #expect(gate.requested(now: start + .seconds(600)) == .pilot)
    gate.open(now: start + .seconds(601))
    #expect(gate.requested(now: start + .seconds(712)) == .pilot)
  }

  @Test func isSilentWhenNoAnswerCameSince() {
    var gate = gate
    #expect(gate.isSilent(since: start))
    gate.answered(now: start)
    #expect(!gate.isSilent(since: start))
    #expect(gate.isSilent(since: start + .milliseconds(1)))
  }
}
