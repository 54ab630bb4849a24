import FCMMessage
import JSON
import Testing

@testable import Catalog

/// Messages that are assembled together are those that are assembled alone.
@Suite struct MessagesByTopicTests {
  private func prepared() throws -> PreparedMessage {
    let args = JSON.Object([("name", "Bob"), ("count", 3)])
    let catalog = try Catalog.parse(
      Array(
        """
        version: 1
        templates:
          t:
            params: {name: {type: string}, count: {type: integer, format: number}}
            title: {android: title, ios: TITLE}
            body: {android: body, ios: BODY, args: [name, count]}
            fallback: {title: Hello, body: News.}
            data: {kind: news}
            android: {notification: {icon: i}}
        """.utf8), file: nil)
    return try catalog.prepare(AssemblyRequest(template: "t", args: args, ttlSeconds: 60)).get()
  }

  private func texts(_ title: String?, _ body: String?) -> LiteralTexts {
    var texts = LiteralTexts()
    (texts[.title], texts[.body]) = (title, body)
    return texts
  }

  private func content(
    _ android: LiteralTexts?, _ ios: LiteralTexts? = nil, _ web: LiteralTexts? = nil, count: String? = nil
  ) -> MessageContent {
    var content = MessageContent.deviceTexts
    (content.android, content.ios, content.web) = (android, ios, web)
    if let count { content.androidArgs.add(count, of: 1) }
    return content
  }

  @Test func eachIsThatOfItsContentAlone() throws {
    let message = try prepared()
    let both = texts("Hi \"Bob\"", "new\nline")
    let contents = [
      content(both, texts("iOS", "iOS"), both), content(texts("Hallo", ""), texts("x", "y"), both),
      // Other texts, or none, make another message.
      content(texts(nil, "body"), both, both), content(both, texts(nil, nil)), content(both, both),
      content(nil), content(nil, both, count: "3.0"), content(nil, both, count: "3,0"),
      content(both, count: "3"),
      content(both, both, texts("Web", nil)),
    ]
    var messages = MessagesByTopic(message)
    for (index, content) in contents.enumerated() { try messages.add(content, to: "t.\(index)") }
    let assembled = try #require(messages.assembled)
    let alone = try contents.enumerated().map {
      try message.message($0.element, longestTarget: .topic("t.\($0.offset)")).get()
    }
    for (index, one) in alone.enumerated() {
      let target = Target.topic("t.\(index)")
      #expect(assembled.message.part(for: target) == one.message)
      #expect(assembled.message.byteCount(to: target) == one.byteCount)
    }
    #expect(assembled.byteCount == alone.map(\.byteCount).max())
    #expect(assembled.ttlSeconds == 60)
    #expect(assembled.priority == alone[0].priority)
    #expect(MessagesByTopic(message).assembled == nil)
  }

  /// Messages of one shape are stored as one and their texts.
  @Test func whatTheyHaveInCommonIsStoredOnce() throws {
    var messages = MessagesByTopic(try prepared())
    try messages.add(content(texts("A", "B"), texts("A", "B")), to: "t.en")
    let one = try #require(messages.assembled?.message.encoded.count)
    try messages.add(content(texts("C", "D"), texts("C", "D")), to: "t.de")
    #expect(try #require(messages.assembled?.message.encoded.count) < one + 20)
  }

  @Test func eachMustFit() throws {
    var messages = MessagesByTopic(try prepared())
    let long = content(texts("x", String(repeating: "\"", count: 2_000)))
    var expected: AssemblyError?
    if case .failure(let error) = try prepared().message(long, longestTarget: .topic("t.en")) {
      expected = error
    }
    let error = try #require(expected)
    #expect(throws: error) { try messages.add(long, to: "t.en") }
  }
}
