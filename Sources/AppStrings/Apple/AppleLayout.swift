internal import JSON

/// Which tables a project packs into which bundle, as its targets say.
struct AppleLayout {
  /// A folder whose files belong to a target, such as a synchronized group of Xcode 16.
  struct Folder {
    let path: String
    let target: String
    /// Whether only what `exceptions` name belongs to the target, or everything else.
    let hasOnlyExceptions: Bool
    /// Paths relative to the folder. Those of localized files leave out the `.lproj` folder.
    let exceptions: Set<String>

    /// Whether a file belongs to the target.
    func holds(_ file: String) -> Bool {
      guard file.utf8.starts(with: "\(path)/".utf8) || path == "." else { return false }
      let parts = (path == "." ? file : String(file.dropFirst(path.count + 1))).split(separator: "/")
      let plain = parts.filter { !$0.hasSuffix(".lproj") }
      let isException = [parts, plain].contains { parts in
        parts.indices.contains { exceptions.contains(parts[...$0].joined(separator: "/")) }
      }
      return isException == hasOnlyExceptions
    }
  }

  /// The folder of the project.
  let root: String
  /// The application's target.
  let target: String
  /// The targets that name a file, by its path.
  var files: [String: [String]] = [:] {
    didSet { names = Dictionary(files.keys.map { ($0.lowercased(), $0) }) { first, _ in first } }
  }
  /// The names of the files by their lower case.
  private var names: [String: String] = [:]
  var folders: [Folder] = []
  /// What the products of the other targets are: `Core.framework`.
  var products: [String: String] = [:]
  /// The paths of the application's Info.plist files.
  var infoPlists: [String] = []
  /// What the application's Info.plist may name.
  var settings = BuildSettings()
  var developmentLanguage: String?
  var problems: [ResourceProblem] = []
  var buildFiles: [String] = []
  /// Whether a folder or file may be read; links that lead out of the project are not followed.
  var bounds: ProjectFiles

  init(root: String, target: String, bounds: ProjectFiles) {
    (self.root, self.target, self.bounds) = (root, target, bounds)
  }

  /// The targets that pack a file. Builds run on Macs, whose file systems disregard case.
  func targets(of file: String) -> [String] {
    let file = ProjectFiles.path(file, ".")
    return (files[file] ?? files[names[file.lowercased()] ?? ""] ?? [])
      + folders.filter { $0.holds(file) }.map(\.target)
  }
}

extension AppleFolderSearch.TableFile {
  /// A table at a path that a target packs; nil for anything else.
  init?(path: String) {
    var parts = path.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
    guard let name = parts.popLast() else { return nil }
    let format: Format
    let table: String
    if let stem = name.dropping(suffix: ".strings") {
      (table, format) = (stem, .strings)
    } else if let stem = name.dropping(suffix: ".stringsdict") {
      (table, format) = (stem, .stringsDict)
    } else if let stem = name.dropping(suffix: ".xcstrings") {
      (table, format) = (stem, .catalog)
    } else {
      return nil
    }
    var language: String?
    if format != .catalog, let last = parts.last?.dropping(suffix: ".lproj") {
      language = last
      parts.removeLast()
    }
    let isGlobal = format != .catalog && language == nil
    self.init(
      path: path, isGlobal: isGlobal, table: table, format: format,
      language: isGlobal ? AppleLocaleMatcher.base : language,
      bundle: parts.isEmpty ? "." : parts.joined(separator: "/"), depth: 0)
  }
}
