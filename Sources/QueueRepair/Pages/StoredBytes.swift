import Glibc
import JSON

/// Bytes that can be read at any place.
protocol StoredBytes: AnyObject {
  var count: Int { get }
  /// Fewer than `count` bytes where the source ends.
  func read(_ count: Int, at offset: Int) throws(FileReadError) -> [UInt8]
}

/// A regular file.
final class FileBytes: StoredBytes {
  let count: Int
  private let descriptor: Int32

  init(path: String) throws(FileReadError) {
    // A pipe would wait for its writer.
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw .system() }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      close(descriptor)
      throw FileReadError(code: .notAFile)
    }
    self.descriptor = descriptor
    count = Int(status.st_size)
  }

  deinit { close(descriptor) }

  func read(_ count: Int, at offset: Int) throws(FileReadError) -> [UInt8] {
    var failure: FileReadError?
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      while filled < count {
        let got = pread(descriptor, buffer.baseAddress.map { $0 + filled }, count - filled, offset + filled)
        if got < 0, errno == EINTR { continue }
        if got < 0 { failure = .system() }
        guard got > 0 else { return }
        filled += got
      }
    }
    if let failure { throw failure }
    return bytes
  }
}

/// Big-endian numbers in bytes from outside.
extension Array where Element == UInt8 {
  /// The number in two bytes; 0 beyond the end.
  func number16(at offset: Int) -> Int { Int(number(at: offset, bytes: 2)) }

  /// The number in four bytes; 0 beyond the end.
  func number32(at offset: Int) -> Int { Int(number(at: offset, bytes: 4)) }

  private func number(at offset: Int, bytes: Int) -> UInt32 {
    guard offset >= 0, offset <= count - bytes else { return 0 }
    return self[offset..<offset + bytes].reduce(0) { $0 << 8 | UInt32($1) }
  }

  /// A varint (SQLite, "Database File Format", §1.6), which moves `offset` behind itself; nil if it does not
  /// end before `end`.
  func varint(at offset: inout Int, before end: Int) -> Int64? {
    var value: UInt64 = 0
    for index in 0..<9 {
      guard offset >= 0, offset < end, offset < count else { return nil }
      let byte = self[offset]
      offset += 1
      if index == 8 { return Int64(bitPattern: value << 8 | UInt64(byte)) }
      value = value << 7 | UInt64(byte & 0x7F)
      if byte < 0x80 { return Int64(bitPattern: value) }
    }
    return nil
  }
}
