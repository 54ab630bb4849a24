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

    package init(category: String, text: String) {
      self.category = category
      self.text = text
    }
  }

  /// The state of a translation, in formats that record it (`.xcstrings`).
  package enum State: String, Sendable {
    case new, translated
    case needsReview = "needs_review"
    case stale
  }

  package let key: String
  package let value: Value
  /// A path that can be opened.
  package let file: String
  /// From 1; nil if the format has no lines (a binary property list).
  package let line: Int?
  /// False for `translatable="false"` and `shouldTranslate: false`: other languages need no translation.
  package let isTranslatable: Bool
  package let state: State?
  /// False for `formatted="false"`, which makes aapt2 allow several placeholders without positions.
  package let isFormatted: Bool
  /// The text of a plural that is looked up as a string: a stringsdict's `NSStringLocalizedFormatKey`.
  package let formatKey: String?
  /// Android: whether some phones cannot use the entry, because its folder has qualifiers besides the locale
  /// (`values-land`) and the folder without them lacks it.
  package let isConditional: Bool

  package init(
    key: String, value: Value, file: String, line: Int?, isTranslatable: Bool = true, state: State? = nil,
    isFormatted: Bool = true, formatKey: String? = nil, isConditional: Bool = false
  ) {
    self.key = key
    self.value = value
    self.file = file
    self.line = line
    self.isTranslatable = isTranslatable
    self.state = state
    self.isFormatted = isFormatted
    self.formatKey = formatKey
    self.isConditional = isConditional
  }

  /// The same entry with another key, value or condition.
  func with(key: String? = nil, value: Value? = nil, isConditional: Bool? = nil) -> StringEntry {
    StringEntry(
      key: key ?? self.key, value: value ?? self.value, file: file, line: line,
      isTranslatable: isTranslatable,
      state: state, isFormatted: isFormatted, formatKey: formatKey,
      isConditional: isConditional ?? self.isConditional)
  }

  /// The text of a plain string; nil for a plural and an array.
  package var text: String? { if case .string(let text) = value { text } else { nil } }
}
