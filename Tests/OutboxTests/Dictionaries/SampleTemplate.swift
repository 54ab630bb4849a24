import FCMMessage

/// A template with one arg, whose messages are as long as usual.
final class SampleTemplate: Sendable {
  let name: String
  let dictionary: MessageDictionary
  private let version: Int

  init(_ name: String, version: Int = 0) {
    self.name = name
    self.version = version
    dictionary = MessageDictionary(Self.message(name, version, ""))
  }

  func message(_ arg: String) -> SealedMessage { Self.message(name, version, arg) }

  private static func message(_ name: String, _ version: Int, _ arg: String) -> SealedMessage {
    let head =
      #""android":{"notification":{"title_loc_key":"\#(name)_title of version \#(version)","#
      + #""body_loc_key":"\#(name)_body","body_loc_args":["\#(arg)"],"channel_id":"general","tag":""#
    let tail =
      #""}},"apns":{"payload":{"aps":{"alert":{"title-loc-key":"\#(name)_title of version \#(version)","#
      + #""loc-key":"\#(name)_body","loc-args":["\#(arg)"]},"sound":"default"}}}"#
    return SealedMessage(
      bytes: Array((head + tail).utf8),
      placeholders: [.init(offset: head.utf8.count, kind: .deliveryID)])
  }
}
