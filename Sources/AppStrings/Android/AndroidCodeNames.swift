internal import FCMMessage
internal import JSON

/// The strings that an app's own code, manifest and layouts name (`R.string.x`, `@string/x`), which the
/// resource shrinker therefore keeps.
package struct AndroidCodeNames: Sendable {
  /// The bounds of the search. What lies beyond them counts as not naming anything.
  struct Limits {
    var filesMax = 50_000
    var foldersMax = 20_000
    var fileBytesMax = 4 << 20
    var totalBytesMax = 256 << 20
    var depthMax = 24
  }

  /// As in `R.string`, where `.` and `-` in a name become `_`.
  private var names: Set<String> = []
  private let limits: Limits
  private var fileCount = 0
  private var folderCount = 0
  private var byteCount = 0

  /// Searches the Gradle project of a `res` folder: the nearest folder above it with a settings file,
  /// otherwise the source set that it belongs to. Finds nothing where the resources lie apart from their
  /// code.
  package init(besideResources folder: String) { self.init(besideResources: folder, limits: Limits()) }

  init(besideResources folder: String, limits: Limits) {
    self.limits = limits
    guard let root = Self.project(of: folder) else { return }
    search(root, depth: 0)
  }

  /// Whether code names the string.
  package func contains(_ key: String) -> Bool {
    !names.isEmpty && names.contains(Self.fieldName(Array(key.utf8)[...]))
  }

  private static func project(of folder: String) -> String? {
    guard ResourceFile.isFolder(folder) else { return nil }
    var ancestor = folder
    for _ in 0..<ancestorsMax {
      ancestor += "/.."
      let settings = ["settings.gradle", "settings.gradle.kts"]
      if settings.contains(where: { ResourceFile.size(of: "\(ancestor)/\($0)") != nil }) { return ancestor }
    }
    let sourceSet = "\(folder)/.."
    return ResourceFile.size(of: "\(sourceSet)/AndroidManifest.xml") == nil ? nil : sourceSet
  }

  private static let ancestorsMax = 8

  private mutating func search(_ folder: String, depth: Int) {
    guard depth <= limits.depthMax, folderCount < limits.foldersMax,
      let listing = try? FolderListing(path: folder)
    else { return }
    folderCount += 1
    for item in listing.items where item.name.utf8.first != UInt8(ascii: ".") {
      let path = "\(folder)/\(item.name)"
      if item.isFolder {
        if !Self.isSkipped(item.name) { search(path, depth: depth + 1) }
      } else if let marker = Self.marker(of: item.name) {
        read(path, marker: marker)
      }
    }
  }

  /// Builds, tests, which are not shipped, and texts, which may refer to each other without being used.
  private static func isSkipped(_ name: String) -> Bool {
    ["build", "node_modules", "test", "androidTest", "values"].contains(name) || name.hasPrefix("values-")
  }

  private static func marker(of file: String) -> [UInt8]? {
    if file.hasSuffix(".kt") || file.hasSuffix(".java") { return Array("R.string.".utf8) }
    return file.hasSuffix(".xml") ? Array("@string/".utf8) : nil
  }

  private mutating func read(_ path: String, marker: [UInt8]) {
    guard fileCount < limits.filesMax, byteCount < limits.totalBytesMax,
      let bytes = try? RegularFile.read(path, bytesMax: limits.fileBytesMax), let last = marker.last
    else { return }
    fileCount += 1
    byteCount += bytes.count
    var index = marker.count - 1
    while index < bytes.count {
      defer { index += 1 }
      guard bytes[index] == last, bytes[(index + 1 - marker.count)...index].elementsEqual(marker) else {
        continue
      }
      let name = bytes[(index + 1)...].prefix {
        $0.isASCIIAlphanumeric || $0 == UInt8(ascii: "_")
          || $0 == UInt8(ascii: ".") && last == UInt8(ascii: "/")
      }
      if !name.isEmpty { names.insert(Self.fieldName(name)) }
    }
  }

  private static func fieldName(_ name: ArraySlice<UInt8>) -> String {
    String(
      decoding: name.map { $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "-") ? UInt8(ascii: "_") : $0 },
      as: UTF8.self)
  }
}
