/// Why no first catalog can be made of an app's strings.
package struct FirstCatalogError: Error, Sendable, Equatable {
  package enum Code: Sendable, Equatable {
    /// `folder` holds no strings.
    case noStrings
    /// No key exists on both platforms, or none has the prefix.
    case noKeys
    /// No string looks like the text of a push message.
    case noPushTexts
  }

  package let code: Code
  /// The folder without strings; nil unless `code` is `noStrings`.
  package let folder: String?

  static func noStrings(folder: String) -> FirstCatalogError {
    FirstCatalogError(code: .noStrings, folder: folder)
  }

  static let noKeys = FirstCatalogError(code: .noKeys, folder: nil)
  static let noPushTexts = FirstCatalogError(code: .noPushTexts, folder: nil)
}
