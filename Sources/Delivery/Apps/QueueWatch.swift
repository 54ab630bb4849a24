internal import Clock
internal import Outbox

/// What is known about one app's deliveries in the queue, and when to query for them.
struct QueueWatch {
  private enum Work {
    /// There may be due deliveries: claim to find out.
    case maybe
    /// None is due; the next due time has to be queried (`unasked`) or has been (`asked`).
    case unasked, asked
    case nothing
    case due(at: Timestamp)
  }

  enum Query {
    case claim, nextDue, nothing
  }

  /// The next due time may be far off; query again this often, so that a wall clock that is set forward is
  /// noticed.
  private static let recheckMilliseconds: Int64 = 60_000

  private var work = Work.maybe
  private var claimLimit: Int?
  /// Something became due while a query was under way.
  private var dueMeanwhile = false
  private var backoff: Backoff
  private var notBeforeTicks = Int64.min
  private var emptyClaimsInARow = 0

  init(configuration: DeliveryConfiguration) {
    backoff = Backoff(from: configuration.storeRetryMin, to: configuration.storeRetryMax)
  }

  var isClaiming: Bool { claimLimit != nil }

  /// Whether nothing is to be claimed or asked until a delivery becomes due.
  func isIdle(now: Moment) -> Bool {
    guard claimLimit == nil, now.ticks >= notBeforeTicks else { return false }
    return switch work {
    case .nothing: true
    case .due(let time): time > now.wall
    case .maybe, .unasked, .asked: false
    }
  }

  /// A delivery became due, or due earlier.
  mutating func becameDue() {
    dueMeanwhile = true
    if case .asked = work { return }
    work = .maybe
  }

  /// A delivery will be due at `time`.
  mutating func becomesDue(at time: Timestamp) {
    switch work {
    case .maybe: break
    case .nothing: work = .due(at: time)
    case .due(let known): work = .due(at: min(known, time))
    // The result of the query under way may be older than this.
    case .unasked, .asked: dueMeanwhile = true
    }
    if isClaiming { dueMeanwhile = true }
  }

  mutating func beganClaim(limit: Int) {
    claimLimit = limit
    dueMeanwhile = false
  }

  /// Whether these were all that were due.
  mutating func claimed(count: Int) -> Bool {
    let limit = claimLimit ?? 0
    claimLimit = nil
    backoff.reset()
    emptyClaimsInARow = count == 0 ? emptyClaimsInARow + 1 : 0
    work = count >= limit || dueMeanwhile ? .maybe : .unasked
    return count < limit
  }

  mutating func beganNextDue() {
    work = .asked
    dueMeanwhile = false
  }

  mutating func learned(nextDue: Timestamp?, now: Moment) {
    backoff.reset()
    guard !dueMeanwhile else { return work = .maybe }
    work = nextDue.map { .due(at: $0) } ?? .nothing
    // A store with another clock may report a due time whose deliveries it does not return; back off instead
    // of looping.
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

  /// The query to make now.
  mutating func nextQuery(now: Moment) -> Query {
    guard claimLimit == nil, now.ticks >= notBeforeTicks else { return .nothing }
    if case .due(let time) = work, time <= now.wall { work = .maybe }
    switch work {
    case .maybe: return .claim
    case .unasked: return .nextDue
    case .asked, .nothing, .due: return .nothing
    }
  }

  /// The tick from which `nextQuery` may differ without a further event, `.min` for now; nil for none.
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
