internal import Glibc

/// A folder's content, by the C library: Foundation follows no symbolic link when it asks what a thing is.
struct FolderListing {
  /// A folder for what it is, whatever path led to it.
  struct Identity: Hashable {
    let device: UInt64
    let inode: UInt64
  }

  struct Item {
    let name: String
    let isFolder: Bool
  }

  let identity: Identity
  /// All that is in it, links followed, in the order of their names' bytes. What is neither a folder nor a regular
  /// file, a link to nothing say, counts as a file: to read it then fails and says why.
  let items: [Item]

  /// - Throws: what the system says (`errno`).
  init(path: String) throws(Errno) {
    guard let stream = opendir(path) else { throw Errno() }
    defer { closedir(stream) }
    var status = stat()
    guard fstat(dirfd(stream), &status) == 0 else { throw Errno() }
    identity = Identity(device: UInt64(status.st_dev), inode: UInt64(status.st_ino))
    var items: [Item] = []
    while let entry = readdir(stream) {
      // A name that is not UTF-8 can be no table's, nor lead to one that could be told of.
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
    // The name lies in the entry itself, which `readdir` keeps until its next call.
    withUnsafePointer(to: &entry.pointee.d_name) {
      $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(validatingCString: $0) }
    }
  }
}

/// A system error by its number.
struct Errno: Error, CustomStringConvertible {
  let number: Int32
  init() { number = errno }
  var description: String { String(cString: strerror(number)) }
}

/// Why a file was not read, in words.
struct FileReadError: Error {
  let reason: String
}

enum BoundedFile {
  /// All of a regular file's bytes, if they are no more than `bytesMax`.
  static func read(_ path: String, bytesMax: Int) throws(FileReadError) -> [UInt8] {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw FileReadError(reason: "it cannot be opened: \(Errno())") }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      throw FileReadError(reason: "it is no regular file")
    }
    guard status.st_size <= bytesMax else {
      throw FileReadError(reason: "it is larger than \(bytesMax >> 20) MiB")
    }
    var failure: Errno?
    // One byte more than it has shows that it has grown meanwhile.
    let capacity = Int(status.st_size) + 1
    let bytes = [UInt8](unsafeUninitializedCapacity: capacity) { buffer, count in
      while count < capacity, let base = buffer.baseAddress {
        let got = Glibc.read(descriptor, base + count, capacity - count)
        if got < 0, errno == EINTR { continue }
        if got < 0 { failure = Errno() }
        if got <= 0 { return }
        count += got
      }
    }
    if let failure { throw FileReadError(reason: "it cannot be read: \(failure)") }
    guard bytes.count < capacity else { throw FileReadError(reason: "it changed while it was read") }
    return bytes
  }
}
