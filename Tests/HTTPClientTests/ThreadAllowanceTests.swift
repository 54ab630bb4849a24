import Clock
import Synchronization
import Testing

@testable import HTTPClient

/// What the system has left is found out without keeping any of it.
struct ThreadAllowanceTests {
  @Test func countsWhatThereIs() {
    let running = Atomic<Int>(0)
    let most = Atomic<Int>(0)
    let found = ThreadAllowance.probe(9) { name, run in
      guard running.load(ordering: .acquiring) < 5 else { return false }
      most.store(running.add(1, ordering: .acquiringAndReleasing).newValue, ordering: .releasing)
      return DetachedThread.start(named: name) {
        run()
        running.subtract(1, ordering: .acquiringAndReleasing)
      }
    }
    // They were all there at once.
    #expect(found == 5)
    #expect(most.load(ordering: .acquiring) == 5)
  }

  @Test func findsWhatIsWanted() {
    #expect(ThreadAllowance.probe(3) == 3)
    #expect(ThreadAllowance.probe(0) == 0)
  }
}
