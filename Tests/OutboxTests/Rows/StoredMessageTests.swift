import FCMMessage
import Foundation
import Testing

@testable import Outbox

/// How databases hold messages.
struct StoredMessageTests {
  private func message(_ text: String) -> SealedMessage {
    SealedMessage(bytes: Array(text.utf8), placeholders: [.init(offset: 0, kind: .deliveryID)])
  }

  private let typical = #"""
    "android":{"priority":"high","ttl":"s","notification":{"title_loc_key":"welcome_title","title_loc_args":["Alice"],\#
    "body_loc_key":"new_message_body_n3","body_loc_args":["3","Bob"],"channel_id":"general","icon":"ic_chat","tag":\#
    ""}},"apns":{"headers":{"apns-priority":"10","apns-expiration":"","apns-collapse-id":""},"payload":{"aps":\#
    {"alert":{"title-loc-key":"WELCOME_TITLE","title-loc-args":["Alice"],"loc-key":"NEW_MESSAGE_BODY_n3",\#
    "loc-args":["3","Bob"]},"sound":"default","thread-id":"chat"}}}
    """#

  @Test(arguments: [0, 1, 2, 10, 300, 4_096, 60_000])
  func isReadAsItWas(_ count: Int) throws {
    for text in [
      String(repeating: "a", count: count), String(typical.prefix(count)),
      String(decoding: (0..<count).map { UInt8(32 + $0 * 7_919 % 90) }, as: UTF8.self),
    ] {
      let given = message(text)
      #expect(SealedMessage(stored: given.stored) == given)
    }
  }

  @Test func aTypicalMessageTakesLessThanHalfOfItsBytes() {
    let given = message(typical)
    #expect(given.stored.count * 2 < given.encoded.count)
  }

  @Test func whatCannotBeCompressedIsKeptAsItIs() {
    #expect(message("").stored == message("").encoded)
    let long = message(String(repeating: "a", count: 70_000))
    #expect(long.stored == long.encoded)
    #expect(SealedMessage(stored: long.stored) == long)
  }

  /// Bytes that version 1 wrote: the dictionary is part of the format.
  @Test func readsWhatTheFirstVersionWrote() throws {
    let written = try #require(Self.written)
    #expect(SealedMessage(stored: Array(written)) == message(typical))
  }

  @Test func refusesWhatWasCutOffOrIsNoMessage() {
    let stored = message(typical).stored
    for count in stored.indices { #expect(SealedMessage(stored: Array(stored.prefix(count))) == nil) }
    for first in [UInt8(0), 3, 255] { #expect(SealedMessage(stored: [first] + stored.dropFirst()) == nil) }
    #expect(SealedMessage(stored: [2, 255, 255] + stored.dropFirst(3)) == nil)
    #expect(SealedMessage(stored: [2, 0, 0, 0]) == nil)
  }

  /// A damaged byte gives nil or another message, and reads nothing outside.
  @Test func survivesEveryDamagedByte() {
    let stored = message(typical).stored
    for index in stored.indices {
      for bit in 0..<8 {
        var damaged = stored
        damaged[index] ^= 1 << bit
        _ = SealedMessage(stored: damaged)
      }
    }
  }

  /// By another program that uses LZ4, from `typical`.
  private static let written = Data(
    base64Encoded: """
      AvYBfwEBAQAAAAA2BQQP/wEegXdlbGNvbWVf7gAE9gAJ5QF3QWxpY2UiXf8BAiMB8wRuZXdfbWVzc2FnZV9ib2R5X24zpgAJ\
      PwB9MyIsIkJvYiQCUWdlbmVy4QUGJAIxY2hhNwEPHAJrAQkEAuQA1FdFTENPTUVfVElUTEUeAQEgAAT4AQUeAQYaAvIBTkVX\
      X01FU1NBR0VfQk9EWRkBCEkCBRQBH32aBgEINgKAY2hhdCJ9fX0=
      """)
}
