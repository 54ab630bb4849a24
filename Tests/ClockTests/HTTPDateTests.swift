import Clock
import Testing

@Suite struct HTTPDateTests {
  @Test(arguments: [
    (0, "Thu, 01 Jan 1970 00:00:00 GMT"), (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"),
    (951_782_399, "Mon, 28 Feb 2000 23:59:59 GMT"), (951_782_400, "Tue, 29 Feb 2000 00:00:00 GMT"),
    (4_102_444_800, "Fri, 01 Jan 2100 00:00:00 GMT"),
  ])
  func writesDates(seconds: Int, text: String) {
    #expect(String(decoding: HTTPDate.bytes(secondsSince1970: seconds), as: UTF8.self) == text)
  }

  @Test(arguments: [
    "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
  ])
  func readsEveryForm(_ text: String) {
    #expect(HTTPDate.secondsSince1970(Array(text.utf8), now: 1_795_262_340) == 784_111_777)
  }

  @Test(arguments: [
    "", "Sun, 06 Nov 1994", "Sun, 30 Feb 1994 08:49:37 GMT", "Sun, 06 Nov 1994 24:49:37 GMT",
    "Sun, 06 Nov 1994 08:49:37 CET", "Sun, 06 Nov 99999999999999999999 08:49:37 GMT",
  ])
  func rejectsWhatIsNotADate(_ text: String) {
    #expect(HTTPDate.secondsSince1970(Array(text.utf8), now: 1_795_262_340) == nil)
  }
}
