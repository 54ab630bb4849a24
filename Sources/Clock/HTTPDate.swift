/// Dates of HTTP headers (RFC 9110 §5.6.7).
package enum HTTPDate {
  private static let weekdays = Array("SunMonTueWedThuFriSat".utf8)
  private static let months = Array("JanFebMarAprMayJunJulAugSepOctNovDec".utf8)

  /// IMF-fixdate, `Sun, 06 Nov 1994 08:49:37 GMT`, for a time in seconds since 1970.
  package static func bytes(secondsSince1970 seconds: Int) -> [UInt8] {
    let (days, ofDay) = seconds.quotientAndRemainder(dividingBy: 86_400)
    let secondOfDay = ofDay < 0 ? ofDay + 86_400 : ofDay
    let date = CalendarDate(daysSince1970: ofDay < 0 ? days - 1 : days)
    let weekday = date.weekday
    var text: [UInt8] = []
    text.reserveCapacity(29)
    text.append(contentsOf: weekdays[(weekday * 3)..<(weekday * 3 + 3)])
    text.append(contentsOf: ", ".utf8)
    appendPadded(date.day, digits: 2, to: &text)
    text.append(UInt8(ascii: " "))
    text.append(contentsOf: months[((date.month - 1) * 3)..<(date.month * 3)])
    text.append(UInt8(ascii: " "))
    appendPadded(date.year, digits: 4, to: &text)
    text.append(UInt8(ascii: " "))
    appendPadded(secondOfDay / 3600, digits: 2, to: &text)
    text.append(UInt8(ascii: ":"))
    appendPadded(secondOfDay / 60 % 60, digits: 2, to: &text)
    text.append(UInt8(ascii: ":"))
    appendPadded(secondOfDay % 60, digits: 2, to: &text)
    text.append(contentsOf: " GMT".utf8)
    return text
  }

  private static func appendPadded(_ number: Int, digits: Int, to text: inout [UInt8]) {
    var divisor = digits == 4 ? 1000 : 10
    while divisor > 0 {
      text.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: number.magnitude / divisor.magnitude % 10))
      divisor /= 10
    }
  }

  /// Seconds since 1970 of a date in any of the three forms; nil for anything else. `now`, in seconds since
  /// 1970, decides the century of a two-digit year.
  package static func secondsSince1970(_ text: some Collection<UInt8>, now: Int64) -> Int64? {
    let words = text.split { $0 == 0x20 || $0 == UInt8(ascii: ",") }
    guard let weekday = words.first, isWeekday(weekday) else { return nil }
    switch words.count {
    case 6 where isGMT(words[5]):  // Sun, 06 Nov 1994 08:49:37 GMT
      guard words[1].count == 2, words[3].count == 4 else { return nil }
      return seconds(year: number(words[3]), month: words[2], day: number(words[1]), time: words[4])
    case 5 where words[4].count == 4 && number(words[4]) != nil:  // Sun Nov  6 08:49:37 1994
      return seconds(year: number(words[4]), month: words[1], day: number(words[2]), time: words[3])
    case 4 where isGMT(words[3]):  // Sunday, 06-Nov-94 08:49:37 GMT
      let parts = words[1].split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
      guard parts.count == 3, parts[2].count == 2, let short = number(parts[2]) else { return nil }
      let year = fullYear(short, now: now)
      return seconds(year: year, month: parts[1], day: number(parts[0]), time: words[2])
    default: return nil
    }
  }

  /// RFC 9110 §5.6.7: a two-digit year that seems more than 50 years ahead is the last one with these digits.
  private static func fullYear(_ short: Int, now: Int64) -> Int {
    let current = Int(1970 + now / 31_556_952)
    let candidate = current - current % 100 + short
    return candidate > current + 50 ? candidate - 100 : candidate
  }

  private static func seconds(
    year: Int?, month: some Collection<UInt8>, day: Int?, time: some Collection<UInt8>
  ) -> Int64? {
    let parts = time.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
    let names = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
    guard parts.count == 3, parts.allSatisfy({ $0.count == 2 }), let year, (1601...9999).contains(year),
      let monthIndex = names.firstIndex(where: { $0.utf8.elementsEqual(month.map(lowercased)) }),
      let day, let date = CalendarDate(year: year, month: monthIndex + 1, day: day),
      let hour = number(parts[0]), hour < 24, let minute = number(parts[1]), minute < 60,
      let second = number(parts[2]), second <= 60
    else { return nil }
    return Int64(date.daysSince1970 * 86_400 + hour * 3600 + minute * 60 + second)
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

  /// Decimal digits alone; nil for anything else and for what does not fit.
  private static func number(_ digits: some Collection<UInt8>) -> Int? {
    guard !digits.isEmpty, digits.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else {
      return nil
    }
    return Int(String(decoding: digits, as: UTF8.self))
  }

  private static func lowercased(_ byte: UInt8) -> UInt8 {
    (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
  }
}
