/// An exception that `java.util.Formatter` throws, or that the Java runtime would throw in it.
package struct AndroidFormatError: Error, Sendable, Equatable {
  /// The exception's class.
  package enum Kind: String, Sendable, CaseIterable {
    case duplicateFlags = "java.util.DuplicateFormatFlagsException"
    case flagsConversionMismatch = "java.util.FormatFlagsConversionMismatchException"
    case illegalArgumentIndex = "java.util.IllegalFormatArgumentIndexException"
    case illegalConversion = "java.util.IllegalFormatConversionException"
    case illegalFlags = "java.util.IllegalFormatFlagsException"
    case illegalPrecision = "java.util.IllegalFormatPrecisionException"
    case illegalWidth = "java.util.IllegalFormatWidthException"
    case missingArgument = "java.util.MissingFormatArgumentException"
    case missingWidth = "java.util.MissingFormatWidthException"
    case unknownConversion = "java.util.UnknownFormatConversionException"
    /// A width that no phone's memory holds; here anything beyond `RenderingLimits.textBytesMax`.
    case outOfMemory = "java.lang.OutOfMemoryError"
  }

  package let kind: Kind
  /// What Java's `getMessage()` says: `Conversion = 'o'`. Quotes the format string, never an arg.
  package let message: String

  /// The full class name, as a crash report has it.
  package var name: String { kind.rawValue }

  /// Whether the FCM SDK catches it; then the line is dropped (firebase-messaging, NotificationParams.java).
  package var isCaught: Bool { kind == .missingArgument }

  init(_ kind: Kind, _ message: String) {
    self.kind = kind
    self.message = message
  }

  /// What it means for the app, in a sentence that a translator understands.
  package var reason: String {
    switch kind {
    case .illegalConversion:
      "the placeholder wants a number, a character or a date, and every arg of a push notification is text"
        + " (\(message))"
    case .unknownConversion:
      "a % begins no placeholder that Android knows; a percent sign is written %% (\(message))"
    case .missingArgument: "the text has more placeholders than there are args (\(message))"
    case .illegalArgumentIndex: "args are counted from 1 (\(message))"
    case .outOfMemory: "the width asks for more text than a phone can hold (\(message))"
    case .duplicateFlags, .flagsConversionMismatch, .illegalFlags, .illegalPrecision, .illegalWidth,
      .missingWidth:
      "a % is followed by something that is no valid placeholder; a percent sign is written %% (\(message))"
    }
  }
}
