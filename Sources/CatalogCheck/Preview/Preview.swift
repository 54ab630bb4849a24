package import AppStrings
package import Catalog
package import FCMMessage

/// What a phone with one platform and language shows for a message.
package struct Preview: Sendable {
  package struct Slot: Sendable {
    package let name: TextSlot.Name
    package let outcome: SlotOutcome
    /// The result that FCM's documentation describes, if the phone does something else.
    package let documented: String?
    /// What the message says.
    let text: SlotText
    let platform: AppPlatform
    let origin: Origin
    /// What the phone finds under the key; nil if nothing.
    let entry: StringEntry?
    /// The table of the text; nil if none was found.
    package let table: String?

    package var key: String? { text.key }
    package var file: String? { entry?.file }
    package var line: Int? { entry?.line }

    /// How many characters of the text appear until the user expands the notification; nil if all do.
    var shownCharacters: Int? {
      guard case .text(let text) = outcome else { return nil }
      return CollapsedSlot(name.rawValue, on: platform)?.shownCharacters(of: text)
    }
  }

  package let platform: AppPlatform
  /// The locale, or the list of them, as the caller wrote it.
  package let locale: String
  /// The topic of the message, if it is one by language.
  package var topic: String?
  /// What the phone calls the app; nil if its resources do not tell.
  let appName: String?
  /// The id of what the phone shows beside the notification; nil if there is nothing to draw.
  let appIcon: String?
  /// The table of the texts, or the table that the platform searches first; nil if there is none.
  package let resolvedLocale: String?
  /// Who renders the texts.
  package let renderedBy: RecipientTexts.Renderer
  /// What the reader gets: of the args that were given or, without any, of the template.
  package internal(set) var verdict: Verdict
  /// Title, subtitle, body.
  package let slots: [Slot]
  package internal(set) var findings: [Finding]
}
