internal import Glibc

/// Why a file or folder could not be read.
package struct FileReadError: Error, Sendable, Equatable {
  package enum Code: Sendable, Equatable {
    /// A system call failed with this `errno`.
    case system(Int32)
    case folder
    /// A pipe, a socket or a device.
    case notAFile
    case tooLarge(bytesMax: Int)
  }

  package let code: Code

  package init(code: Code) { self.code = code }

  /// The system's message or our own, as the end of a sentence: `it is not a regular file`.
  package var reason: String {
    switch code {
    case .system(let number): String(cString: strerror(number))
    case .folder: "it is a folder"
    case .notAFile: "it is not a regular file"
    case .tooLarge(let bytesMax): "it is larger than \(bytesMax) bytes"
    }
  }

  /// The reason for a file that people name themselves, in a few plain words: `no such file`.
  package var shortReason: String {
    switch code {
    case .system(ENOENT), .system(ENOTDIR): "no such file"
    case .system(EACCES), .system(EPERM): "permission denied"
    case .notAFile: "it is not a regular file, but a pipe or a device"
    default: reason
    }
  }

  /// The error for the current `errno`.
  package static func system() -> FileReadError { FileReadError(code: .system(errno)) }
}

/// Reads regular files only, so that a pipe or device cannot block the reader, and only up to a limit, so
/// that a file cannot fill the memory.
package enum RegularFile {
  private static let chunkBytes = 65_536

  /// The Base64 of `{` with what may follow, and of `-----BEGIN`.
  private static let encodedPrefixes = ["eyJ", "eyA", "ewo", "ew0", "ewk", "LS0t"]

  /// Whether a text that should name a file is what a file holds instead: JSON or PEM, in Base64 or not. It
  /// may be secret then and must not be repeated.
  package static func isContent(_ text: String) -> Bool {
    if text.utf8.contains(where: { $0 == UInt8(ascii: "{") || $0 == UInt8(ascii: "\n") }) { return true }
    if text.hasPrefix("-----BEGIN") { return true }
    return text.utf8.count > 100 && !text.utf8.contains(UInt8(ascii: "."))
      && encodedPrefixes.contains(where: text.hasPrefix)
  }

  /// The bytes of a regular file of at most `bytesMax`.
  package static func read(_ path: String, bytesMax: Int) throws(FileReadError) -> [UInt8] {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw .system() }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw .system() }
    switch status.st_mode & S_IFMT {
    case S_IFREG: break
    case S_IFDIR: throw FileReadError(code: .folder)
    default: throw FileReadError(code: .notAFile)
    }
    guard status.st_size <= bytesMax else { throw FileReadError(code: .tooLarge(bytesMax: bytesMax)) }
    // One byte more than the size shows whether the file goes on: it may have grown since, and some file
    // systems give 0 for its size.
    var part = try next(Int(status.st_size) + 1, from: descriptor)
    var bytes = part.bytes
    while !part.isLast {
      part = try next(chunkBytes, from: descriptor)
      bytes += part.bytes
      guard bytes.count <= bytesMax else { throw FileReadError(code: .tooLarge(bytesMax: bytesMax)) }
    }
    return bytes
  }

  /// The next `count` bytes, or all up to the file's end.
  private static func next(
    _ count: Int, from descriptor: Int32
  ) throws(FileReadError) -> (bytes: [UInt8], isLast: Bool) {
    var failure: FileReadError?
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      while filled < count, let base = buffer.baseAddress {
        // Guard: `filled` is below the buffer's count.
        let got = Glibc.read(descriptor, base + filled, count - filled)
        if got < 0, errno == EINTR { continue }
        if got < 0 { failure = .system() }
        if got <= 0 { return }
        filled += got
      }
    }
    if let failure { throw failure }
    return (bytes, bytes.count < count)
  }
}
