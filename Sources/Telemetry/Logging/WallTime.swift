internal import Glibc

/// The time of day, in milliseconds since the Unix epoch.
struct WallTime: Sendable, Equatable {
  let milliseconds: Int64

  static var now: WallTime {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return WallTime(milliseconds: Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000)
  }

  /// Appends it as RFC 3339 in UTC: `2026-11-21T11:59:00.123Z`.
  func append(to bytes: inout [UInt8]) {
    let ofDay = milliseconds.modulo(86_400_000)
    let date = Self.date(daysSinceEpoch: (milliseconds - ofDay) / 86_400_000)
    bytes.appendDigits(date.year, 4)
    bytes.append(UInt8(ascii: "-"))
    bytes.appendDigits(date.month, 2)
    bytes.append(UInt8(ascii: "-"))
    bytes.appendDigits(date.day, 2)
    bytes.append(UInt8(ascii: "T"))
    bytes.appendDigits(ofDay / 3_600_000, 2)
    bytes.append(UInt8(ascii: ":"))
    bytes.appendDigits(ofDay / 60_000 % 60, 2)
    bytes.append(UInt8(ascii: ":"))
    bytes.appendDigits(ofDay / 1_000 % 60, 2)
    bytes.append(UInt8(ascii: "."))
    bytes.appendDigits(ofDay % 1_000, 3)
    bytes.append(UInt8(ascii: "Z"))
  }

  /// The day in the Gregorian calendar. Years are taken from March on, so that a leap day is a year's last, and in
  /// eras of 400 years, which all have 146,097 days.
  private static func date(daysSinceEpoch: Int64) -> (year: Int64, month: Int64, day: Int64) {
    let days = daysSinceEpoch + 719_468
    let dayOfEra = days.modulo(146_097)
    let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let monthFromMarch = (5 * dayOfYear + 2) / 153
    let day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
    let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
    let year = yearOfEra + (days - dayOfEra) / 146_097 * 400 + (month <= 2 ? 1 : 0)
    return (year, month, day)
  }
}

extension Int64 {
  /// Never negative.
  fileprivate func modulo(_ divisor: Int64) -> Int64 {
    let rest = self % divisor
    return rest < 0 ? rest + divisor : rest
  }
}

extension [UInt8] {
  /// The last `count` decimal digits, with zeros before.
  fileprivate mutating func appendDigits(_ value: Int64, _ count: Int) {
    var divisor: Int64 = 1
    for _ in 1..<count { divisor *= 10 }
    while divisor > 0 {
      append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: value.magnitude / divisor.magnitude % 10))
      divisor /= 10
    }
  }
}
