internal import Foundation

/// Whether this process may use files, and whose they are.
enum FileAccess {
  /// Why a path cannot be read and written; nil if it can, or if there is nothing at it. A folder must let
  /// files be made in it.
  static func problem(of path: String) -> String? {
    var status = stat()
    guard stat(path, &status) == 0 else {
      return errno == ENOENT ? nil : "\(path): \(String(cString: strerror(errno)))"
    }
    let isFolder = status.st_mode & S_IFMT == S_IFDIR
    guard access(path, R_OK | W_OK | (isFolder ? X_OK : 0)) != 0 else { return nil }
    let reason = String(cString: strerror(errno))
    let mode = String(status.st_mode & 0o7777, radix: 8)
    return
      "\(path): \(reason); it belongs to \(name(of: status.st_uid)) (mode \(mode)), and this process runs as \(user)"
  }

  /// Why the secrets and the queue that a configuration names are not this user's alone: files that every
  /// user may read or change, and a folder in which every user may replace files. A path and its mode each.
  static func exposures(in configuration: GatewayConfiguration) -> [(path: String, mode: String)] {
    var paths: [String] = []
    for app in configuration.apps { if case .file(let path) = app.credentials { paths.append(path) } }
    if let tls = configuration.server.tls { paths.append(tls.key) }
    if case .sqlite(let path) = configuration.queue.store { paths += [path, existingFolder(of: path)] }
    return paths.compactMap { path in
      var status = stat()
      guard stat(path, &status) == 0 else { return nil }
      let isFolder = status.st_mode & S_IFMT == S_IFDIR
      // In a folder like /tmp, only the owner of a file may replace it.
      if isFolder, status.st_mode & S_ISVTX != 0 { return nil }
      guard status.st_mode & (isFolder ? S_IWOTH : S_IROTH | S_IWOTH) != 0 else { return nil }
      return (path, String(status.st_mode & 0o7777, radix: 8))
    }
  }

  /// The user that this process runs as.
  static var user: String { name(of: geteuid()) }

  /// The nearest folder above a path that exists.
  static func existingFolder(of path: String) -> String {
    var folder = URL(filePath: path).deletingLastPathComponent()
    while folder.path != "/", !FileManager.default.fileExists(atPath: folder.path) {
      folder.deleteLastPathComponent()
    }
    return folder.path
  }

  private static func name(of user: uid_t) -> String {
    guard let entry = getpwuid(user) else { return "user \(user)" }
    return String(cString: entry.pointee.pw_name)
  }
}
