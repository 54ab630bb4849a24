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
  package func milliseconds(until later: Timestamp) -> Int64 {
    let (span, overflow) = later.milliseconds.subtractingReportingOverflow(milliseconds)
    return overflow ? 0 : span
  }

  package var unixSeconds: Int64 { milliseconds / 1000 }

  /// RFC 3339 in UTC with milliseconds: `2026-11-21T11:59:00.123Z`.
  package var rfc3339: String {
    let (days, ofDay) = milliseconds.quotientAndRemainder(dividingBy: 86_400_000)
    let rest = Int(ofDay < 0 ? ofDay + 86_400_000 : ofDay)
    let date = Self.date(daysSince1970: Int(ofDay < 0 ? days - 1 : days))
    // A year has at most 9 digits, and a sign.
    return String(unsafeUninitializedCapacity: 32) { buffer in
      var position = 0
      func append(_ value: Int, _ width: Int, then separator: Unicode.Scalar) {
        var divisor = (1..<width).reduce(1) { power, _ in power * 10 }
        while value / divisor >= 10 { divisor *= 10 }
        while divisor > 0 {
          buffer[position] = UInt8(ascii: "0") + UInt8(value / divisor % 10)
          position += 1
          divisor /= 10
        }
        buffer[position] = UInt8(ascii: separator)
        position += 1
      }
      if date.year < 0 {
        buffer[0] = UInt8(ascii: "-")
        position = 1
      }
      append(abs(date.year), 4, then: "-")
      append(date.month, 2, then: "-")
      append(date.day, 2, then: "T")
      append(rest / 3_600_000, 2, then: ":")
      append(rest / 60_000 % 60, 2, then: ":")
      append(rest / 1000 % 60, 2, then: ".")
      append(rest % 1000, 3, then: "Z")
      return position
    }
  }

  /// The day in the proleptic Gregorian calendar, counting years from March: the inverse of `daysSince1970`.
  private static func date(daysSince1970 days: Int) -> (year: Int, month: Int, day: Int) {
    let shifted = days + 719_468
    let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let monthFromMarch = (5 * dayOfYear + 2) / 153
    let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
    let day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
    return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day)
  }
}
