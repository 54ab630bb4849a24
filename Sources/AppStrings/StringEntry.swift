/// One entry of an app's string resources in one language, after all escapes.
package struct StringEntry: Sendable, Equatable {
  package enum Value: Sendable, Equatable {
    case string(String)
    /// Android's `<plurals>`, or plural, device and width variations of Apple's formats; in the file's order.
    case plural([Form])
    /// Android's `<string-array>`, or a `stringSet` of Apple's catalogs.
    case array([String])
  }

  /// A text of a plural: its CLDR category (`one`, `other`), or what else it varies by.
  package struct Form: Sendable, Equatable {
    package let category: String
    package let text: String

    package init(category: String, text: String) {
      self.category = category
      self.text = text
    }
  }

  /// How far a translation is, where the format says so (`.xcstrings`).
  package enum State: String, Sendable {
    case new, translated
    case needsReview = "needs_review"
    case stale
  }

  package let key: String
  package let value: Value
  /// The path as it can be opened.
  package let file: String
  /// From 1; nil where the format has no lines (a binary property list).
  package let line: Int?
  /// False for `translatable="false"` and `shouldTranslate: false`: no other language needs it.
  package let isTranslatable: Bool
  package let state: State?
  /// False for `formatted="false"`: aapt2 then allows several placeholders without positions.
  package let isFormatted: Bool
  /// What a phone reads for a plural that is looked up as a string: a stringsdict's `NSStringLocalizedFormatKey`.
  package let formatKey: String?

  package init(
    key: String, value: Value, file: String, line: Int?, isTranslatable: Bool = true, state: State? = nil,
    isFormatted: Bool = true, formatKey: String? = nil
  ) {
    self.key = key
    self.value = value
    self.file = file
    self.line = line
    self.isTranslatable = isTranslatable
    self.state = state
    self.isFormatted = isFormatted
    self.formatKey = formatKey
  }

  /// The same entry by another key, or with another value.
  func with(key: String? = nil, value: Value? = nil) -> StringEntry {
    StringEntry(
      key: key ?? self.key, value: value ?? self.value, file: file, line: line,
      isTranslatable: isTranslatable,
      state: state, isFormatted: isFormatted, formatKey: formatKey)
  }

  /// The text of a plain string; nil for a plural and an array.
  package var text: String? { if case .string(let text) = value { text } else { nil } }
}
