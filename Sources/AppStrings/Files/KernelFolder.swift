internal import Glibc

/// The folders that the kernel makes up: `/proc` and `/sys`. They contain no files of an app, but links to
/// the roots of all processes, through which a search would never end.
enum KernelFolder {
  /// Their devices, where they are there.
  private static let devices: Set<UInt64> = {
    guard let root = device(of: "/") else { return [] }
    return Set(["/proc", "/sys"].compactMap { device(of: $0) }).subtracting([root])
  }()

  static func contains(_ folder: FolderListing.Identity) -> Bool { devices.contains(folder.device) }

  private static func device(of path: String) -> UInt64? {
    var status = stat()
    return stat(path, &status) == 0 ? UInt64(status.st_dev) : nil
  }
}
