internal import JSON

/// What the Info.plist files of a project say about its targets: which folders belong to app extensions, App
/// Clips and watch apps, whose tables no push message to the app reaches because each is a bundle of its own
/// in the built app, and which languages a target has besides those of its files.
struct AppleTargetFolders {
  private var extensions: [String] = []
  /// CFBundleLocalizations by the target's folder.
  private var localizations: [ExactText: [String]] = [:]

  /// Folders in which a target keeps its Info.plist, beside the folders with its strings.
  private static let supportFolders = ["Resources", "SupportingFiles", "Supporting Files"]
  private static let markers = [
    "NSExtension", "EXAppExtensionAttributes", "NSAppClip", "WKWatchKitApp", "WKApplication",
  ]
  /// More than any Info.plist has.
  private static let fileSizeBytesMax = 1 << 20

  /// Notes what an Info.plist in the folder says.
  mutating func look(into path: String, _ listing: FolderListing, limits: AppleResourceLimits) {
    guard listing.items.contains(where: { !$0.isFolder && $0.name == "Info.plist" }),
      let bytes = try? RegularFile.read("\(path)/Info.plist", bytesMax: Self.fileSizeBytesMax),
      let root = try? PropertyListDocument.read(bytes, limits: limits).root
    else { return }
    let folder = Self.target(of: path)
    if Self.markers.contains(where: { root[$0] != nil }) { extensions.append(folder) }
    let names = InfoPropertyList.localizations(root)
    if !names.isEmpty { localizations[ExactText(folder), default: []] += names }
  }

  /// CFBundleLocalizations of the target that has its tables in a folder.
  func localizations(of bundle: String) -> [String] {
    localizations[ExactText(Self.target(of: bundle))] ?? []
  }

  /// Whether a bundle's folder is that of an extension or a watch app, or below one.
  func haveExtension(_ bundle: String) -> Bool {
    extensions.contains { bundle.hasSameBytes(as: $0) || bundle.utf8.starts(with: "\($0)/".utf8) }
  }

  /// The folder of the target whose Info.plist or resources are in a folder.
  private static func target(of folder: String) -> String {
    let parts = folder.split(separator: "/", omittingEmptySubsequences: false)
    let isSupport = parts.last.map { supportFolders.contains(String($0)) } ?? false
    return isSupport ? parts.dropLast().joined(separator: "/") : folder
  }
}
