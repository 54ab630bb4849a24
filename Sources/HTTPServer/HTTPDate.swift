/// IMF-fixdate of RFC 9110 §5.6.7, as bytes.
enum HTTPDate {
  private static let days = Array("SunMonTueWedThuFriSat".utf8)
  private static let months = Array("JanFebMarAprMayJunJulAugSepOctNovDec".utf8)

  /// `Sun, 06 Nov 1994 08:49:37 GMT` for a time in seconds since 1970.
  static func bytes(secondsSince1970 seconds: Int) -> [UInt8] {
    let day = Int((Double(seconds) / 86_400).rounded(.down))
    let secondOfDay = seconds - day * 86_400
    let (year, month, dayOfMonth) = civil(daysSince1970: day)
    let weekday = ((day + 4) % 7 + 7) % 7
    var text: [UInt8] = []
    text.reserveCapacity(29)
    text.append(contentsOf: days[(weekday * 3)..<(weekday * 3 + 3)])
    text.append(contentsOf: ", ".utf8)
    appendPadded(dayOfMonth, digits: 2, to: &text)
    text.append(ASCII.space)
    text.append(contentsOf: months[((month - 1) * 3)..<(month * 3)])
    text.append(ASCII.space)
    appendPadded(year, digits: 4, to: &text)
    text.append(ASCII.space)
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
      text.append(UInt8(ascii: "0") + UInt8(number / divisor % 10))
      divisor /= 10
    }
  }

  /// Howard Hinnant's `civil_from_days`.
  private static func civil(daysSince1970: Int) -> (year: Int, month: Int, day: Int) {
    let shifted = daysSince1970 + 719_468
    let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * dayOfYear + 2) / 153
    let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
    let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    return (year, month, dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
  }
}
