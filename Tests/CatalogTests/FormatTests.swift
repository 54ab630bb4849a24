import Catalog
import JSON
import LocaleRules
import Testing

/// Types and formats of params that a language writes in its own way.
@Suite struct FormatTests {
  private func problems(_ param: String) -> [String] {
    Fixture.problems(template: "{params: {p: \(param)}, body: {android: k, args: [p]}}")
  }

  @Test func readsFormats() throws {
    let catalog = try Fixture.catalog(
      template: """
        {params: {a: {type: number, format: percent}, b: {type: integer, format: {currency: CHF}},
        c: {type: date, format: long}, d: {type: time, format: short}, e: {type: datetime, format: medium},
        f: {type: date}}, data: {x: y}}
        """)
    #expect(
      catalog.templates.first?.params.map(\.format) == [
        .percent, .currency("CHF"), .date(.long), .time(.short), .dateTime(.medium), nil,
      ])
  }

  @Test func refusesFormatsThatDoNotSuitTheType() {
    for param in [
      "{type: string, format: number}", "{type: boolean, format: number}", "{type: number, format: short}",
      "{type: date, format: number}", "{type: date, format: {currency: EUR}}",
      "{type: number, format: {currency: EURO}}", "{type: number, format: {currency: ABC}}",
      "{type: number, format: {}}", "{type: number, format: money}", "{type: date, min: 1}",
      "{type: date, default: 22.11.2026}",
    ] { #expect(problems(param).count == 1, "\(param): \(problems(param))") }
    #expect(problems("{type: date, format: short, default: 2026-11-22}").isEmpty)
  }

  private func error(_ type: String, _ value: JSON) throws -> String? {
    try Fixture.inputErrors(
      template: "{params: {p: {type: \(type)}}, body: {android: k, args: [p]}}", args: ["p": value]
    ).first.map { String($0.prefix { $0 != ":" }) }
  }

  @Test func takesWhatRFC3339Writes() throws {
    let moment: JSON = "2026-11-22T18:30:00.123456789+05:30"
    for value: JSON in ["2026-11-22", moment] { #expect(try error("date", value) == nil) }
    for value: JSON in ["18:30:00", "18:30:00.5", "18:30:00Z", "00:00:00+14:00", moment] {
      #expect(try error("time", value) == nil, "\(value)")
    }
    #expect(try error("datetime", moment) == nil)
    for value: JSON in ["", "22.11.2026", "2026-02-30", "2026-11-22 ", "20261122", "18:30:00"] {
      #expect(try error("date", value) == "/args/p invalid", "\(value)")
    }
    for value: JSON in ["18:30", "25:00:00", "18:30:00 Z", "2026-11-22"] {
      #expect(try error("time", value) == "/args/p invalid", "\(value)")
    }
    for value: JSON in ["2026-11-22", "2026-11-22T18:30:00"] {
      #expect(try error("datetime", value) == "/args/p invalid", "\(value)")
    }
    #expect(try error("date", 20_261_122) == "/args/p wrong_type")
  }

  @Test func isWrittenAsGivenInAMessage() throws {
    let message = try Fixture.message(
      template: """
        {params: {p: {type: datetime, format: long}}, body: {android: k, args: [p]},
        android: {notification: {event_time: {$param: p}}}, apns: {payload: {at: {$param: p}}}}
        """, args: ["p": "2026-11-22T18:30:00+05:30"])
    #expect(message["android"]?["notification"]?["body_loc_args"] == ["2026-11-22T18:30:00+05:30"])
    #expect(message["android"]?["notification"]?["event_time"] == "2026-11-22T18:30:00+05:30")
    #expect(message["apns"]?["payload"]?["at"] == "2026-11-22T18:30:00+05:30")
  }
}
