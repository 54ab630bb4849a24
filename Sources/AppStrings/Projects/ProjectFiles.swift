internal import Glibc
internal import JSON

/// The files of a project, read as text: those below its root, where no link leads out of it, and only up to
/// a size and a number.
struct ProjectFiles {
  struct Limits {
    var buildFileBytesMax = 64 << 20
    var buildFilesMax = 5_000
    var foldersMax = 50_000
    var depthMax = 24
  }

  let root: String
  let limits: Limits
  private let realRoot: String
  /// The build files that were read, or looked for.
  private(set) var buildFiles: Set<String> = []
  /// What a link leads out of the project, which is not followed.
  private(set) var outside: [String] = []
  private var filesLeft: Int
  private var foldersLeft: Int

  init(root: String, limits: Limits = Limits()) {
    (self.root, self.limits) = (root, limits)
    realRoot = Self.real(root) ?? root
    (filesLeft, foldersLeft) = (limits.buildFilesMax, limits.foldersMax)
  }

  /// The bytes of a build file; nil if there is none that may be read.
  mutating func read(_ path: String) -> [UInt8]? {
    buildFiles.insert(path)
    guard ResourceFile.size(of: path) != nil, contains(path), filesLeft > 0 else { return nil }
    filesLeft -= 1
    return try? RegularFile.read(path, bytesMax: limits.buildFileBytesMax)
  }

  /// The content of a folder; nil if there is none that may be read.
  mutating func list(_ path: String) -> FolderListing? {
    guard foldersLeft > 0, contains(path) else { return nil }
    foldersLeft -= 1
    return try? FolderListing(path: path)
  }

  /// Whether a path leads to something in the project. One that leads out of it is noted.
  mutating func contains(_ path: String) -> Bool {
    guard let real = Self.real(path) else { return false }
    if real == realRoot || realRoot == "/" || real.utf8.starts(with: "\(realRoot)/".utf8) { return true }
    if outside.count < 100, !outside.contains(path) { outside.append(path) }
    return false
  }

  /// What is not followed, as problems.
  var problems: [ResourceProblem] {
    outside.map {
      ResourceProblem(
        kind: .remark, file: $0,
        FindingText(english: "This leads out of the project \(root), so it was not followed."))
    }
  }

  private static func real(_ path: String) -> String? {
    guard let real = realpath(path, nil) else { return nil }
    defer { free(real) }
    return String(cString: real)
  }

  /// A path below a folder without `.` and `..`, as far as they can be resolved without looking.
  static func path(_ folder: String, _ relative: String) -> String {
    let isAbsolute = relative.hasPrefix("/") || folder.hasPrefix("/")
    var parts: [Substring] = []
    for part in ((relative.hasPrefix("/") ? "" : folder) + "/" + relative).split(separator: "/")
    where part != "." {
      if part == "..", let last = parts.last, last != ".." {
        parts.removeLast()
      } else if part != ".." || !isAbsolute {
        parts.append(part)
      }
    }
    let path = parts.joined(separator: "/")
    return isAbsolute ? "/\(path)" : path.isEmpty ? "." : path
  }
}
