internal import Clock
import FCMMessage

/// Finds the rows of notifications by a target, an error code or the time. Confined like its connection.
final class SearchStatements {
  /// Rows of deliveries that one query returns.
  private static let rowsMax = 500

  private let selectByTarget: SQLiteStatement
  private let selectInTail: SQLiteStatement
  private let selectIndexed: SQLiteStatement
  private let selectByError: SQLiteStatement
  private let selectHead: SQLiteStatement
  private let selectEnds: SQLiteStatement
  private let selectTime: SQLiteStatement

  init(_ connection: SQLiteConnection, heads: String) throws(SQLiteError) {
    selectByTarget = try connection.prepare(
      """
      SELECT t.delivery FROM delivery_targets AS t CROSS JOIN deliveries AS d ON d.row = t.delivery
      WHERE t.section = ?1 AND t.ending = \(SQLiteSchema.targetEnding("?2")) AND t.delivery < ?4
        AND d.target = ?2 AND d.target_kind = ?3 ORDER BY t.delivery DESC LIMIT ?5
      """)
    selectInTail = try connection.prepare(
      """
      SELECT row FROM deliveries
      WHERE row >= ?1 AND row < ?4 AND target = ?2 AND target_kind = ?3 ORDER BY row DESC LIMIT ?5
      """)
    selectIndexed = try connection.prepare(
      "SELECT value FROM marks WHERE name = '\(ChangeStatements.Mark.indexed.rawValue)'")
    selectByError = try connection.prepare(
      """
      SELECT row FROM deliveries INDEXED BY deliveries_by_error
      WHERE error_code = ?1 AND row < ?2 ORDER BY row DESC LIMIT ?3
      """)
    selectHead = try connection.prepare("\(heads) WHERE n.row = ?1 AND \(SQLiteSchema.isWhole("n.row"))")
    selectEnds = try connection.prepare(
      "SELECT (SELECT min(row) FROM notifications), (SELECT max(row) FROM notifications)")
    selectTime = try connection.prepare(
      "SELECT row, created_at FROM notifications WHERE row >= ? ORDER BY row LIMIT 1")
  }

  /// The first and last rows of notifications; nil without any.
  func ends() throws(SQLiteError) -> ClosedRange<Int64>? {
    defer { selectEnds.reset() }
    guard try selectEnds.step(), !selectEnds.isNull(0) else { return nil }
    let (first, last) = (selectEnds.integer(0), selectEnds.integer(1))
    return first <= last ? first...last : nil
  }

  /// A row before which no notification was accepted at `time` or later, apart from the slack of their order.
  /// O(log n).
  func row(at time: Timestamp, in rows: ClosedRange<Int64>) throws(SQLiteError) -> Int64 {
    var (low, high) = (rows.lowerBound, rows.upperBound + 1)
    while low < high {
      let middle = low + (high - low) / 2
      try selectTime.bind(1, middle)
      defer { selectTime.reset() }
      if try selectTime.step(), selectTime.integer(0) < high, selectTime.integer(1) < time.milliseconds {
        low = selectTime.integer(0) + 1
      } else {
        high = middle
      }
    }
    return low
  }

  /// The last notification that the indexes contain; the following ones are read as a range of rows. An index
  /// that is read later has at least what it has now.
  func indexed() throws(SQLiteError) -> Int64 {
    defer { selectIndexed.reset() }
    return try selectIndexed.step() ? selectIndexed.integer(0) : 0
  }

  /// A notification without its deliveries; nil if there is none in this row, or it is not to be shown.
  func head(in row: Int64) throws(SQLiteError) -> NotificationStatements.Head? {
    try selectHead.bind(1, row)
    defer { selectHead.reset() }
    return try selectHead.step() ? try NotificationStatements.head(selectHead) : nil
  }

  /// Rows of notifications before `place` that have a delivery to the target, newest first, and where to
  /// continue; nil at the end. `groups` is how many groups may still be looked at.
  func rows(
    to target: Target, before place: Int64, first: Int64, groups: inout Int
  ) throws(SQLiteError) -> (rows: [Int64], next: Int64?) {
    let indexed = try indexed()
    if place - 1 > indexed {
      let (rows, count) = try rows(
        selectInTail, RowLayout.deliveryRow(of: max(first, indexed + 1), position: 0), target, before: place)
      let isCut = count == Int(RowLayout.groupRowsMax)
      return (rows, isCut ? rows.last : indexed + 1 > first ? indexed + 1 : nil)
    }
    var found: [Int64] = []
    var group = RowLayout.group(of: place - 1)
    let lastGroup = RowLayout.group(of: first)
    while group >= lastGroup, groups > 0, found.count < Self.rowsMax {
      groups -= 1
      found += try rows(selectByTarget, group, target, before: place).rows
      group -= 1
    }
    return (found, group >= lastGroup ? RowLayout.firstRow(inGroup: group + 1) : nil)
  }

  /// `start` is what the statement binds first.
  private func rows(
    _ statement: SQLiteStatement, _ start: Int64, _ target: Target, before place: Int64
  ) throws(SQLiteError) -> (rows: [Int64], count: Int) {
    try statement.bind(1, start)
    try statement.bind(2, target.value)
    try statement.bind(3, target.kind)
    try statement.bind(4, RowLayout.deliveryRow(of: place, position: 0))
    try statement.bind(5, Int(RowLayout.groupRowsMax))
    return try distinct(statement)
  }

  /// The same for an error code.
  func rows(
    withError code: String, before place: Int64
  ) throws(SQLiteError) -> (rows: [Int64], next: Int64?) {
    try selectByError.bind(1, code)
    try selectByError.bind(2, RowLayout.deliveryRow(of: place, position: 0))
    try selectByError.bind(3, Self.rowsMax)
    let (rows, count) = try distinct(selectByError)
    return (rows, count == Self.rowsMax ? rows.last : nil)
  }

  /// The notifications of the statement's rows of deliveries, each once, and the number of rows.
  private func distinct(_ statement: SQLiteStatement) throws(SQLiteError) -> (rows: [Int64], count: Int) {
    defer { statement.reset() }
    var rows: [Int64] = []
    var count = 0
    while try statement.step() {
      count += 1
      let row = RowLayout.notificationRow(of: statement.integer(0))
      if rows.last != row { rows.append(row) }
    }
    return (rows, count)
  }
}
