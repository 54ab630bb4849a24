internal import Glibc

/// Reads what may be a resource file: regular files only, so that a pipe or device in the folder holds nothing up.
enum AndroidFile {
  struct Failure: Error { let message: String }

  /// The size of a regular file; nil for anything else, and what is not there.
  static func size(of path: String) -> Int? {
    var status = stat()
    guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    return Int(status.st_size)
  }

  static func isFolder(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }

  /// The names in a folder, in the order of their bytes.
  static func names(in folder: String) throws(Failure) -> [String] {
    guard let handle = opendir(folder) else { throw Failure(message: String(cString: strerror(errno))) }
    defer { closedir(handle) }
    var names: [String] = []
    while let entry = readdir(handle) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: Int(NAME_MAX) + 1) { String(cString: $0) }
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
  }

  /// The bytes of a regular file of at most `bytesMax`.
  static func read(_ path: String, bytesMax: Int) throws(Failure) -> [UInt8] {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw Failure(message: String(cString: strerror(errno))) }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      throw Failure(message: "not a regular file")
    }
    let size = Int(status.st_size)
    guard size <= bytesMax else { throw Failure(message: "larger than \(bytesMax) bytes") }
    var failure: Int32 = 0
    let bytes = [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
      while count < size {
        let got = Glibc.read(descriptor, buffer.baseAddress.map { $0 + count }, size - count)
        if got > 0 {
          count += got
        } else if got == 0 || errno != EINTR {
          failure = got == 0 ? 0 : errno
          break
        }
      }
    }
    if failure != 0 { throw Failure(message: String(cString: strerror(failure))) }
    return bytes
  }
}
