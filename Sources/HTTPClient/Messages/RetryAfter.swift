/// Reads the value of a `Retry-After` header (RFC 9110 §10.2.3): seconds, or a date in any of the three forms of
/// §5.6.7.
package enum RetryAfter {
  /// Four weeks, FCM's longest ttl: nothing that is asked to wait longer is still wanted then.
  package static let secondsMax = 2_419_200

  /// Seconds from `now` (UNIX seconds), never fewer than were asked for up to `secondsMax`; 0 for a date that is
  /// past; nil for what is neither.
  package static func seconds(_ value: String, now: Int64) -> Int? {
    let text = trimmed(value)
    if let first = text.first, isDigit(first) {
      guard text.allSatisfy(isDigit) else { return nil }
      return number(text).map { min($0, secondsMax) } ?? secondsMax
    }
    guard let date = unixSeconds(httpDate: text, now: now) else { return nil }
    return Int(min(max(date - now, 0), Int64(secondsMax)))
  }

  /// UNIX seconds of an HTTP-date; `now` settles the century of a two-digit year.
  static func unixSeconds(httpDate text: some Collection<UInt8>, now: Int64) -> Int64? {
    let words = text.split { $0 == 0x20 || $0 == UInt8(ascii: ",") }
    guard let weekday = words.first, isWeekday(weekday) else { return nil }
    switch words.count {
    case 6 where isGMT(words[5]):  // Sun, 06 Nov 1994 08:49:37 GMT
      guard words[1].count == 2, words[3].count == 4 else { return nil }
      return moment(year: number(words[3]), month: words[2], day: number(words[1]), time: words[4])
    case 5 where words[4].count == 4 && number(words[4]) != nil:  // Sun Nov  6 08:49:37 1994
      return moment(year: number(words[4]), month: words[1], day: number(words[2]), time: words[3])
    case 4 where isGMT(words[3]):  // Sunday, 06-Nov-94 08:49:37 GMT
      let parts = words[1].split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
      guard parts.count == 3, parts[2].count == 2, let short = number(parts[2]) else { return nil }
      let year = fullYear(short, now: now)
      return moment(year: year, month: parts[1], day: number(parts[0]), time: words[2])
    default: return nil
    }
  }

  /// RFC 9110 §5.6.7: a two-digit year that seems more than 50 years ahead is the last one with these digits.
  private static func fullYear(_ short: Int, now: Int64) -> Int {
    let current = Int(1970 + now / 31_556_952)
    let candidate = current - current % 100 + short
    return candidate > current + 50 ? candidate - 100 : candidate
  }

  private static func moment(
    year: Int?, month: some Collection<UInt8>, day: Int?, time: some Collection<UInt8>
  ) -> Int64? {
    let parts = time.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
    let names = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
    guard parts.count == 3, parts.allSatisfy({ $0.count == 2 }), let year, (1601...9999).contains(year),
      let monthIndex = names.firstIndex(where: { $0.utf8.elementsEqual(month.map(lowercased)) }),
      let day, (1...31).contains(day),
      let hour = number(parts[0]), hour < 24, let minute = number(parts[1]), minute < 60,
      let second = number(parts[2]), second <= 60
    else { return nil }
    let days = daysSince1970(year: year, month: monthIndex + 1, day: day)
    return days * 86_400 + Int64(hour * 3600 + minute * 60 + second)
  }

  /// Days in the proleptic Gregorian calendar; March is the first month, so that the leap day is a year's last.
  private static func daysSince1970(year: Int, month: Int, day: Int) -> Int64 {
    let shiftedYear = month <= 2 ? year - 1 : year
    let era = shiftedYear / 400
    let yearOfEra = shiftedYear - era * 400
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    return Int64(era * 146_097 + dayOfEra - 719_468)
  }

  private static func isWeekday(_ word: some Collection<UInt8>) -> Bool {
    let name = word.map(lowercased)
    return ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"].contains { full in
      full.utf8.elementsEqual(name) || full.utf8.prefix(3).elementsEqual(name)
    }
  }

  private static func isGMT(_ word: some Collection<UInt8>) -> Bool {
    "gmt".utf8.elementsEqual(word.map(lowercased))
  }

  private static func trimmed(_ value: String) -> ArraySlice<UInt8> {
    var bytes = Array(value.utf8)[...]
    while let last = bytes.last, last == 0x20 || last == 0x09 || last == 0x0D || last == 0x0A {
      bytes.removeLast()
    }
    while let first = bytes.first, first == 0x20 || first == 0x09 { bytes.removeFirst() }
    return bytes
  }

  /// Decimal digits alone; nil for anything else and for what does not fit.
  private static func number(_ digits: some Collection<UInt8>) -> Int? {
    guard !digits.isEmpty, digits.allSatisfy(isDigit) else { return nil }
    return Int(String(decoding: digits, as: UTF8.self))
  }

  private static func isDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
  }

  private static func lowercased(_ byte: UInt8) -> UInt8 {
    (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
  }
}
