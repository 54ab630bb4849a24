/// Bytes from outside, read as little-endian integers. Every access is checked; nil means outside.
struct LittleEndianBytes: Sendable {
  let bytes: [UInt8]

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  var count: Int { bytes.count }

  func u8(_ offset: Int) -> Int? {
    guard offset >= 0, offset < bytes.count else { return nil }
    return Int(bytes[offset])
  }

  func u16(_ offset: Int) -> Int? {
    guard offset >= 0, offset <= bytes.count - 2 else { return nil }
    return Int(bytes[offset]) | Int(bytes[offset + 1]) << 8
  }

  func u32(_ offset: Int) -> Int? {
    guard offset >= 0, offset <= bytes.count - 4 else { return nil }
    return Int(bytes[offset]) | Int(bytes[offset + 1]) << 8 | Int(bytes[offset + 2]) << 16
      | Int(bytes[offset + 3]) << 24
  }

  /// Nil also for a number beyond Int.
  func u64(_ offset: Int) -> Int? {
    guard let low = u32(offset), let high = u32(offset + 4), high <= 0x7FFF_FFFF else { return nil }
    return high << 32 | low
  }
}
