internal import Glibc

/// Counts the lines of a file as expat does, which itself takes as long for that as for all tags.
struct XMLLineCounter {
  /// The line at the offset to which it has come, from 1.
  private(set) var line = 1
  private let bytes: [UInt8]
  private var offset = 0
  /// The bytes of a unit, and the place of an ASCII code in it (UTF-16).
  private let width: Int
  private let place: Int
  /// Whether each line ends with one byte.
  private let isPlain: Bool

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
    (width, place) =
      switch (bytes.first, bytes.dropFirst().first) {
      case (0xFE, 0xFF), (0, _): (2, 1)
      case (0xFF, 0xFE), (_, 0): (2, 0)
      default: (1, 0)
      }
    isPlain =
      width == 1
      && bytes.withUnsafeBytes { buffer in
        buffer.baseAddress.map { memchr($0, Int32(Self.carriageReturn), buffer.count) == nil } ?? true
      }
  }

  private static let lineFeed = UInt8(ascii: "\n")
  private static let carriageReturn = UInt8(ascii: "\r")

  /// Goes on to the start of a tag, which is not before the last one.
  mutating func advance(to end: Int) {
    let end = min(end, bytes.count)
    guard end > offset else { return }
    defer { offset = end }
    guard isPlain else {
      for index in stride(from: offset, to: end, by: width) where isLineEnd(at: index) { line += 1 }
      return
    }
    bytes.withUnsafeBytes { buffer in
      guard let start = buffer.baseAddress else { return }
      var index = offset
      // Guard: `end` is at most the buffer's count.
      while index < end, let found = memchr(start + index, Int32(Self.lineFeed), end - index) {
        line += 1
        index = UnsafeRawPointer(found) - start + 1
      }
    }
  }

  /// Whether a line ends with the unit there: a line feed, or a carriage return without one.
  private func isLineEnd(at index: Int) -> Bool {
    switch code(at: index) {
    case Self.lineFeed: true
    case Self.carriageReturn: code(at: index + width) != Self.lineFeed
    default: false
    }
  }

  /// The ASCII code of a unit; nil for any other, and beyond the file.
  private func code(at index: Int) -> UInt8? {
    guard index + width <= bytes.count else { return nil }
    if width == 2, bytes[index + 1 - place] != 0 { return nil }
    return bytes[index + place]
  }
}
