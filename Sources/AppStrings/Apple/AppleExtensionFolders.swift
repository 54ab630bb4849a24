internal import JSON

/// The folders of the app extensions, App Clips and watch apps of a project, whose tables no push message to
/// the app reaches: each is a bundle of its own in the built app.
struct AppleExtensionFolders {
  private var roots: [String] = []

  /// Folders in which a target keeps its Info.plist, beside the folders with its strings.
  private static let supportFolders = ["Resources", "SupportingFiles", "Supporting Files"]
  private static let markers = [
    "NSExtension", "EXAppExtensionAttributes", "NSAppClip", "WKWatchKitApp", "WKApplication",
  ]
  /// More than any Info.plist has.
  private static let fileSizeBytesMax = 1 << 20

  /// Notes the folder if its Info.plist is that of an extension, an App Clip or a watch app.
  mutating func look(into path: String, _ listing: FolderListing, limits: AppleResourceLimits) {
    guard listing.items.contains(where: { !$0.isFolder && $0.name == "Info.plist" }),
      let bytes = try? RegularFile.read("\(path)/Info.plist", bytesMax: Self.fileSizeBytesMax),
      let root = try? PropertyListDocument.read(bytes, limits: limits).root,
      Self.markers.contains(where: { root[$0] != nil })
    else { return }
    let parts = path.split(separator: "/", omittingEmptySubsequences: false)
    let isSupport = parts.last.map { Self.supportFolders.contains(String($0)) } ?? false
    roots.append(isSupport ? parts.dropLast().joined(separator: "/") : path)
  }

  /// Whether a bundle's folder is one of them or below one.
  func contain(_ bundle: String) -> Bool {
    roots.contains { bundle.hasSameBytes(as: $0) || bundle.utf8.starts(with: "\($0)/".utf8) }
  }
}
