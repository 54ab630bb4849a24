/// The running sum over pairs of 32-bit words in a write-ahead log (SQLite, "Database File Format", §4.2).
package struct LogChecksum: Equatable {
  package private(set) var first: UInt32 = 0
  package private(set) var second: UInt32 = 0

  package init() {}

  /// The sum in eight bytes of a header.
  package init(storedIn bytes: some Collection<UInt8>, at place: Int) {
    let words = bytes.dropFirst(place).prefix(8)
    first = words.prefix(4).reduce(0) { $0 << 8 | UInt32($1) }
    second = words.dropFirst(4).reduce(0) { $0 << 8 | UInt32($1) }
  }

  func isStored(in bytes: some Collection<UInt8>, at place: Int) -> Bool {
    self == LogChecksum(storedIn: bytes, at: place)
  }

  package mutating func add(_ bytes: ArraySlice<UInt8>, isBigEndian: Bool) {
    bytes.withUnsafeBytes { raw in
      for place in stride(from: 0, to: raw.count - raw.count % 8, by: 8) {
        let words = (
          raw.loadUnaligned(fromByteOffset: place, as: UInt32.self),
          raw.loadUnaligned(fromByteOffset: place + 4, as: UInt32.self)
        )
        first &+= (isBigEndian ? words.0.bigEndian : words.0.littleEndian) &+ second
        second &+= (isBigEndian ? words.1.bigEndian : words.1.littleEndian) &+ first
      }
    }
  }
}
