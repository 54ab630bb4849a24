import HTTPClient
import Testing

@Suite struct RetryAfterTests {
  /// 1994-11-06T08:49:37Z, the date of RFC 9110's examples.
  private static let moment: Int64 = 784_111_777

  @Test(arguments: ["0": 0, "1": 1, "120": 120, " 5": 5, "5\r\n": 5, "007": 7])
  func readsSeconds(_ text: String, _ seconds: Int) {
    #expect(RetryAfter.seconds(text, now: Self.moment) == seconds)
  }

  @Test(arguments: [
    "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
    "Sun, 06 Nov 1994 08:49:37 gmt", "sun, 06 nov 1994 08:49:37 GMT",
  ])
  func readsAllThreeFormsOfADate(_ text: String) {
    #expect(RetryAfter.seconds(text, now: Self.moment - 30) == 30)
    #expect(RetryAfter.seconds(text, now: Self.moment) == 0)
    #expect(RetryAfter.seconds(text, now: Self.moment + 1) == 0)
  }

  @Test func countsADateFromTheAnswersOwnClock() {
    let answer = { (date: String?) in
      TransportResponse(
        status: 503, fields: .init(retryAfter: "Sun, 06 Nov 1994 08:49:37 GMT", date: date), body: [])
    }
    // The peer's clock is an hour and a day behind this one's.
    #expect(RetryAfter.seconds(in: answer("Sun, 06 Nov 1994 08:49:07 GMT"), now: Self.moment + 90_000) == 30)
    #expect(
      RetryAfter.seconds(in: answer(" Sun, 06 Nov 1994 08:49:07 GMT\r\n"), now: Self.moment - 90_000) == 30)
    #expect(RetryAfter.seconds(in: answer("today"), now: Self.moment - 7) == 7)
    #expect(RetryAfter.seconds(in: answer(nil), now: Self.moment - 7) == 7)
    let seconds = TransportResponse(
      status: 503, fields: .init(retryAfter: "5", date: "Sun, 06 Nov 1994 08:49:07 GMT"), body: [])
    #expect(RetryAfter.seconds(in: seconds, now: Self.moment) == 5)
    #expect(RetryAfter.seconds(in: TransportResponse(status: 503, body: []), now: Self.moment) == nil)
  }

  @Test func readsTwoDigitYearsWithinFiftyYears() {
    let now: Int64 = 1_795_262_400  // 2026-11-21T12:00:00Z
    #expect(RetryAfter.seconds("Saturday, 21-Nov-26 12:00:10 GMT", now: now) == 10)
    #expect(RetryAfter.seconds("Sunday, 06-Nov-94 08:49:37 GMT", now: now) == 0)
  }

  @Test func readsLeapDays() {
    let now: Int64 = 1_835_308_800  // 2028-02-28T00:00:00Z
    #expect(RetryAfter.seconds("Tue, 29 Feb 2028 00:00:00 GMT", now: now) == 86_400)
    #expect(RetryAfter.seconds("Wed, 01 Mar 2028 00:00:00 GMT", now: now) == 2 * 86_400)
  }

  @Test(arguments: ["999999999", "99999999999999999999999999", "Sun, 06 Nov 2094 08:49:37 GMT"])
  func boundsTheDelay(_ text: String) {
    #expect(RetryAfter.seconds(text, now: Self.moment) == RetryAfter.secondsMax)
  }

  @Test(arguments: [
    "", " ", "-5", "+5", "1.5", "5s", "soon", "1e3", "٣", "Sun, 06 Nov 1994", "06 Nov 1994 08:49:37 GMT",
    "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994 25:49:37 GMT", "Sun, 06 Foo 1994 08:49:37 GMT",
    "Sun, 32 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:37 PST", "Sun Nov 6 08:49 1994", "\u{0}",
    "Sun, 06 Nov 19940 08:49:37 GMT",
  ])
  func rejectsGarbage(_ text: String) {
    #expect(RetryAfter.seconds(text, now: Self.moment) == nil)
  }
}
