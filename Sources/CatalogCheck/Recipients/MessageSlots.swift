internal import AppStrings
internal import Catalog
internal import FCMMessage

/// What a message displays, as far as it depends on no language.
struct MessageSlots {
  let message: PreparedMessage
  let formattedArgs: [PreparedMessage.FormattedArg]
  private let android: [SlotContent]
  private let ios: [SlotContent]

  init(_ message: PreparedMessage) {
    self.message = message
    formattedArgs = message.formattedArgs
    (android, ios) = (message.slots(on: .android), message.slots(on: .ios))
  }

  /// The slots of a platform, with the args that a locale writes in its own way.
  func slots(on platform: AppPlatform, with args: ArgTexts) -> [SlotContent] {
    message.slots(platform == .android ? android : ios, with: args)
  }
}
