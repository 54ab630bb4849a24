internal import Clock
import FCMMessage
import Telemetry

/// A page of waiting deliveries read from disk, in order. Deliveries of one notification share it.
struct WaitingPage {
  private let app: String
  private let priority: DeliveryPriority
  private let start: DueKey
  var deliveries: [QueuedDelivery] = []
  /// The rows whose records no version could have written, or whose checksums do not fit.
  private(set) var unreadable: [UnreadableDelivery] = []
  private(set) var rowCount = 0
  /// Whether there may be more after it.
  var isFull = false
  private var last: DueKey?
  private var isSorted = true
  private var notifications: [Int64: QueuedNotification] = [:]
  /// Those that have been read, by key.
  private var dictionaries: [Int64: [UInt8]] = [:]

  init(app: String, priority: DeliveryPriority, from start: DueKey) {
    self.app = app
    self.priority = priority
    self.start = start
  }

  /// Where the next page begins; nil when there is none. A damaged row never leads back to an earlier place.
  var next: DueKey? {
    guard isFull, let last, last >= start else { return nil }
    return last.next
  }

  /// Adds the next listed delivery.
  mutating func read(_ row: SQLiteStatement) {
    rowCount += 1
    if row.isInteger(6) { last = Self.key(row) }
    if let delivery = delivery(row) { deliveries.append(delivery) }
  }

  /// Adds an unlisted delivery if it belongs between those that were read. `sort` puts it in its place.
  mutating func merge(_ row: SQLiteStatement) {
    let key = Self.key(row)
    if row.isInteger(6) {
      if key < start { return }
      if let next, key >= next { return }
    }
    guard let delivery = delivery(row) else { return }
    deliveries.append(delivery)
    isSorted = false
  }

  /// Puts everything in order.
  mutating func sort() {
    if !isSorted { deliveries.sort { $0.key < $1.key } }
    isSorted = true
  }

  private static func key(_ row: SQLiteStatement) -> DueKey {
    DueKey(at: Timestamp(milliseconds: row.integer(6)), row: row.integer(0))
  }

  /// Nil for a record that cannot be read.
  private mutating func delivery(_ row: SQLiteStatement) -> QueuedDelivery? {
    let key = Self.key(row)
    guard row.isInteger(6), let id = row.uuid(1),
      let target = Target(kind: row.integer(2), value: row.text(3) ?? ""),
      row.isNull(17) || row.integer(17) == RowChecksum.delivery(row: key.row, id, to: target),
      let state = DeliveryState(stored: row.integer(4)), let (notification, end) = notification(row)
    else {
      unreadable.append(UnreadableDelivery(row: key.row))
      return nil
    }
    return QueuedDelivery(
      row: key.row, id: DeliveryID(id), target: target, notification: notification, state: state,
      attempts: Int(row.integer(5)), dueAt: key.at,
      expiresAt: row.isNull(13) ? end : Timestamp(milliseconds: row.integer(13)),
      activity: LiveActivity(row, from: 18))
  }

  private mutating func notification(_ row: SQLiteStatement) -> (QueuedNotification, Timestamp)? {
    let end = Timestamp(milliseconds: row.integer(10))
    let key = row.integer(7)
    if let known = notifications[key] { return (known, end) }
    guard let id = row.uuid(8), let stored = row.message(12, dictionary: 21, &dictionaries),
      let message = SealedMessage(encoded: stored)
    else { return nil }
    let createdAt = Timestamp(milliseconds: row.integer(9))
    let ttl = row.isNull(11) ? createdAt.milliseconds(until: end) : row.integer(11)
    let checksum = RowChecksum.notification(
      row: key, id, createdAt: createdAt, ttlMilliseconds: ttl, message: stored)
    guard row.isNull(16) || row.integer(16) == checksum else { return nil }
    let notification = QueuedNotification(
      id: NotificationID(id), app: app, client: row.text(15), createdAt: createdAt, ttlMilliseconds: ttl,
      priority: priority,
      message: message, trace: row.text(14).flatMap(TraceContext.init(stored:)))
    notifications[key] = notification
    return (notification, end)
  }
}
