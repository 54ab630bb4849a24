internal import JSON

/// The icon of an Android app: `android:icon` of `<application>` in its manifest
/// (developer.android.com, "<application>"), as pixels.
package enum AndroidAppIcon {
  /// The name that Android Studio gives it.
  package static let usualName = "ic_launcher"

  /// A project can have any number of modules; the app's own come first.
  private static let foldersMax = 50

  static func icon(of layout: AndroidLayout, _ limits: AndroidLimits) -> AppIcon? {
    let named = AndroidAppLabel.attribute("icon", of: layout, limits) ?? ""
    let name = named.split(separator: "/").last.map(String.init) ?? usualName
    let folders = layout.sourceSets.filter(\.values.isEmpty).prefix(foldersMax).map(\.folder)
    let paths = places(of: name).lazy.flatMap { place in folders.lazy.map { "\($0)/\(place)" } }
    return AppIcon.first(of: paths, in: layout.files)
  }

  /// Where it can be below a folder of resources, the best first. An adaptive icon is an XML that names two
  /// layers; phones before Android 8 need one in pixels too, and Android Studio names the upper layer so.
  package static func places(of name: String) -> [String] {
    let isName = name.utf8.allSatisfy { $0.isASCIIAlphanumeric || $0 == UInt8(ascii: "_") }
    guard isName, !name.isEmpty else { return [] }
    return [name, "\(name)_foreground"].flatMap { name in
      ["-xxxhdpi", "-xxhdpi", "-xhdpi", "-hdpi", "-mdpi", "-nodpi", ""].flatMap { density in
        ["", "-v4"].flatMap { version in
          ["mipmap", "drawable"].flatMap { type in
            ["png", "webp"].map { "\(type)\(density)\(version)/\(name).\($0)" }
          }
        }
      }
    }
  }
}
