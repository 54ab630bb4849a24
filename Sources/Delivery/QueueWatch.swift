internal import Clock
internal import Outbox

/// What is known of one app's work that waits in the queue, and when to ask for it.
struct QueueWatch {
  private enum Work {
    /// There may be due deliveries: a claim tells.
    case maybe
    /// None is due; when the next one will be has to be asked (`unasked`) or was asked (`asked`).
    case unasked, asked
    case nothing
    case due(at: Timestamp)
  }

  enum Wish {
    case claim, nextDue, nothing
  }

  /// The queue's answer may be far off; look again this often, so that a wall clock that is set forth is noticed.
  private static let recheckMilliseconds: Int64 = 60_000

  private var work = Work.maybe
  private var claimLimit: Int?
  /// Something became due while the queue was being asked.
  private var dueMeanwhile = false
  private var backoff: Backoff
  private var notBeforeTicks = Int64.min
  private var emptyClaimsInARow = 0

  init(configuration: DeliveryConfiguration) {
    backoff = Backoff(from: configuration.storeRetryMin, to: configuration.storeRetryMax)
  }

  var isClaiming: Bool { claimLimit != nil }

  /// Work came, or came forward.
  mutating func becameDue() {
    dueMeanwhile = true
    if case .asked = work { return }
    work = .maybe
  }

  /// Work will be due at `time`.
  mutating func becomesDue(at time: Timestamp) {
    switch work {
    case .maybe: break
    case .nothing: work = .due(at: time)
    case .due(let known): work = .due(at: min(known, time))
    // The answer that is on its way may be older than this.
    case .unasked, .asked: dueMeanwhile = true
    }
    if isClaiming { dueMeanwhile = true }
  }

  mutating func beganClaim(limit: Int) {
    claimLimit = limit
    dueMeanwhile = false
  }

  mutating func claimed(count: Int) {
    let limit = claimLimit ?? 0
    claimLimit = nil
    backoff.reset()
    emptyClaimsInARow = count == 0 ? emptyClaimsInARow + 1 : 0
    work = count >= limit || dueMeanwhile ? .maybe : .unasked
  }

  mutating func beganNextDue() {
    work = .asked
    dueMeanwhile = false
  }

  mutating func learned(nextDue: Timestamp?, now: Moment) {
    backoff.reset()
    guard !dueMeanwhile else { return work = .maybe }
    work = nextDue.map { .due(at: $0) } ?? .nothing
    // A store whose clock is not ours may call due what it does not give: don't ask it without end.
    if let nextDue, nextDue <= now.wall, emptyClaimsInARow > 2 {
      notBeforeTicks = now.ticks + min(1000, 1 << Int64(min(emptyClaimsInARow, 10)))
    }
  }

  mutating func claimFailed(now: Moment) {
    claimLimit = nil
    failed(now: now)
  }

  mutating func failed(now: Moment) {
    work = .maybe
    notBeforeTicks = now.ticks + backoff.fail()
  }

  /// What to ask the queue for now.
  mutating func wish(now: Moment) -> Wish {
    guard claimLimit == nil, now.ticks >= notBeforeTicks else { return .nothing }
    if case .due(let time) = work, time <= now.wall { work = .maybe }
    switch work {
    case .maybe: return .claim
    case .unasked: return .nextDue
    case .asked, .nothing, .due: return .nothing
    }
  }

  /// The tick from which `wish` may be another although nothing happened, `.min` for now; nil when there is none.
  func wakeTicks(now: Moment) -> Int64? {
    guard claimLimit == nil else { return nil }
    switch work {
    case .nothing, .asked: return nil
    case .maybe, .unasked: return notBeforeTicks
    case .due(let time):
      return max(notBeforeTicks, min(now.ticks(at: time), now.ticks + Self.recheckMilliseconds))
    }
  }
}
