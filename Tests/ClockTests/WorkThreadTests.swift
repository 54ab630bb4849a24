import Dispatch
import Synchronization
import Testing

@testable import Clock

/// Threads that run one job after another.
struct WorkThreadTests {
  private final class Order: Sendable {
    let numbers = Mutex<[Int]>([])
    let running = Atomic<Int>(0)

    func run(_ number: Int) {
      #expect(running.wrappingAdd(1, ordering: .relaxed).oldValue == 0)
      numbers.withLock { $0.append(number) }
      running.wrappingSubtract(1, ordering: .relaxed)
    }
  }

  @Test func runsEachJobOnceInOrder() async {
    let (thread, order) = (WorkThread(name: "dragoman.test", urgency: .normal), Order())
    await withCheckedContinuation { continuation in
      for number in 0..<1_000 { thread.run { order.run(number) } }
      thread.run { continuation.resume() }
    }
    #expect(order.numbers.withLock { $0 } == Array(0..<1_000))
  }

  /// What was given to it runs, though nobody holds it any more.
  @Test func endsAfterItsLastJob() async {
    let order = Order()
    await withCheckedContinuation { continuation in
      let thread = WorkThread(name: "dragoman.test", urgency: .normal)
      for number in 0..<100 { thread.run { order.run(number) } }
      thread.run { continuation.resume() }
    }
    #expect(order.numbers.withLock { $0.count } == 100)
  }
}
