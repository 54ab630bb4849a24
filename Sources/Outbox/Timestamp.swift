internal import Foundation

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

  package func adding(milliseconds delta: Int64) -> Timestamp {
    let (sum, overflow) = milliseconds.addingReportingOverflow(delta)
    return Timestamp(milliseconds: overflow ? (delta < 0 ? .min : .max) : sum)
  }

  /// How long it is from this moment to `later`; 0 where that has no representation.
  func milliseconds(until later: Timestamp) -> Int64 {
    let (span, overflow) = later.milliseconds.subtractingReportingOverflow(milliseconds)
    return overflow ? 0 : span
  }

  package var unixSeconds: Int64 { milliseconds / 1000 }

  /// RFC 3339 in UTC with milliseconds: `2026-11-21T11:59:00.123Z`.
  package var rfc3339: String {
    var seconds = time_t(milliseconds / 1000)
    var rest = Int(milliseconds % 1000)
    if rest < 0 {
      seconds -= 1
      rest += 1000
    }
    var parts = tm()
    gmtime_r(&seconds, &parts)
    func padded(_ value: Int, _ width: Int) -> String {
      let digits = String(value)
      return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
    let date =
      "\(padded(Int(parts.tm_year) + 1900, 4))-\(padded(Int(parts.tm_mon) + 1, 2))-\(padded(Int(parts.tm_mday), 2))"
    let time =
      "\(padded(Int(parts.tm_hour), 2)):\(padded(Int(parts.tm_min), 2)):\(padded(Int(parts.tm_sec), 2))"
    return "\(date)T\(time).\(padded(rest, 3))Z"
  }
}
