/// How a locale writes a value: CLDR's own formats.
package enum ValueFormat: Sendable, Hashable {
  /// CLDR's date and time formats.
  package enum Length: String, Sendable, CaseIterable {
    case short, medium, long
  }

  /// Up to three digits after the decimal separator.
  case number
  /// Whole percent: 0.25 is 25 %.
  case percent
  /// An amount of a currency, which has an ISO 4217 code.
  case currency(String)
  case date(Length)
  case time(Length)
  case dateTime(Length)

  /// The size of the longest text, in UTF-8, that any language of CLDR makes of a value. A number has
  /// `wholeDigits` digits before its decimal separator.
  package func longestTextBytes(wholeDigits: Int) -> Int {
    switch self {
    case .number: Self.numberBytes(wholeDigits: wholeDigits, fractionDigits: 3, affixBytes: 10)
    case .percent: Self.numberBytes(wholeDigits: wholeDigits + 2, fractionDigits: 0, affixBytes: 15)
    case .currency: Self.numberBytes(wholeDigits: wholeDigits, fractionDigits: 4, affixBytes: 40)
    case .date(let length): length.choose(40, 90, 130)
    case .time(let length): length.choose(80, 80, 160)
    case .dateTime(let length): length.choose(120, 160, 260)
    }
  }

  /// A digit has up to four bytes (Adlam, Chakma), and a separator in front of three digits three. Affixes
  /// are the sign, the percent sign or the currency, and marks of direction.
  private static func numberBytes(wholeDigits: Int, fractionDigits: Int, affixBytes: Int) -> Int {
    5 * wholeDigits + 3 + 4 * fractionDigits + affixBytes
  }
}

extension ValueFormat.Length {
  fileprivate func choose(_ short: Int, _ medium: Int, _ long: Int) -> Int {
    switch self {
    case .short: short
    case .medium: medium
    case .long: long
    }
  }
}
