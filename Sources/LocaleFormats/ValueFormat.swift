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
}
