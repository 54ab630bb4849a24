/// Searches of text, eight bytes at a time: most of a request is strings.
extension UnsafeBufferPointer<UInt8> {
  /// The index of the first byte from `start` on that cannot stand in a JSON string as it is (RFC 8259 §7): a
  /// control character, a quote or a backslash. `count` if there is none.
  package func firstEscape(from start: Int = 0) -> Int {
    let index = skip(from: start) { word in
      let quotes = word ^ Self.everyByte(UInt8(ascii: "\""))
      let backslashes = word ^ Self.everyByte(UInt8(ascii: "\\"))
      return Self.below(0x20, word) | Self.below(1, quotes) | Self.below(1, backslashes)
    }
    return self[index...].firstIndex(where: \.needsEscape) ?? count
  }

  /// Whether all bytes are below 0x80.
  var isASCII: Bool {
    let index = skip(from: 0) { $0 & Self.everyByte(0x80) }
    return self[index...].allSatisfy { $0 < 0x80 }
  }

  /// Whether all bytes are below 0x7F, the control character Delete.
  package var isBelowDelete: Bool {
    // Adding one sets the highest bit of 0x7F; a carry comes only from a byte whose highest bit is set.
    let index = skip(from: 0) { ($0 | ($0 &+ Self.everyByte(1))) & Self.everyByte(0x80) }
    return self[index...].allSatisfy { $0 < 0x7F }
  }

  /// The index of the first eight bytes for which `find` is not zero, or of the fewer ones at the end.
  @inline(__always)
  private func skip(from start: Int, _ find: (UInt64) -> UInt64) -> Int {
    let bytes = UnsafeRawBufferPointer(self)
    // Guard: the eight bytes lie inside the buffer.
    func isFound(at index: Int) -> Bool {
      find(bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)) != 0
    }
    var index = start
    while index + 8 <= count {
      if isFound(at: index) { return index }
      index += 8
    }
    // The rest is the end of the last eight bytes, of which the first ones are searched a second time.
    return index > start && !isFound(at: count - 8) ? count : index
  }

  @inline(__always)
  private static func everyByte(_ byte: UInt8) -> UInt64 { UInt64(byte) &* 0x0101_0101_0101_0101 }

  /// Not zero if and only if one of the eight bytes is below `limit`, which is at most 0x80.
  @inline(__always)
  private static func below(_ limit: UInt8, _ word: UInt64) -> UInt64 {
    (word &- everyByte(limit)) & ~word & everyByte(0x80)
  }
}

extension UInt8 {
  /// Whether the byte cannot stand in a JSON string as it is.
  var needsEscape: Bool { self < 0x20 || self == UInt8(ascii: "\"") || self == UInt8(ascii: "\\") }
}
