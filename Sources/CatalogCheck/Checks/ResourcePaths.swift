internal import AppStrings
internal import FCMMessage

/// Where strings are instead of at a path that has none.
enum ResourcePaths {
  /// How far up from a path that does not exist strings are looked for.
  private static let ancestorsMax = 3
  private static let limits = ProjectSearch.Limits(foldersMax: 2_000, depthMax: 8)

  /// Up to three folders near a path, as a text; nil if there are none.
  static func instead(of path: String, on platform: AppPlatform) -> String? {
    var folder = path
    for _ in 0...ancestorsMax {
      if ResourceFile.isFolder(folder) {
        let found = ProjectSearch(folder, limits: limits).folders(platform).filter { $0 != path }
        if !found.isEmpty { return FindingGroup.listed(found, most: 3) }
      }
      guard let parent = parent(of: folder), parent != folder else { return nil }
      folder = parent
    }
    return nil
  }

  private static func parent(of path: String) -> String? {
    if path == "." || path == "/" { return nil }
    let parts = path.split(separator: "/").dropLast()
    let parent = parts.joined(separator: "/")
    return path.hasPrefix("/") ? "/\(parent)" : parent.isEmpty ? "." : parent
  }
}
