internal import Glibc

/// The process's stderr, as the sink of a log.
enum StandardErrorStream {
  /// Whether stderr is a terminal that supports colours and NO_COLOR is not set (no-color.org).
  static var wantsColor: Bool {
    guard isatty(STDERR_FILENO) == 1, getenv("NO_COLOR") == nil else { return false }
    return getenv("TERM").map { String(cString: $0) != "dumb" } ?? false
  }

  /// Writes all of `bytes`, however long that takes; returns false if stderr cannot be written.
  static func write(_ bytes: [UInt8]) -> Bool { write(bytes, to: STDERR_FILENO) }

  /// Writes all of `bytes` to a file descriptor; returns false if that fails.
  static func write(_ bytes: [UInt8], to file: Int32) -> Bool {
    bytes.withUnsafeBytes { bytes in
      var rest = bytes[...]
      while !rest.isEmpty {
        let count = Glibc.write(file, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
        if count > 0 {
          rest = rest.dropFirst(count)
        } else if errno == EAGAIN {
          // Another process that shares the pipe or terminal has made it non-blocking.
          var poll = pollfd(fd: file, events: Int16(POLLOUT), revents: 0)
          _ = Glibc.poll(&poll, 1, -1)
        } else if errno != EINTR {
          return false
        }
      }
      return true
    }
  }
}
