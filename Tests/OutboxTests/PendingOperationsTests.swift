import Clock
import Testing

@testable import Outbox

/// Which of the operations that wait share the next transaction.
@Suite struct PendingOperationsTests {
  private var pending = PendingOperations(gathering: .zero, deliveriesMax: 8)
  private let start = ContinuousClock.now

  private mutating func enqueue(_ count: Int, by client: String? = nil, after: Duration = .zero) {
    let work = NewWork([notification(count: count, client: client)], nil, now: Timestamp(milliseconds: 0))
    guard
      case .admitted = pending.admit(.write(.enqueue(work)), nil, deliveriesMax: 1_000_000, at: start + after)
    else {
      Issue.record("there was room")
      return
    }
  }

  /// The deliveries of the operations of each transaction.
  private mutating func batches(after: Duration = .zero) -> [[Int]] {
    var batches: [[Int]] = []
    while let batch = pending.nextBatch(deliveriesMax: 1_000, at: start + after) {
      batches.append(batch.writes.map(\.deliveryCount))
    }
    return batches
  }

  @Test mutating func whatIsSmallDoesNotWaitForAllThatIsLarge() {
    for count in [101, 1_000, 600, 1, 2] { enqueue(count) }
    #expect(pending.nextBatch(deliveriesMax: 1_000, at: start)?.writes.map(\.deliveryCount) == [1, 2])
    // Neither does what is large wait for all that is small.
    enqueue(3)
    #expect(pending.nextBatch(deliveriesMax: 1_000, at: start)?.writes.map(\.deliveryCount) == [101, 3])
    enqueue(4)
    #expect(batches() == [[4], [1_000], [600]])
    #expect(pending.isIdle)
  }

  @Test mutating func transactionsAreShortWhileSeveralClientsSend() {
    for _ in 0..<8 { enqueue(40, by: "busy") }
    #expect(batches() == [Array(repeating: 40, count: 8)])
    enqueue(1, by: "own")
    for _ in 0..<4 { enqueue(40, by: "busy") }
    #expect(pending.isShared(at: start))
    #expect(batches() == [[1, 40, 40], [40, 40]])
    for _ in 0..<4 { enqueue(40, by: "busy", after: .seconds(1)) }
    #expect(batches(after: .seconds(1)) == [[40, 40, 40, 40]])
  }

  @Test mutating func whatIsLargeHasHalfOfTheTimeWhileSeveralClientsSend() {
    func instant(_ milliseconds: Int) -> ContinuousClock.Instant { start + .milliseconds(milliseconds) }
    func next(_ milliseconds: Int) -> [Int]? {
      pending.nextBatch(deliveriesMax: 1_000, at: instant(milliseconds))?.writes.map(\.deliveryCount)
    }
    enqueue(1, by: "own")
    for count in [100, 200, 300, 400] { enqueue(count, by: "busy") }
    #expect(next(0) == [1])
    #expect(next(1) == [100])
    // It took 4 ms.
    #expect(next(5) == nil)
    #expect(pending.nextLargeAt == instant(9))
    enqueue(2, by: "own", after: .milliseconds(6))
    #expect(next(6) == [2])
    #expect(next(8) == nil)
    #expect(next(9) == [200])
    // However long it took, the others wait a little only.
    #expect(next(500) == nil)
    #expect(pending.nextLargeAt == instant(550))
    #expect(next(550) == [300])
    // Nobody else sends any more.
    #expect(next(1_100) == [400])
    #expect(next(1_200) == nil)
    #expect(pending.nextLargeAt == nil)
  }

  @Test mutating func theEndComesAfterAllThatWaits() {
    enqueue(101)
    enqueue(1)
    guard case .admitted = pending.admit(.close {}, nil, deliveriesMax: 1, at: start) else {
      Issue.record("it is not closed")
      return
    }
    let batch = pending.nextBatch(deliveriesMax: 1_000, at: start)
    #expect(batch?.writes.map(\.deliveryCount) == [1, 101])
    #expect(batch?.others.map(\.writesBefore) == [2])
  }
}
