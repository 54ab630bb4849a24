import Clock
import Glibc
import Testing

/// The calendar against glibc's.
@Suite struct CalendarDateTests {
  @Test func agreesWithGlibcAboutEveryDay() {
    for days in stride(from: -800_000, to: 2_900_000, by: 13) {
      var seconds = days * 86_400
      var parts = tm()
      gmtime_r(&seconds, &parts)
      let date = CalendarDate(daysSince1970: days)
      #expect(date.year == Int(parts.tm_year) + 1900)
      #expect(date.month == Int(parts.tm_mon) + 1)
      #expect(date.day == Int(parts.tm_mday))
      #expect(date.weekday == Int(parts.tm_wday))
      #expect(date.daysSince1970 == days)
      #expect(CalendarDate(year: date.year, month: date.month, day: date.day) == date)
    }
  }

  @Test func rejectsDaysThatDoNotExist() {
    #expect(CalendarDate(year: 2023, month: 2, day: 29) == nil)
    #expect(CalendarDate(year: 2024, month: 2, day: 29) != nil)
    #expect(CalendarDate(year: 1900, month: 2, day: 29) == nil)
    #expect(CalendarDate(year: 2024, month: 13, day: 1) == nil)
    #expect(CalendarDate(year: 2024, month: 4, day: 31) == nil)
    #expect(CalendarDate(year: 2024, month: 4, day: 0) == nil)
  }
}
