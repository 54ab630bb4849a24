internal import JSON

/// What a folder says about the targets below it without a project: which folders belong to frameworks,
/// Swift packages, app extensions, App Clips and watch apps, whose tables no push message to the app reaches
/// because each is a bundle of its own in the built app, and what Info.plist says of a target: its languages
/// besides those of its files, and its name.
struct AppleTargetFolders {
  /// The folders that are bundles of their own, each with what it is.
  private var bundles: [(folder: String, kind: String)] = []
  /// CFBundleLocalizations by the target's folder.
  private var localizations: [ExactText: [String]] = [:]
  private var names: [ExactText: AppleAppNames] = [:]

  /// Folders in which a target keeps its Info.plist, beside the folders with its strings.
  private static let supportFolders = ["Resources", "SupportingFiles", "Supporting Files"]
  private static let markers = [
    ("NSExtension", "an app extension"), ("EXAppExtensionAttributes", "an app extension"),
    ("NSAppClip", "an App Clip"), ("WKWatchKitApp", "a watch app"), ("WKApplication", "a watch app"),
  ]
  private static let packageTypes = ["FMWK": "a framework", "BNDL": "a bundle of its own"]
  private static let wrappers = [".framework", ".xcframework", ".bundle", ".appex"]
  /// More than any Info.plist has.
  private static let fileSizeBytesMax = 1 << 20

  /// Notes what an Info.plist in the folder says. `isRoot` is for the folder that was named.
  mutating func look(
    into path: String, isRoot: Bool, _ listing: FolderListing, limits: AppleResourceLimits
  ) {
    if !isRoot, listing.items.contains(where: { !$0.isFolder && $0.name == "Package.swift" }) {
      bundles.append((path, "a Swift package"))
    } else if Self.wrappers.contains(where: path.hasSuffix) {
      bundles.append((path, "a bundle of its own"))
    }
    guard listing.items.contains(where: { !$0.isFolder && $0.name == "Info.plist" }),
      let bytes = try? RegularFile.read("\(path)/Info.plist", bytesMax: Self.fileSizeBytesMax),
      let root = try? PropertyListDocument.read(bytes, limits: limits).root
    else { return }
    let folder = Self.target(of: path)
    if let marker = Self.markers.first(where: { root[$0.0] != nil }) {
      bundles.append((folder, marker.1))
    } else if let kind = root["CFBundlePackageType"]?.string.flatMap({ Self.packageTypes[$0] }) {
      bundles.append((folder, kind))
    }
    let names = InfoPropertyList.localizations(root)
    if !names.isEmpty { localizations[ExactText(folder), default: []] += names }
    self.names[ExactText(folder), default: AppleAppNames()].add(root)
  }

  /// What Info.plist calls the target that has its tables in a folder.
  func names(of bundle: String) -> AppleAppNames {
    names[ExactText(Self.target(of: bundle))] ?? AppleAppNames()
  }

  /// CFBundleLocalizations of the target that has its tables in a folder.
  func localizations(of bundle: String) -> [String] {
    localizations[ExactText(Self.target(of: bundle))] ?? []
  }

  /// The folder that is a bundle of its own and has a folder with tables, with what it is; nil for the app's.
  func bundle(of folder: String) -> (folder: String, kind: String)? {
    bundles.first { folder.hasSameBytes(as: $0.folder) || folder.utf8.starts(with: "\($0.folder)/".utf8) }
  }

  /// The bundle of a table that is another one than the app's.
  func place(of file: AppleFolderSearch.TableFile) -> StringResources.Elsewhere? {
    bundle(of: file.bundle).map { folder, kind in
      let name = folder.split(separator: "/").last.map(String.init) ?? folder
      return StringResources.Elsewhere(path: file.path, owner: name, reason: "\(name) is \(kind)")
    }
  }

  /// The folder of the target whose Info.plist or resources are in a folder.
  private static func target(of folder: String) -> String {
    let parts = folder.split(separator: "/", omittingEmptySubsequences: false)
    let isSupport = parts.last.map { supportFolders.contains(String($0)) } ?? false
    return isSupport ? parts.dropLast().joined(separator: "/") : folder
  }
}
