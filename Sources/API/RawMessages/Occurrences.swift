internal import Clock
internal import Synchronization

/// How often something was seen, and when.
final class Occurrences: Sendable {
  let firstSeen: Timestamp
  private let times = Atomic<Int>(0)
  private let last: Atomic<Int64>

  init(since now: Timestamp) {
    firstSeen = now
    last = Atomic(now.milliseconds)
  }

  var count: Int { times.load(ordering: .relaxed) }
  var lastSeen: Timestamp { Timestamp(milliseconds: last.load(ordering: .relaxed)) }

  /// Returns how often it was seen by now.
  @discardableResult
  func add(_ now: Timestamp) -> Int {
    last.max(now.milliseconds, ordering: .relaxed)
    return times.wrappingAdd(1, ordering: .relaxed).newValue
  }

  /// Whether it was seen more often, or as often for longer.
  func comesBefore(_ other: Occurrences) -> Bool {
    let (own, others) = (count, other.count)
    return own != others ? own > others : firstSeen < other.firstSeen
  }
}
