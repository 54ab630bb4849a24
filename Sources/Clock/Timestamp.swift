internal import Glibc

/// A moment in milliseconds since 1970, UTC: what the queue stores and the API shows.
package struct Timestamp: Sendable, Hashable, Comparable {
  package let milliseconds: Int64

  package init(milliseconds: Int64) { self.milliseconds = milliseconds }

  /// The wall clock's time.
  package static var now: Timestamp {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Timestamp(milliseconds: Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000)
  }

  package static func < (left: Timestamp, right: Timestamp) -> Bool { left.milliseconds < right.milliseconds }

  /// The moment `delta` milliseconds later, limited to what `Int64` can represent.
  package func adding(milliseconds delta: Int64) -> Timestamp {
    let (sum, overflow) = milliseconds.addingReportingOverflow(delta)
    return Timestamp(milliseconds: overflow ? (delta < 0 ? .min : .max) : sum)
  }

  /// How long it is from this moment to `later`; 0 where `Int64` cannot represent it.
  package func milliseconds(until later: Timestamp) -> Int64 {
    let (span, overflow) = later.milliseconds.subtractingReportingOverflow(milliseconds)
    return overflow ? 0 : span
  }

  /// Whole seconds since 1970, rounded towards zero.
  package var unixSeconds: Int64 { milliseconds / 1000 }
}
