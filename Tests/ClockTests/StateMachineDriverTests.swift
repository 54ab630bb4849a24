import Clock
import Dispatch
import Synchronization
import Testing

/// Counts its events; finishes at a negative number.
private struct Adder: TimedStateMachine {
  enum Event: Sendable { case add(Int), timer }
  enum Action: Equatable { case sum(Int) }

  static var timerEvent: Event { .timer }
  private(set) var sum = 0
  private(set) var isFinished = false

  mutating func handle(_ events: [Event], now: Moment) -> [Action] {
    for event in events {
      switch event {
      case .add(let number):
        sum += number
        if number < 0 { isFinished = true }
      case .timer: sum += 1000
      }
    }
    return [.sum(sum)]
  }

  func timerTicks(now: Moment) -> Int64? { sum > 0 && sum < 1000 ? now.ticks : nil }
}

@Suite(.timeLimit(.minutes(1)))
struct StateMachineDriverTests {
  private let driver: StateMachineDriver<Adder>
  private let sums: AsyncStream<Int>

  init() {
    let queue = DispatchQueue(label: "driver test")
    driver = StateMachineDriver(machine: Adder(), queue: queue, clock: SystemTimerClock(queue: queue))
    let (sums, continuation) = AsyncStream<Int>.makeStream()
    self.sums = sums
    driver.attach { actions, _, _ in
      for case .sum(let sum) in actions { continuation.yield(sum) }
    }
  }

  @Test func passesOnEventsAndTheTimer() async {
    driver.post(.add(3))
    var iterator = sums.makeAsyncIterator()
    #expect(await iterator.next() == 3)
    #expect(await iterator.next() == 1003)
  }

  @Test func answersFromTheMachineBeforeItActs() async {
    #expect(await driver.handle(.add(2000)) { $0.sum } == 2000)
  }

  @Test func finishesOnceForAllWaiters() async {
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<5 { group.addTask { [driver] in await driver.finish(with: .add(-1)) } }
    }
    driver.post(.add(5))
    #expect(await driver.handle(.add(7)) { $0.sum } == nil)
  }
}
