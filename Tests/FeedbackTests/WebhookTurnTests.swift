import Outbox
import Testing

@testable import Feedback

/// What a webhook does when another gateway on the same queue has taken its turn to notify the receiver.
struct WebhookTurnTests {
  @Test func beginsAgainWhenAnotherGatewayHasTakenTheTurn() {
    var run = MachineRun.started(3)
    run.savesCursor = false
    run.answer(1, .delivered)
    run.handle(.cursorSaved(.failure(OutboxError(code: .turnLost, description: "another gateway"))))
    #expect(run.reports == [.delivered(1)])
    #expect(run.machine.outstanding == 0)
    // Requests that were under way report nothing new.
    run.answer(2, .delivered)
    run.now += 60_000
    run.handle(.timer)
    #expect(run.reports == [.delivered(1)])
    #expect(run.sent.map(\.id) == [1, 2, 3])
    // The turn is back, after the other gateway has delivered two.
    run.handle(.cursorRead(.success(2)))
    #expect(run.sent.map(\.id) == [1, 2, 3, 3])
  }

  @Test func stopSavesNoCursorAfterTheTurnWasLost() {
    var run = MachineRun.started(3)
    run.savesCursor = false
    run.answer(1, .delivered)
    run.handle(.cursorSaved(.failure(OutboxError(code: .turnLost, description: "another gateway"))))
    run.handle(.stop(grace: 1000))
    #expect(run.isFinished)
  }

  @Test func ignoresAPageThatWasAskedForBeforeTheTurnWasLost() {
    var machine = WebhookStateMachine(policy: WebhookPolicy(), random: { 0 })
    _ = machine.handle(.start, now: 0)
    #expect(machine.handle(.cursorRead(.success(nil)), now: 0) == [.read(after: nil, limit: 100)])
    let one = WebhookPage(events: [.dead(event(1))], next: 1, hasMore: false)
    _ = machine.handle(.pageRead(.success(one)), now: 0)
    #expect(machine.handle(.wake, now: 0) == [.read(after: 1, limit: 99)])
    _ = machine.handle(.answered(1, .delivered), now: 0)
    let lost = OutboxError(code: .turnLost, description: "another gateway")
    #expect(machine.handle(.cursorSaved(.failure(lost)), now: 0) == [])
    let two = WebhookPage(events: [.dead(event(2))], next: 2, hasMore: false)
    #expect(machine.handle(.pageRead(.success(two)), now: 0) == [.readCursor])
    #expect(machine.handle(.cursorRead(.success(1)), now: 0) == [.read(after: 1, limit: 100)])
  }
}
