import Foundation
import Testing

@testable import LocaleRules

/// Numbers and dates as CLDR writes them. The oracle `formats` compares many more locales with Babel.
@Suite struct LocaleFormatterTests {
  /// 22 November 2026, 18:30 UTC.
  private let moment: Int64 = 1_795_372_200_000

  private func number(_ format: ValueFormat, _ locale: String, _ value: String) -> String? {
    LocaleFormatter(format, locale: locale)?.text(ofNumber: value)
  }

  private func date(_ format: ValueFormat, _ locale: String, _ timeZone: String = "UTC") -> String? {
    LocaleFormatter(format, locale: locale, timeZone: timeZone)?.text(ofMilliseconds: moment)
  }

  @Test func writesNumbers() {
    #expect(number(.number, "de", "1234567.8912") == "1.234.567,891")
    #expect(number(.number, "fr-CA", "-1234.5") == "-1\u{A0}234,5")
    #expect(number(.number, "hi", "1234567") == "12,34,567")
    #expect(number(.number, "ar-EG", "12.5") == "١٢٫٥")
    #expect(number(.number, "es", "1234") == "1234")
    #expect(number(.number, "en", "9223372036854775807") == "9,223,372,036,854,775,807")
    #expect(number(.number, "en", "1e-7") == "0")
    #expect(number(.percent, "fr", "0.25") == "25\u{A0}%")
    #expect(number(.percent, "tr", "0.25") == "%25")
    #expect(number(.currency("EUR"), "de", "1234.5") == "1.234,50\u{A0}€")
    #expect(number(.currency("JPY"), "ja", "1234") == "¥1,234")
    #expect(number(.number, "en", "abc") == nil)
  }

