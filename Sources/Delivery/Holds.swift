/// Until when single things may not be sent to or sent: bounded, the oldest give way.
///
/// By steady ticks, so that a wall clock that is set forth ends no hold. O(1); once a second what is over is
/// swept out in one pass.
struct Holds<Key: Hashable & Sendable>: Sendable {
  private struct Hold {
    var untilTicks: Int64
    var putOff: Int64 = 0
  }

  private static var sweepMilliseconds: Int64 { 1000 }

  private let countMax: Int
  private var holds: [Key: Hold] = [:]
  /// Keys in the order in which they came; those before `head` are gone.
  private var order: [Key] = []
  private var head = 0
  private var sweepTicks = Int64.min

  init(countMax: Int) { self.countMax = max(1, countMax) }

  var isEmpty: Bool { holds.isEmpty }
  var count: Int { holds.count }

  /// Holds `key` until `ticks`, or longer where it is held longer already.
  mutating func hold(_ key: Key, until ticks: Int64, now: Int64) {
    if let known = holds[key]?.untilTicks {
      // What is over and not swept out yet is a hold of its own no more.
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

  /// Counts one more that waits for `key`, and says how many did before.
  mutating func putOff(_ key: Key) -> Int64 {
    guard let before = holds[key]?.putOff else { return 0 }
    holds[key]?.putOff = before + 1
    return before
  }

  /// Forgets what is over, at most once a second.
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
