/// What a phone shows in a text slot of a notification.
package enum SlotOutcome: Sendable, Equatable {
  case text(String)
  /// Android shows the notification without this line.
  case dropped(reason: String)
  /// An iPhone shows the loc key itself.
  case rawKey
  /// The Android app ends with an uncaught exception, named by its class:
  /// `java.util.UnknownFormatConversionException`.
  case crash(exception: String, reason: String)
  /// The message has neither key nor text for the slot.
  case none
}

/// What a phone's search for a loc key found.
package enum KeyLookup: Sendable, Equatable {
  /// The entry that the phone's language gets; it may be a plural or an array.
  case found(StringEntry)
  /// A string that is only in resources that this phone's language does not fall back to.
  case onlyElsewhere
  /// No resource of the app has it as a string.
  case missing
}
