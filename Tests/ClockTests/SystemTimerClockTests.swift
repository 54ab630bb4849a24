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

  @Test func pastTickFiresAtOnce() async {
    let clock = SystemTimerClock(queue: DispatchQueue(label: "clock test"))
    await withCheckedContinuation { continuation in
      clock.setTimer(at: .min) { continuation.resume() }
    }
  }
}
