import JSON
import Synchronization
import Testing

@testable import API

/// Work in steps, of several clients.
@Suite struct StepQueueTests {
  /// What a test does with the steps that have begun.
  private final class Steps: Sendable {
    let names = Mutex<[String]>([])
    let pending = Mutex<[@Sendable (Bool) -> Void]>([])

    func make(_ name: String) -> StepQueue.Step {
      { completion in
        self.names.withLock { $0.append(name) }
        self.pending.withLock { $0.append(completion) }
      }
    }

    /// Ends the step that is being made.
    func end(isOver: Bool) throws {
      let completion = try #require(pending.withLock { $0.popLast() })
      completion(isOver)
    }
  }

  @Test func makesOneStepAtATimeAndTakesTurns() throws {
    let (queue, steps) = (StepQueue(), Steps())
    let (a, b) = (ExactText("a"), ExactText("b"))
    #expect(queue.start(for: a, steps.make("a1")))
    #expect(queue.start(for: a, steps.make("a2")))
    #expect(queue.start(for: b, steps.make("b")))
    #expect(steps.names.withLock { $0 } == ["a1"])
    try steps.end(isOver: false)
    // The other client's turn, although the first one has waited for longer.
    #expect(steps.names.withLock { $0 } == ["a1", "b"])
    try steps.end(isOver: true)
    try steps.end(isOver: true)
    try steps.end(isOver: true)
    #expect(steps.names.withLock { $0.sorted() } == ["a1", "a1", "a2", "b"])
    #expect(steps.pending.withLock { $0.isEmpty })
  }

  @Test func refusesMoreThanItsLimits() throws {
    let (queue, steps) = (StepQueue(), Steps())
    for _ in 0..<StepQueue.clientWorksMax { #expect(queue.start(for: nil, steps.make("own"))) }
    #expect(!queue.start(for: nil, steps.make("own")))
    var clients = 0
    while queue.start(for: ExactText("c\(clients)"), steps.make("other")) { clients += 1 }
    #expect(clients == StepQueue.worksMax - StepQueue.clientWorksMax)
    try steps.end(isOver: true)
    #expect(queue.start(for: ExactText("last"), steps.make("other")))
    #expect(!queue.start(for: ExactText("one more"), steps.make("other")))
  }
}
