import FCMMessage
import Testing

/// What a message has in common with others of its template is stored once, and each comes back as it was.
@Suite struct MessageDictionaryTests {
  private func message(_ sender: String, _ count: Int, more: String = "") -> SealedMessage {
    let head =
      #""android":{"priority":"high","notification":{"title_loc_key":"welcome_title","title_loc_args":["#
      + #""\#(sender)"],"body_loc_key":"new_message_body","body_loc_args":["\#(count)","\#(sender)"],"#
      + #""channel_id":"general","tag":""#
    let tail =
      #""}},\#(more)"apns":{"payload":{"aps":{"alert":{"title-loc-key":"WELCOME_TITLE","title-loc-args":["#
      + #""\#(sender)"],"loc-key":"NEW_MESSAGE_BODY","loc-args":["\#(count)","\#(sender)"]}}}}"#
    return SealedMessage(
      bytes: Array((head + tail).utf8),
      placeholders: [.init(offset: head.utf8.count, kind: .deliveryID)])
  }

  private func roundTrip(_ message: SealedMessage, _ dictionary: MessageDictionary) throws -> [UInt8] {
    let delta = try #require(dictionary.delta(of: message.encoded))
    #expect(MessageDictionary.message(from: delta, dictionary.bytes) == message.encoded)
    return delta
  }

  @Test func storesOnlyWhatDiffers() throws {
    let dictionary = MessageDictionary(message("", 0))
    #expect(try roundTrip(message("", 0), dictionary).count <= 8)
    #expect(try roundTrip(message("Bob", 3), dictionary).count < 60)
    let long = String(repeating: "Björn ", count: 20)
    #expect(try roundTrip(message(long, 12_345), dictionary).count < 4 * long.utf8.count + 80)
    // What only some messages have does not hide what follows it.
    let optional = try roundTrip(
      message("Bob", 3, more: #""fcm_options":{"analytics_label":"spring"},"#), dictionary)
    #expect(optional.count < 110)
  }

  @Test func storesWhatIsUnlikeTheDictionary() throws {
    let other = SealedMessage(
      bytes: (0..<900).map { UInt8(truncatingIfNeeded: $0 * 7 + $0 / 13) }, placeholders: [])
    let empty = SealedMessage(bytes: [], placeholders: [])
    for sample in [message("Bob", 3), other, empty] {
      let dictionary = MessageDictionary(sample)
      for given in [message("Eve", 0), other, empty] { _ = try roundTrip(given, dictionary) }
    }
    #expect(try roundTrip(other, MessageDictionary(empty)).count <= other.encoded.count + 3)
  }

  @Test func hasTheSameKeyForTheSameSample() {
    let key = MessageDictionary(message("Bob", 3)).key
    #expect(MessageDictionary(message("Bob", 3)).key == key)
    #expect(MessageDictionary(message("Bob", 4)).key != key)
  }

  @Test func leavesOutMessagesOfAnyLength() throws {
    let dictionary = MessageDictionary(message("Bob", 3))
    let long = [UInt8](repeating: 65, count: 16_385)
    #expect(dictionary.delta(of: long) == nil)
    let longest = Array(long.dropLast())
    let delta = try #require(dictionary.delta(of: longest))
    #expect(MessageDictionary.message(from: delta, dictionary.bytes) == longest)
    #expect(MessageDictionary(SealedMessage(bytes: long + long, placeholders: [])).bytes.count == 16_384)
  }

  /// Damage gives another message or none, and never more than a message can have.
  @Test func readsDamagedDeltas() throws {
    let dictionary = MessageDictionary(message("", 0))
    let delta = try roundTrip(message("Bob", 3), dictionary)
    for length in delta.indices {
      let short = MessageDictionary.message(from: Array(delta[..<length]), dictionary.bytes)
      #expect(short != message("Bob", 3).encoded)
    }
    for bit in 0..<delta.count * 8 {
      var flipped = delta
      flipped[bit / 8] ^= 1 << (bit % 8)
      for bytes in [dictionary.bytes, Array(dictionary.bytes.prefix(100)), []] {
        #expect((MessageDictionary.message(from: flipped, bytes) ?? []).count <= 16_384)
      }
    }
    for damaged in [[0x80], [0x80, 0x80, 0x80, 0], [0, 1], [0, 1, 0xFF, 0xFF, 0x7F], [5, 1]] as [[UInt8]] {
      #expect(MessageDictionary.message(from: damaged, dictionary.bytes) == nil)
    }
    // Runs that together exceed any message.
    let repeated = Array(repeating: [0, 100, 0] as [UInt8], count: 200).flatMap(\.self)
    #expect(MessageDictionary.message(from: repeated, dictionary.bytes) == nil)
  }
}
