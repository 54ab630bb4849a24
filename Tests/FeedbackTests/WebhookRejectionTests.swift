import Outbox
import Testing

@testable import Feedback

/// What a webhook does about many events that its receiver rejects.
struct WebhookRejectionTests {
  private static let rejected = WebhookAnswer.failed(reason: "HTTP 400", retryAfter: nil)

  private func answer(_ id: Int64) -> WebhookAnswer { id % 2 == 1 ? Self.rejected : .delivered }

  @Test func manyRejectedEventsDelayNoOthers() {
    var run = MachineRun.started(300)
    let start = run.now
    run.run(until: start + 60_000, answer)
    #expect(Set(run.sent.map(\.id)) == Set(1...300))
    #expect(run.machine.outstanding == 150)
    #expect(run.saved.isEmpty)
    run.log.append(.dead(event(302)))
    run.handle(.wake)
    #expect(run.sending == [302])
    run.answer(302, .delivered)
    run.run(until: start + 90_000_000, answer)
    #expect(run.machine.outstanding == 0)
    #expect(run.saved.last == 302)
    #expect(run.times(of: 1).count >= 10)
  }

  @Test func readsAWholeOutagesEventsOneAtATime() {
    var run = MachineRun.started(20_000)
    let start = run.now
    run.run(until: start + 86_000_000) { _ in Self.rejected }
    #expect(Set(run.sent.map(\.id)).count < 400)
    #expect(run.machine.outstanding < 500)
  }

  @Test func givesUpTheFirstFailedEventWhenTooManyFail() {
    var policy = WebhookPolicy()
    policy.failedMax = 50
    var run = MachineRun.started(400, policy: policy)
    run.run(until: run.now + 4_000, answer)
    #expect(run.machine.failing == 50)
    let givenUp = run.reports.compactMap { report -> Int64? in
      if case .givenUp(let id, _) = report { id } else { nil }
    }
    #expect(givenUp == (0..<150).map { 2 * $0 + 1 })
    #expect(run.reports.contains(.givenUp(1, reason: "more than 50 events wait for another attempt")))
    #expect(run.saved.last == 300)
    run.run { _ in .delivered }
    #expect(run.machine.outstanding == 0)
    #expect(run.saved.last == 400)
  }

  @Test func boundsTheEventsThatWereNeverTried() {
    var policy = WebhookPolicy()
    policy.failuresMax = .max
    let run = MachineRun.started(1000, policy: policy)
    #expect(run.machine.outstanding == 100)
    #expect(run.sending == [1, 2, 3, 4])
  }

  @Test func leavesHalfOfTheRequestsToNewEvents() {
    var run = MachineRun.started(40)
    for id in 1...40 where run.sending.contains(Int64(id)) { run.answer(Int64(id), answer(Int64(id))) }
    #expect(run.machine.failing == 20)
    run.now += 5_000
    for id in 41...60 { run.log.append(.dead(event(Int64(id)))) }
    run.handle(.wake)
    run.handle(.timer)
    #expect(run.sending.count == 4)
    #expect(run.sending.count { $0 <= 40 } == 2)
    // The failed ones do not end; the new ones do.
    while let new = run.sending.first(where: { $0 > 40 }) { run.answer(new, .delivered) }
    #expect(Set(run.sent.map(\.id)).isSuperset(of: 41...60))
  }

  @Test func repeatsManyEventsAtAFewASecondOnceTheReceiverIsBack() {
    var policy = WebhookPolicy()
    policy.failuresMax = 1_000
    var run = MachineRun.started(1_000, policy: policy, random: { 0.999 })
    run.run(until: run.now + 4_000) { _ in Self.rejected }
    #expect(run.machine.failing == 1_000)
    // The receiver counts as degraded; the next attempt succeeds.
    let back = run.now
    run.run { _ in .delivered }
    #expect(run.saved.last == 1_000)
    #expect(run.now - back < 400_000)
  }
}
