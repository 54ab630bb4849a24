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

  private static func named(_ name: String) -> SealedMessage {
    SealedMessage(bytes: Array("\"data\":{\"n\":\"\(name)\"}".utf8), placeholders: [])
  }

  @Test func eachTopicHasItsOwnMessage() throws {
    let both = SealedMessage(byTopic: [("a.en", message), ("a.de", Self.named("de"))])
    let stored = try #require(SealedMessage(encoded: both.encoded))
    #expect(stored == both)
    for sealed in [both, stored] {
      #expect(sealed.part(for: .topic("a.en")) == message)
      #expect(sealed.part(for: .topic("a.de")) == Self.named("de"))
      // A token of the same name is no topic.
      #expect(sealed.part(for: .token("a.de")) == message)
      let target = Target.topic("a.de")
      let text = String(decoding: sealed.message(to: target, values: values), as: UTF8.self)
      #expect(text == #"{"topic":"a.de","data":{"n":"de"}}"#)
      #expect(sealed.byteCount(to: target) == text.utf8.count)
      #expect(sealed.sendRequestBody(to: target, values: values) == Array("{\"message\":\(text)}".utf8))
    }
    #expect(message.part(for: .topic("a.en")) == message)
  }

  /// Whatever damage leaves: no message, or the same message.
  @Test func refusesPartsThatAreCutOrNested() {
    let parts = SealedMessage(byTopic: [("a.en", message), ("a.de", Self.named("de"))]).encoded
    let whole = [SealedMessage(byTopic: [("a.en", message)]).encoded.count, parts.count]
    for count in 0..<parts.count where !whole.contains(count) {
      #expect(SealedMessage(encoded: Array(parts.prefix(count))) == nil)
    }
    #expect(SealedMessage(encoded: parts + [0]) == nil)
    #expect(SealedMessage(encoded: [3, 255, 255, 255, 255]) == nil)
    let nested = SealedMessage(byTopic: [("a", SealedMessage(byTopic: [("b", message)]))])
    #expect(SealedMessage(encoded: nested.encoded) == nil)
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
