/// Where a catalog will be, as seen from the folder that relative paths refer to now.
package struct CatalogPlace: Sendable {
  private let currentFolder: [Substring]
  private let catalogFolder: [Substring]

  /// - Parameters:
  ///   - file: the catalog's path, relative to `currentFolder` or absolute.
  ///   - currentFolder: an absolute path.
  package init(file: String, currentFolder: String) {
    self.currentFolder = Self.parts(currentFolder, in: [])
    catalogFolder = Self.parts(file, in: self.currentFolder).dropLast()
  }

  /// The path by which the catalog names a file or folder. An absolute path stays as it is. Symbolic links
  /// are not resolved.
  package func path(to path: String) -> String {
    guard !path.hasPrefix("/") else { return path }
    let target = Self.parts(path, in: currentFolder)
    let shared = zip(catalogFolder, target).prefix { $0 == $1 }.count
    let up = Array(repeating: Substring(".."), count: catalogFolder.count - shared)
    let relative = up + target.dropFirst(shared)
    return relative.isEmpty ? "." : relative.joined(separator: "/")
  }

  private static func parts(_ path: String, in folder: [Substring]) -> [Substring] {
    var parts = path.hasPrefix("/") ? [] : folder
    for part in path.split(separator: "/") where part != "." {
      if part == ".." { _ = parts.popLast() } else { parts.append(part) }
    }
    return parts
  }
}
