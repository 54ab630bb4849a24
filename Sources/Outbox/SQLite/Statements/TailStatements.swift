internal import Clock
import FCMMessage
import JSON

extension DeliveryState {
  /// How a delivery of the tail is stored that is `queued` and in memory: the index of what waits has only
  /// states below `sent`.
  static let unlisted = 7

  /// Nil for a value that no version wrote.
  init?(stored: Int64) {
    self.init(rawValue: stored == Self.unlisted ? Self.queued.rawValue : Int(truncatingIfNeeded: stored))
  }
}

/// The writer's statements for the tail: the notifications that the indexes do not have yet. Compiled once.
final class TailStatements {
  /// How many deliveries an app has in a state.
  typealias StateCount = (app: Int64, state: DeliveryState, count: Int)

  private let selectIDs: SQLiteStatement
  private let selectLastID: SQLiteStatement
  private let selectCounts: SQLiteStatement
  private let selectStates: SQLiteStatement
  private let countListed: SQLiteStatement
  private let countUnlisted: SQLiteStatement
  private let insertIDs: SQLiteStatement
  private let insertClients: SQLiteStatement
  private let insertTargets: SQLiteStatement
  private let listWaiting: SQLiteStatement

  init(_ connection: SQLiteConnection) throws(SQLiteError) {
    selectIDs = try connection.prepare("SELECT id, row FROM notifications WHERE row > ? ORDER BY row")
    selectLastID = try connection.prepare("SELECT max(id) FROM notification_ids")
    selectCounts = try connection.prepare("SELECT app, state, deliveries FROM counts")
    selectStates = try connection.prepare("SELECT app, state FROM deliveries WHERE row BETWEEN ? AND ?")
    countListed = try connection.prepare(
      """
      SELECT n.client, count(*) FROM deliveries AS d INDEXED BY deliveries_waiting
        JOIN notifications AS n ON n.row = \(RowLayout.notificationRowSQL(of: "d.row"))
      WHERE d.state < 3 AND \(SQLiteSchema.isWhole("n.row")) GROUP BY n.client
      """)
    countUnlisted = try connection.prepare(
      """
      SELECT n.client, count(*) FROM deliveries AS d JOIN notifications AS n
        ON n.row = \(RowLayout.notificationRowSQL(of: "d.row"))
      WHERE d.row >= ? AND d.state = \(DeliveryState.unlisted) GROUP BY n.client
      """)
    insertIDs = try connection.prepare(
      """
      INSERT INTO notification_ids (id, row)
      SELECT id, row FROM notifications WHERE row BETWEEN ? AND ? ORDER BY row
      """)
    insertClients = try connection.prepare(
      """
      INSERT INTO client_notifications (client, row)
      SELECT client, row FROM notifications WHERE row BETWEEN ? AND ? AND client IS NOT NULL ORDER BY row
      """)
    insertTargets = try connection.prepare(
      """
      INSERT INTO delivery_targets (section, ending, delivery)
      SELECT row >> \(RowLayout.groupBits), \(SQLiteSchema.targetEnding("target")), row
      FROM deliveries WHERE row BETWEEN ? AND ? ORDER BY row
      """)
    listWaiting = try connection.prepare(
      """
      UPDATE deliveries SET state = \(DeliveryState.queued.rawValue)
      WHERE row BETWEEN ? AND ? AND state = \(DeliveryState.unlisted)
      """)
  }

  /// The notifications after `row`, in order; unreadable ones cannot be found by their ids.
  func ids(after row: Int64) throws(SQLiteError) -> [Tail.Entry] {
    try selectIDs.bind(1, row)
    var entries: [Tail.Entry] = []
    while try selectIDs.step() {
      guard let id = selectIDs.uuid(0) else { continue }
      entries.append(Tail.Entry(id: NotificationID(id), row: selectIDs.integer(1)))
    }
    return entries
  }

  /// The greatest id in the index.
  func lastID() throws(SQLiteError) -> NotificationID? {
    defer { selectLastID.reset() }
    return try selectLastID.step() ? selectLastID.uuid(0).map(NotificationID.init) : nil
  }

  /// The stored counts, which leave out the tail.
  func counts() throws(SQLiteError) -> [StateCount] {
    var counts: [StateCount] = []
    while try selectCounts.step() {
      guard let state = DeliveryState(stored: selectCounts.integer(1)) else { continue }
      counts.append((selectCounts.integer(0), state, Int(selectCounts.integer(2))))
    }
    return counts
  }

  /// How many deliveries of the notifications in `rows` each app has in each state. They are counted here: to
  /// group them, SQLite would sort them. O(rows · (apps + states)).
  func states(in rows: ClosedRange<Int64>) throws(SQLiteError) -> [StateCount] {
    try bind(selectStates, RowLayout.deliveryRows(of: rows))
    var counts: [StateCount] = []
    while try selectStates.step() {
      let (app, stored) = (selectStates.integer(0), selectStates.integer(1))
      guard let state = DeliveryState(stored: stored) else { continue }
      if let index = counts.firstIndex(where: { $0.app == app && $0.state == state }) {
        counts[index].count += 1
      } else {
        counts.append((app, state, 1))
      }
    }
    return counts
  }

  /// Deliveries that are not final, by client; the tail begins after `indexed`. O(n).
  func clientDepths(indexed: Int64) throws(SQLiteError) -> [ExactText?: Int] {
    try countUnlisted.bind(1, RowLayout.deliveryRow(of: indexed + 1, position: 0))
    var depths: [ExactText?: Int] = [:]
    for row in [countListed, countUnlisted] {
      while try row.step() { depths[row.text(0).map(ExactText.init), default: 0] += Int(row.integer(1)) }
    }
    return depths
  }

  /// Adds the notifications in `rows` to the indexes. O(rows · log n).
  func index(_ rows: ClosedRange<Int64>) throws(SQLiteError) {
    for statement in [insertIDs, insertClients] {
      try bind(statement, rows)
      try statement.run()
    }
    for statement in [insertTargets, listWaiting] {
      try bind(statement, RowLayout.deliveryRows(of: rows))
      try statement.run()
    }
  }

  private func bind(_ statement: SQLiteStatement, _ rows: ClosedRange<Int64>) throws(SQLiteError) {
    try statement.bind(1, rows.lowerBound)
    try statement.bind(2, rows.upperBound)
  }
}
