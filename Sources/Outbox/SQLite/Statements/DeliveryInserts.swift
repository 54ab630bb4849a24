internal import Clock
import FCMMessage

/// Inserts new deliveries, several with one statement.
///
/// Each INSERT opens the table and its five partial indexes, whether or not a row belongs to any of them,
/// which is a third of what a row costs. So rows wait for others of their transaction. Whoever reads
/// deliveries in it writes them first, with `flush`.
final class DeliveryInserts {
  private struct Row {
    let delivery: QueuedDelivery
    let app: AppQueue
    let isUnlisted: Bool
  }

  private static let columns = [
    "row", "app", "priority", "state", "attempts", "next_attempt_at", "updated_at", "id", "target_kind",
    "target", "checksum", "message_name",
  ]
  /// The most rows that wait.
  private static let waitingMax = 16

  /// With the number of rows that each inserts, the most first, down to one.
  private let statements: [(rows: Int, statement: SQLiteStatement)]
  private var waiting: [Row] = []

  init(_ connection: SQLiteConnection) throws(SQLiteError) {
    var statements: [(rows: Int, statement: SQLiteStatement)] = []
    for rows in [Self.waitingMax, 4, 1] {
      statements.append((rows, try connection.prepare(Self.sql(rows: rows))))
    }
    self.statements = statements
  }

  /// Each column of each row has a parameter; that of the last one is its length.
  private static func sql(rows: Int) -> String {
    let values = (0..<rows).map { row in
      let parameters = columns.indices.map { "?\(row * columns.count + $0 + 1)" }
      let name = parameters.last.map { "iif(\($0), zeroblob(\($0)), NULL)" }
      return "(\((parameters.dropLast() + [name ?? "NULL"]).joined(separator: ", ")))"
    }
    return """
      INSERT INTO deliveries (\(columns.joined(separator: ", ")))
      VALUES \(values.joined(separator: ", "))
      """
  }

  /// Writes a delivery, at the latest with the next `flush`. The index of what waits contains it unless it
  /// `isUnlisted`. Such a one will soon be sent: it gets room for FCM's name of the message, so that its page
  /// need not be split then.
  func insert(_ delivery: QueuedDelivery, app: AppQueue, isUnlisted: Bool) throws(SQLiteError) {
    waiting.append(Row(delivery: delivery, app: app, isUnlisted: isUnlisted))
    if waiting.count == Self.waitingMax { try flush() }
  }

  /// Writes the deliveries that wait.
  func flush() throws(SQLiteError) {
    var next = 0
    for (rows, statement) in statements {
      while waiting.count - next >= rows {
        for place in 0..<rows {
          try Self.bind(waiting[next + place], to: statement, after: Int32(place * Self.columns.count))
        }
        try statement.run()
        next += rows
      }
    }
    waiting.removeAll(keepingCapacity: true)
  }

  /// Forgets the deliveries that wait: their transaction has failed.
  func discard() { waiting.removeAll(keepingCapacity: true) }

  private static func bind(
    _ row: Row, to statement: SQLiteStatement, after index: Int32
  ) throws(SQLiteError) {
    let (delivery, notification) = (row.delivery, row.delivery.notification)
    try statement.bind(index + 1, delivery.row)
    try statement.bind(index + 2, row.app.id)
    try statement.bind(index + 3, notification.priority.rawValue)
    try statement.bind(index + 4, row.isUnlisted ? DeliveryState.unlisted : delivery.state.rawValue)
    try statement.bind(index + 5, delivery.attempts)
    try statement.bind(index + 6, delivery.dueAt.milliseconds)
    try statement.bind(index + 7, notification.createdAt.milliseconds)
    try statement.bind(index + 8, delivery.id.uuid)
    try statement.bind(index + 9, delivery.target.kind)
    try statement.bind(index + 10, delivery.target.value)
    try statement.bind(
      index + 11, RowChecksum.delivery(row: delivery.row, delivery.id.uuid, to: delivery.target))
    try statement.bind(index + 12, row.isUnlisted ? row.app.messageNameBytes : 0)
  }
}
