internal import AppStrings
internal import Glibc

/// A folder of which some changes matter.
struct WatchedFolder: Sendable, Equatable {
  let path: String
  /// The items that matter whatever they are.
  private(set) var names: Set<String> = []
  /// Whether everything that can hold strings matters, too.
  private(set) var holdsStrings = false

  /// The maximum number of folders; the system allows a user some thousands as a rule.
  static let countMax = 4096
  private static let depthMax = 16
  /// As many as Linux follows.
  private static let linksMax = 40

  /// The folders to watch for changes of `paths`, and whether there are more than are allowed. Folders close
  /// to the paths come first.
  static func all(for paths: [String]) -> (folders: [WatchedFolder], isCut: Bool) {
    var folders: [WatchedFolder] = []
    var level: [String] = []
    for path in paths {
      folders.append(nearest(to: path))
      // What a link leads to changes elsewhere.
      folders += places(of: path).map(nearest)
      if ResourceFile.isFolder(path) { level.append(path) }
    }
    var seen: Set<String> = []
    var depth = 0
    while !level.isEmpty, depth <= depthMax {
      var next: [String] = []
      for path in level where seen.insert(resolved(path) ?? path).inserted {
        guard folders.count < countMax else { return (folders, true) }
        folders.append(WatchedFolder(path: path, holdsStrings: true))
        let items = (try? FolderListing(path: path).items) ?? []
        // Of a `res` folder, only these have strings, and rules about them.
        let isAndroid = items.contains { $0.isFolder && $0.name == "values" }
        next += items.filter {
          $0.isFolder && !$0.name.hasPrefix(".")
            && (!isAndroid || $0.name.hasPrefix("values") || $0.name.hasPrefix("raw"))
        }.map { "\(path)/\($0.name)" }
      }
      level = next
      depth += 1
    }
    return (folders, false)
  }

  /// The folder that has the item, or the nearest one above that exists, with the next step to the item.
  private static func nearest(to path: String) -> WatchedFolder {
    var (folder, name) = split(path)
    while !ResourceFile.isFolder(folder), folder != "/", folder != "." { (folder, name) = split(folder) }
    return WatchedFolder(path: folder, names: [name])
  }

  private static func split(_ path: String) -> (folder: String, name: String) {
    var path = Substring(path)
    while path.count > 1, path.hasSuffix("/") { path = path.dropLast() }
    guard let slash = path.lastIndex(of: "/") else { return (".", String(path)) }
    let folder = slash == path.startIndex ? "/" : String(path[..<slash])
    return (folder, String(path[path.index(after: slash)...]))
  }

  private static func resolved(_ path: String) -> String? {
    guard let real = realpath(path, nil) else { return nil }
    defer { free(real) }
    return String(cString: real)
  }

  /// The links on the way to what a path names, and where they lead, also if nothing is there at the moment.
  private static func places(of path: String) -> [String] {
    var places: [String] = []
    var rest = path.split(separator: "/").map(String.init)
    var done = path.hasPrefix("/") ? "" : "."
    while !rest.isEmpty {
      let next = "\(done)/\(rest.removeFirst())"
      guard let link = link(at: next) else {
        done = next
        continue
      }
      places.append(next)
      guard places.count < linksMax else { return places }
      rest = link.split(separator: "/").map(String.init) + rest
      if link.hasPrefix("/") { done = "" }
    }
    return places.isEmpty ? [] : places + [done]
  }

  /// The text of a symbolic link; nil for anything else.
  private static func link(at path: String) -> String? {
    var bytes = [UInt8](repeating: 0, count: Int(PATH_MAX))
    let count = readlink(path, &bytes, bytes.count)
    return count > 0 ? String(decoding: bytes[..<count], as: UTF8.self) : nil
  }

  func merged(with other: WatchedFolder) -> WatchedFolder {
    WatchedFolder(
      path: path, names: names.union(other.names), holdsStrings: holdsStrings || other.holdsStrings)
  }

  /// Whether an event in the folder can change what the paths hold. Editors' own files beside one do not.
  func concerns(_ event: InotifyEvent) -> Bool {
    if event.name.isEmpty || names.contains(event.name) { return true }
    guard holdsStrings, !event.name.hasPrefix(".") else { return false }
    return event.isFolder || Self.suffixes.contains { event.name.hasSuffix($0) }
  }

  private static let suffixes = [
    ".xml", ".strings", ".stringsdict", ".xcstrings", ".plist", ".json", ".yaml", ".arb", ".po",
  ]
}
