import Testing

@testable import HTTPClient

/// Which requests over HTTP/1.1 begin, and which wait.
@Suite struct HTTP1QueueTests {
  private let start = ContinuousClock.now

  private func at(_ seconds: Double) -> ContinuousClock.Instant { start + .seconds(seconds) }

  private func queue(hostMax: Int = 2, totalMax: Int = 9) -> HTTP1Queue<Int> {
    var limits = TransportLimits()
    limits.hostConnectionsMax = hostMax
    limits.totalConnectionsMax = totalMax
    return HTTP1Queue(limits: limits)
  }

  @Test func beginsAsManyAsTheirHostHasConnections() {
    var queue = queue()
    let admitted = (0..<4).map { queue.admit($0, to: "a", until: at(10)) }
    #expect(admitted == [true, true, false, false])
    #expect(queue.next() == nil)
    queue.ended(on: "a")
    #expect(queue.next() == 2)
    #expect(queue.next() == nil)
    queue.ended(on: "a")
    #expect(queue.next() == 3)
  }

  @Test func aBusyHostDelaysNoOther() {
    var queue = queue(hostMax: 1)
    let admitted = [(0, "a"), (1, "a"), (2, "b")].map { queue.admit($0.0, to: $0.1, until: at(10)) }
    #expect(admitted == [true, false, true])
    queue.ended(on: "b")
    #expect(queue.next() == nil)
  }

  @Test func boundsAllHostsTogether() {
    var queue = queue(totalMax: 2)
    let admitted = [(0, "a"), (1, "b"), (2, "c")].map { queue.admit($0.0, to: $0.1, until: at(10)) }
    #expect(admitted == [true, true, false])
    queue.ended(on: "a")
    #expect(queue.next() == 2)
  }

  @Test func removesWhatHasWaitedForTooLong() {
    var queue = queue(hostMax: 1)
    #expect(queue.due == nil)
    for (number, until) in [(0, 5.0), (1, 7.0), (2, 6.0)] {
      _ = queue.admit(number, to: "a", until: at(until))
    }
    // The first one is under way: how long it takes is not the queue's business.
    #expect(queue.due == at(6))
    #expect(queue.removeLate(now: at(5.9)) == [])
    #expect(queue.removeLate(now: at(6)) == [2])
    #expect(queue.due == at(7))
    queue.ended(on: "a")
    #expect(queue.next() == 1)
    #expect(queue.removeLate(now: at(7)) == [])
    #expect(queue.due == nil)
  }

  @Test func removesWhatIsAbandoned() {
    var queue = queue(hostMax: 1)
    for number in 0..<4 { _ = queue.admit(number, to: "a", until: at(10)) }
    #expect(queue.removeAll { $0 != 2 } == [1, 3])
    queue.ended(on: "a")
    #expect(queue.next() == 2)
  }
}
