internal import AppStrings
internal import JSON

/// The configuration of an Expo app, from which `npx expo prebuild` makes its native projects.
enum ExpoConfig {
  private static let names = ["app.json", "app.config.js", "app.config.ts"]
  private static let fileBytesMax = 1 << 20

  /// Whether a file is one. Apps without Expo have an `app.json` too.
  static func isOne(_ name: String, at path: String) -> Bool {
    guard names.contains(name) else { return false }
    return name != "app.json"
      || (try? RegularFile.read(path, bytesMax: fileBytesMax))?.firstRange(of: Array("\"expo\"".utf8)) != nil
  }

  /// The configuration in a folder, whose path ends with `/` or is empty.
  static func path(in folder: String) -> String? {
    names.first { ResourceFile.size(of: folder + $0) != nil && isOne($0, at: folder + $0) }.map {
      folder + $0
    }
  }
}
