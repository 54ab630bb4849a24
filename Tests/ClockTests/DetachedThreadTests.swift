import Foundation
import Glibc
import Testing

@testable import Clock

/// Threads beyond those of the concurrency pool and of Dispatch.
struct DetachedThreadTests {
  @Test(arguments: [DetachedThread.Urgency.normal, .low, .idle])
  func aThreadHasItsNameAndUrgency(_ urgency: DetachedThread.Urgency) async {
    let this = __priority_which_t(PRIO_PROCESS.rawValue)
    let (own, policy) = (getpriority(this, 0), sched_getscheduler(0))
    let (name, niceness, scheduler) = await withCheckedContinuation { continuation in
      let isStarted = DetachedThread.start(named: "dragoman.test", urgency: urgency) {
        let name = try? String(contentsOfFile: "/proc/thread-self/comm", encoding: .utf8)
        continuation.resume(returning: (name, getpriority(this, 0), sched_getscheduler(0)))
      }
      if !isStarted { continuation.resume(returning: (nil, -1, -1)) }
    }
    #expect(name == "dragoman.test\n")
    #expect(niceness == (urgency == .low ? max(own, 10) : own))
    // SCHED_IDLE is 5 (sched.h).
    #expect(scheduler == (urgency == .idle ? 5 : policy))
    // Of that thread alone.
    #expect(getpriority(this, 0) == own)
    #expect(sched_getscheduler(0) == policy)
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
