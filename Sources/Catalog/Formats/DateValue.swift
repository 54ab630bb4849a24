internal import Clock

/// A date or time as RFC 3339 writes it.
package enum DateValue: Sendable, Equatable {
  /// A day of the calendar: its midnight in UTC, in milliseconds since 1970.
  case day(Int64)
  /// A time on the wall clock of whoever reads it: milliseconds since midnight.
  case wallClock(Int64)
  /// A time of any day in UTC: milliseconds since midnight.
  case timeOfDay(Int64)
  /// Milliseconds since 1970, UTC.
  case moment(Int64)

  /// Reads what a param of a type takes: `date` a full-date, `time` a full-time or a partial-time, `datetime`
  /// a date-time (RFC 3339 §5.6). A date-time is also a date and a time. Nil for anything else.
  init?(_ text: String, as type: ParamType) {
    let count = text.utf8.count
    guard count <= Self.textBytesMax else { return nil }
    if let moment = Timestamp(rfc3339: text) {
      self = .moment(moment.milliseconds)
    } else if type == .date, count == 10, let day = Timestamp(rfc3339: text + "T00:00:00Z") {
      self = .day(day.milliseconds)
    } else if type == .time, let time = Timestamp(rfc3339: "1970-01-01T\(text)Z") {
      self = .wallClock(time.milliseconds)
    } else if type == .time, let time = Timestamp(rfc3339: "1970-01-01T\(text)") {
      self = .timeOfDay(
        (time.milliseconds % Self.dayMilliseconds + Self.dayMilliseconds) % Self.dayMilliseconds)
    } else {
      return nil
    }
  }

  /// The moment to write, in milliseconds since 1970, and whether in the reader's time zone rather than in
  /// UTC. A time without a day is one of the day `now`.
  package func moment(now: Int64) -> (milliseconds: Int64, isZoned: Bool) {
    switch self {
    case .day(let milliseconds), .wallClock(let milliseconds): (milliseconds, false)
    case .timeOfDay(let milliseconds): (now - now % Self.dayMilliseconds + milliseconds, true)
    case .moment(let milliseconds): (milliseconds, true)
    }
  }

  private static let dayMilliseconds: Int64 = 86_400_000
  /// RFC 3339 sets no limit to the digits of a fraction.
  private static let textBytesMax = 64
}

extension ParamValue {
  /// A short value of a type of dates.
  static func shortest(of type: ParamType) -> ParamValue {
    let text =
      switch type {
      case .date: "1970-01-01"
      case .time: "00:00:00"
      default: "1970-01-01T00:00:00Z"
      }
    return .date(.day(0), text: text)
  }
}
