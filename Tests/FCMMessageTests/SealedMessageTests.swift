import FCMMessage
import Testing

@Suite struct SealedMessageTests {
  private let values = SealedMessage.PlaceholderValues(
    deliveryID: "id-1", ttlSeconds: 60, expiration: 1_700_000_000)
  private let message = SealedMessage(
    bytes: [UInt8]("\"android\":{\"ttl\":\"s\",\"notification\":{\"tag\":\"\"}}".utf8),
    placeholders: [.init(offset: 18, kind: .ttlSeconds), .init(offset: 44, kind: .deliveryID)])

  @Test func fillsItsPlaceholders() {
    let text = String(decoding: message.message(to: .token("t\"1"), values: values), as: UTF8.self)
    #expect(text == #"{"token":"t\"1","android":{"ttl":"60s","notification":{"tag":"id-1"}}}"#)
  }

  @Test func becomesASendRequest() {
    let body = message.sendRequestBody(to: .topic("Tech"), values: values, validateOnly: true)
    #expect(
      String(decoding: body, as: UTF8.self).hasPrefix(#"{"validate_only":true,"message":{"topic":"Tech","#))
  }

  @Test func roundTripsThroughTheQueue() {
    #expect(SealedMessage(encoded: message.encoded) == message)
    #expect(SealedMessage(encoded: []) == nil)
    #expect(SealedMessage(encoded: [1, 9, 0]) == nil)
    #expect(SealedMessage(encoded: [2, 0]) == nil)
    #expect(SealedMessage(encoded: [1, 1, 1, 200, 0, 0, 0, 65]) == nil)
  }

  /// Two topics whose messages differ in two texts, and one with a message of its own.
  private func threeTopics() throws -> SealedMessage {
    var messages = SealedMessage.ByTopic()
    let frame = messages.add(frame: Self.frame)
    let sizes = [
      messages.add("a.en", frame: frame, texts: ["Hi", "\"Bob\"\n"]),
      messages.add("a.de", frame: frame, texts: ["Hallo", ""]),
      messages.add("b", frame: messages.add(frame: message)),
    ]
    let all = try #require(messages.message)
    #expect(sizes == ["a.en", "a.de", "b"].map { all.byteCount(to: .topic($0)) })
    return all
  }

  /// `"data":{"n":"…","id":"…","m":"…"}` with an id between two texts.
  private static let frame = SealedMessage(
    bytes: Array(#""data":{"n":"","id":"","m":""}"#.utf8),
    placeholders: [
      .init(offset: 13, kind: .text), .init(offset: 21, kind: .deliveryID), .init(offset: 28, kind: .text),
    ])

  @Test func eachTopicHasItsOwnMessage() throws {
    let all = try threeTopics()
    let stored = try #require(SealedMessage(encoded: all.encoded))
    #expect(stored == all)
    let english = SealedMessage(
      bytes: Array(#""data":{"n":"Hi","id":"","m":"\"Bob\"\n"}"#.utf8),
      placeholders: [.init(offset: 23, kind: .deliveryID)])
    for sealed in [all, stored] {
      #expect(sealed.part(for: .topic("a.en")) == english)
      #expect(sealed.part(for: .topic("b")) == message)
      // A token of the same name is no topic.
      #expect(sealed.part(for: .token("b")) == english)
      let target = Target.topic("a.de")
      let text = String(decoding: sealed.message(to: target, values: values), as: UTF8.self)
      #expect(text == #"{"topic":"a.de","data":{"n":"Hallo","id":"id-1","m":""}}"#)
      #expect(sealed.byteCount(to: target) == text.utf8.count + 32)
      #expect(sealed.sendRequestBody(to: target, values: values) == Array("{\"message\":\(text)}".utf8))
    }
    #expect(message.part(for: .topic("a.en")) == message)
  }

  /// What topics have in common is stored once.
  @Test func aTopicTakesLittleMoreThanItsTexts() {
    var messages = SealedMessage.ByTopic()
    let frame = messages.add(frame: Self.frame)
    _ = messages.add("a.en", frame: frame, texts: ["Hi", "Bob"])
    let one = messages.message?.encoded.count ?? 0
    _ = messages.add("a.de", frame: frame, texts: [String(repeating: "x", count: 200), "Bob"])
    #expect(messages.message?.encoded.count == one + "a.de".utf8.count + 203 + 5)
  }

  /// Whatever damage leaves: no message, or that of the first topics.
  @Test func refusesPartsThatAreCutOrNested() throws {
    let all = try threeTopics().encoded
    var left: [Int] = []
    for count in all.indices where SealedMessage(encoded: Array(all.prefix(count))) != nil {
      left.append(count)
    }
    // After a topic, and after the frame that follows the second.
    #expect(left.count == 3)
    #expect(SealedMessage(encoded: all + [0]) == nil)
    #expect(SealedMessage(encoded: [3]) == nil)
    #expect(SealedMessage(encoded: [3, 1, 0]) == nil)
    #expect(SealedMessage(encoded: [3, 255, 255, 255, 255, 255]) == nil)
    var nested = SealedMessage.ByTopic()
    _ = nested.add("a", frame: nested.add(frame: try threeTopics()))
    #expect(SealedMessage(encoded: try #require(nested.message).encoded) == nil)
  }

  @Test func countsAtLeastTheBytesItWrites() {
    let id = "01990000-0000-7000-8000-000000000000"
    let largest = SealedMessage.PlaceholderValues(
      deliveryID: id, ttlSeconds: 2_419_200, expiration: 1_700_000_000)
    for target in [Target.token("a\"\n\u{1}é"), .topic("T"), nil] {
      #expect(message.byteCount(to: target) == message.message(to: target, values: largest).count)
    }
  }
}
