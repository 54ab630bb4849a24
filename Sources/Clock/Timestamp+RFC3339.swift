extension Timestamp {
  /// RFC 3339 in UTC with milliseconds: `2026-11-21T11:59:00.123Z`.
  package var rfc3339: String {
    String(unsafeUninitializedCapacity: Self.rfc3339BytesMax) { writeRFC3339(to: $0) }
  }

  /// Appends the text of `rfc3339`, without an allocation of its own.
  package func appendRFC3339(to bytes: inout [UInt8]) {
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: Self.rfc3339BytesMax) { buffer in
      let count = writeRFC3339(to: buffer)
      bytes.append(contentsOf: buffer[..<count])
    }
  }

  /// A year has at most nine digits and a sign.
  private static let rfc3339BytesMax = 32

  /// Writes the text to `buffer`, which has room for `rfc3339BytesMax`, and returns the number of bytes
  /// written.
  private func writeRFC3339(to buffer: UnsafeMutableBufferPointer<UInt8>) -> Int {
    let (days, ofDay) = milliseconds.quotientAndRemainder(dividingBy: 86_400_000)
    let time = Int(ofDay < 0 ? ofDay + 86_400_000 : ofDay)
    let date = CalendarDate(daysSince1970: Int(ofDay < 0 ? days - 1 : days))
    var position = 0
    func append(_ byte: UInt8) {
      buffer[position] = byte
      position += 1
    }
    func append(twoDigits value: Int, then separator: Unicode.Scalar) {
      let number = UInt8(truncatingIfNeeded: value)
      buffer[position] = UInt8(ascii: "0") &+ number / 10
      buffer[position + 1] = UInt8(ascii: "0") &+ number % 10
      buffer[position + 2] = UInt8(ascii: separator)
      position += 3
    }
    if date.year < 0 { append(UInt8(ascii: "-")) }
    let year = abs(date.year)
    // Divisions by constants are multiplications, which take a tenth of the time.
    var rest = year
    if year >= 10_000 {
      var divisor = 10_000
      while year / divisor >= 10 { divisor *= 10 }
      while divisor >= 10_000 {
        append(UInt8(ascii: "0") + UInt8(year / divisor % 10))
        divisor /= 10
      }
      rest = year % 10_000
    }
    append(UInt8(ascii: "0") + UInt8(rest / 1000))
    append(UInt8(ascii: "0") + UInt8(rest / 100 % 10))
    append(twoDigits: rest % 100, then: "-")
    append(twoDigits: date.month, then: "-")
    append(twoDigits: date.day, then: "T")
    append(twoDigits: time / 3_600_000, then: ":")
    append(twoDigits: time / 60_000 % 60, then: ":")
    append(twoDigits: time / 1000 % 60, then: ".")
    append(UInt8(ascii: "0") + UInt8(time / 100 % 10))
    append(twoDigits: time % 100, then: "Z")
    return position
  }

  /// Reads an RFC 3339 §5.6 date-time: any offset, any number of fraction digits (cut to milliseconds), a
  /// leap second read as the second after it. Nil for anything else, February 30th included.
  package init?(rfc3339 text: String) {
    var scanner = Scanner(utf8: Array(text.utf8))
    guard let year = scanner.digits(4), scanner.skip("-"), let month = scanner.digits(2), scanner.skip("-"),
      let day = scanner.digits(2), scanner.skip("T") || scanner.skip("t"),
      let hour = scanner.digits(2), scanner.skip(":"), let minute = scanner.digits(2), scanner.skip(":"),
      let second = scanner.digits(2), hour <= 23, minute <= 59, second <= 60,
      let date = CalendarDate(year: year, month: month, day: day),
      let fraction = scanner.fractionMilliseconds(), let offset = scanner.offsetMinutes(), scanner.isAtEnd
    else { return nil }
    let seconds = ((date.daysSince1970 * 24 + hour) * 60 + minute - offset) * 60 + second
    self.init(milliseconds: Int64(seconds) * 1000 + Int64(fraction))
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
