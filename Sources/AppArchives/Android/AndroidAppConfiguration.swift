internal import AppStrings

/// The configuration of a value in a built Android app, as far as strings depend on it.
struct AndroidAppConfiguration: Sendable, Hashable {
  /// Nil for a value of all languages.
  var locale: LocaleTag?
  /// Whether the language is written `iw`, `in` or `ji`, the codes that phones look for.
  var hasLegacyCode = false
  /// The number of conditions besides the locale; a value with fewer is less specific.
  var qualifierCount = 0
  /// The qualifiers that some phones do not match, by axis.
  var conditions: [AndroidQualifier: String] = [:]
  /// The version of the platform that the value is for, if every phone has it; otherwise 0.
  var metVersion = 0
  /// The bytes that describe it, to tell configurations apart and to order equally specific ones.
  var identity: [UInt8] = []

  /// The name of the table: `default` or the locale.
  var table: String { locale?.description ?? StringResources.defaultTable }

  /// Whether some phones cannot use the value.
  var isConditional: Bool { !conditions.isEmpty }

  /// The qualifiers that some phones do not match, as in the name of a folder; nil if there are none.
  var qualifiers: String? {
    isConditional ? conditions.sorted { $0.key < $1.key }.map(\.value).joined(separator: "-") : nil
  }

  /// Whether the configuration's values come first: those that every phone can use, of these the ones for
  /// the latest version, which phones prefer; then less specific ones, then those in the code that phones
  /// look for, as when reading folders.
  func precedes(_ other: Self) -> Bool {
    if isConditional != other.isConditional { return !isConditional }
    if !isConditional, metVersion != other.metVersion { return metVersion > other.metVersion }
    if qualifierCount != other.qualifierCount { return qualifierCount < other.qualifierCount }
    if hasLegacyCode != other.hasLegacyCode { return hasLegacyCode }
    return identity.lexicographicallyPrecedes(other.identity)
  }

  /// Every phone that receives messages has at least this version of the platform (firebase-messaging).
  static let versionAlwaysMet = 23

  static func isLegacy(_ language: String) -> Bool { ["iw", "in", "ji"].contains(language) }
}

/// The values of one configuration, with references between strings still open.
struct AndroidAppLayer: Sendable {
  let configuration: AndroidAppConfiguration
  var drafts: [AndroidDraft]
}
