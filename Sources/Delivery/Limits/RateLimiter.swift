internal import Clock

/// A token bucket with a changing rate: additive increase up to the quota, multiplicative decrease when FCM
/// reports that the project's quota is used up.
///
/// Sends are spread evenly: never more than `burstMilliseconds` worth of the quota at once, so that no window
/// of a second exceeds the quota by more than 1 %. From cold the rate starts at a floor and climbs linearly
/// to the quota over the ramp (Firebase documentation, "Scale your FCM traffic": at least 60 seconds); after
/// a quota answer it climbs back over the same time. Pure: the caller passes ticks in milliseconds.
/// All operations are O(1).
struct RateLimiter: Sendable, Equatable {
  /// How many messages may be sent at once after a pause, in milliseconds of the quota.
  private static let burstMilliseconds = 8.0
  /// How many messages the caller should wait for, in milliseconds of the quota, so that it wakes up seldom.
  private static let grainMilliseconds = 2.0
  /// A cold app sends this many messages a second at once, or this share of its quota, whichever is more: a
  /// small burst is not slowed by the ramp.
  private static let coldPerSecond = 100.0
  private static let coldShare = 0.05
  /// Consecutive quota answers slow down to this and no further.
  private static let leastPerSecond = 1.0
  private static let decreaseFactor = 0.5
  /// After this idle time, or the ramp's if that is longer, an app is cold again.
  private static let idleMilliseconds: Int64 = 300_000

  /// All rates are in messages per millisecond.
  private var quota: Double
  private let rampMilliseconds: Double
  private var rate: Double
  private var slope = 0.0
  private var tokens: Double
  /// The time up to which `rate` and `tokens` are counted; nothing is taken before it.
  private var countedTicks: Int64?
  /// Until when a quota answer forbids sending.
  private(set) var holdEndTicks = Int64.min
  private var lastTakenTicks = Int64.min
  private var lastDecreaseTicks = Int64.min
  private var isCold = true
  private var usage = Usage()
  /// How many gateways send at an even share of the quota.
  private var gateways = 1.0
  /// The last climb that began here, as all gateways together make it.
  private(set) var climb: Climb?
  /// A rate that a quota answer lowered is not raised by what other gateways send at before this.
  private var slowedUntilTicks = Int64.min

  /// A climb to the quota: its rate at the beginning, all gateways together, and its beginning.
  struct Climb: Sendable, Equatable {
    let perSecond: Double
    let beganTicks: Int64
  }

  init(messagesPerSecond: Double, ramp: Duration) {
    quota = Self.perMillisecond(messagesPerSecond)
    rampMilliseconds = Double(max(0, ramp.wholeMilliseconds))
    rate = 0
    tokens = 0
    rate = startRate
    tokens = capacity
  }

  private static func perMillisecond(_ messagesPerSecond: Double) -> Double {
    // Limited to a positive, finite rate: any other would never send or never stop.
    messagesPerSecond.isFinite ? min(max(messagesPerSecond, 1e-6), 1e9) / 1000 : 1e6
  }

  private var capacity: Double { max(1, quota * Self.burstMilliseconds) }

  private var startRate: Double {
    rampMilliseconds == 0
      ? quota : min(quota, max(Self.coldPerSecond / 1000 / gateways, quota * Self.coldShare))
  }

  private func slope(from rate: Double) -> Double {
    rampMilliseconds == 0 ? 0 : max(0, quota - rate) / rampMilliseconds
  }
}

// MARK: Reading

extension RateLimiter {
  /// The quota in messages per second.
  var quotaPerSecond: Double { quota * 1000 }

  /// The messages per second that are allowed at `now`; 0 while everything is held.
  func perSecond(now: Int64) -> Double {
    if isHeld(now: now) { return 0 }
    var copy = self
    copy.count(to: now)
    return copy.rate * 1000
  }

  /// The messages per second that are allowed once the hold ends.
  var perSecondAfterHold: Double { rate * 1000 }

  /// Whether a quota answer still forbids sending.
  func isHeld(now: Int64) -> Bool { holdEndTicks > now }

