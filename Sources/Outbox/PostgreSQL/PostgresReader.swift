internal import Clock
import FCMMessage
import JSON
import Telemetry

/// Reads on a connection of its own, so that reads never delay writes. Confined to one of the store's reading
/// queues.
final class PostgresReader {
  /// The notifications and the deliveries that one call of `list` examines at most.
  static let scannedNotificationsMax = 2_000
  private static let scannedDeliveriesMax = 20_000
  /// Feedback events that one call examines beyond its limit.
  private static let scannedEventsMax = 2_000

  let connection: PostgresConnection

  init(connection: PostgresConnection) { self.connection = connection }

  func notification(_ id: NotificationID, now: Timestamp) throws(PostgresError) -> StoredNotification? {
    guard let head = try PostgresNotifications.head(id, in: connection) else { return nil }
    return try PostgresNotifications.stored([head], now: now, in: connection).first
  }

  func idempotent(
    _ key: IdempotencyKey, fingerprint: [UInt8], now: Timestamp
  ) throws(PostgresError) -> EnqueueOutcome? {
    try PostgresIdempotency.find([key], in: connection)[key]?.outcome(fingerprint: fingerprint, now: now)
  }

  /// A page of the list: the matching ones among the next notifications before a place, newest first.
  func list(
    _ filter: NotificationFilter, limit: Int, cursor: NotificationCursor?, now: Timestamp
  ) throws(PostgresError) -> NotificationPage {
    guard let window = try window(of: filter, before: cursor?.row ?? .max) else {
      return NotificationPage(notifications: [], next: nil)
    }
    let heads = try heads(filter, in: window, limit: limit)
    var found: [StoredNotification] = []
    var deliveries = 0
    var rest = heads[...]
    while let first = rest.first {
      guard found.count < limit, deliveries < Self.scannedDeliveriesMax else {
        return NotificationPage(
          notifications: found, next: NotificationCursor(before: first.row + 1))
      }
      let chunk = rest.prefix(limit - found.count)
        .prefix { head in
          defer { deliveries += head.deliveryCount }
          return deliveries < Self.scannedDeliveriesMax
        }
      rest = rest.dropFirst(chunk.count)
      found += try PostgresNotifications.stored(Array(chunk), now: now, in: connection)
        .filter { (filter.status == nil || filter.status == $0.status) && filter.matches($0.deliveries) }
    }
    // Everything that matched was examined.
    return NotificationPage(notifications: found, next: window.next.map(NotificationCursor.init(before:)))
  }

  private func heads(
    _ filter: NotificationFilter, in window: Window, limit: Int
  ) throws(PostgresError) -> [PostgresNotifications.Head] {
    var values: [PostgresValue] = [
      .integer(window.first), .integer(window.place),
      // With a filter on deliveries, the number of notifications needed is not known beforehand.
      .integer(
        Int64(filter.status == nil && !filter.seeksDelivery ? limit + 1 : Self.scannedNotificationsMax)),
    ]
    var conditions = ""
    if let rows = window.rows {
      values.append(.integers(rows))
      conditions += " AND n.row = ANY ($\(values.count)::bigint[])"
    }
    if let since = filter.since {
      values.append(.integer(since.milliseconds))
      conditions += " AND n.created_at >= $\(values.count)"
    }
    if let until = filter.until {
      values.append(.integer(until.milliseconds))
      conditions += " AND n.created_at < $\(values.count)"
    }
    if let apps = filter.apps {
      values.append(.texts(apps))
      conditions += " AND a.name = ANY ($\(values.count)::bytea[])"
    }
    if let template = filter.template {
      values.append(.text(template))
      conditions += " AND n.template = $\(values.count)"
    }
    switch filter.owner {
    case nil: break
    case .anonymous: conditions += " AND n.client IS NULL"
    case .client(let name):
      values.append(.text(name))
      conditions += " AND n.client = $\(values.count)"
    }
    let rows = try connection.run(
      """
      SELECT \(PostgresNotifications.columns) FROM \(PostgresNotifications.tables)
      WHERE n.row >= $1 AND n.row < $2\(conditions) ORDER BY n.row DESC LIMIT $3
      """, values)
    return rows.rows.compactMap(PostgresNotifications.Head.init)
  }

  /// Events after one, in order and without outcomes.
  func feedback(after: Int64?, apps: [String]?, limit: Int) throws(PostgresError) -> FeedbackPage {
    let apps = apps.map { Set($0.map(ExactText.init)) }
    let scanned = limit + Self.scannedEventsMax
    let rows = try connection.run(
      """
      SELECT f.id, a.name, f.target_kind, f.target, f.code, f.notification, f.at, f.trace, f.activity
      FROM dragoman_feedback AS f JOIN dragoman_apps AS a ON a.id = f.app
      WHERE f.id > $1 ORDER BY f.id LIMIT $2
      """, [.integer(after ?? 0), .integer(Int64(scanned))])
    var events: [FeedbackEvent] = []
    var next = after
    for row in rows.rows {
      if events.count == limit { return FeedbackPage(events: events, next: next, hasMore: true) }
      next = row.integer(.id)
      let app = row.text(.name) ?? ""
      if let apps, !apps.contains(ExactText(app)) { continue }
      guard let target = Target(kind: row.integer(.targetKind), value: row.text(.target) ?? ""),
        let id = row.uuid(.notification)
      else {
        continue
      }
      events.append(
        FeedbackEvent(
          id: row.integer(.id), app: app, target: target, code: row.text(.code) ?? "",
          notification: NotificationID(id), at: row.time(.at),
          trace: row.text(.trace).flatMap(TraceContext.init(stored:)), activityToken: row.text(.activity)))
    }
    return FeedbackPage(events: events, next: next, hasMore: rows.count == scanned)
  }
}
