/// What a phone shows in a text slot of a notification.
package enum SlotOutcome: Sendable, Equatable {
  case text(String)
  /// Android shows a text that the resources do not have, because the string refers to it.
  case unknownText(reason: String)
  /// Android shows the notification without this line.
  case dropped(reason: String)
  /// An iPhone shows the loc key itself.
  case rawKey
  /// The Android app crashes with an uncaught exception of this class:
  /// `java.util.UnknownFormatConversionException`.
  case crash(exception: String, reason: String)
  /// The message has neither key nor text for the slot.
  case none
}