  /// How many messages may be sent at `now`.
  mutating func available(now: Int64) -> Int {
    count(to: now)
    return isHeld(now: now) ? 0 : Int(saturating: tokens + 1e-9)
  }

  /// When the next of `waiting` messages can be sent, or a few together; not before `now`.
  func nextTicks(waiting: Int, now: Int64) -> Int64 {
    var copy = self
    let start = max(now, holdEndTicks)
    copy.count(to: start)
    let wanted = min(Double(max(1, waiting)), max(1, copy.quota * Self.grainMilliseconds))
    let missing = wanted - copy.tokens
    guard missing > 1e-9 else { return start }
    let (wait, overflow) = start.addingReportingOverflow(copy.milliseconds(toGain: missing))
    return overflow ? .max : wait
  }

  /// Whole milliseconds until `missing` tokens are available, at least one.
  private func milliseconds(toGain missing: Double) -> Int64 {
    let root = (rate * rate + 2 * slope * missing).squareRoot()
    let climbing = 2 * missing / (rate + root)
    let toQuota = slope > 0 ? (quota - rate) / slope : 0
    let wait: Double
    if climbing <= toQuota || slope == 0 {
      wait = climbing
    } else {
      wait = toQuota + (missing - (rate + quota) / 2 * toQuota) / max(quota, 1e-12)
    }
    return max(1, Int64(saturating: min(max(0, wait), 1e15).rounded(.up)))
  }
}

// MARK: Taking

extension RateLimiter {
  /// Counts messages that are sent now.
  mutating func take(_ messages: Int, now: Int64) {
    count(to: now)
    if isCold {
      isCold = false
      beginClimb(now: now)
    }
    tokens -= Double(messages)
    lastTakenTicks = now
    usage.note(messages, now: now)
  }

  /// Returns what was taken for messages that were not sent.
  mutating func giveBack(_ messages: Int, now: Int64) {
    count(to: now)
    tokens = min(capacity, tokens + Double(messages))
  }

  /// Handles an answer that the project's quota is used up: halves the rate in use, once for all attempts
  /// that began before, and holds everything for `holdMilliseconds`. Returns whether the rate fell.
  mutating func decrease(attemptBegan startedAt: Int64, holdMilliseconds: Int64, now: Int64) -> Bool {
    count(to: now)
    let (end, overflow) = now.addingReportingOverflow(max(0, holdMilliseconds))
    holdEndTicks = max(holdEndTicks, overflow ? .max : end)
    let isNews = startedAt > lastDecreaseTicks
    slowedUntilTicks = max(slowedUntilTicks, now.addingClamped(Int64(saturating: rampMilliseconds)))
    if isNews, rampMilliseconds > 0 {
      let inUse = min(rate, max(usage.perSecond(now: now), Self.leastPerSecond) / 1000)
      rate = min(quota, max(Self.leastPerSecond / 1000, inUse * Self.decreaseFactor))
    }
    if isNews { lastDecreaseTicks = now }
    isCold = false
    slope = slope(from: rate)
    tokens = min(tokens, 0)
    countedTicks = max(now, holdEndTicks)
    return isNews
  }

  /// Starts the ramp again after an outage, so that the backlog drains without a spike.
  mutating func restart(now: Int64) {
    count(to: now)
    rate = min(rate, startRate)
    beginClimb(now: now)
    isCold = false
    tokens = min(tokens, 1)
  }

  private mutating func beginClimb(now: Int64) {
    slope = slope(from: rate)
    climb = Climb(perSecond: rate * 1000 * gateways, beganTicks: now)
  }

  /// Applies another quota, or another number of gateways that share it evenly. The rate climbs to a higher
  /// quota, or falls to a lower one at once; with another number of gateways, all together keep their rate.
  mutating func setQuota(messagesPerSecond: Double, gateways count: Int = 1) {
    let newGateways = Double(max(1, count))
    let new = Self.perMillisecond(messagesPerSecond / newGateways)
    guard new != quota || newGateways != gateways else { return }
    let scale = gateways / newGateways
    let isOtherQuota = abs(new - quota * scale) > 1e-9 * new
    quota = new
    gateways = newGateways
    if isCold || rampMilliseconds == 0 {
      rate = startRate
    } else {
      rate = min(rate * scale, quota)
      slope = isOtherQuota ? slope(from: rate) : min(slope * scale, slope(from: 0))
    }
    tokens = min(tokens, capacity)
  }

