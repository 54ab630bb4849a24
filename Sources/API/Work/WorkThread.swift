internal import Clock
internal import Dispatch
internal import Synchronization

/// A thread that runs one job after another; it starts with the first, and ends with this object. Unlike one
/// of Dispatch's, it has a niceness: the kernel does not let a thread that was nice be as urgent as before.
final class WorkThread: Sendable {
  private struct State: Sendable {
    var job: (@Sendable () -> Void)?
    var isStarted = false
  }

  /// What the thread shares with this object, which it does not keep alive.
  private final class Channel: Sendable {
    let state = Mutex(State())
    let signal = DispatchSemaphore(value: 0)

    func run() {
      repeat { signal.wait() } while runJob()
    }

    private func runJob() -> Bool {
      guard let job = state.withLock({ $0.job.take() }) else { return false }
      job()
      return true
    }
  }

  private let name: String
  private let niceness: Int32
  private let channel = Channel()

  init(name: String, niceness: Int32) {
    self.name = name
    self.niceness = niceness
  }

  deinit { channel.signal.signal() }

  /// Runs a job after the one before it has ended. While there is no thread to be had, Dispatch runs it.
  func run(_ job: @escaping @Sendable () -> Void) {
    let isStarted = channel.state.withLock { state in
      if !state.isStarted {
        state.isStarted = DetachedThread.start(named: name, niceness: niceness) { [channel] in channel.run() }
      }
      if state.isStarted { state.job = job }
      return state.isStarted
    }
    if isStarted { channel.signal.signal() } else { DispatchQueue.global().async(execute: job) }
  }
}
