internal import AppStrings
internal import Glibc
internal import JSON

/// The bytes of a file, of a part of one, or in memory. They are read when they are asked for.
struct ByteSource: Sendable {
  private enum Storage: Sendable {
    case file(OpenFile)
    case memory([UInt8])
  }

  private let storage: Storage
  private let start: Int
  let count: Int

  init(file path: String) throws(ArchiveError) {
    let file = try OpenFile(path)
    (storage, start, count) = (.file(file), 0, file.size)
  }

  init(_ bytes: [UInt8]) { (storage, start, count) = (.memory(bytes), 0, bytes.count) }

  private init(_ storage: Storage, start: Int, count: Int) {
    (self.storage, self.start, self.count) = (storage, start, count)
  }

  /// A part, without reading it; nil if it is not inside.
  func slice(_ range: Range<Int>) -> ByteSource? {
    guard range.lowerBound >= 0, range.upperBound <= count else { return nil }
    return ByteSource(storage, start: start + range.lowerBound, count: range.count)
  }

  /// Reads a part.
  func read(_ range: Range<Int>) throws(ArchiveError) -> [UInt8] {
    guard range.lowerBound >= 0, range.upperBound <= count else {
      throw .malformed("The file ends too early; it is damaged or was not copied completely.")
    }
    switch storage {
    case .memory(let bytes): return Array(bytes[start + range.lowerBound..<start + range.upperBound])
    case .file(let file): return try file.read(at: start + range.lowerBound, count: range.count)
    }
  }
}

/// A regular file that is open for reading.
private final class OpenFile: Sendable {
  private let descriptor: Int32
  let size: Int

  init(_ path: String) throws(ArchiveError) {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else {
      let failure = FileReadError.system()
      throw ArchiveError(code: .unreadable, text: FindingText(.fileUnreadable, [failure.text]))
    }
    var status = stat()
    let isRegular = fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    self.descriptor = descriptor
    size = isRegular ? Int(status.st_size) : 0
    guard isRegular else {
      throw ArchiveError(code: .unreadable, text: FindingText(.fileUnreadable, [FileText.isNoFile]))
    }
  }

  deinit { close(descriptor) }

  func read(at offset: Int, count: Int) throws(ArchiveError) -> [UInt8] {
    var failure: Int32?
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      while filled < count, let base = buffer.baseAddress {
        let got = pread(descriptor, base + filled, count - filled, off_t(offset + filled))
        if got < 0, errno == EINTR { continue }
        if got < 0 { failure = errno }
        if got <= 0 { return }
        filled += got
      }
    }
    if let failure {
      throw ArchiveError(
        code: .unreadable,
        text: FindingText(.fileUnreadable, [FileReadError(code: .system(failure)).text]))
    }
    guard bytes.count == count else {
      throw .malformed("The file became shorter while it was being read. Read it again once it is complete.")
    }
    return bytes
  }
}
