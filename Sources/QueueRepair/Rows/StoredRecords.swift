import Clock
import FCMMessage
import Outbox
import SQL

/// A notification as its record has it.
struct NotificationRecord {
  let row: Int64
  let values: [StoredValue]

  var id: UUIDv7? { values.bytes(1).flatMap(UUIDv7.init(bytes:)) }
  var app: Int64 { values.integer(2) }
  var priority: Int64 { values.integer(6) }
  var deliveryCount: Int64 { values.integer(8) }

  /// Why it cannot be what a gateway has written; nil if its checksum fits.
  var problem: String? {
    guard QueueTable.notifications.fits(values), RowLayout.notificationRows.contains(row), let id else {
      return "it is not a record that a gateway writes"
    }
    let sum = RowChecksum.notification(
      row: row, id, template: values.text(3), client: values.text(4),
      createdAt: Timestamp(milliseconds: values.integer(5)), ttlMilliseconds: values.integer(7),
      message: values.bytes(11) ?? [])
    guard sum == values.integer(9) else { return "its checksum does not fit" }
    return DeliveryPriority(stored: priority) == nil ? "its priority is \(priority)" : nil
  }
}

/// A delivery as its record has it.
struct DeliveryRecord {
  let row: Int64
  let values: [StoredValue]

  var id: UUIDv7? { values.bytes(11).flatMap(UUIDv7.init(bytes:)) }
  var app: Int64 { values.integer(1) }
  var priority: Int64 { values.integer(2) }
  var state: DeliveryState? { DeliveryState(stored: values.integer(3)) }
  var updatedAt: Int64 { values.integer(6) }
  var notification: Int64 { RowLayout.notificationRow(of: row) }

  /// Why it cannot be what a gateway has written; nil if its checksum fits.
  var problem: String? {
    guard QueueTable.deliveries.fits(values), let id,
      let target = Target(kind: values.integer(12), value: values.text(13) ?? "")
    else { return "it is not a record that a gateway writes" }
    guard let state else { return "its state is \(values.integer(3))" }
    let sum = RowChecksum.delivery(
      row: row, id, to: target, expiresAt: Timestamp(milliseconds: values.integer(7)),
      activity: values.text(19), state)
    guard sum == values.integer(10) else { return "its checksum does not fit" }
    let isPlain = DeliveryPriority(stored: priority) != nil && values.integer(4) >= 0
    guard isPlain, 0...1 ~= values.integer(9) else { return "it has a value that no gateway writes" }
    return !state.isFinal && values.isNull(5) ? "it waits, but not for a time" : nil
  }
}

extension DeliveryPriority {
  fileprivate init?(stored: Int64) {
    guard let value = Int(exactly: stored) else { return nil }
    self.init(rawValue: value)
  }
}
