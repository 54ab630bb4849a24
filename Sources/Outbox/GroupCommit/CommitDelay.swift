/// Decides whether a commit waits a moment for more intakes to share it, like PostgreSQL's `commit_delay`.
///
/// A commit of two intakes costs hardly more than one. But a caller who sends one request after the other, or
/// a few at a time, sends none while it waits for an answer. So a commit is delayed only until as many are
/// pending as were in flight together lately. And it is delayed only if one more is likely to arrive in time,
/// but not if so many arrive that each commit has several anyway, while the one before it is synced.
struct CommitDelay: Sendable {
  typealias Instant = ContinuousClock.Instant

  /// When commits are delayed.
  struct Limits: Sendable {
    /// How long a commit is delayed at most.
    var delayMax: Duration
    /// The mean time between two intakes from which commits are delayed, up to three times `delayMax`.
    var gapMin: Duration
    /// With so many intakes, another one saves too little.
    var intakesMax: Int

    /// For a gateway that is alone.
    static let alone = Limits(delayMax: .microseconds(500), gapMin: .microseconds(200), intakesMax: 4)
    /// For gateways that share a database: each has smaller transactions than one alone would have, and what
    /// one saves of the server's time the others use.
    static let shared = Limits(delayMax: .milliseconds(2), gapMin: .zero, intakesMax: 32)
  }

  /// The weight of one gap between intakes in their mean.
  private static var gapWeight: Double { 1.0 / 16 }
  /// A longer gap counts as this: after a pause, the pace of the intakes that follow decides.
  private static var gapMax: Duration { .milliseconds(10) }
  /// After how many commits intakes that were in flight together are forgotten.
  private static var commitsRemembered: Int { 64 }

  private var lastArrival: Instant?
  /// The mean time between two intakes; nil before the second one.
  private var gap: Duration?
  /// When the intake arrived that has been pending for longest; nil if none is.
  private var pendingSince: Instant?
  private(set) var pending = 0
  private var committing = 0
  /// The most intakes in flight, in this period and in the one before it.
  private var peaks = (current: 0, previous: 0)
  private var commits = 0

  /// An intake is pending.
  mutating func arrived(at now: Instant) {
    pendingSince = pendingSince ?? now
    pending += 1
    peaks.current = max(peaks.current, pending + committing)
    defer { lastArrival = now }
    guard let lastArrival else { return }
    let last = min(now - lastArrival, Self.gapMax)
    gap = gap.map { $0 + (last - $0) * Self.gapWeight } ?? last
  }

  /// A commit takes all that is pending but `left` intakes.
  mutating func began(left: Int) {
    (committing, pending) = (pending - left, left)
    if left == 0 { pendingSince = nil }
    commits += 1
    guard commits >= Self.commitsRemembered else { return }
    peaks = (committing + left, peaks.current)
    commits = 0
  }

  /// The commit is over, and its callers will be answered.
  mutating func ended() { committing = 0 }

  /// Until when, and for how many intakes in all, the next commit is worth waiting; nil to commit now.
  func worthwhile(now: Instant, _ limits: Limits) -> (until: Instant, intakes: Int)? {
    guard let gap, gap >= limits.gapMin, gap < limits.delayMax * 3, let pendingSince else { return nil }
    let until = pendingSince + limits.delayMax
    let wanted = min(limits.intakesMax, max(peaks.current, peaks.previous))
    return pending < wanted && now < until ? (until, wanted) : nil
  }
}
