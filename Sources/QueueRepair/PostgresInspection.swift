import Outbox
package import SQL

/// The check of a queue in PostgreSQL, while gateways use it.
package enum PostgresInspection {
  /// Notifications that are read in one transaction, so that none is long.
  private static let notificationsAtOnce: Int64 = 500
  private static let deliveriesAtOnce: Int64 = 5_000

  private static let notifications = """
    row, id, app, template, client, created_at, priority, ttl, deliveries, checksum, trace, message
    """
  private static let deliveries = """
    row, app, priority, state, attempts, next_attempt_at, updated_at, expires_at, claimed_by, cancel_asked, checksum,
      id, target_kind, target, message_name, error_code, error_status, error_message, error_apns_reason, activity,
      activity_event, activity_at, attempt_log
    """

  /// Reads all notifications with their deliveries, and verifies them.
  package static func check(_ url: PostgresURL) throws(QueueRepairError) -> QueueReport {
    do throws(DatabaseError) {
      let connection = try PostgresConnection(url)
      guard try PostgresSchema.version(in: connection) > 0 else {
        throw DatabaseError(
          .unusable, message: "the database has no queue: name the one that the gateway uses")
      }
      return try check(connection)
    } catch {
      let isRefused = error.isConnectionLost || error.kind == .unusable
      throw QueueRepairError(
        isRefused ? .refused : .failed, "\(url.description): \(error.message)", underlying: error)
    }
  }

  private static func check(_ connection: PostgresConnection) throws(DatabaseError) -> QueueReport {
    var contents = QueueContents()
    for row in try connection.run("SELECT id, name FROM dragoman_apps").rows {
      _ = contents.take(.apps, row: row.integer(0), [.null, .bytes(row.bytes(1))], at: QueueDamage(""))
    }
    var last: Int64 = 0
    while true {
      try connection.execute("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
      let heads = try take(
        .notifications, notifications, after: last, upTo: .max, limit: notificationsAtOnce, connection,
        &contents)
      // After the last notification come deliveries without one.
      let end = heads.count < notificationsAtOnce ? Int64.max : heads.last.map(lastDelivery) ?? .max
      var place = lastDelivery(of: last)
      while true {
        let rows = try take(
          .deliveries, deliveries, after: place, upTo: end, limit: deliveriesAtOnce, connection, &contents)
        guard rows.count == deliveriesAtOnce, let next = rows.last else { break }
        place = next
      }
      try connection.execute("COMMIT")
      guard let next = heads.last, heads.count == notificationsAtOnce else { break }
      last = next
    }
    _ = contents.finish()
    return QueueReport(damage: contents.damage, counts: contents.counts)
  }

  private static func lastDelivery(of notification: Int64) -> Int64 {
    RowLayout.notificationRows.contains(notification)
      ? RowLayout.deliveryRow(of: notification + 1, position: 0) - 1 : notification == 0 ? .min : .max
  }

  /// Takes the rows of a table after one; returns their numbers.
  private static func take(
    _ table: QueueTable, _ columns: String, after row: Int64, upTo end: Int64, limit: Int64,
    _ connection: PostgresConnection, _ contents: inout QueueContents
  ) throws(DatabaseError) -> [Int64] {
    let found = try connection.run(
      "SELECT \(columns) FROM \(table.name) WHERE row > $1 AND row <= $2 ORDER BY row LIMIT $3",
      [.integer(row), .integer(end), .integer(limit)])
    return found.rows.map { row in
      let values = (0..<table.columnCount).map { column -> StoredValue in
        if column == 0 || row.isNull(column) { return .null }
        if table.isInteger(column) { return .integer(row.integer(column)) }
        return .bytes(row.bytes(column))
      }
      _ = contents.take(table, row: row.integer(0), values, at: QueueDamage(""))
      return row.integer(0)
    }
  }
}
