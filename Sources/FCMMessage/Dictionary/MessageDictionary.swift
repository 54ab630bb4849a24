/// What the messages of a template have in common, so that a queue need store only how each one differs.
///
/// It holds what a catalog says, and nothing of any request. A class, since all messages of a template share
/// it.
package final class MessageDictionary: Sendable {
  /// The most bytes of a dictionary, and of a message that is stored with one.
  static let byteCountMax = 16_384

  /// A sample of the messages in their stored form.
  package let bytes: [UInt8]
  /// Names the bytes, in every process.
  package let key: Int64
  let words: WordPlaces

  /// The dictionary of a template whose messages are like `sample`. O(bytes).
  package init(_ sample: SealedMessage) {
    bytes = Array(sample.encoded.prefix(Self.byteCountMax))
    key = Self.key(of: bytes)
    words = WordPlaces(of: bytes)
  }

  /// The key of a dictionary with these bytes: their FNV-1a hash of 64 bits. A changed bit changes it.
  /// O(bytes).
  package static func key(of bytes: [UInt8]) -> Int64 {
    Int64(bitPattern: bytes.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01B3 })
  }
}

/// Where words of eight bytes stand in a dictionary: every fourth one, so that each run of eleven bytes that
/// a message has in common with it contains one of them.
struct WordPlaces: Sendable {
  static let wordBytes = 8
  private static let step = 4

  /// By hash; zero where there is none, which is a place like any other. Of words with the same hash it has
  /// the last one.
  private var places: [UInt16]
  private let shift: UInt64

  init(of bytes: [UInt8]) {
    let sizeBits = Int.bitWidth - max(bytes.count / 2, 63).leadingZeroBitCount
    shift = UInt64(UInt64.bitWidth - sizeBits)
    places = Array(repeating: 0, count: 1 << sizeBits)
    // Guard: the array outlives the closure, and the pointer does not leave it.
    bytes.withUnsafeBytes { bytes in
      for place in stride(from: 0, through: bytes.count - Self.wordBytes, by: Self.step) {
        places[slot(of: Self.word(in: bytes, at: place))] = UInt16(truncatingIfNeeded: place)
      }
    }
  }

  /// A place where the word may stand.
  func place(of word: UInt64) -> Int { Int(places[slot(of: word)]) }

  /// The eight bytes from `place` on, all of which must exist.
  static func word(in bytes: UnsafeRawBufferPointer, at place: Int) -> UInt64 {
    bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self)
  }

  private func slot(of word: UInt64) -> Int {
    Int(truncatingIfNeeded: (word &* 0x9E37_79B9_7F4A_7C15) >> shift)
  }
}
