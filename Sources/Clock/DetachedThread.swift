internal import CLinux
internal import Dispatch
internal import Glibc

/// Starts threads. Foundation's `Thread` does not report that the system has none left (a limit on processes
/// or memory), and whoever waits for its work then waits forever.
package enum DetachedThread {
  private final class Body {
    let name: String
    let niceness: Int32
    let run: @Sendable () -> Void

    init(name: String, niceness: Int32, run: @escaping @Sendable () -> Void) {
      self.name = name
      self.niceness = niceness
      self.run = run
    }
  }

  /// The niceness of what may take long, while others wait for an answer: a tenth of a busy core.
  package static let backgroundNiceness: Int32 = 10

  /// Runs `run` on a new thread, whose name has at most 15 bytes; false when there is none to be had.
  /// `niceness` is at least that of the thread alone (Linux); one that may not be nice runs nevertheless.
  package static func start(
    named name: String, niceness: Int32 = .min, _ run: @escaping @Sendable () -> Void
  ) -> Bool {
    var attributes = pthread_attr_t()
    guard pthread_attr_init(&attributes) == 0 else { return false }
    defer { pthread_attr_destroy(&attributes) }
    guard pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED)) == 0 else { return false }
    // Guard: the reference passes to the thread, or is released here when there is none.
    let body = Unmanaged.passRetained(Body(name: name, niceness: niceness, run: run))
    var thread = pthread_t()
    let code = pthread_create(
      &thread, &attributes,
      { context in
        guard let context else { return nil }
        let body = Unmanaged<Body>.fromOpaque(context).takeRetainedValue()
        dragoman_name_thread(body.name)
        let this = __priority_which_t(PRIO_PROCESS.rawValue)
        if getpriority(this, 0) < body.niceness { setpriority(this, 0, body.niceness) }
        body.run()
        return nil
      }, body.toOpaque())
    if code != 0 { body.release() }
    return code == 0
  }
}
