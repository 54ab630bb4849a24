package import Clock
package import FCMMessage

/// A checksum of a row, kept in it: the pages of SQLite have none, and those of PostgreSQL need not.
///
/// Each step is a bijection of the sum for a given word, and of the word for a given sum, so that a change
/// within one word of eight bytes is always found. O(bytes), a few instructions per word.
package struct RowChecksum {
  private var sum: UInt64 = 0x9E37_79B9_7F4A_7C15

  /// As databases hold it.
  var value: Int64 { Int64(bitPattern: sum) }

  mutating func add(_ word: UInt64) {
    sum = (sum ^ word) &* 0xD6E8_FEB8_6659_FD93
    sum ^= sum >> 32
  }

  mutating func add(_ number: Int64) { add(UInt64(bitPattern: number)) }

  mutating func add(_ id: UUIDv7) {
    add(id.high)
    add(id.low)
  }

  mutating func add(_ bytes: UnsafeRawBufferPointer) {
    add(UInt64(bytes.count))
    let whole = bytes.count & ~7
    for offset in stride(from: 0, to: whole, by: 8) {
      add(UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)))
    }
    if whole < bytes.count { add(bytes[whole...].reduce(0) { $0 << 8 | UInt64($1) }) }
  }

  mutating func add(_ bytes: [UInt8]) { bytes.withUnsafeBytes { add($0) } }

  /// Nil differs from an empty text.
  mutating func add(_ text: String?) {
    guard var text else { return add(UInt64.max) }
    text.withUTF8 { add(UnsafeRawBufferPointer($0)) }
  }

  /// Of a notification: what never changes in its row.
  package static func notification(
    row: Int64, _ id: UUIDv7, template: String?, client: String?, createdAt: Timestamp,
    ttlMilliseconds: Int64, message: [UInt8]
  ) -> Int64 {
    var sum = RowChecksum()
    sum.add(row)
    sum.add(id)
    sum.add(createdAt.milliseconds)
    sum.add(ttlMilliseconds)
    sum.add(template)
    sum.add(client)
    sum.add(message)
    return sum.value
  }

  /// Of a delivery: its row, its identity, its target, its expiry, its activity and, in the last bits, its
  /// state, so that a statement can change them together: see `settingState`.
  package static func delivery(
    row: Int64, _ id: UUIDv7, to target: Target, expiresAt: Timestamp, activity: String?,
    _ state: DeliveryState
  ) -> Int64 {
    var sum = RowChecksum()
    sum.add(row)
    sum.add(id)
    sum.add(Int64(target.kind))
    sum.add(target.value)
    sum.add(expiresAt.milliseconds)
    sum.add(activity)
    return sum.value & -8 | Int64(state.rawValue)
  }

  /// In SQL: assignments of a delivery's state, which is a number in SQL, and of its checksum. `row` is the
  /// row's name, with a period, where others have such a column.
  static func settingState(_ state: String, of row: String = "") -> String {
    "state = \(state), checksum = (\(row)checksum & -8) | (\(state))"
  }
}
