import Clock
import Dispatch
import Synchronization
import Testing

/// Calls with a deadline, and queues with a bound.
@Suite struct TimedCallTests {
  @Test func givesAWriteMoreTimeWhileItMakesProgress() {
    let errors = Mutex<[TimedCall.Expiry]>([])
    let call = TimedCall(.write, timeout: .zero) { expiry in errors.withLock { $0.append(expiry) } }
    #expect(call.begin())
    call.madeProgress()
    #expect(!call.expire())
    #expect(errors.withLock { $0 } == [])
    #expect(call.expire())
    #expect(errors.withLock { $0 } == [.unknown])
  }

  @Test func refusesCallsBeyondItsBound() {
    let bounded = BoundedQueue(label: "test", callsMax: 2)
    let release = DispatchSemaphore(value: 0)
    #expect(bounded.run { release.wait() })
    #expect(bounded.run {})
    #expect(!bounded.run {})
    release.signal()
    bounded.queue.sync {}
    #expect(bounded.run {})
    bounded.queue.sync {}
  }
}
