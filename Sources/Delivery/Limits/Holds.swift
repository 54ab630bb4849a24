/// Until when single targets or deliveries must not be sent. Bounded: the oldest holds are dropped.
///
/// Measured in monotonic ticks, so that a wall clock that is set forward ends no hold. O(1); once a second,
/// expired holds are removed in one pass.
struct Holds<Key: Hashable & Sendable>: Sendable {
  private struct Hold {
    var untilTicks: Int64
    var postponed: Int64 = 0
  }

  private static var sweepMilliseconds: Int64 { 1000 }

  private let countMax: Int
  private var holds: [Key: Hold] = [:]
  /// Keys in the order of their holds; those before `head` are removed.
  private var order: [Key] = []
  private var head = 0
  private var sweepTicks = Int64.min

  init(countMax: Int) { self.countMax = max(1, countMax) }

  var isEmpty: Bool { holds.isEmpty }
  var count: Int { holds.count }

  /// Holds `key` until `ticks`, or longer if it is already held longer.
  mutating func hold(_ key: Key, until ticks: Int64, now: Int64) {
    if let known = holds[key]?.untilTicks {
      // An expired hold that is still stored does not count.
      if known <= now { return holds[key] = Hold(untilTicks: ticks) }
      holds[key]?.untilTicks = max(known, ticks)
      return
    }
    if holds.count >= countMax { makeRoom(now: now) }
    holds[key] = Hold(untilTicks: ticks)
    order.append(key)
  }

  /// When `key` is free again; nil when it is.
  func heldUntil(_ key: Key, now: Int64) -> Int64? {
    guard let hold = holds[key], hold.untilTicks > now else { return nil }
    return hold.untilTicks
  }

  /// Counts one more delivery that waits for `key`; how many did before.
  mutating func postpone(_ key: Key) -> Int64 {
    guard let before = holds[key]?.postponed else { return 0 }
    holds[key]?.postponed = before + 1
    return before
  }

  /// Removes expired holds, at most once a second.
  mutating func sweep(now: Int64) {
    guard !holds.isEmpty, now >= sweepTicks else { return }
    sweepTicks = now + Self.sweepMilliseconds
    compact(now: now)
  }

  private mutating func makeRoom(now: Int64) {
    if now >= sweepTicks { compact(now: now) }
    while holds.count >= countMax, head < order.count {
      holds[order[head]] = nil
      head += 1
    }
    if head > countMax { compact(now: now) }
  }

  private mutating func compact(now: Int64) {
    holds = holds.filter { $0.value.untilTicks > now }
    order = order[head...].filter { holds[$0] != nil }
    head = 0
  }
}
