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

  /// What a driver without a running queue does, it does on the thread of the test.
  private final class Stopped {
    let queue = DispatchQueue(label: "stopped driver")
    let driver: StateMachineDriver<Adder>
    let sums = Mutex<[Int]>([])

    init() {
      queue.suspend()
      driver = StateMachineDriver(machine: Adder(), queue: queue, clock: SystemTimerClock(queue: queue))
    }

    /// Lets the queue run, and waits for it.
    func resume() {
      queue.resume()
      queue.sync {}
    }
  }

  @Test func aThreadWithLittleNewsRunsAnIdleMachine() {
    let stopped = Stopped()
    stopped.driver.attach { [sums = stopped] actions, _, _ in
      for case .sum(let sum) in actions { sums.sums.withLock { $0.append(sum) } }
    }
    stopped.driver.post(.add(2000))
    #expect(stopped.sums.withLock { $0 } == [2000])
    DeferredWork.afterwards {
      stopped.driver.post(.add(1))
      stopped.driver.post(.add(1))
      #expect(stopped.sums.withLock { $0 } == [2000])
    }
    // Together.
    #expect(stopped.sums.withLock { $0 } == [2000, 2002])
    stopped.resume()
  }

  @Test func muchNewsIsForTheQueue() {
    let stopped = Stopped()
    stopped.driver.attach { [sums = stopped] actions, _, _ in
      for case .sum(let sum) in actions { sums.sums.withLock { $0.append(sum) } }
    }
    stopped.driver.post(.add(2000), size: 5)
    // The queue has it already.
    stopped.driver.post(.add(1))
    #expect(stopped.sums.withLock { $0 } == [])
    stopped.resume()
    #expect(stopped.sums.withLock { $0 } == [2001])
  }

  @Test func newsWithoutEndIsForTheQueue() {
    let stopped = Stopped()
    stopped.driver.attach { [stopped] actions, _, _ in
      for case .sum(let sum) in actions {
        stopped.sums.withLock { $0.append(sum) }
        // The machine is busy: this comes afterwards.
        if sum < 2010 { stopped.driver.post(.add(1)) }
        #expect(stopped.sums.withLock { $0.last } == sum)
      }
    }
    stopped.driver.post(.add(2000))
    #expect(stopped.sums.withLock { $0 } == [2000, 2001, 2002, 2003])
    stopped.resume()
    stopped.queue.sync {}
    stopped.queue.sync {}
    #expect(stopped.sums.withLock { $0 } == Array(2000...2010))
  }

  @Test func noEventOfManyThreadsIsLost() async {
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<8 {
        group.addTask { [driver] in
          for number in 0..<500 {
            if number % 50 == 0 { _ = await driver.handle(.add(1000)) { $0.sum } }
            driver.post(.add(1000), size: number % 7)
          }
        }
      }
    }
    // Whatever is left is before this one.
    #expect(await driver.handle(.add(0)) { $0.sum } ?? 0 > 0)
    var sum = 0
    for await next in sums {
      sum = next
      if sum == 8 * 510 * 1000 { break }
    }
    #expect(sum == 8 * 510 * 1000)
  }

  @Test func finishesOnceForAllWaiters() async {
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<5 { group.addTask { [driver] in await driver.finish(with: .add(-1)) } }
    }
    driver.post(.add(5))
    #expect(await driver.handle(.add(7)) { $0.sum } == nil)
  }
}
