internal import Synchronization
internal import _FoundationICU

/// Writes values of one format as one locale does: with CLDR's data in the toolchain's ICU, in the locale's
/// default digits and the Gregorian calendar.
///
/// Opening one takes ICU up to two milliseconds, so keep it. Whole numbers take a tenth of a microsecond,
/// everything else up to five.
package final class LocaleFormatter: Sendable {
  /// A handle of ICU.
  ///
  /// Guard: the lock of `handle`, through which all calls go, since ICU's formatters change while they work.
  private struct Handle: @unchecked Sendable {
    let pointer: UnsafeMutablePointer<UnsafeMutableRawPointer?>
    let isDate: Bool
    var wholeNumbers = WholeNumberTexts()
    /// The moment that was written last: a message to many has the same for all of one language.
    var last: (milliseconds: Int64, text: String)?
  }

  private let handle: Mutex<Handle>

  /// Nil if ICU cannot open the format. `locale` is a BCP 47 tag; one that CLDR does not know gets CLDR's
  /// root, which belongs to no language. `timeZone` is an IANA name.
  package init?(_ format: ValueFormat, locale: String, timeZone: String = "UTC") {
    let name = Self.localeName(locale)
    let keywords = Self.numberingSystem(of: locale).map { "numbers=\($0)" }
    let numberName = keywords.map { "\(name)@\($0)" } ?? name
    let dateName = "\(name)@calendar=gregorian" + (keywords.map { ";\($0)" } ?? "")
    let pointer =
      switch format {
      case .number: Self.number(UNUM_DECIMAL, numberName)
      case .percent: Self.number(UNUM_PERCENT, numberName)
      case .currency(let code): Self.number(UNUM_CURRENCY, numberName, currency: code)
      case .date(let length): Self.date(length.style, UDAT_NONE, dateName, timeZone)
      case .time(let length): Self.date(UDAT_NONE, length.style, dateName, timeZone)
      case .dateTime(let length): Self.date(length.style, length.style, dateName, timeZone)
      }
    guard let pointer else { return nil }
    let isDate =
      switch format {
      case .number, .percent, .currency: false
      case .date, .time, .dateTime: true
      }
    handle = Mutex(Handle(pointer: pointer, isDate: isDate))
  }

  deinit {
    handle.withLock { $0.isDate ? swift_udat_close($0.pointer) : swift_unum_close($0.pointer) }
  }

  /// The text of a decimal number such as `-12.5e3`; nil for one of dates.
  package func text(ofNumber decimal: String) -> String? {
    handle.withLock { handle in
      guard !handle.isDate else { return nil }
      let pointer = handle.pointer
      return handle.wholeNumbers.text(of: decimal) { decimal in
        let length = Int32(clamping: decimal.utf8.count)
        return Self.text { buffer, capacity, status in
          swift_unum_formatDecimal(pointer, decimal, length, buffer, capacity, nil, &status)
        }
      }
    }
  }

  /// The text of a moment, in milliseconds since 1970, UTC; nil for a format of numbers.
  package func text(ofMilliseconds milliseconds: Int64) -> String? {
    handle.withLock { handle in
      guard handle.isDate else { return nil }
      if let last = handle.last, last.milliseconds == milliseconds { return last.text }
      let text = Self.text { buffer, capacity, status in
        swift_udat_format(handle.pointer, Double(milliseconds), buffer, capacity, nil, &status)
      }
      handle.last = text.map { (milliseconds, $0) }
      return text
    }
  }

  /// Whether a time zone has that name in IANA's database; ICU has a copy of it.
  package static func isTimeZone(_ name: String) -> Bool {
    guard (1...timeZoneBytesMax).contains(name.utf8.count) else { return false }
    let units = Array(name.utf16)
    var isSystemID: UBool = 0
    var status = U_ZERO_ERROR
    return withUnsafeTemporaryAllocation(of: UChar.self, capacity: 128) { buffer in
      _ = swift_ucal_getCanonicalTimeZoneID(
        units, Int32(clamping: units.count), buffer.baseAddress, Int32(buffer.count), &isSystemID, &status)
      return status.rawValue <= U_ZERO_ERROR.rawValue && isSystemID != 0
    }
  }

  /// Whether a code is that of a currency in ISO 4217, today's or a former one.
  package static func isCurrency(_ code: String) -> Bool {
    let units = Array(code.utf16) + [0]
    guard units.count == 4, units.dropLast().allSatisfy({ (0x41...0x5A).contains($0) }) else { return false }
    return swift_ucurr_getNumericCode(units) != 0
  }

  private static let timeZoneBytesMax = 64
  /// Longer than any text of a number that a double holds.
  private static let textUnitsMax = 1024

  private static func text(
    _ format: (UnsafeMutablePointer<UChar>?, Int32, inout UErrorCode) -> Int32
  ) -> String? {
    withUnsafeTemporaryAllocation(of: UChar.self, capacity: textUnitsMax) { buffer in
      var status = U_ZERO_ERROR
      let length = Int(format(buffer.baseAddress, Int32(clamping: buffer.count), &status))
      guard status.rawValue <= U_ZERO_ERROR.rawValue, (0...buffer.count).contains(length) else { return nil }
      return String(decoding: buffer[..<length], as: UTF16.self)
    }
  }

  private static func number(
    _ style: UNumberFormatStyle, _ locale: String, currency: String? = nil
  ) -> UnsafeMutablePointer<UnsafeMutableRawPointer?>? {
    var status = U_ZERO_ERROR
    guard let format = swift_unum_open(style, nil, 0, locale, nil, &status) else { return nil }
    if let currency {
      let code = Array(currency.utf16)
      status = U_ZERO_ERROR
      swift_unum_setTextAttribute(format, UNUM_CURRENCY_CODE, code, Int32(clamping: code.count), &status)
    }
    guard status.rawValue <= U_ZERO_ERROR.rawValue else {
      swift_unum_close(format)
      return nil
    }
    return format
  }

  private static func date(
    _ date: UDateFormatStyle, _ time: UDateFormatStyle, _ locale: String, _ timeZone: String
  ) -> UnsafeMutablePointer<UnsafeMutableRawPointer?>? {
    var status = U_ZERO_ERROR
    let zone = Array(timeZone.utf16)
    let format = swift_udat_open(
      time, date, locale, zone, Int32(clamping: zone.count), nil, 0, &status)
    // RFC 3339 counts in the Gregorian calendar before 1582 too.
    let calendar = swift_ucal_open(
      zone, Int32(clamping: zone.count), locale, UCAL_GREGORIAN, &status)
    defer { swift_ucal_close(calendar) }
    swift_ucal_setGregorianChange(calendar, -earliestMilliseconds, &status)
    guard status.rawValue <= U_ZERO_ERROR.rawValue else {
      swift_udat_close(format)
      return nil
    }
    swift_udat_setCalendar(format, calendar)
    return format
  }

  /// ICU's earliest moment, before 1970.
  private static let earliestMilliseconds = 8.64e15

  /// CLDR's default digits where those of the toolchain's ICU differ: its data are Apple's, which has Latin
  /// digits in these languages. Nil for all others.
  private static func numberingSystem(of tag: String) -> String? {
    let subtags = tag.lowercased().split { $0 == "-" || $0 == "_" }
    return switch subtags.first {
    case "bn": "beng"
    case "mr": "deva"
    case "ur" where subtags.contains("in"): "arabext"
    default: nil
    }
  }

  /// ICU's name of a locale. Where CLDR has no data, ICU would use the machine's own language.
  private static func localeName(_ tag: String) -> String {
    let name = tag.replacing("-", with: "_")
    var status = U_ZERO_ERROR
    let bundle = swift_ures_open(nil, name, &status)
    swift_ures_close(bundle)
    return status == U_USING_DEFAULT_WARNING || status.rawValue > U_ZERO_ERROR.rawValue ? "root" : name
  }
}

extension ValueFormat.Length {
  fileprivate var style: UDateFormatStyle {
    switch self {
    case .short: UDAT_SHORT
    case .medium: UDAT_MEDIUM
    case .long: UDAT_LONG
    }
  }
}
