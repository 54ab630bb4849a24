internal import Dispatch
internal import Synchronization

/// A thread that runs one job after another; it starts with the first, and ends with this object. Unlike one
/// of Dispatch's, it has an urgency: Linux does not let a thread that stepped back be as urgent as before.
package final class WorkThread: Sendable {
  private struct State: Sendable {
    var jobs: [@Sendable () -> Void] = []
    var isStarted = false
    var isEnded = false
  }

  /// What the thread shares with this object, which it does not keep alive.
  private final class Channel: Sendable {
    let state = Mutex(State())
    let signal = DispatchSemaphore(value: 0)
    /// Held while a job runs, whoever runs it.
    private let running = Mutex(())

    func run() {
      repeat {
        signal.wait()
        runJob()
      } while !state.withLock { $0.isEnded && $0.jobs.isEmpty }
    }

    func runJob() {
      running.withLock { _ in
        let job = state.withLock { $0.jobs.isEmpty ? nil : $0.jobs.removeFirst() }
        job?()
      }
    }
  }

  private let name: String
  private let urgency: DetachedThread.Urgency
  private let channel = Channel()

  package init(name: String, urgency: DetachedThread.Urgency) {
    self.name = name
    self.urgency = urgency
  }

  deinit {
    channel.state.withLock { $0.isEnded = true }
    channel.signal.signal()
  }

  /// Runs a job after those before it have ended. While there is no thread to be had, Dispatch runs it.
  package func run(_ job: @escaping @Sendable () -> Void) {
    let isStarted = channel.state.withLock { state in
      if !state.isStarted {
        state.isStarted = DetachedThread.start(named: name, urgency: urgency) { [channel] in channel.run() }
      }
      state.jobs.append(job)
      return state.isStarted
    }
    if isStarted {
      channel.signal.signal()
    } else {
      DispatchQueue.global().async { [channel] in channel.runJob() }
    }
  }
}
