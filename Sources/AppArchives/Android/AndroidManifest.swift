/// What an app's manifest says about it.
struct AndroidManifest: Sendable, Equatable {
  /// A text, or the id of the string that has it.
  enum Text: Sendable, Equatable {
    case literal(String)
    case reference(Int)
    /// The name of a string, in a bundle.
    case named(String)
  }

  var package: String?
  var versionName: Text?
  /// What phones call the app.
  var label: Text?
  /// What they show beside its notifications.
  var icon: Text?
  /// The name of a split (`config.fr`), which is only a part of an app.
  var split: String?
  var minimumVersion: Int?

  /// The ids of the attributes, because a build may remove their names (AOSP android.R.attr).
  static let versionNameID = 0x0101_021C
  static let minimumVersionID = 0x0101_020C
  static let labelID = 0x0101_0001
  static let iconID = 0x0101_0002

  /// The elements of which attributes matter.
  static let elements: Set<String> = ["manifest", "uses-sdk", "application"]
}
