package import Clock
package import FCMMessage
package import SQL

extension RowChecksum {
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