  /// ICU writes a number with an exponent itself.
  @Test func wholeNumbersAreThoseOfICU() throws {
    let numbers =
      ["0", "-0", "007", "91028374659102837465"]
      + (1...19).map { count in String("1203948576801234567".prefix(count)) }
    for locale in Locale.availableIdentifiers + ["pt-PT", "de-CH", "en-IN"]
    where locale.count < 4 || locale.contains("-") {
      for format in [ValueFormat.number, .percent, .currency("EUR")] {
        let formatter = try #require(LocaleFormatter(format, locale: locale))
        for number in numbers.flatMap({ [$0, "-\($0)"] }) {
          #expect(
            formatter.text(ofNumber: number) == formatter.text(ofNumber: "\(number)e0"),
            "\(locale) \(format) \(number)")
        }
      }
    }
    #expect(number(.number, "zh-u-nu-hanidec", "1203") == number(.number, "zh-u-nu-hanidec", "1203e0"))
  }

  @Test func writesTheMomentThatIsAskedFor() throws {
    let formatter = try #require(LocaleFormatter(.time(.short), locale: "de"))
    let texts = [0, 0, 3_600_000, 0].map { formatter.text(ofMilliseconds: $0) }
    #expect(texts == ["00:00", "00:00", "01:00", "00:00"])
  }

  /// The digits are CLDR's, where the toolchain's ICU has Apple's.
  @Test func writesTheDigitsOfCLDR() {
    #expect(number(.number, "bn", "1234567") == "১২,৩৪,৫৬৭")
    #expect(number(.percent, "bn-IN", "0.25") == "২৫%")
    #expect(number(.number, "mr", "1234567") == "१२,३४,५६७")
    #expect(number(.currency("INR"), "mr-IN", "12")?.contains("१२") == true)
    #expect(number(.number, "ur-IN", "12") == "۱۲")
    #expect(number(.number, "ur", "12") == "12")
    #expect(number(.number, "ne", "12") == "१२")
    #expect(number(.number, "hi-IN", "12") == "12")
    #expect(date(.date(.short), "mr")?.contains("२६") == true)
    #expect(date(.dateTime(.long), "bn")?.contains("২০২৬") == true)
  }

  /// The size that a message may have counts on this: in every language of the toolchain's CLDR.
  @Test func noLanguageWritesMoreThanTheLongestText() throws {
    // A region changes little, and a thousand of them would take long.
    let locales = Locale.availableIdentifiers.filter {
      $0.split(separator: "_").last?.count != 2 || $0.count < 4
    }
    #expect(locales.count > 200)
    let numbers = ["-9223372036854775808", "-9007199254740991.1239", "-123.4567", "0"]
    let formats = [ValueFormat.number, .percent, .currency("USD"), .currency("CLF"), .currency("ANG")]
    let days = [-62_135_596_800_000] + (0..<12).map { 1_699_900_000_000 + $0 * 2_718_400_000 as Int64 }
    let dates = ValueFormat.Length.allCases.flatMap { [ValueFormat.date($0), .time($0), .dateTime($0)] }
    for locale in locales {
      let tag = locale.replacing("_", with: "-")
      for format in formats {
        let formatter = try #require(LocaleFormatter(format, locale: tag))
        for number in numbers {
          let digits = number.prefix { $0 != "." }.count { $0 != "-" }
          let text = try #require(formatter.text(ofNumber: number))
          #expect(
            text.utf8.count <= format.longestTextBytes(wholeDigits: digits), "\(locale) \(format) \(text)")
        }
      }
      for format in dates {
        let formatter = try #require(
          LocaleFormatter(format, locale: tag, timeZone: "America/Argentina/ComodRivadavia"))
        for day in days {
          let text = try #require(formatter.text(ofMilliseconds: day))
          #expect(text.utf8.count <= format.longestTextBytes(wholeDigits: 0), "\(locale) \(format) \(text)")
        }
      }
    }
  }

  @Test func writesDatesInTheGregorianCalendar() {
    #expect(date(.date(.short), "de") == "22.11.26")
    #expect(date(.date(.medium), "fr") == "22 nov. 2026")
    #expect(date(.date(.long), "ja") == "2026年11月22日")
    #expect(date(.date(.long), "th-TH")?.contains("2026") == true)
    #expect(date(.date(.short), "fa-IR")?.hasPrefix("۲۰۲۶") == true)
    #expect(date(.time(.short), "de", "America/Toronto") == "13:30")
    #expect(date(.dateTime(.short), "de", "Asia/Tokyo") == "23.11.26, 03:30")
    let before1582 = LocaleFormatter(.date(.long), locale: "en")?.text(ofMilliseconds: -14_831_769_600_000)
    #expect(before1582 == "January 1, 1500")
  }

  /// ICU would otherwise use the language of the machine.
  @Test func anUnknownLanguageIsNobodysLanguage() {
    #expect(number(.number, "tlh", "1234.5") == "1,234.5")
    #expect(date(.date(.short), "tlh") == "2026-11-22")
  }

  @Test func knowsTimeZonesAndCurrencies() {
    for name in ["UTC", "America/Toronto", "Asia/Kolkata", "Europe/Kyiv", "Etc/GMT+3"] {
      #expect(LocaleFormatter.isTimeZone(name), "\(name)")
    }
    for name in ["", "Nowhere/Land", "GMT+5", "america/toronto", String(repeating: "A", count: 10_000)] {
      #expect(!LocaleFormatter.isTimeZone(name), "\(name.prefix(20))")
    }
    #expect(["EUR", "JPY", "DEM"].allSatisfy(LocaleFormatter.isCurrency))
    #expect(!["eur", "EURO", "ABC", "E\0R", ""].contains(where: LocaleFormatter.isCurrency))
  }

  @Test func aFormatterOfNumbersWritesNoDates() {
    #expect(LocaleFormatter(.number, locale: "de")?.text(ofMilliseconds: 0) == nil)
    #expect(LocaleFormatter(.date(.short), locale: "de")?.text(ofNumber: "1") == nil)
  }

  @Test func hugeValuesHaveATextOrNone() {
    #expect(number(.currency("EUR"), "ar-EG", "1.7976931348623157e308") != nil)
    #expect(number(.number, "en", "1e100000") == nil)
    #expect(LocaleFormatter(.date(.long), locale: "en")?.text(ofMilliseconds: .min) != nil)
    #expect(LocaleFormatter(.date(.long), locale: "en")?.text(ofMilliseconds: .max) != nil)
  }

  /// One formatter of each kind, used by several threads at once.
  @Test func severalThreadsCanShareAFormatter() throws {
    let number = try #require(LocaleFormatter(.currency("EUR"), locale: "de"))
    let date = try #require(LocaleFormatter(.dateTime(.long), locale: "fr", timeZone: "Europe/Paris"))
    let numbers = (0..<50).map { number.text(ofNumber: "\($0 * 1000)") }
    let dates = (0..<50).map { date.text(ofMilliseconds: Int64($0) * 100_000_000) }
    let wrong = WrongTexts()
    DispatchQueue.concurrentPerform(iterations: 4) { _ in
      for _ in 0..<20 {
        for index in 0..<50 {
          if number.text(ofNumber: "\(index * 1000)") != numbers[index] { wrong.add() }
          if date.text(ofMilliseconds: Int64(index) * 100_000_000) != dates[index] { wrong.add() }
        }
      }
    }
    #expect(wrong.count == 0)
  }
}

/// A count that threads share. Guard: the lock.
private final class WrongTexts: @unchecked Sendable {
  private let lock = NSLock()
  private var value = 0

  func add() { lock.withLock { value += 1 } }
  var count: Int { lock.withLock { value } }
}
