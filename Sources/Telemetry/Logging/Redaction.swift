/// Values that a log may hold in place of a secret.
package enum Redaction {
  /// Eight hexadecimal digits that distinguish registrations but cannot be reversed: 64-bit FNV-1a folded to
  /// 32 bits.
  package static func shortHash(_ secret: String) -> String {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for byte in secret.utf8 {
      hash ^= UInt64(byte)
      hash &*= 0x0000_0100_0000_01B3
    }
    let folded = UInt32(truncatingIfNeeded: hash ^ (hash >> 32))
    let digits = String(folded, radix: 16)
    return String(repeating: "0", count: 8 - digits.count) + digits
  }
}
