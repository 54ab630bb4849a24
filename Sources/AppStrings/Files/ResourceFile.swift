internal import Glibc

/// Why a file or folder could not be read.
package struct FileReadError: Error, Sendable, Equatable {
  package enum Code: Sendable, Equatable {
    /// A system call failed with this `errno`.
    case system(Int32)
    case notAFile
    case tooLarge(bytesMax: Int)
    case changed
  }

  package let code: Code

  /// The system's message or our own, as the end of a sentence: `it is not a regular file`.
  package var reason: String {
    switch code {
    case .system(let number): String(cString: strerror(number))
    case .notAFile: "it is not a regular file"
    case .tooLarge(let bytesMax): "it is larger than \(bytesMax) bytes"
    case .changed: "it grew while it was being read"
    }
  }

  /// The error for the current `errno`.
  static func system() -> FileReadError { FileReadError(code: .system(errno)) }
}

/// Reads regular files only, so that a pipe or device in a resource folder cannot block the reader.
package enum ResourceFile {
  /// The size of a regular file in bytes; nil for anything else, and if there is no such file.
  package static func size(of path: String) -> Int? {
    var status = stat()
    guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    return Int(status.st_size)
  }

  /// Whether there is anything at the path.
  static func exists(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0
  }

  /// Whether the path leads to a folder, through symbolic links or not.
  package static func isFolder(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }

  /// The bytes of a regular file of at most `bytesMax`.
  package static func read(_ path: String, bytesMax: Int) throws(FileReadError) -> [UInt8] {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw .system() }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      throw FileReadError(code: .notAFile)
    }
    guard status.st_size <= bytesMax else {
      throw FileReadError(code: .tooLarge(bytesMax: bytesMax))
    }
    var failure: FileReadError?
    // One byte more than the size shows whether the file has grown since.
    let capacity = Int(status.st_size) + 1
    let bytes = [UInt8](unsafeUninitializedCapacity: capacity) { buffer, count in
      while count < capacity, let base = buffer.baseAddress {
        let got = Glibc.read(descriptor, base + count, capacity - count)
        if got < 0, errno == EINTR { continue }
        if got < 0 { failure = .system() }
        if got <= 0 { return }
        count += got
      }
    }
    if let failure { throw failure }
    guard bytes.count < capacity else { throw FileReadError(code: .changed) }
    return bytes
  }
}
