internal import CLinux
internal import Dispatch
internal import Glibc

/// Starts threads. Foundation's `Thread` does not report that the system has none left (a limit on processes
/// or memory), and whoever waits for its work then waits forever.
package enum DetachedThread {
  /// What a thread gets of the cores while others want them, which Linux decides for each thread. One that
  /// may not step back runs nevertheless.
  package enum Urgency: Sendable {
    case normal
    /// For what may take long, while others wait for an answer: niceness 10, a tenth of a busy core. Once it
    /// runs, it keeps a core for some milliseconds nevertheless.
    case low
    /// For what no request waits for: it leaves its core at once to any other thread (SCHED_IDLE), and takes
    /// long while all cores are busy.
    case idle
  }

  /// Leaves the core to another thread that is ready to run on it. Linux lets a thread go on for milliseconds
  /// while one that is more urgent waits, so what computes for that long gives way in between.
  package static func giveWay() { sched_yield() }

  private final class Body {
    let name: String
    let urgency: Urgency
    let run: @Sendable () -> Void

    init(name: String, urgency: Urgency, run: @escaping @Sendable () -> Void) {
      self.name = name
      self.urgency = urgency
      self.run = run
    }
  }

  /// Runs `run` on a new thread, whose name has at most 15 bytes; false when there is none to be had.
  package static func start(
    named name: String, urgency: Urgency = .normal, _ run: @escaping @Sendable () -> Void
  ) -> Bool {
    var attributes = pthread_attr_t()
    guard pthread_attr_init(&attributes) == 0 else { return false }
    defer { pthread_attr_destroy(&attributes) }
    guard pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED)) == 0 else { return false }
    // Guard: the reference passes to the thread, or is released here when there is none.
    let body = Unmanaged.passRetained(Body(name: name, urgency: urgency, run: run))
    var thread = pthread_t()
    let code = pthread_create(
      &thread, &attributes,
      { context in
        guard let context else { return nil }
        let body = Unmanaged<Body>.fromOpaque(context).takeRetainedValue()
        dragoman_name_thread(body.name)
        let this = __priority_which_t(PRIO_PROCESS.rawValue)
        switch body.urgency {
        case .normal: break
        case .low: if getpriority(this, 0) < 10 { setpriority(this, 0, 10) }
        case .idle: _ = dragoman_run_when_idle()
        }
        body.run()
        return nil
      }, body.toOpaque())
    if code != 0 { body.release() }
    return code == 0
  }
}
