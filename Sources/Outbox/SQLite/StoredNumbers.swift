import FCMMessage
import JSON
import SQL

/// Numbers of the database that the writer keeps in memory.
struct StoredNumbers {
  var nextRow: Int64
  /// The mark `claimed_from`.
  var claimedFrom: Int64
  private(set) var counts: [Int64: [Int]] = [:]
  /// Deliveries that are not final, by client, if they are counted.
  private(set) var clients: [ExactText?: Int] = [:]
  private(set) var depth = 0
  private let countsClients: Bool

  init(_ connection: SQLiteConnection, countsClients: Bool) throws(DatabaseError) {
    func number(_ sql: String, _ name: String) throws(DatabaseError) -> Int64 {
      let value = try connection.run(sql).value ?? 0
      // Others follow this one, which only a damaged file can have left no room for.
      guard 0...RowLayout.notificationRows.upperBound ~= value else {
        throw DatabaseError(.damage, message: "the last \(name) is \(value)")
      }
      return value
    }
    // Pruned notifications leave no trace among the rows, and no row is assigned twice: cursors rely on that.
    nextRow = max(
      try number("SELECT max(row) FROM dragoman_notifications", "row of a notification") + 1,
      try number("SELECT max(last_row) FROM dragoman_intakes", "row of an incomplete request") + 1,
      try number("SELECT value FROM dragoman_marks WHERE name = 'next_row'", "next row"))
    claimedFrom = RowLayout.deliveryRow(of: nextRow, position: 0)
    self.countsClients = countsClients
    _ = try number("SELECT value FROM dragoman_marks WHERE name = 'feedback'", "number of a feedback event")
    for row in try connection.run("SELECT app, state, deliveries FROM dragoman_counts").rows {
      guard let state = DeliveryState(stored: row.integer(1)) else { continue }
      add(Int(clamping: row.integer(2)), app: row.integer(0), state: state.rawValue)
    }
    depth = counts.values.reduce(0) { $0 + $1[0] + $1[1] }
    guard countsClients else { return }
    let rows = try connection.run(
      """
      SELECT n.client, count(*) FROM dragoman_deliveries AS d INDEXED BY dragoman_deliveries_waiting
        JOIN dragoman_notifications AS n ON n.row = \(RowLayout.notificationRowSQL(of: "d.row"))
      WHERE d.state < 3 AND d.claimed_by IS NULL AND \(SQLDialect.sqlite.isComplete("n.row"))
      GROUP BY n.client
      """)
    for row in rows.rows { clients[row.text(0).map(ExactText.init)] = Int(clamping: row.integer(1)) }
  }

  /// Follows a transaction that is committed.
  mutating func add(_ changes: QueueCounts) {
    depth += changes.depth
    for (app, deltas) in changes.states {
      for (state, delta) in deltas.enumerated() where delta != 0 { add(delta, app: app, state: state) }
    }
    guard countsClients else { return }
    for (client, delta) in changes.clients where delta != 0 {
      let count = clients[client, default: 0] + delta
      clients[client] = count > 0 ? count : nil
    }
  }

  private mutating func add(_ delta: Int, app: Int64, state: Int) {
    counts[app, default: Array(repeating: 0, count: QueueCounts.stateCount)][state] += delta
  }
}
