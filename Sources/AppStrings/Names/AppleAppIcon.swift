internal import JSON

/// The icon of an iOS app: the set of its asset catalog that the build takes
/// (Xcode, "Asset catalog format reference", "App icon type").
package enum AppleAppIcon {
  /// What the build takes unless a setting names another one.
  static let usualName = "AppIcon"
  static let setting = "ASSETCATALOG_COMPILER_APPICON_NAME"
  private static let catalogsMax = 50
  private static let contentsBytesMax = 1 << 20
  /// The pixels of the side that a phone shows.
  private static let shownSide = 120

  /// Where it is in a built app whose build did not change its form.
  package static let built = ["\(usualName)60x60@3x.png", "\(usualName)60x60@2x.png"]

  /// Of some asset catalogs, in their order; `files` says which may be read.
  static func icon(in catalogs: [String], named name: String?, _ files: ProjectFiles?) -> AppIcon? {
    catalogs.prefix(catalogsMax).lazy.compactMap { catalog in
      let set = "\(catalog)/\(name ?? usualName).appiconset"
      return AppIcon.first(of: pictures(of: set).lazy.map { "\(set)/\($0)" }, in: files)
    }.first
  }

  /// The files of a set: the smallest that is large enough first. Those for a dark or tinted screen, and of
  /// watches and Macs, are left out.
  private static func pictures(of set: String) -> [String] {
    guard let bytes = try? RegularFile.read("\(set)/Contents.json", bytesMax: contentsBytesMax),
      let images = (try? JSON.parse(bytes))?["images"]?.array
    else { return [] }
    let pictures = images.prefix(100).compactMap { image -> (side: Double, name: String)? in
      guard let name = image["filename"]?.string, !name.contains("/"), image["appearances"] == nil,
        ["universal", "iphone", "ios-marketing"].contains(image["idiom"]?.string),
        image["platform"].map({ $0 == "ios" }) ?? true
      else { return nil }
      let size = image["size"]?.string?.split(separator: "x").first.flatMap { Double($0) } ?? 0
      return (size * Double(image["scale"]?.string?.first?.wholeNumberValue ?? 1), name)
    }
    let large = pictures.filter { $0.side >= Double(shownSide) }.sorted { $0.side < $1.side }
    let small = pictures.filter { $0.side < Double(shownSide) }.sorted { $0.side > $1.side }
    return (large + small).map(\.name)
  }
}
