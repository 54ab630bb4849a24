/// One entry of an app's string resources in one language, with all escapes resolved.
package struct StringEntry: Sendable, Equatable {
  package enum Value: Sendable, Equatable {
    case string(String)
    /// Android's `<plurals>`, or plural, device and width variations of Apple's formats, in file order.
    case plural([Form])
    /// Android's `<string-array>`, or a `stringSet` of Apple's catalogs.
    case array([String])
  }

  /// One text of a plural, with its CLDR category (`one`, `other`) or the name of another variation.
  package struct Form: Sendable, Equatable {
    package let category: String
    package let text: String
    /// Android: the name of the string to which the form refers instead of having a text of its own.
    package let reference: String?

    package init(category: String, text: String, reference: String? = nil) {
      (self.category, self.text, self.reference) = (category, text, reference)
    }
  }

  /// What a translator is told about a placeholder: Android's `<xliff:g id="sender" example="Bob">%1$s`.
  package struct PlaceholderHint: Sendable, Equatable {
    /// The placeholder as written, `%1$s`.
    package let placeholder: String
    package let name: String
    package let example: String?

    package init(placeholder: String, name: String, example: String?) {
      (self.placeholder, self.name, self.example) = (placeholder, name, example)
    }
  }

  /// The state of a translation, in formats that record it (`.xcstrings`).
  package enum State: String, Sendable {
    case new, translated
    case needsReview = "needs_review"
    case stale
  }

  /// A value of an Android string that is no text, and counts as an empty one.
  package enum Absence: String, Sendable {
    /// `@null`, a reference to nothing.
    case null
    /// `@empty`.
    case empty
  }

  private struct Fields: Sendable, Equatable {
    let key: String
    let value: Value
    let file: String
    let line: Int?
    let isTranslatable: Bool
    let isFormatted: Bool
    let details: Details
  }

  /// What few entries have; a reference to it, if at all.
  private indirect enum Details: Sendable, Equatable {
    case none
    case some(DetailFields)
  }

  private struct DetailFields: Sendable, Equatable {
    var state: State?
    var formatKey: String?
    var pluralFormat: PluralFormat?
    var qualifiers: String?
    var hints: [PlaceholderHint] = []
    var reference: String?
    var isInherited = false
    var absence: Absence?
    var isUnresolved = false
    var owner: String?
    var variants: [String] = []
  }

  /// One object for all fields: an app has a hundred thousand entries, and copying one must not retain each
  /// of its texts.
  private final class Content: Sendable {
    let fields: Fields

    init(_ fields: Fields) { self.fields = fields }
  }

  private let content: Content

  private var details: DetailFields? {
    if case .some(let fields) = content.fields.details { fields } else { nil }
  }

  package var key: String { content.fields.key }
  package var value: Value { content.fields.value }
  /// A path that can be opened.
  package var file: String { content.fields.file }
  /// From 1; nil if the format has no lines (a binary property list).
  package var line: Int? { content.fields.line }
  /// False for `translatable="false"` and `shouldTranslate: false`: other languages need no translation.
  package var isTranslatable: Bool { content.fields.isTranslatable }
  package var state: State? { details?.state }
  /// False for `formatted="false"`, which makes aapt2 allow several placeholders without positions.
  package var isFormatted: Bool { content.fields.isFormatted }
  /// The text of a plural that is looked up as a string: a stringsdict's `NSStringLocalizedFormatKey`.
  package var formatKey: String? { details?.formatKey }
  /// Apple's formats: the plural forms as the system assembles them; nil for a plain string.
  package var pluralFormat: PluralFormat? { details?.pluralFormat }
  /// Android: the qualifiers besides the locale that a phone must match to use the entry, as in the name of
  /// its folder (`sw600dp-night`); nil if every phone can use it. Empty if they are unknown.
  package var qualifiers: String? { details?.qualifiers }
  /// Android: whether some phones cannot use the entry.
  package var isConditional: Bool { qualifiers != nil }
  /// What the file says about the placeholders, in text order; of a plural for all forms.
  package var hints: [PlaceholderHint] { details?.hints ?? [] }
  /// Android: the name of the string to which this one refers instead of having a text of its own.
  package var reference: String? { details?.reference }
  /// Android: whether the language itself has no such entry, but phones find this text through a reference
  /// in `values/` or in a parent locale.
  package var isInherited: Bool { details?.isInherited ?? false }
  /// Android: what stands in place of a text.
  package var absence: Absence? { details?.absence }
  /// Android: whether the entry, or one of its forms or items, refers to a text that the resources do not
  /// have: that of a library, of the system, or of another type of resource. The reference stands in its
  /// place.
  package var isUnresolved: Bool { details?.isUnresolved ?? false }
  /// The Gradle module or the bundle that has the entry; nil for a folder that was named by itself.
  package var owner: String? { details?.owner }
  /// Android: the app's variants that have this text; empty for all.
  package var variants: [String] { details?.variants ?? [] }

  package init(
    key: String, value: Value, file: String, line: Int?, isTranslatable: Bool = true, state: State? = nil,
    isFormatted: Bool = true, formatKey: String? = nil, pluralFormat: PluralFormat? = nil,
    qualifiers: String? = nil, hints: [PlaceholderHint] = [], reference: String? = nil,
    isInherited: Bool = false, absence: Absence? = nil, isUnresolved: Bool = false, owner: String? = nil,
    variants: [String] = []
  ) {
    let details = DetailFields(
      state: state, formatKey: formatKey, pluralFormat: pluralFormat, qualifiers: qualifiers, hints: hints,
      reference: reference, isInherited: isInherited, absence: absence, isUnresolved: isUnresolved,
      owner: owner, variants: variants)
    content = Content(
      Fields(
        key: key, value: value, file: file, line: line, isTranslatable: isTranslatable,
        isFormatted: isFormatted, details: details == DetailFields() ? .none : .some(details)))
  }

  package static func == (left: Self, right: Self) -> Bool {
    left.content === right.content || left.content.fields == right.content.fields
  }

  /// Whether both are the same object, so that one is not a copy that was read again.
  package func isIdentical(to other: Self) -> Bool { content === other.content }

  /// The same entry with some properties changed.
  func with(
    key: String? = nil, value: Value? = nil, qualifiers: String? = nil, reference: String? = nil,
    isUnresolved: Bool? = nil, owner: String? = nil, variants: [String]? = nil
  ) -> StringEntry {
    StringEntry(
      key: key ?? self.key, value: value ?? self.value, file: file, line: line,
      isTranslatable: isTranslatable,
      state: state, isFormatted: isFormatted, formatKey: formatKey, pluralFormat: pluralFormat,
      qualifiers: qualifiers ?? self.qualifiers, hints: hints,
      reference: reference ?? self.reference, isInherited: isInherited, absence: absence,
      isUnresolved: isUnresolved ?? self.isUnresolved, owner: owner ?? self.owner,
      variants: variants ?? self.variants)
  }

  /// The same entry with what it has in common with an older one, so that memory has that once.
  func sharing(_ older: StringEntry) -> StringEntry {
    if self == older { return older }
    return value == older.value ? with(value: older.value) : self
  }

  /// The text of a plain string; nil for a plural and an array.
  package var text: String? { if case .string(let text) = value { text } else { nil } }
}
