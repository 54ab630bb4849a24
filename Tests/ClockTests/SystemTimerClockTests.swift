import Clock
import Dispatch
import Testing

@Suite(.timeLimit(.minutes(1)))
struct SystemTimerClockTests {
  @Test func timerDoesNotFireBeforeItsTick() async {
    let clock = SystemTimerClock(queue: DispatchQueue(label: "clock test"))
    let start = clock.now.ticks
    await withCheckedContinuation { continuation in
      clock.setTimer(at: start + 20) { continuation.resume() }
    }
    #expect(clock.now.ticks >= start + 20)
  }

  @Test func settingTheTimerAgainReplacesIt() async {
    let clock = SystemTimerClock(queue: DispatchQueue(label: "clock test"))
    let (fired, continuation) = AsyncStream<String>.makeStream()
    clock.setTimer(at: clock.now.ticks + 50) { continuation.yield("former") }
    clock.setTimer(at: clock.now.ticks) { continuation.yield("latter") }
    var iterator = fired.makeAsyncIterator()
    #expect(await iterator.next() == "latter")
    clock.setTimer(at: clock.now.ticks + 60) { continuation.yield("last") }
    #expect(await iterator.next() == "last")
  }

  /// The source fires for the earlier one and goes on waiting.
  @Test func aLaterTickReplacesAnEarlierOne() async {
    let clock = SystemTimerClock(queue: DispatchQueue(label: "clock test"))
    let (fired, continuation) = AsyncStream<String>.makeStream()
    let start = clock.now.ticks
    clock.setTimer(at: start + 10) { continuation.yield("earlier") }
    clock.setTimer(at: start + 40) { continuation.yield("later") }
    var iterator = fired.makeAsyncIterator()
    #expect(await iterator.next() == "later")
    #expect(clock.now.ticks >= start + 40)
    // An earlier one again, while nothing is armed, and one after a timer that was cleared.
    clock.setTimer(at: start + 60) { continuation.yield("again") }
    #expect(await iterator.next() == "again")
    clock.setTimer(at: start + 80) { continuation.yield("cleared") }
    clock.setTimer(at: nil) {}
    clock.setTimer(at: start + 120) { continuation.yield("last") }
    #expect(await iterator.next() == "last")
    #expect(clock.now.ticks >= start + 120)
  }

  @Test func pastTickFiresAtOnce() async {
    let clock = SystemTimerClock(queue: DispatchQueue(label: "clock test"))
    await withCheckedContinuation { continuation in
      clock.setTimer(at: .min) { continuation.resume() }
    }
  }
}
