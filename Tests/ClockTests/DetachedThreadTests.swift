import Foundation
import Glibc
import Testing

@testable import Clock

/// Threads beyond those of the concurrency pool and of Dispatch.
struct DetachedThreadTests {
  @Test func aThreadHasItsNameAndPriority() async {
    let own = getpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0)
    let wanted = min(own + 3, 19)
    let (name, niceness) = await withCheckedContinuation { continuation in
      let isStarted = DetachedThread.start(named: "dragoman.test", niceness: wanted) {
        let name = try? String(contentsOfFile: "/proc/thread-self/comm", encoding: .utf8)
        let niceness = getpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0)
        continuation.resume(returning: (name, niceness))
      }
      if !isStarted { continuation.resume(returning: (nil, -1)) }
    }
    #expect(name == "dragoman.test\n")
    // Of this thread alone.
    #expect(niceness == wanted)
    #expect(getpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0) == own)
  }

  @Test func aLimitOnThreadsIsReported() async {
    await #expect(processExitsWith: .success) {
      // A thread's stack does not fit into the address space that is left.
      var none = rlimit(rlim_cur: 0, rlim_max: .max)
      guard setrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &none) == 0 else { exit(1) }
      // Stacks that earlier threads left are used again, and used up.
      for _ in 0..<1000 {
        guard DetachedThread.start(named: "dragoman.test", { pause() }) else { exit(0) }
      }
      exit(1)
    }
  }
}