  /// Sends at this gateway's share of a climb that another one began, if this one is still cold and any has
  /// sent lately. `usedTicks` is when one last did.
  mutating func join(_ climb: Climb, usedTicks: Int64, now: Int64) {
    count(to: now)
    let idle = max(Self.idleMilliseconds, Int64(saturating: rampMilliseconds))
    guard now - usedTicks < idle else { return }
    if isCold, rampMilliseconds > 0, now >= slowedUntilTicks {
      isCold = false
      let from = min(quota, max(0, climb.perSecond / 1000 / gateways))
      slope = slope(from: from)
      rate = min(quota, from + slope * Double(max(0, now - climb.beganTicks)))
      if rate >= quota { slope = 0 }
    }
    lastTakenTicks = max(lastTakenTicks, usedTicks)
  }

  /// Handles a quota answer that another gateway got for an attempt that began at `startedAt`. A gateway that
  /// has sent nothing lately only waits: what it has not sent cannot have used up the quota. Returns whether
  /// the rate fell.
  mutating func decreaseElsewhere(attemptBegan startedAt: Int64, holdMilliseconds: Int64, now: Int64) -> Bool
  {
    count(to: now)
    guard isCold else {
      guard startedAt > lastDecreaseTicks || holdMilliseconds > 0 else { return false }
      return decrease(attemptBegan: startedAt, holdMilliseconds: holdMilliseconds, now: now)
    }
    let (end, overflow) = now.addingReportingOverflow(max(0, holdMilliseconds))
    if holdMilliseconds > 0 { holdEndTicks = max(holdEndTicks, overflow ? .max : end) }
    slowedUntilTicks = max(slowedUntilTicks, startedAt.addingClamped(Int64(saturating: rampMilliseconds)))
    return false
  }

  private mutating func count(to now: Int64) {
    guard let counted = countedTicks else { return countedTicks = now }
    guard now > counted else { return }
    countedTicks = now
    let idle = max(Self.idleMilliseconds, Int64(saturating: rampMilliseconds))
    let idleSince = max(lastTakenTicks, holdEndTicks)
    if !isCold, idleSince != .min, now - idleSince >= idle { coolDown() }
    let elapsed = Double(now - counted)
    let toQuota = slope > 0 ? (quota - rate) / slope : 0
    let climbing = min(elapsed, toQuota)
    var gained = rate * climbing + slope * climbing * climbing / 2
    rate += slope * climbing
    if slope > 0, elapsed >= toQuota {
      rate = quota
      slope = 0
    }
    gained += rate * (elapsed - climbing)
    tokens = min(capacity, tokens + gained)
  }

  private mutating func coolDown() {
    isCold = true
    rate = startRate
    slope = 0
  }
}

extension RateLimiter {
  /// Recently sent messages, by whole seconds.
  private struct Usage: Sendable, Equatable {
    private var second = Int64.min
    private var current = 0
    private var previous = 0

    mutating func note(_ messages: Int, now: Int64) {
      turn(to: now)
      current += messages
    }

    /// The busier one of the current and the last second.
    mutating func perSecond(now: Int64) -> Double {
      turn(to: now)
      return Double(max(current, previous))
    }

    private mutating func turn(to now: Int64) {
      let now = now.quotientFloor(1000)
      guard now != second else { return }
      previous = second != .min && now == second + 1 ? current : 0
      current = 0
      second = now
    }
  }
}

extension Int64 {
  fileprivate func addingClamped(_ other: Int64) -> Int64 {
    let (sum, overflow) = addingReportingOverflow(other)
    return overflow ? (other < 0 ? .min : .max) : sum
  }

  fileprivate func quotientFloor(_ divisor: Int64) -> Int64 {
    let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? quotient - 1 : quotient
  }
}
