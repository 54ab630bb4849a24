internal import Glibc

/// Replaces several files at once: all of them, or none.
package struct FileReplacements: Sendable {
  /// A file to replace or create.
  private struct Target {
    let path: String
    let bytes: [UInt8]
    /// Nil if there is no such file yet.
    let mode: mode_t?
  }

  private var targets: [Target] = []
  /// Folders that do not exist yet, outer ones first.
  private var folders: [String] = []

  package init() {}

  /// Adds a file, with the folders that it needs. Throws if it is no regular file, if it may not be written,
  /// or if symbolic links lead out of the folder `root`.
  package mutating func add(_ path: String, _ bytes: [UInt8], within root: String) throws(GeneratedTextError)
  {
    let end = path.utf8.lastIndex(of: UInt8(ascii: "/"))
    let folder = end.map { String(path[..<$0]) } ?? "."
    guard let (parent, new) = Self.realFolder(folder.isEmpty ? "/" : folder) else {
      throw GeneratedTextError("\(path) cannot be written: \(Self.systemReason).")
    }
    let name = end.map { String(path[path.utf8.index(after: $0)...]) } ?? path
    var status = stat()
    var real = "\(parent)/\(name)"
    var mode: mode_t?
    if lstat(real, &status) == 0 {
      if status.st_mode & S_IFMT == S_IFLNK {
        guard let target = Self.realPath(real), stat(target, &status) == 0 else {
          throw GeneratedTextError("\(path) cannot be written: it is a symbolic link to nothing.")
        }
        real = target
      }
      guard status.st_mode & S_IFMT == S_IFREG else {
        throw GeneratedTextError("\(path) cannot be written: it is not a regular file.")
      }
      guard access(real, W_OK) == 0 else {
        throw GeneratedTextError("\(path) cannot be written: \(Self.systemReason).")
      }
      mode = status.st_mode & 0o7777
    }
    let realRoot = (Self.realPath(root) ?? root) + (root == "/" ? "" : "/")
    guard real.utf8.starts(with: realRoot.utf8) else {
      throw GeneratedTextError(
        "\(path) is not written, because a symbolic link leads out of the folder, to \(real). Name that folder in "
          + "the catalog.")
    }
    if let other = targets.first(where: { $0.path == real }) {
      guard other.bytes == bytes else {
        throw GeneratedTextError("\(path) is not written: two folders lead to it, but need different texts.")
      }
      return
    }
    targets.append(Target(path: real, bytes: bytes, mode: mode))
    folders += new.filter { !folders.contains($0) }
  }

  /// The real path of a folder that exists or can be made, and the folders that must be made for it, outer
  /// ones first; nil if something else is in its place.
  private static func realFolder(_ folder: String) -> (path: String, new: [String])? {
    var status = stat()
    if let real = realPath(folder) {
      guard stat(real, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else {
        errno = ENOTDIR
        return nil
      }
      return (real, [])
    }
    let end = folder.utf8.lastIndex(of: UInt8(ascii: "/"))
    let outer = end.map { $0 == folder.startIndex ? "/" : String(folder[..<$0]) } ?? "."
    let name = end.map { String(folder[folder.utf8.index(after: $0)...]) } ?? folder
    guard errno == ENOENT, lstat(folder, &status) != 0, errno == ENOENT, name != "..",
      let (parent, new) = realFolder(outer)
    else { return nil }
    let path = parent == "/" ? "/\(name)" : "\(parent)/\(name)"
    return (path, new + [path])
  }

  /// The number of files.
  package var count: Int { targets.count }

  /// Writes new files beside the old ones, then puts each in its place. If one cannot be replaced, those
  /// before it are restored.
  package func commit() throws(GeneratedTextError) {
    var made: [String] = []
    var isDone = false
    defer { if !isDone { for path in made.reversed() { rmdir(path) } } }
    var staged: [String] = []
    defer { for path in staged { unlink(path) } }
    for path in folders {
      guard mkdir(path, 0o777) == 0 else {
        throw GeneratedTextError("\(path) cannot be made: \(Self.systemReason). No file was changed.")
      }
      made.append(path)
    }
    for target in targets {
      let path = Self.hidden(target.path, "new")
      staged.append(path)
      guard Self.write(target.bytes, to: path, mode: target.mode) else {
        throw GeneratedTextError(
          "\(target.path) cannot be written: \(Self.systemReason). No file was changed.")
      }
    }
    var replaced: [(target: Target, backup: String?)] = []
    for (target, new) in zip(targets, staged) {
      do throws(GeneratedTextError) {
        replaced.append((target, try Self.replace(target, by: new)))
      } catch {
        let lost = replaced.reversed().filter { !Self.restore($0.target, from: $0.backup) }.map(\.target.path)
        let outcome =
          lost.isEmpty
          ? "No file was changed." : "These files keep their new content: \(lost.joined(separator: ", "))."
        throw GeneratedTextError("\(error.message) \(outcome)")
      }
    }
    for backup in replaced.compactMap(\.backup) { unlink(backup) }
    isDone = true
  }

  /// Puts a new file in its place. Returns the path of the old one, if there was one.
  private static func replace(_ target: Target, by new: String) throws(GeneratedTextError) -> String? {
    var backup: String?
    if target.mode != nil {
      let path = hidden(target.path, "old")
      unlink(path)
      guard link(target.path, path) == 0 || copy(target, to: path) else {
        throw GeneratedTextError("\(target.path) cannot be written: \(systemReason).")
      }
      backup = path
    }
    guard rename(new, target.path) == 0 else {
      let reason = systemReason
      if let backup { unlink(backup) }
      throw GeneratedTextError("\(target.path) cannot be written: \(reason).")
    }
    return backup
  }

  /// For file systems without hard links.
  private static func copy(_ target: Target, to path: String) -> Bool {
    guard let bytes = try? GeneratedFile.read(target.path) else { return false }
    return write(bytes, to: path, mode: target.mode)
  }

  private static func restore(_ target: Target, from backup: String?) -> Bool {
    guard let backup else { return unlink(target.path) == 0 }
    return rename(backup, target.path) == 0
  }

  /// A name beside a file that resource compilers pass over.
  private static func hidden(_ path: String, _ suffix: String) -> String {
    let end = path.utf8.lastIndex(of: UInt8(ascii: "/")).map { path.utf8.index(after: $0) } ?? path.startIndex
    return "\(path[..<end]).\(path[end...]).dragoman-\(getpid())-\(suffix)"
  }

  private static func write(_ bytes: [UInt8], to path: String, mode: mode_t?) -> Bool {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o666)
    guard descriptor >= 0 else { return false }
    var start = 0
    while start < bytes.count {
      let count = bytes[start...].withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else {
        let code = errno
        close(descriptor)
        errno = code
        return false
      }
      start += count
    }
    let isKept = mode.map { fchmod(descriptor, $0) == 0 } ?? true
    let isSynced = fsync(descriptor) == 0
    return close(descriptor) == 0 && isKept && isSynced
  }

  private static func realPath(_ path: String) -> String? {
    guard let real = realpath(path, nil) else { return nil }
    defer { free(real) }
    return String(cString: real)
  }

  private static var systemReason: String { String(cString: strerror(errno)) }
}
