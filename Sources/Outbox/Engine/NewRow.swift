internal import Clock
import FCMMessage
import SQL
import Telemetry

/// A new notification with its place in the database.
struct NewRow {
  let notification: NewNotification
  let row: Int64
  let app: QueueApp
  /// Whether its deliveries are inserted as claimed by this gateway.
  var isClaimed = false
  /// Of its only delivery.
  var activity: LiveActivity?

  /// Its deliveries as they are in the queue.
  func queued() -> [QueuedDelivery] {
    let shared = QueuedNotification(notification)
    let start = notification.start
    return notification.deliveries.enumerated().map { position, delivery in
      QueuedDelivery(
        row: RowLayout.deliveryRow(of: row, position: position), id: delivery.id, target: delivery.target,
        notification: shared, state: start.state, attempts: 0, dueAt: start.dueAt,
        expiresAt: notification.expiresAt, activity: activity)
    }
  }
}

/// What is inserted for it: the columns that both databases have, and their values in this order.
extension NewRow {
  static let notificationColumns: SQLInsertion.Columns = [
    ("row", .bigint), ("id", .uuid), ("app", .bigint), ("template", .bytea), ("client", .bytea),
    ("created_at", .bigint), ("priority", .bigint), ("ttl", .bigint), ("deliveries", .bigint),
    ("checksum", .bigint), ("trace", .bytea), ("message", .bytea),
  ]

  func notificationValues() -> [SQLValue] {
    let (new, message) = (notification, notification.message.stored)
    let ttl = new.ttlMilliseconds
    let checksum = RowChecksum.notification(
      row: row, new.id.uuid, template: new.template, client: new.client, createdAt: new.createdAt,
      ttlMilliseconds: ttl, message: message)
    return [
      .integer(row), .uuid(new.id.uuid), .integer(app.id), .text(new.template), .text(new.client),
      .time(new.createdAt), .integer(Int64(new.priority.rawValue)), .integer(ttl),
      .integer(Int64(new.deliveries.count)), .integer(checksum), .text(new.trace?.stored), .bytes(message),
    ]
  }

  static let deliveryColumns: SQLInsertion.Columns = [
    ("row", .bigint), ("app", .bigint), ("priority", .bigint), ("state", .bigint),
    ("next_attempt_at", .bigint), ("updated_at", .bigint), ("expires_at", .bigint), ("claimed_by", .bigint),
    ("checksum", .bigint), ("id", .uuid), ("target_kind", .bigint), ("target", .bytea),
    ("activity", .bytea), ("activity_event", .bigint), ("activity_at", .bigint),
  ]
  /// The columns of a delivery that begin with 0.
  static let deliveryZeros = ["attempts", "cancel_asked"]

  /// Of the delivery at a position, claimed under `lease` if it is claimed.
  func deliveryValues(_ position: Int, lease: Int64) -> [SQLValue] {
    let (new, start, delivery) = (notification, notification.start, notification.deliveries[position])
    let own = RowLayout.deliveryRow(of: row, position: position)
    let checksum = RowChecksum.delivery(
      row: own, delivery.id.uuid, to: delivery.target, expiresAt: new.expiresAt, activity: activity?.token,
      start.state)
    return [
      .integer(own), .integer(app.id), .integer(Int64(new.priority.rawValue)),
      .integer(Int64(start.state.rawValue)), .time(start.dueAt), .time(new.createdAt), .time(new.expiresAt),
      .integer(isClaimed ? lease : nil), .integer(checksum), .uuid(delivery.id.uuid),
      .integer(Int64(delivery.target.kind)), .text(delivery.target.value), .text(activity?.token),
      .integer(activity?.event.stored), .integer(activity?.at.milliseconds),
    ]
  }
}

/// What a settlement changes in its delivery's row.
extension Settlement {
  /// The kinds of `values`, in their order.
  static let kinds: [SQLInsertion.Kind] = [
    .bigint, .bigint, .bigint, .bigint, .bigint, .bytea, .bytea, .bytea, .bigint, .bytea, .bytea, .bigint,
  ]
  /// Those that are needed if there is no error.
  static let plainCount = 7

  var values: [SQLValue] {
    [
      .integer(waitsAgain ? 1 : 0), .integer(state.map { Int64($0.rawValue) }),
      .integer(countsAttempt ? 1 : 0), .integer(dueAt?.milliseconds), .time(at), .text(messageName),
      .bytes(attempt?.stored),
      .text(error?.code), .integer(error?.httpStatus.map(Int64.init)), .text(error?.message),
      .text(error?.apnsReason), .integer(dropsErrorWhenCancelled ? 1 : 0),
    ]
  }

  /// Assignments to the columns of the row `d`, where `value` is the SQL of a place in `values`. Outcomes
  /// without an error leave the columns of the last one alone.
  static func assignments(withErrors: Bool, _ value: (Int) -> String) -> String {
    let isCancelled = "d.cancel_asked = 1 AND \(value(0)) = 1"
    let errors = ["code", "status", "message", "apns_reason"].enumerated().map { place, name in
      """
      , error_\(name) = CASE WHEN \(value(7)) IS NULL OR \(value(11)) = 1 AND d.cancel_asked = 1
        THEN d.error_\(name) ELSE \(value(7 + place)) END
      """
    }
    return """
      claimed_by = NULL, cancel_asked = 0,
      \(RowChecksum.settingState("CASE WHEN \(isCancelled) THEN 6 ELSE coalesce(\(value(1)), d.state) END", of: "d.")),
      attempts = d.attempts + \(value(2)),
      next_attempt_at = CASE WHEN \(isCancelled) THEN NULL
        WHEN \(value(1)) IS NULL THEN d.next_attempt_at ELSE \(value(3)) END,
      updated_at = CASE WHEN \(value(1)) IS NULL AND d.cancel_asked = 0 THEN d.updated_at ELSE \(value(4)) END,
      message_name = coalesce(\(value(5)), d.message_name),
      \(AttemptRecord.appending(value(6), to: "d."))\(withErrors ? errors.joined() : "")
      """
  }
}
