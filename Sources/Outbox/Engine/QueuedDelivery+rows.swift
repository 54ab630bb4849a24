internal import Clock
import FCMMessage
import Telemetry
import SQL

extension QueuedNotification {
  static let columns =
    "n.row, n.id, n.client, n.created_at, n.ttl, n.message, n.trace, n.checksum, n.template"

  /// Reads `columns`, the first of which is at a place; nil for what the gateway cannot have written, or
  /// whose checksum does not fit.
  convenience init?(_ row: SQLRow, from column: Int, app: String, _ priority: DeliveryPriority) {
    let (client, createdAt, ttl) = (row.text(column + 2), row.time(column + 3), row.integer(column + 4))
    let (stored, template) = (row.bytes(column + 5), row.text(column + 8))
    guard let id = row.uuid(column + 1), let message = SealedMessage(stored: stored),
      row.integer(column + 7)
        == RowChecksum.notification(
          row: row.integer(column), id, template: template, client: client,
          createdAt: createdAt, ttlMilliseconds: ttl, message: stored)
    else { return nil }
    self.init(
      id: NotificationID(id), app: app, template: template, client: client, createdAt: createdAt,
      ttlMilliseconds: ttl, priority: priority, message: message,
      trace: row.text(column + 6).flatMap(TraceContext.init(stored:)))
  }
}

extension QueuedDelivery {
  static let columns =
    "\(StoredDelivery.columns), d.attempts, d.next_attempt_at, d.activity, d.activity_event, d.activity_at"
  static let columnCount = StoredDelivery.columnCount + 5
  /// The place of its due time among `columns`.
  static let dueColumn = StoredDelivery.columnCount + 1

  /// Reads `columns`, which come first; nil for what the gateway cannot have written, or whose checksum does
  /// not fit. `state` is the one that is in the row.
  convenience init?(
    _ row: SQLRow, state: DeliveryState, as claimed: DeliveryState, _ notification: QueuedNotification
  ) {
    guard let stored = StoredDelivery(row), stored.isIntact(state), !row.isNull(Self.dueColumn) else {
      return nil
    }
    self.init(
      row: stored.row, id: stored.id, target: stored.target, notification: notification, state: claimed,
      attempts: Int(clamping: row.integer(7)), dueAt: row.time(Self.dueColumn), expiresAt: stored.expiresAt,
      activity: LiveActivity(row, from: 9))
  }
}
