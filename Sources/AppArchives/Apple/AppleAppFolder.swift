internal import AppStrings
internal import JSON

/// Finds the app in a folder: an `.app` itself, or an `.xcarchive` around one.
enum AppleAppFolder {
  /// The bundle of a built app; nil for a folder of sources. Throws for an archive without the app that it
  /// names.
  static func bundle(at path: String, limits: ArchiveLimits) throws(ArchiveError) -> AppleBundle? {
    var root = path
    while root.utf8.count > 1, root.utf8.last == UInt8(ascii: "/") { root.removeLast() }
    let info = info(in: root)
    if let app = try archivedApp(in: root, info) { return files(of: app, limits: limits) }
    guard let info, isBuilt(root, info) else { return nil }
    return files(of: root, limits: limits)
  }

  private static let infoBytesMax = 4 << 20

  private static func info(in folder: String) -> InfoPropertyList? {
    guard let bytes = try? RegularFile.read("\(folder)/Info.plist", bytesMax: infoBytesMax) else {
      return nil
    }
    return InfoPropertyList(bytes)
  }

  /// An archive names its app, or has it in a folder of its own.
  private static func archivedApp(
    in root: String, _ info: InfoPropertyList?
  ) throws(ArchiveError) -> String? {
    if let named = info?.applicationPath, !named.split(separator: "/").contains("..") {
      let app = "\(root)/Products/\(named)"
      guard ResourceFile.isFolder(app) else {
        throw .malformed(
          "The archive names \(named), which it does not hold. Name the .app or a complete archive.")
      }
      return app
    }
    let folder = "\(root)/Products/Applications"
    guard let items = try? FolderListing(path: folder).items else { return nil }
    let apps = items.filter { $0.isFolder && $0.name.hasSuffix(".app") }
    return apps.count == 1 ? apps.first.map { "\(folder)/\($0.name)" } : nil
  }

  /// A source folder can have an Info.plist too, but no executable beside it and no traces of the build.
  private static func isBuilt(_ folder: String, _ info: InfoPropertyList) -> Bool {
    info.isBinary || info.namesPlatform || ResourceFile.isFolder("\(folder)/_CodeSignature")
      || ResourceFile.size(of: "\(folder)/PkgInfo") != nil || folder.hasSuffix(".app")
      || info.executable.map { ResourceFile.size(of: "\(folder)/\($0)") != nil } ?? false
  }

  private static func files(of root: String, limits: ArchiveLimits) -> AppleBundle {
    var files: [String] = []
    var localizations: [String] = []
    var folders = [""]
    var depth = 0
    while !folders.isEmpty, depth < depthMax, files.count < limits.bundleFilesMax {
      var next: [String] = []
      for folder in folders {
        guard let items = try? FolderListing(path: "\(root)/\(folder)").items else { continue }
        for item in items {
          if item.isFolder {
            if folder.isEmpty, item.name.hasSuffix(".lproj") {
              localizations.append(String(item.name.dropLast(6)))
            }
            next.append("\(folder)\(item.name)/")
          } else if folder.isEmpty || folder.hasSuffix(".lproj/") || item.name.hasSuffix(".loctable") {
            files.append("\(folder)\(item.name)")
          }
        }
      }
      folders = Array(next.prefix(limits.bundleFilesMax))
      depth += 1
    }
    let budget = ReadBudget(bytesMax: limits.totalBytesMax)
    return AppleBundle(place: root, isFolder: true, files: files, localizations: localizations) {
      name throws(ArchiveError) in
      let bytes: [UInt8]
      do throws(FileReadError) {
        bytes = try RegularFile.read("\(root)/\(name)", bytesMax: limits.entryBytesMax)
      } catch {
        throw ArchiveError(
          code: .unreadable, text: FindingText(english: "\(name) cannot be read: \(error.reason)."))
      }
      try budget.take(bytes.count)
      return bytes
    }
  }

  /// An extension's strings lie four folders deep: `PlugIns/X.appex/en.lproj/Localizable.strings`.
  private static let depthMax = 8
}
