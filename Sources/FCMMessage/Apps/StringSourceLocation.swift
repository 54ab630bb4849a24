/// Where an app's texts are written if not as native strings, and in which format.
package struct StringSourceLocation: Sendable, Equatable {
  package enum Format: String, Sendable, CaseIterable {
    /// A folder of Flutter's `.arb` files.
    case arb
    /// JSON files of i18next, one for each language, by a pattern.
    case i18next
    /// A `composeResources` folder of Compose Multiplatform.
    case compose
    /// `.po` files, one for each language, by a pattern.
    case gettext

    /// Whether a location is a path with `{locale}` in the place of the language.
    package var isPattern: Bool { self == .i18next || self == .gettext }
  }

  /// What stands for the language in a pattern.
  package static let localeMark = "{locale}"

  package let format: Format
  /// A folder, or a pattern.
  package let path: String
  /// The line of the catalog, from 1.
  package let line: Int

  package init(_ format: Format, _ path: String, line: Int) {
    (self.format, self.path, self.line) = (format, path, line)
  }
}
