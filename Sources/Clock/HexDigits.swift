// Lower-case hexadecimal digits, eight at a time: each accepted request writes half a dozen ids.

extension UInt32 {
  /// Its eight digits in ASCII, the first one in the lowest byte.
  var hexDigits: UInt64 {
    // A byte in every other one, the highest first; then a half of it in each.
    var digits = UInt64(byteSwapped)
    digits = (digits | digits << 16) & 0x0000_FFFF_0000_FFFF
    digits = (digits | digits << 8) & 0x00FF_00FF_00FF_00FF
    digits = (digits >> 4 | digits << 8) & 0x0F0F_0F0F_0F0F_0F0F
    let letters = ((digits &+ 0x0606_0606_0606_0606) >> 4) & 0x0101_0101_0101_0101
    let letterOffset = UInt64(UInt8(ascii: "a") - 10 - UInt8(ascii: "0"))
    return digits &+ 0x3030_3030_3030_3030 &+ letters &* letterOffset
  }
}

extension UInt64 {
  /// Appends its 16 digits.
  package func appendHexDigits(to bytes: inout [UInt8]) {
    let high = UInt32(truncatingIfNeeded: self >> 32).hexDigits.littleEndian
    let low = UInt32(truncatingIfNeeded: self).hexDigits.littleEndian
    withUnsafeBytes(of: (high, low)) { bytes.append(contentsOf: $0) }
  }
}
