internal import Clock
internal import Dispatch
internal import Glibc
internal import JSON
internal import Synchronization

/// Threads for what takes too long for an event loop: large bodies, previews, descriptions.
///
/// Everything is bounded: how many jobs run at once, how many wait, and how long each of them waits. Clients
/// share the threads by CPU time: no number of jobs of one delays another's by more than the jobs that run,
/// and no long job delays a short one. Neither does it on the cores: long jobs have a lower priority than
/// event loops and short ones, and those of one client run on half of the threads at most.
final class WorkPool: Sendable {
  /// What waits for what: of one client's jobs, short ones go first.
  enum Lane: Sendable { case short, long }

  private struct Job: Sendable {
    let client: ExactText?
    let lane: Lane
    let run: @Sendable () -> Void
    let refuse: @Sendable () -> Void
    let queuedAt: ContinuousClock.Instant
  }

  private struct State: Sendable {
    /// Those for short jobs come last.
    var idleThreads: [Int]
    var waiting = FairQueue<Job>()
    /// Long jobs that run.
    var running: [ExactText?: Int] = [:]
    /// Whether a timer for the jobs that wait is set.
    var isWatched = false
  }

  /// Jobs that run at once, and beside them short ones.
  static let threadCountDefault = min(4, max(2, sysconf(Int32(_SC_NPROCESSORS_ONLN))))
  static let shortThreadCountDefault = 1
  /// Jobs that wait; the bytes of their requests count against the server's own limit.
  static let waitingMaxDefault = 10_000
  /// How long a job waits before it is refused.
  static let queueTimeoutDefault = Duration.seconds(5)

  private let threads: [WorkThread]
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
    let niceness =
      Array(repeating: DetachedThread.backgroundNiceness, count: self.threadCount)
      + Array(repeating: .min, count: shortThreadCount)
    threads = niceness.enumerated().map { WorkThread(name: "dragoman.work.\($0)", niceness: $1) }
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
    let job = Job(client: client, lane: lane, run: run, refuse: refuse, queuedAt: .now)
    let admission = state.withLock { state -> Admission in
      if lane == .short || mayBegin(client, state.running),
        let place = state.idleThreads.lastIndex(where: { lane == .short || $0 < threadCount })
      {
        begin(job, &state)
        return .starts(state.idleThreads.remove(at: place))
      }
      guard state.waiting.count < waitingMax else { return .refused }
      state.waiting.append(job, of: client, isShort: lane == .short)
      defer { state.isWatched = true }
      return .waits(mustWatch: !state.isWatched)
    }
    switch admission {
    case .starts(let thread): threads[thread].run { self.work(on: thread, first: job) }
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
        end(current, &state)
        let running = state.running
        let next = state.waiting.popNext { thread < threadCount && mayBegin($0, running) }
        if let next {
          begin(next, &state)
        } else {
          state.idleThreads.insert(thread, at: thread < threadCount ? 0 : state.idleThreads.count)
        }
        return next
      }
    }
  }

  /// Whether a client may have one more long job run.
  private func mayBegin(_ client: ExactText?, _ running: [ExactText?: Int]) -> Bool {
    running[client, default: 0] < max(1, threadCount / 2)
  }

  private func begin(_ job: Job, _ state: inout State) {
    if job.lane == .long { state.running[job.client, default: 0] += 1 }
  }

  private func end(_ job: Job, _ state: inout State) {
    guard job.lane == .long, let running = state.running[job.client] else { return }
    state.running[job.client] = running > 1 ? running - 1 : nil
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
