package import Clock

/// A checksum of a row, kept in it: the pages of SQLite have none, and those of PostgreSQL need not.
///
/// Each step is a bijection of the sum for a given word, and of the word for a given sum, so that a change
/// within one word of eight bytes is always found. O(bytes), a few instructions per word.
package struct RowChecksum {
  private var sum: UInt64 = 0x9E37_79B9_7F4A_7C15

  package init() {}

  /// As databases hold it.
  package var value: Int64 { Int64(bitPattern: sum) }

  package mutating func add(_ word: UInt64) {
    sum = (sum ^ word) &* 0xD6E8_FEB8_6659_FD93
    sum ^= sum >> 32
  }

  package mutating func add(_ number: Int64) { add(UInt64(bitPattern: number)) }

  package mutating func add(_ id: UUIDv7) {
    add(id.high)
    add(id.low)
  }

  package mutating func add(_ bytes: UnsafeRawBufferPointer) {
    add(UInt64(bytes.count))
    let whole = bytes.count & ~7
    for offset in stride(from: 0, to: whole, by: 8) {
      add(UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)))
    }
    if whole < bytes.count { add(bytes[whole...].reduce(0) { $0 << 8 | UInt64($1) }) }
  }

  package mutating func add(_ bytes: [UInt8]) { bytes.withUnsafeBytes { add($0) } }

  /// Nil differs from an empty text.
  package mutating func add(_ text: String?) {
    guard var text else { return add(UInt64.max) }
    text.withUTF8 { add(UnsafeRawBufferPointer($0)) }
  }
}
