internal import Glibc

/// The process' stderr as a log's sink.
enum StandardError {
  /// Whether it is a terminal whose user does not refuse colours (no-color.org).
  static var wantsColor: Bool {
    guard isatty(STDERR_FILENO) == 1, getenv("NO_COLOR") == nil else { return false }
    return getenv("TERM").map { String(cString: $0) != "dumb" } ?? false
  }

  /// Writes all of `bytes`, however long that takes; false where stderr takes no more.
  static func write(_ bytes: [UInt8]) -> Bool { write(bytes, to: STDERR_FILENO) }

  static func write(_ bytes: [UInt8], to file: Int32) -> Bool {
    bytes.withUnsafeBytes { bytes in
      var rest = bytes[...]
      while !rest.isEmpty {
        let count = Glibc.write(file, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
        if count > 0 {
          rest = rest.dropFirst(count)
        } else if errno == EAGAIN {
          // Somebody who shares the pipe or terminal has made it non-blocking.
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
