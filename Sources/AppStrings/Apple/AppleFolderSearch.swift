internal import JSON

/// Finds the string tables in a folder and its subfolders, shallow ones first.
struct AppleFolderSearch {
  /// A file with a table, or with a part of one.
  struct TableFile {
    enum Format {
      case strings, stringsDict, catalog
    }

    let path: String
    /// The path within the archive at `path`; nil for a file of its own.
    var innerPath: String?
    /// Whether the file is in no `.lproj` folder, so that iPhones find it before those of all languages. It
    /// counts as one of `Base`.
    var isGlobal = false
    /// The file's name without its extension: `Localizable`.
    let table: String
    let format: Format
    /// The `.lproj` folder's name without its extension; nil for a catalog, which contains its languages.
    let language: String?
    /// The folder that contains the `.lproj` folder, the catalog or the global file.
    let bundle: String
    let depth: Int
  }

  private let limits: AppleResourceLimits
  private(set) var files: [TableFile] = []
  private(set) var problems: [ResourceProblem] = []
  private(set) var folderCount = 0
  private(set) var targets = AppleTargetFolders()
  /// The folders of Swift packages.
  private(set) var packages: [String] = []
  /// Whether a path may be read; links that lead out of a project are not followed.
  private var bounds: ProjectFiles?
  /// The `.lproj` folders, each with the folder that contains it.
  private(set) var languageFolders: [(language: String, bundle: String)] = []
  /// The asset catalogs, up to a number.
  private(set) var assetCatalogs: [String] = []
  private var hasTooManyFiles = false

  init(folder: String, limits: AppleResourceLimits, within bounds: ProjectFiles? = nil) {
    self.limits = limits
    self.bounds = bounds
    searchLevels(from: folder)
    if hasTooManyFiles { endedEarly(at: folder, after: "\(limits.fileCountMax) string tables") }
  }

  private mutating func searchLevels(from folder: String) {
    var visited: Set<FolderListing.Identity> = []
    var level = [folder]
    for depth in 0...limits.folderDepthMax {
      var next: [String] = []
      for path in level where !hasTooManyFiles {
        guard folderCount < limits.folderCountMax else {
          endedEarly(at: path, after: "\(limits.folderCountMax) folders")
          return
        }
        folderCount += 1
        guard mayRead(path) else { continue }
        do throws(FileReadError) {
          let listing = try FolderListing(path: path)
          guard visited.insert(listing.identity).inserted else { continue }
          guard !KernelFolder.contains(listing.identity) else {
            let kind: ResourceProblem.Kind = depth == 0 ? .noResources : .remark
            problems.append(
              ResourceProblem(kind: kind, file: path, FindingText(.kernelFolder)))
            continue
          }
          look(into: path, listing, depth: depth, next: &next)
        } catch {
          problems.append(unreadable(path, error, depth == 0 ? .noResources : .remark))
        }
      }
      level = next
    }
    problems += bounds?.problems ?? []
    if let first = level.first { endedEarly(at: first, after: "\(limits.folderDepthMax) folders deep") }
  }

  private mutating func mayRead(_ path: String) -> Bool { bounds?.contains(path) ?? true }

  private mutating func endedEarly(at path: String, after limit: String) {
    let message = "the search for strings stopped here after \(limit); name a smaller folder"
    problems.append(ResourceProblem(kind: .remark, file: path, FindingText(english: message)))
  }

