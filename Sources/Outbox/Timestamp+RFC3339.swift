extension Timestamp {
  /// Reads an RFC 3339 §5.6 date-time: any offset, any number of fraction digits (cut to milliseconds), a leap
  /// second taken as the second after it. Nil for anything else, February 30th included.
  package init?(rfc3339 text: String) {
    var scanner = Scanner(utf8: Array(text.utf8))
    guard let year = scanner.digits(4), scanner.skip("-"), let month = scanner.digits(2), scanner.skip("-"),
      let day = scanner.digits(2), scanner.skip("T") || scanner.skip("t"),
      let hour = scanner.digits(2), scanner.skip(":"), let minute = scanner.digits(2), scanner.skip(":"),
      let second = scanner.digits(2),
      (1...12).contains(month), (1...Self.days(in: month, of: year)).contains(day),
      hour <= 23, minute <= 59, second <= 60,
      let fraction = scanner.fractionMilliseconds(), let offset = scanner.offsetMinutes(), scanner.isAtEnd
    else { return nil }
    let days = Self.daysSince1970(year: year, month: month, day: day)
    let seconds = ((days * 24 + hour) * 60 + minute - offset) * 60 + second
    self.init(milliseconds: Int64(seconds) * 1000 + Int64(fraction))
  }

  private static func days(in month: Int, of year: Int) -> Int {
    switch month {
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }

  /// Days from 1970-01-01 in the proleptic Gregorian calendar, counting years from March.
  private static func daysSince1970(year: Int, month: Int, day: Int) -> Int {
    let shifted = month > 2 ? year : year - 1
    let era = (shifted >= 0 ? shifted : shifted - 399) / 400
    let yearOfEra = shifted - era * 400
    let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
  }

  private struct Scanner {
    let utf8: [UInt8]
    var position = 0

    var isAtEnd: Bool { position == utf8.count }

    mutating func skip(_ character: Unicode.Scalar) -> Bool {
      guard position < utf8.count, utf8[position] == UInt8(ascii: character) else { return false }
      position += 1
      return true
    }

    mutating func digit() -> Int? {
      guard position < utf8.count, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(utf8[position]) else {
        return nil
      }
      defer { position += 1 }
      return Int(utf8[position] - UInt8(ascii: "0"))
    }

    mutating func digits(_ count: Int) -> Int? {
      var value = 0
      for _ in 0..<count {
        guard let digit = digit() else { return nil }
        value = value * 10 + digit
      }
      return value
    }

    /// Milliseconds of an optional fraction; nil for a point without digits.
    mutating func fractionMilliseconds() -> Int? {
      guard skip(".") else { return 0 }
      guard var value = digit() else { return nil }
      var count = 1
      while let next = digit() {
        if count < 3 { value = value * 10 + next }
        count += 1
      }
      return count == 1 ? value * 100 : count == 2 ? value * 10 : value
    }

    mutating func offsetMinutes() -> Int? {
      if skip("Z") || skip("z") { return 0 }
      let sign = skip("+") ? 1 : skip("-") ? -1 : 0
      guard sign != 0, let hours = digits(2), skip(":"), let minutes = digits(2), hours <= 23, minutes <= 59
      else {
        return nil
      }
      return sign * (hours * 60 + minutes)
    }
  }
}
