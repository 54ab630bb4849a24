import Catalog
import Clock
import FCMMessage
import JSON
import Testing

@testable import CatalogCheck

/// Args that the recipient's language writes in its own way.
@Suite struct FormattedArgTests {
  private static let template = """
      t:
        params:
          count: {type: integer, format: number}
          price: {type: number, format: {currency: EUR}}
          share: {type: number, format: percent}
          day: {type: date, format: long}
          at: {type: datetime, format: short}
          plain: {type: number, default: 1234.5}
          open: {type: time, format: short, default: "18:30:00"}
        body: {android: k, ios: K, args: [count, price, share, day, at, plain, open]}
        fallback: {body: News.}
    """

  private static let args: JSON = [
    "count": 12345, "price": "11.80", "share": "0.25", "day": "2026-11-22", "at": "2026-11-22T18:30:00Z",
  ]

  private func app(
    _ template: String = Self.template, android: RecipientApp.Texts? = nil
  ) throws -> RecipientApp {
    let texts: RecipientApp.Texts = [
      "default": ["k": "%1$s|%2$s|%3$s|%4$s|%5$s|%6$s|%7$s"], "fr": ["k": "F %1$s|%2$s|%3$s|%4$s|%5$s"],
    ]
    return try RecipientApp(
      template, android: android ?? texts,
      ios: ["en": ["K": "%@ %@ %@ %@ %@"], "fr": ["K": "F %@ %@ %@ %@ %@"]])
  }

  private func locArgs(_ recipient: Recipient, args: JSON = Self.args) throws -> [String] {
    let message = try app().message(recipient, args: args)
    let list =
      message["android"]?["notification"]?["body_loc_args"]
      ?? message["apns"]?["payload"]?["aps"]?["alert"]?["loc-args"]
    return list?.array?.compactMap(\.string) ?? []
  }

  @Test func withoutALanguageArgsAreAsGiven() throws {
    #expect(
      try locArgs(Recipient("android")) == [
        "12345", "11.80", "0.25", "2026-11-22", "2026-11-22T18:30:00Z", "1234.5", "18:30:00",
      ])
  }

  @Test func aLanguageWritesThemInLocArgsToo() throws {
    #expect(
      try locArgs(Recipient("android de")) == [
        "12.345", "11,80\u{A0}€", "25\u{A0}%", "22. November 2026", "22.11.26, 18:30", "1234.5", "18:30",
      ])
    #expect(try locArgs(Recipient("ios ar-EG")).first == "١٢٬٣٤٥")
  }

  @Test func timesAreInTheRecipientsTimeZone() throws {
    var recipient = try Recipient("android de")
    recipient.timeZone = "Asia/Tokyo"
    let zoned = try locArgs(recipient)
    // A day and a time on the wall are the same everywhere.
    #expect(zoned[3...] == ["22. November 2026", "23.11.26, 03:30", "1234.5", "18:30"])
  }

  @Test func ofSeveralLanguagesTheOneOfTheTextsWritesThem() throws {
    #expect(try locArgs(Recipient("android ja,fr-CA,de")).first == "12\u{A0}345")
    #expect(try locArgs(Recipient("ios ja,fr-CA,de")).first == "12\u{A0}345")
    // None of them is the app's: the first is the user's own.
    #expect(try locArgs(Recipient("ios de,es")).first == "12.345")
    let message = try app().message(Recipient("ja,fr"), args: Self.args)
    #expect(message["android"]?["notification"]?["body_loc_args"]?[0] == "12\u{202F}345")
    #expect(message["apns"]?["payload"]?["aps"]?["alert"]?["loc-args"]?[0] == "12\u{202F}345")
  }

  @Test func theGatewaysTextsHaveThemToo() throws {
    let text = try app().shown(Recipient("android fr"), .gateway, args: Self.args)
    #expect(
      text == "- | F 12\u{202F}345|11,80\u{A0}€|25\u{A0}%|22 novembre 2026|22/11/2026 18:30")
    #expect(try app().shown(Recipient("web fr"), args: Self.args) == text)
  }

  @Test func aTimeWithAnOffsetIsOneOfToday() throws {
    let app = try app()
    var args = Self.args.object ?? .init()
    args["open"] = "18:30:00+02:00"
    let prepared = try app.catalog.prepare(AssemblyRequest(template: "t", args: args)).get()
    var recipient = try Recipient("android de")
    recipient.timeZone = "Europe/Berlin"
    for (day, expected) in [("2026-07-01", "18:30"), ("2026-12-01", "17:30")] {
      let now = try #require(Timestamp(rfc3339: "\(day)T09:00:00Z"))
      let content = try app.texts.content(of: prepared, for: recipient, render: .gateway, now: now)
      #expect(content.android?[.body]?.hasSuffix("|\(expected)") == true)
    }
  }

  /// The number itself chooses the form, and its formatted text is shown.
  @Test func aPluralShowsTheFormattedNumber() throws {
    let app = try RecipientApp(
      """
        t:
          params: {count: {type: integer, format: number}}
          body: {android: messages, args: [count], plural: count}
          fallback: {body: News.}
      """, android: ["default": ["messages": "one=%d message|other=%d messages"]], ios: nil)
    #expect(try app.shown(Recipient("android de"), .gateway, args: ["count": 12345]) == "- | 12.345 messages")
    #expect(try app.shown(Recipient("android de"), args: ["count": 12345]) == "- | [messages_n2 12.345]")
  }

  @Test func aPreviewWritesThemInEachLanguage() throws {
    let app = try app()
    var question = PreviewQuestion(locales: ["de", "fr"], platforms: [.android])
    question.timeZone = "Asia/Tokyo"
    let preview = try TemplatePreview(
      of: #require(app.catalog.template("t")), args: Self.args.object ?? .init(), question, texts: app.texts,
      findings: [])
    let shown = preview.previews.compactMap { $0.slots.last?.outcome.shownText }
    #expect(shown.first?.hasPrefix("12.345|11,80") == true)
    #expect(shown.first?.contains("23.11.26, 03:30") == true)
    #expect(shown.last?.hasPrefix("F 12\u{202F}345") == true)
    #expect(preview.message["android"]?["notification"]?["body_loc_args"]?[0] == "12345")
  }
}
