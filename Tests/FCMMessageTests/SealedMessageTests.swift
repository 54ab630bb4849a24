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

  @Test func countsAtLeastTheBytesItWrites() {
    let id = "01990000-0000-7000-8000-000000000000"
    let largest = SealedMessage.PlaceholderValues(
      deliveryID: id, ttlSeconds: 2_419_200, expiration: 1_700_000_000)
    for target in [Target.token("a\"\n\u{1}é"), .topic("T"), nil] {
      #expect(message.byteCount(to: target) == message.message(to: target, values: largest).count)
    }
  }
}
