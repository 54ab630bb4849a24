/// Searches of text, eight bytes at a time: most of a request is strings.
extension UnsafeBufferPointer<UInt8> {
  /// The index of the first byte from `start` on that cannot stand in a JSON string as it is (RFC 8259 §7): a
  /// control character, a quote or a backslash. `count` if there is none.
  package func firstEscape(from start: Int = 0) -> Int { first(from: start, Self.escapes) }

  /// The same, or the index of the first byte that is not ASCII.
  func firstEscapeOrNonASCII(from start: Int) -> Int {
    first(from: start) { Self.escapes($0) | $0 & Self.everyByte(0x80) }
  }

  /// Whether all bytes are below 0x80.
  var isASCII: Bool { first(from: 0) { $0 & Self.everyByte(0x80) } == count }

  /// Whether all bytes are below 0x7F, the control character Delete.
  package var isBelowDelete: Bool { first(from: 0, Self.deletes) == count }

  /// Whether all bytes are letters, digits and signs of ASCII.
  package var isVisibleASCII: Bool { first(from: 0) { Self.below(0x21, $0) | Self.deletes($0) } == count }

  /// The index of the first byte that `find` marks by its highest bit, or `count`. Of the bytes after it,
  /// `find` may mark any.
  @inline(__always)
  private func first(from start: Int, _ find: (UInt64) -> UInt64) -> Int {
    let bytes = UnsafeRawBufferPointer(self)
    // Guard: the eight bytes lie inside the buffer.
    func word(at index: Int) -> UInt64 {
      UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self))
    }
    var index = start
    while index + 8 <= count {
      let found = find(word(at: index))
      if found != 0 { return index + found.trailingZeroBitCount / 8 }
      index += 8
    }
    guard index < count else { return count }
    // The rest, followed by zeros. What is found in those does not count.
    let rest =
      count >= 8
      ? word(at: count - 8) >> UInt64(8 * (index + 8 - count))
      : self[index...].reversed().reduce(0) { $0 << 8 | UInt64($1) }
    return Swift.min(count, index + find(rest).trailingZeroBitCount / 8)
  }

  @inline(__always)
  private static func escapes(_ word: UInt64) -> UInt64 {
    let quotes = word ^ everyByte(UInt8(ascii: "\""))
    let backslashes = word ^ everyByte(UInt8(ascii: "\\"))
    return below(0x20, word) | below(1, quotes) | below(1, backslashes)
  }

  /// Adding one sets the highest bit of 0x7F; a carry comes only from a byte whose highest bit is set.
  @inline(__always)
  private static func deletes(_ word: UInt64) -> UInt64 { (word | (word &+ everyByte(1))) & everyByte(0x80) }

  @inline(__always)
  private static func everyByte(_ byte: UInt8) -> UInt64 { UInt64(byte) &* 0x0101_0101_0101_0101 }

  /// Marks the first of the eight bytes that is below `limit`, which is at most 0x80.
  @inline(__always)
  private static func below(_ limit: UInt8, _ word: UInt64) -> UInt64 {
    (word &- everyByte(limit)) & ~word & everyByte(0x80)
  }
}

extension String {
  /// Whether all characters are letters, digits and signs of ASCII.
  package var isVisibleASCII: Bool {
    utf8.withContiguousStorageIfAvailable { $0.isVisibleASCII }
      ?? utf8.allSatisfy { (0x21...0x7E).contains($0) }
  }
}
