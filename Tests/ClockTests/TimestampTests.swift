import Clock
import Foundation
import Testing

@Suite struct TimestampTests {
  @Test(arguments: [
    ("1970-01-01T00:00:00Z", 0), ("2026-11-21T11:59:00.123Z", 1_795_262_340_123),
    ("2026-11-21T13:59:00.1239+02:00", 1_795_262_340_123), ("2024-02-29t00:00:00z", 1_709_164_800_000),
    ("1969-12-31T23:59:59.5Z", -500), ("2016-12-31T23:59:60Z", 1_483_228_800_000),
  ])
  func readsRFC3339(_ text: String, _ milliseconds: Int64) {
    #expect(Timestamp(rfc3339: text)?.milliseconds == milliseconds)
  }

  @Test(arguments: [
    "", "2026-11-21", "2026-11-21 12:00:00Z", "2026-11-21T12:00:00", "2026-02-30T00:00:00Z",
    "2026-13-01T00:00:00Z",
    "2026-11-21T24:00:00Z", "2026-11-21T12:00:00.Z", "2026-11-21T12:00:00+2:00", "2026-11-21T12:00:00Zx",
  ])
  func rejectsInvalidTimestamps(_ text: String) {
    #expect(Timestamp(rfc3339: text) == nil)
  }

  @Test func roundTrips() {
    for text in ["2026-11-21T11:59:00.123Z", "1969-12-31T23:59:59.500Z", "2000-02-29T00:00:00.000Z"] {
      #expect(Timestamp(rfc3339: text)?.rfc3339 == text)
    }
  }

  @Test(arguments: [
    (0, "1970-01-01T00:00:00.000Z"), (951_782_400_001, "2000-02-29T00:00:00.001Z"),
    (1_709_251_199_999, "2024-02-29T23:59:59.999Z"), (4_107_542_400_000, "2100-03-01T00:00:00.000Z"),
    (-1, "1969-12-31T23:59:59.999Z"), (1_795_262_340_123, "2026-11-21T11:59:00.123Z"),
    (253_402_300_799_999, "9999-12-31T23:59:59.999Z"), (253_402_300_800_000, "10000-01-01T00:00:00.000Z"),
    (.max, "292278994-08-17T07:12:55.807Z"), (.min, "-292275055-05-16T16:47:04.192Z"),
  ])
  func isWrittenAsRFC3339(milliseconds: Int64, expected: String) {
    var bytes: [UInt8] = []
    Timestamp(milliseconds: milliseconds).appendRFC3339(to: &bytes)
    #expect(String(decoding: bytes, as: UTF8.self) == expected)
  }

  @Test func agreesWithFoundationAboutEveryDay() {
    let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
    for day in stride(from: Int64(-130_000), to: 1_000_000, by: 97) {
      var bytes: [UInt8] = []
      let milliseconds = day * 86_400_000 + 12_345_500
      Timestamp(milliseconds: milliseconds).appendRFC3339(to: &bytes)
      let date = Date(timeIntervalSince1970: Double(milliseconds) / 1_000)
      #expect(String(decoding: bytes, as: UTF8.self) == date.formatted(style))
    }
  }
}
