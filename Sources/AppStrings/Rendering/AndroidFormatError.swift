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
    /// A width beyond the memory of any phone; here, beyond `RenderingLimits.textBytesMax`.
    case outOfMemory = "java.lang.OutOfMemoryError"
  }

  package let kind: Kind
  /// The result of Java's `getMessage()`: `Conversion = 'o'`. Quotes the format string, never an arg.
  package let message: String

  /// The full class name, as in a crash report.
  package var name: String { kind.rawValue }

  /// Whether the FCM SDK catches it and drops the line (firebase-messaging, NotificationParams.java).
  package var isCaught: Bool { kind == .missingArgument }

  init(_ kind: Kind, _ message: String) {
    self.kind = kind
    self.message = message
  }

  /// What it means, in a sentence that a translator understands.
  package var reason: String {
    switch kind {
    case .illegalConversion:
      "the placeholder needs a number, a character or a date, and every arg of a push notification is text"
        + " (\(message))"
    case .unknownConversion:
      "a % does not begin a placeholder on Android; write a percent sign as %% (\(message))"
    case .missingArgument: "the text has more placeholders than the message has args (\(message))"
    case .illegalArgumentIndex: "positions of args begin at 1 (\(message))"
    case .outOfMemory: "the width needs more memory than a phone has (\(message))"
    case .duplicateFlags, .flagsConversionMismatch, .illegalFlags, .illegalPrecision, .illegalWidth,
      .missingWidth:
      "a % begins an invalid placeholder; write a percent sign as %% (\(message))"
    }
  }
}
