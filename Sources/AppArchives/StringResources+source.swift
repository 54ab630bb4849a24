package import AppStrings
package import FCMMessage
internal import JSON

extension StringResources {
  /// Reads a platform's strings from what a catalog or a command line names: a project, source folders, a
  /// built app or a snapshot.
  package static func read(_ platform: AppPlatform, from location: ResourceLocation) -> StringResources {
    let isPlain =
      location.paths.count == 1 && location == ResourceLocation([location.path], line: location.line)
    return isPlain ? read(platform, from: location.path) : read(platform, sources: location)
  }

  /// Reads a platform's strings from a source folder, a built app (`.apk`, `.aab`, `.apks`; `.ipa`, `.app`,
  /// `.xcarchive`), or a snapshot of either. The content tells which it is, not the name.
  ///
  /// What cannot be read is a problem in the result, of the kind `noResources`.
  /// `keys` are those that are needed, which makes reading a built app or a snapshot faster; nil
  /// stands for all. A source folder is always read completely.
  package static func read(
    _ platform: AppPlatform, from path: String, keys: Set<String>? = nil
  ) -> StringResources {
    read(platform, from: path, keys: keys, limits: ArchiveLimits(), kept: .shared)
  }

  /// `kept` has what was read before with the same limits.
  static func read(
    _ platform: AppPlatform, from path: String, keys: Set<String>?, limits: ArchiveLimits,
    kept: ParsedFiles = ParsedFiles(sourceBytesMax: 0)
  ) -> StringResources {
    let keys = keys.map { Set($0.map { ExactText($0) }) }
    do throws(ArchiveError) {
      if ResourceFile.size(of: path) != nil {
        return try kept.value(ParsedFiles.Question(platform, [path], keys: keys)) {
          () throws(ArchiveError) in try readFile(platform, path, keys: keys, limits: limits)
        }
      }
      if ResourceFile.exists(path), !ResourceFile.isFolder(path) {
        throw .unsupported(
          "This is a pipe or a device. Name a source folder, an app, or the JSON that `dragoman strings` prints."
        )
      }
      if platform == .ios, let bundle = try AppleAppFolder.bundle(at: path, limits: limits) {
        return try AppleAppReader(path: path, limits: limits, keys: keys).read(bundle)
      }
    } catch {
      return unreadable(platform, path, error.text)
    }
    return read(platform, sources: ResourceLocation(path))
  }

  private static func readFile(
    _ platform: AppPlatform, _ path: String, keys: Set<ExactText>?, limits: ArchiveLimits
  ) throws(ArchiveError) -> StringResources {
    let source = try ByteSource(file: path)
    let start = try source.read(0..<min(source.count, 64))
    // Some editors begin a file with a byte order mark.
    let mark = start.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
    let first = start[mark...].first { $0 != 0x20 && $0 != 0x09 && $0 != 0x0A && $0 != 0x0D }
    if first == UInt8(ascii: "{") {
      guard source.count <= limits.snapshotBytesMax else {
        throw .tooLarge("The file is larger than \(limits.snapshotBytesMax) bytes.")
      }
      let reader = SnapshotReader(path: path, platform: platform, limits: limits, keys: keys)
      return try reader.read(try source.read(mark..<source.count))
    }
    guard start.starts(with: "PK".utf8) else {
      throw .unsupported(
        FindingText(.notAnApp))
    }
    let archive = try ZipArchive(source, limits: limits)
    let android = AndroidAppReader(path: path, limits: limits, keys: keys)
    let apple = AppleAppReader(path: path, limits: limits, keys: keys)
    let read = platform == .android ? try android.read(archive) : try apple.read(archive)
    guard let read else {
      throw .unsupported(
        platform == .android
          ? FindingText(.noAndroidApp) : FindingText(.noIOSApp))
    }
    return read
  }

  private static func unreadable(
    _ platform: AppPlatform, _ path: String, _ text: FindingText
  ) -> StringResources {
    StringResources(
      platform: platform, folder: path, tables: [],
      problems: [ResourceProblem(kind: .noResources, file: path, text)])
  }
}
