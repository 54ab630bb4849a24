/// What may stand in a log in place of a secret.
package enum Redaction {
  /// Eight hexadecimal digits that tell registrations apart and lead back to none: FNV-1a (64 bit) folded to 32.
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
