internal import Dispatch
internal import Synchronization

/// Threads for what takes too long for an event loop: large bodies, previews, descriptions.
///
/// Everything is bounded: how many jobs run at once, how many wait, and how long each of them waits.
final class WorkPool: Sendable {
  /// What waits for what: short jobs go first, so that no caller with a large body delays those with small
  /// ones.
  enum Lane: Sendable { case short, long }

  private struct Job: Sendable {
    let run: @Sendable () -> Void
    let refuse: @Sendable () -> Void
    let queuedAt: ContinuousClock.Instant
  }

  private struct State: Sendable {
    var idleThreads: [Int]
    var short = JobQueue<Job>()
    var long = JobQueue<Job>()
    /// Whether a timer for the jobs that wait is set.
    var isWatched = false

    var waitingCount: Int { short.count + long.count }

    mutating func next() -> Job? { short.popFirst() ?? long.popFirst() }

    /// Removes the jobs that were queued before `moment`.
    mutating func overdue(before moment: ContinuousClock.Instant) -> [Job] {
      short.removeFirst(while: { $0.queuedAt <= moment }) + long.removeFirst(while: { $0.queuedAt <= moment })
    }
  }

  /// Jobs that run at once.
  static let threadCountDefault = 2
  /// Jobs that wait; the bytes of their requests count against the server's own limit.
  static let waitingMaxDefault = 10_000
  /// How long a job waits before it is refused.
  static let queueTimeoutDefault = Duration.seconds(5)

  private let threads: [DispatchQueue]
  private let watch = DispatchQueue(label: "dragoman.work.watch")
  private let waitingMax: Int
  private let queueTimeout: Duration
  private let state: Mutex<State>

  init(
    threadCount: Int = threadCountDefault, waitingMax: Int = waitingMaxDefault,
    queueTimeout: Duration = queueTimeoutDefault
  ) {
    threads = (0..<max(1, threadCount)).map { DispatchQueue(label: "dragoman.work.\($0)") }
    self.waitingMax = waitingMax
    self.queueTimeout = queueTimeout
    state = Mutex(State(idleThreads: Array(threads.indices)))
  }

  /// Calls `run` on a thread of the pool, or `refuse` on any thread if too many jobs wait or it waited
  /// too long.
  func submit(
    _ lane: Lane, run: @escaping @Sendable () -> Void, refuse: @escaping @Sendable () -> Void
  ) {
    enum Admission { case starts(Int), waits(mustWatch: Bool), refused }
    let job = Job(run: run, refuse: refuse, queuedAt: .now)
    let admission = state.withLock { state -> Admission in
      if let thread = state.idleThreads.popLast() { return .starts(thread) }
      guard state.waitingCount < waitingMax else { return .refused }
      switch lane {
      case .short: state.short.append(job)
      case .long: state.long.append(job)
      }
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
      current.run()
      job = state.withLock { state in
        let next = state.next()
        if next == nil { state.idleThreads.append(thread) }
        return next
      }
    }
  }

  /// Refuses jobs that have waited too long, even while all threads are blocked.
  private func watchWaiting() {
    // Twice within the timeout, so that no job waits for much longer than that.
    watch.asyncAfter(deadline: .now() + queueTimeout / .seconds(1) / 2) { [self] in
      let (overdue, mustWatch) = state.withLock { state in
        let overdue = state.overdue(before: .now - queueTimeout)
        state.isWatched = state.waitingCount > 0
        return (overdue, state.isWatched)
      }
      for job in overdue { job.refuse() }
      if mustWatch { watchWaiting() }
    }
  }
}

/// A queue in an array whose first elements may be gone already.
struct JobQueue<Job: Sendable>: Sendable {
  private var jobs: [Job] = []
  private var start = 0

  var count: Int { jobs.count - start }

  mutating func append(_ job: Job) { jobs.append(job) }

  mutating func popFirst() -> Job? {
    guard start < jobs.count else { return nil }
    let job = jobs[start]
    start += 1
    if start * 2 > jobs.count {
      jobs.removeFirst(start)
      start = 0
    }
    return job
  }

  /// Removes and returns the first jobs, as long as they meet `condition`.
  mutating func removeFirst(while condition: (Job) -> Bool) -> [Job] {
    var removed: [Job] = []
    while start < jobs.count, condition(jobs[start]), let job = popFirst() { removed.append(job) }
    return removed
  }
}

extension WorkPool {
  /// Performs `work` for a call, or answers it with the error.
  func perform(_ call: APICall, _ lane: Lane = .long, _ work: @escaping @Sendable () throws(APIError) -> Void)
  {
    submit(
      lane,
      run: { do throws(APIError) { try work() } catch { call.respond(error) } },
      refuse: { call.respond(APIError(.overloaded, "Too much work is waiting. Nothing was kept.")) })
  }
}