  private mutating func look(into path: String, _ listing: FolderListing, depth: Int, next: inout [String]) {
    targets.look(into: path, isRoot: depth == 0, listing, limits: limits)
    if listing.items.contains(where: { !$0.isFolder && $0.name == "Package.swift" }) { packages.append(path) }
    // The caller can have named a language's folder in place of the app's.
    let isLanguage = path.split(separator: "/").last?.hasSuffix(".lproj") ?? false
    for item in listing.items {
      let itemPath = Self.path(path, item.name)
      if item.isFolder {
        if let language = item.name.dropping(suffix: ".lproj") {
          lookIntoLanguage(itemPath, language: language, bundle: path, depth: depth)
        } else if item.name.hasSuffix(".xcassets") {
          if assetCatalogs.count < limits.fileCountMax { assetCatalogs.append(itemPath) }
        } else if !Self.isSkipped(item.name) {
          next.append(itemPath)
        }
      } else if let table = item.name.dropping(suffix: ".xcstrings") {
        add(
          TableFile(path: itemPath, table: table, format: .catalog, language: nil, bundle: path, depth: depth)
        )
      } else if let format = Self.globalFormat(item.name), !isLanguage {
        add(
          TableFile(
            path: itemPath, isGlobal: true, table: AppleResourceReader.mainTable, format: format,
            language: AppleLocaleMatcher.base, bundle: path, depth: depth))
      } else if item.name.hasSuffix("xcstring") || item.name.hasSuffix(".xcstrings") {
        reportUnread(item, at: itemPath, language: nil)
      }
    }
  }

  /// Nil for anything but the table that push messages use.
  private static func globalFormat(_ name: String) -> TableFile.Format? {
    switch name {
    case "\(AppleResourceReader.mainTable).strings": .strings
    case "\(AppleResourceReader.mainTable).stringsdict": .stringsDict
    default: nil
    }
  }

  private mutating func lookIntoLanguage(_ path: String, language: String, bundle: String, depth: Int) {
    if languageFolders.count < limits.fileCountMax { languageFolders.append((language, bundle)) }
    do throws(FileReadError) {
      // A folder with the name of a table is added too, so that reading it reports a problem.
      for item in try FolderListing(path: path).items where item.name.utf8.first != UInt8(ascii: ".") {
        let format: TableFile.Format
        let table: String
        if let name = item.name.dropping(suffix: ".strings") {
          (table, format) = (name, .strings)
        } else if let name = item.name.dropping(suffix: ".stringsdict") {
          (table, format) = (name, .stringsDict)
        } else {
          reportUnread(item, at: Self.path(path, item.name), language: language)
          continue
        }
        reportUnread(item, at: Self.path(path, item.name), language: language)
        add(
          TableFile(
            path: Self.path(path, item.name), table: table, format: format, language: language,
            bundle: bundle,
            depth: depth))
      }
    } catch {
      problems.append(unreadable(path, error, .unparsable, language: language))
    }
  }

  /// Reports a file that looks like the app's table and that no iPhone finds.
  private mutating func reportUnread(_ item: FolderListing.Item, at path: String, language: String?) {
    guard !item.isFolder, let right = UnreadNames.table(meantBy: item.name) else { return }
    problems.append(
      ResourceProblem(
        kind: .unread, file: path, table: language, FindingText(.otherTableName, [right]),
        help: FindingText(.renameOrRemove, [right])))
  }

  private mutating func add(_ file: TableFile) {
    guard mayRead(file.path) else { return }
    if files.count < limits.fileCountMax { files.append(file) } else { hasTooManyFiles = true }
  }

  /// Folders of builds, package managers and version control.
  private static func isSkipped(_ name: String) -> Bool {
    name.utf8.first == UInt8(ascii: ".")
      || ["build", "Pods", "Carthage", "DerivedData", "node_modules"].contains(name)
  }

  private static func path(_ folder: String, _ name: String) -> String {
    folder.utf8.last == UInt8(ascii: "/") ? folder + name : folder + "/" + name
  }

  private func unreadable(
    _ path: String, _ error: FileReadError, _ kind: ResourceProblem.Kind, language: String? = nil
  ) -> ResourceProblem {
    ResourceProblem(kind: kind, file: path, table: language, FindingText(.folderNotRead, [error.text]))
  }
}

extension String {
  /// The text before `suffix`; nil if the text does not end in it or is equal to it. Compares bytes.
  func dropping(suffix: String) -> String? {
    guard utf8.count > suffix.utf8.count, utf8.suffix(suffix.utf8.count).elementsEqual(suffix.utf8) else {
      return nil
    }
    return String(decoding: utf8.dropLast(suffix.utf8.count), as: UTF8.self)
  }
}
