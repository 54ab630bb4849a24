internal import LocaleRules

/// What a caller knows about the devices of a request's targets. Each part is optional.
///
/// A recipient is about people: only `RecipientTexts` reads it, and nothing logs, counts or stores it.
package struct Recipient: Sendable, Equatable, CustomStringConvertible, CustomReflectable {
  package enum Platform: String, Sendable, CaseIterable {
    case android, ios, web
  }

  package var platform: Platform?
  package var appVersion: ReleaseVersion?
  /// BCP 47 tags in the user's order; empty if the language is not known.
  package var locales: [String]
  /// The IANA name of the time zone in which times are written.
  package var timeZone: String

  package init(
    platform: Platform? = nil, appVersion: ReleaseVersion? = nil, locales: [String] = [],
    timeZone: String = Recipient.utc
  ) {
    self.platform = platform
    self.appVersion = appVersion
    self.locales = locales
    self.timeZone = timeZone
  }

  /// The time zone of recipients without one.
  package static let utc = "UTC"

  /// Whether IANA's database has a time zone of that name.
  package static func isTimeZone(_ name: String) -> Bool { LocaleFormatter.isTimeZone(name) }

  /// The maximum number of languages; more than any phone's settings show.
  package static let localesMax = 20

  /// Holds nothing of the recipient, wherever it is printed.
  package var description: String { "a recipient" }
  package var customMirror: Mirror { Mirror(self, children: []) }
}

/// Which language an app shows.
package enum ReaderLanguage: String, Sendable, CaseIterable {
  /// The phone's, in which it looks up loc keys.
  case device
  /// One that people choose in the app.
  case app
}

/// Who turns loc keys into texts: `render` of a request or a template.
package enum RenderMode: String, Sendable, CaseIterable {
  /// The device, always.
  case device
  /// The gateway, always.
  case gateway
  /// The device, unless its release is known not to have the texts, or the reader has chosen a language in
  /// the app.
  case auto
}
