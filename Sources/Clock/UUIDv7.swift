internal import Synchronization

/// A time-ordered UUID, version 7 (RFC 9562 §5.7), monotonic within the process.
package struct UUIDv7: Sendable, Hashable, Comparable, CustomStringConvertible {
  /// The first and last eight bytes, big-endian.
  package let high: UInt64
  package let low: UInt64

  package init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  private static let last = Mutex<(milliseconds: UInt64, counter: UInt64)>((0, 0))

  /// A new id at `now`; later ids of this process are greater even if the clock steps back.
  package init(now: Timestamp = .now) {
    var generator = IDGenerator()
    let milliseconds = UInt64(clamping: now.milliseconds) & 0xFFFF_FFFF_FFFF
    // The 12 bits of rand_a count within a millisecond (RFC 9562 §6.2, method 1).
    let (time, counter) = Self.last.withLock { last in
      if milliseconds > last.milliseconds {
        last = (milliseconds, generator.next() >> 54)
      } else if last.counter < 0xFFF {
        last.counter += 1
      } else {
        last = (last.milliseconds + 1, 0)
      }
      return last
    }
    high = time << 16 | 0x7000 | counter
    low = 0x8000_0000_0000_0000 | generator.next() >> 2
  }

  package static func < (left: Self, right: Self) -> Bool {
    left.high != right.high ? left.high < right.high : left.low < right.low
  }

  /// 16 bytes, in order of time when compared byte by byte.
  package var bytes: [UInt8] {
    [high, low].flatMap { half in
      stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: half >> UInt64($0)) }
    }
  }

  package init?(bytes: some Collection<UInt8>) {
    guard bytes.count == 16 else { return nil }
    var halves: (UInt64, UInt64) = (0, 0)
    for (index, byte) in bytes.enumerated() {
      if index < 8 {
        halves.0 = halves.0 << 8 | UInt64(byte)
      } else {
        halves.1 = halves.1 << 8 | UInt64(byte)
      }
    }
    self.init(high: halves.0, low: halves.1)
  }

  /// The canonical form: 36 characters, lower case.
  package var description: String {
    String(unsafeUninitializedCapacity: Self.textBytes) { write(to: $0) }
  }

  /// Appends the text of `description`, without an allocation of its own.
  package func append(to bytes: inout [UInt8]) {
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: Self.textBytes) { buffer in
      bytes.append(contentsOf: buffer[..<write(to: buffer)])
    }
  }

  private static let textBytes = 36

  /// Writes the text to `buffer`, which has room for `textBytes`, and returns their number.
  private func write(to buffer: UnsafeMutableBufferPointer<UInt8>) -> Int {
    let text = UnsafeMutableRawBufferPointer(buffer)
    func put(_ digits: UInt64, at offset: Int) {
      text.storeBytes(of: digits.littleEndian, toByteOffset: offset, as: UInt64.self)
    }
    func putHalves(_ digits: UInt64, at first: Int, _ second: Int) {
      let halves = (UInt32(truncatingIfNeeded: digits), UInt32(truncatingIfNeeded: digits >> 32))
      text.storeBytes(of: halves.0.littleEndian, toByteOffset: first, as: UInt32.self)
      text.storeBytes(of: halves.1.littleEndian, toByteOffset: second, as: UInt32.self)
    }
    // 00000000-1111-1111-2222-222233333333
    put(UInt32(truncatingIfNeeded: high >> 32).hexDigits, at: 0)
    putHalves(UInt32(truncatingIfNeeded: high).hexDigits, at: 9, 14)
    putHalves(UInt32(truncatingIfNeeded: low >> 32).hexDigits, at: 19, 24)
    put(UInt32(truncatingIfNeeded: low).hexDigits, at: 28)
    text[8] = UInt8(ascii: "-")
    text[13] = UInt8(ascii: "-")
    text[18] = UInt8(ascii: "-")
    text[23] = UInt8(ascii: "-")
    return Self.textBytes
  }

  /// Reads the canonical form, in either case; nil for anything else.
  package init?(_ text: String) {
    let utf8 = Array(text.utf8)
    guard utf8.count == 36 else { return nil }
    var halves: [UInt64] = [0, 0]
    var nibble = 0
    for (index, byte) in utf8.enumerated() {
      if index == 8 || index == 13 || index == 18 || index == 23 {
        guard byte == UInt8(ascii: "-") else { return nil }
        continue
      }
      guard let digit = Character(Unicode.Scalar(byte)).hexDigitValue else { return nil }
      halves[nibble / 16] = halves[nibble / 16] << 4 | UInt64(digit)
      nibble += 1
    }
    self.init(high: halves[0], low: halves[1])
  }
}
