internal import Dispatch
internal import Glibc
internal import JSON
internal import Synchronization

/// Threads for what takes too long for an event loop: large bodies, previews, descriptions.
///
/// Everything is bounded: how many jobs run at once, how many wait, and how long each of them waits. Clients
/// share the threads by CPU time: no number of jobs of one delays another's by more than the jobs that run,
/// and no long job delays a short one.
final class WorkPool: Sendable {
  /// What waits for what: of one client's jobs, short ones go first.
  enum Lane: Sendable { case short, long }

  private struct Job: Sendable {
    let client: ExactText?
    let run: @Sendable () -> Void
    let refuse: @Sendable () -> Void
    let queuedAt: ContinuousClock.Instant
  }

  private struct State: Sendable {
    /// Those for short jobs come last.
    var idleThreads: [Int]
    var waiting = FairQueue<Job>()
    /// Whether a timer for the jobs that wait is set.
    var isWatched = false
  }

  /// Jobs that run at once, and beside them short ones.
  static let threadCountDefault = 2
  static let shortThreadCountDefault = 1
  /// Jobs that wait; the bytes of their requests count against the server's own limit.
  static let waitingMaxDefault = 10_000
  /// How long a job waits before it is refused.
  static let queueTimeoutDefault = Duration.seconds(5)

  private let threads: [DispatchQueue]
  /// Threads from this one on are for short jobs.
  private let threadCount: Int
  private let watch = DispatchQueue(label: "dragoman.work.watch")
  private let waitingMax: Int
  private let queueTimeout: Duration
  private let state: Mutex<State>

  init(
    threadCount: Int = threadCountDefault, shortThreadCount: Int = shortThreadCountDefault,
    waitingMax: Int = waitingMaxDefault, queueTimeout: Duration = queueTimeoutDefault
  ) {
    self.threadCount = max(1, threadCount)
    threads = (0..<(self.threadCount + shortThreadCount)).map { DispatchQueue(label: "dragoman.work.\($0)") }
    self.waitingMax = waitingMax
    self.queueTimeout = queueTimeout
    state = Mutex(State(idleThreads: Array(threads.indices)))
  }

  /// Calls `run` on a thread of the pool, or `refuse` on any thread if too many jobs wait or it waited
  /// too long. All callers without a name are one client.
  func submit(
    _ lane: Lane, for client: ExactText? = nil, run: @escaping @Sendable () -> Void,
    refuse: @escaping @Sendable () -> Void
  ) {
    enum Admission { case starts(Int), waits(mustWatch: Bool), refused }
    let job = Job(client: client, run: run, refuse: refuse, queuedAt: .now)
    let admission = state.withLock { state -> Admission in
      if let place = state.idleThreads.lastIndex(where: { lane == .short || $0 < threadCount }) {
        return .starts(state.idleThreads.remove(at: place))
      }
      guard state.waiting.count < waitingMax else { return .refused }
      state.waiting.append(job, of: client, isShort: lane == .short)
      defer { state.isWatched = true }
      return .waits(mustWatch: !state.isWatched)
    }
    switch admission {
    case .starts(let thread): threads[thread].async { self.work(on: thread, first: job) }
    case .waits(let mustWatch): if mustWatch { watchWaiting() }
    case .refused: refuse()
    }
  }

  private func work(on thread: Int, first: Job) {
    var job: Job? = first
    while let current = job {
      let began = Self.cpuNanoseconds
      current.run()
      let spent = Self.cpuNanoseconds - began
      job = state.withLock { state in
        state.waiting.charge(spent, to: current.client)
        let next = state.waiting.popNext(onlyShort: thread >= threadCount)
        if next == nil {
          state.idleThreads.insert(thread, at: thread < threadCount ? 0 : state.idleThreads.count)
        }
        return next
      }
    }
  }

  /// CPU time of this thread.
  private static var cpuNanoseconds: Int64 {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }

  /// Refuses jobs that have waited too long, even while all threads are blocked.
  private func watchWaiting() {
    // Twice within the timeout, so that no job waits for much longer than that.
    watch.asyncAfter(deadline: .now() + queueTimeout / .seconds(1) / 2) { [self] in
      let (overdue, mustWatch) = state.withLock { state in
        let latest = ContinuousClock.now - queueTimeout
        let overdue = state.waiting.removeFirst { $0.queuedAt <= latest }
        state.isWatched = state.waiting.count > 0
        return (overdue, state.isWatched)
      }
      for job in overdue { job.refuse() }
      if mustWatch { watchWaiting() }
    }
  }
}

extension WorkPool {
  /// Performs `work` for a call, or answers it with the error.
  func perform(_ call: APICall, _ lane: Lane = .long, _ work: @escaping @Sendable () throws(APIError) -> Void)
  {
    submit(
      lane, for: call.principal.client.map(ExactText.init),
      run: { do throws(APIError) { try work() } catch { call.respond(error) } },
      refuse: { call.respond(APIError(.overloaded, "Too much work is waiting. Nothing was kept.")) })
  }
}
