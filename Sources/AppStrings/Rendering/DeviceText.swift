internal import JSON

/// A text of the app as a phone shows it with any args: found and taken apart once.
///
/// A class, because the requests of all threads share one.
package final class DeviceText: Sendable {
  private enum Content: Sendable {
    /// The args change nothing.
    case fixed(SlotOutcome)
    case android(Result<AndroidFormatter, AndroidFormatError>, language: LocaleTag?)
    /// `missing` is the key that stands in for a text that the app does not have.
    case apple(AppleFormatter, missing: String?)
  }

  private let content: Content

  private init(_ content: Content) { self.content = content }

  static func fixed(_ outcome: SlotOutcome) -> DeviceText { DeviceText(.fixed(outcome)) }

  /// Android: a string resource, of which `hasArgs` says whether it is formatted.
  static func android(_ format: String, hasArgs: Bool, language: LocaleTag?) -> DeviceText {
    guard hasArgs else { return .fixed(shownOnAndroid(format)) }
    return DeviceText(
      .android(
        Result { () throws(AndroidFormatError) in try AndroidFormatter(format) }, language: language))
  }

  /// iOS: the text of a key, or nil if the app does not have it.
  static func apple(_ text: String?, key: String, hasArgs: Bool) -> DeviceText {
    let missing = text == nil ? key : nil
    let format = text ?? key
    guard hasArgs, !format.isEmpty else { return .fixed(shownOnIOS(format, missing: missing)) }
    return DeviceText(.apple(AppleFormatter(format), missing: missing))
  }

  /// What the user sees with the args of a message.
  package func outcome(args: [String]) -> SlotOutcome {
    switch content {
    case .fixed(let outcome): return outcome
    case .android(let format, let language):
      do throws(AndroidFormatError) {
        return Self.shownOnAndroid(try format.get().text(args: args, language: language))
      } catch {
        return error.isCaught
          ? .dropped(reason: error.reason) : .crash(exception: error.name, reason: error.reason)
      }
    case .apple(let format, let missing):
      return Self.shownOnIOS(format.text(args: args), missing: missing)
    }
  }

  private static func shownOnAndroid(_ text: String) -> SlotOutcome {
    text.isEmpty ? .dropped(reason: "the text is empty, which counts as not set") : .text(text)
  }

  private static func shownOnIOS(_ text: String?, missing: String?) -> SlotOutcome {
    guard let text, !text.isEmpty else { return .rawKey }
    // iOS formats a missing key like a text, so "%@ wrote" as a key shows the expected text.
    if let missing, text.hasSameBytes(as: missing) { return .rawKey }
    return .text(text)
  }
}
