internal import Glibc
package import JSON

/// The content of a folder, read with the C library because Foundation does not follow symbolic links when it
/// determines an item's type.
package struct FolderListing {
  /// Identifies a folder whatever path leads to it.
  package struct Identity: Hashable {
    let device: UInt64
    let inode: UInt64
  }

  package struct Item {
    package let name: String
    package let isFolder: Bool
  }

  package let identity: Identity
  /// All items, with symbolic links followed, in the byte order of their names. An item that is neither a
  /// folder nor a regular file, such as a broken link, counts as a file; reading it fails and says why.
  package let items: [Item]

  package init(path: String) throws(FileReadError) {
    guard let stream = opendir(path) else { throw FileReadError.system() }
    defer { closedir(stream) }
    var status = stat()
    guard fstat(dirfd(stream), &status) == 0 else { throw FileReadError.system() }
    identity = Identity(device: UInt64(status.st_dev), inode: UInt64(status.st_ino))
    var items: [Item] = []
    while let entry = readdir(stream) {
      // A name that is not UTF-8 is not the name of a table, and no finding could show a path with it.
      guard let name = Self.name(of: entry), name != ".", name != ".." else { continue }
      var isFolder = entry.pointee.d_type == UInt8(DT_DIR)
      if !isFolder, entry.pointee.d_type != UInt8(DT_REG) {
        var status = stat()
        isFolder = fstatat(dirfd(stream), name, &status, 0) == 0 && status.st_mode & S_IFMT == S_IFDIR
      }
      items.append(Item(name: name, isFolder: isFolder))
    }
    self.items = items.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
  }

  private static func name(of entry: UnsafeMutablePointer<dirent>) -> String? {
    // The name is part of the entry, which stays valid until the next `readdir`.
    withUnsafePointer(to: &entry.pointee.d_name) {
      $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(validatingCString: $0) }
    }
  }
}
