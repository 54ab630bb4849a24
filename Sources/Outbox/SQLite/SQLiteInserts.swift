internal import Clock
import FCMMessage
import SQL
import Telemetry

/// Inserts notifications and deliveries, several with one statement: each INSERT opens the table and all of
/// its indexes, which is a third of what a row costs.
final class SQLiteInserts {
  private static let rowsAtOnce = 8

  /// The statements of a table, for as many rows at once and for one.
  private struct Table {
    let columns: Int
    let several: SQLiteStatement
    let one: SQLiteStatement

    init(
      _ connection: SQLiteConnection, _ name: String, _ columns: [String]
    ) throws(DatabaseError) {
      func sql(rows: Int) -> String {
        let values = (0..<rows).map { row in
          let parameters = columns.indices.map { place in
            let number = "$\(row * columns.count + place + 1)"
            return columns[place] == "message_name" ? "zeroblob(\(number))" : number
          }
          return "(\(parameters.joined(separator: ", ")))"
        }
        return """
          INSERT INTO \(name) (\(columns.joined(separator: ", "))) VALUES \(values.joined(separator: ", "))
          """
      }
      self.columns = columns.count
      several = try connection.prepare(sql(rows: rowsAtOnce))
      one = try connection.prepare(sql(rows: 1))
    }

    func insert<Row>(
      _ rows: [Row], _ bind: (Row, SQLiteStatement, _ after: Int) throws(DatabaseError) -> Void
    ) throws(DatabaseError) {
      var next = 0
      while next < rows.count {
        let count = rows.count - next >= rowsAtOnce ? rowsAtOnce : 1
        let statement = count == 1 ? one : several
        for place in 0..<count { try bind(rows[next + place], statement, place * columns) }
        try statement.run()
        next += count
      }
    }
  }

  private let notifications: Table
  private let deliveries: Table
  /// The length of FCM's last name for a message. A delivery that is inserted as claimed will soon be sent:
  /// it gets room for the name, so that its page need not be split then.
  var nameBytes = 64

  init(_ connection: SQLiteConnection) throws(DatabaseError) {
    notifications = try Table(
      connection, "dragoman_notifications",
      [
        "row", "id", "app", "template", "client", "created_at", "priority", "ttl", "deliveries", "checksum",
        "trace", "message",
      ])
    deliveries = try Table(
      connection, "dragoman_deliveries",
      [
        "row", "app", "priority", "state", "attempts", "next_attempt_at", "updated_at", "expires_at",
        "claimed_by", "cancel_asked", "checksum", "id", "target_kind", "target", "activity",
        "activity_event", "activity_at", "message_name",
      ])
  }

  func insert(_ rows: [NewRow], lease: Int64) throws(DatabaseError) {
    try notifications.insert(rows) { row, statement, after throws(DatabaseError) in
      try Self.bind(row, to: statement, after)
    }
    var new: [(row: NewRow, position: Int)] = []
    new.reserveCapacity(rows.count)
    for row in rows { for position in row.notification.deliveries.indices { new.append((row, position)) } }
    try deliveries.insert(new) { [nameBytes] new, statement, after throws(DatabaseError) in
      try Self.bind(
        new.row, new.position, to: statement, after, lease: lease,
        nameBytes: new.row.isClaimed ? nameBytes : 0)
    }
  }

  private static func bind(_ new: NewRow, to statement: SQLiteStatement, _ after: Int) throws(DatabaseError) {
    let (notification, message) = (new.notification, new.notification.message.stored)
    let ttl = notification.ttlMilliseconds
    try statement.bind(after + 1, new.row)
    try statement.bind(after + 2, notification.id.uuid)
    try statement.bind(after + 3, new.app.id)
    try statement.bind(after + 4, notification.template)
    try statement.bind(after + 5, notification.client)
    try statement.bind(after + 6, notification.createdAt.milliseconds)
    try statement.bind(after + 7, Int64(notification.priority.rawValue))
    try statement.bind(after + 8, ttl)
    try statement.bind(after + 9, Int64(notification.deliveries.count))
    try statement.bind(
      after + 10,
      RowChecksum.notification(
        row: new.row, notification.id.uuid, template: notification.template, client: notification.client,
        createdAt: notification.createdAt, ttlMilliseconds: ttl, message: message))
    try statement.bind(after + 11, notification.trace?.stored)
    try statement.bind(after + 12, message)
  }

  private static func bind(
    _ new: NewRow, _ position: Int, to statement: SQLiteStatement, _ after: Int, lease: Int64, nameBytes: Int
  ) throws(DatabaseError) {
    let (notification, start) = (new.notification, new.notification.start)
    let delivery = notification.deliveries[position]
    let row = RowLayout.deliveryRow(of: new.row, position: position)
    try statement.bind(after + 1, row)
    try statement.bind(after + 2, new.app.id)
    try statement.bind(after + 3, Int64(notification.priority.rawValue))
    try statement.bind(after + 4, Int64(start.state.rawValue))
    try statement.bind(after + 5, 0)
    try statement.bind(after + 6, start.dueAt.milliseconds)
    try statement.bind(after + 7, notification.createdAt.milliseconds)
    try statement.bind(after + 8, notification.expiresAt.milliseconds)
    try statement.bind(after + 9, new.isClaimed ? lease : Int64?.none)
    try statement.bind(after + 10, 0)
    try statement.bind(
      after + 11,
      RowChecksum.delivery(
        row: row, delivery.id.uuid, to: delivery.target, expiresAt: notification.expiresAt,
        activity: new.activity?.token, start.state))
    try statement.bind(after + 12, delivery.id.uuid)
    try statement.bind(after + 13, Int64(delivery.target.kind))
    try statement.bind(after + 14, delivery.target.value)
    try statement.bind(after + 15, new.activity?.token)
    try statement.bind(after + 16, new.activity?.event.stored)
    try statement.bind(after + 17, new.activity?.at.milliseconds)
    try statement.bind(after + 18, Int64(nameBytes))
  }
}
