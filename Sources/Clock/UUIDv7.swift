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
    String(unsafeUninitializedCapacity: 36) { buffer in
      var position = 0
      for nibble in 0..<32 {
        if nibble == 8 || nibble == 12 || nibble == 16 || nibble == 20 {
          buffer[position] = UInt8(ascii: "-")
          position += 1
        }
        let half = nibble < 16 ? high : low
        let shift = UInt64(60 - 4 * (nibble % 16))
        let value = UInt8(truncatingIfNeeded: half >> shift & 0xF)
        buffer[position] = value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
        position += 1
      }
      return 36
    }
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
