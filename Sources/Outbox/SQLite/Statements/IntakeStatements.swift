/// The writer's statements for enqueues in parts. Compiled once.
final class IntakeStatements {
  private let insertRange: SQLiteStatement
  private let deleteRange: SQLiteStatement
  private let selectRanges: SQLiteStatement

  init(_ connection: SQLiteConnection) throws(SQLiteError) {
    insertRange = try connection.prepare("INSERT INTO intakes (first, last) VALUES (?, ?)")
    deleteRange = try connection.prepare("DELETE FROM intakes WHERE last = ?")
    selectRanges = try connection.prepare("SELECT first, last FROM intakes ORDER BY first")
  }

  /// Hides the notifications that are going to be in `rows`.
  func insert(_ rows: ClosedRange<Int64>) throws(SQLiteError) {
    try insertRange.bind(1, rows.lowerBound)
    try insertRange.bind(2, rows.upperBound)
    try insertRange.run()
  }

  /// Ends the enqueue whose last row is `last`.
  func delete(endingAt last: Int64) throws(SQLiteError) {
    try deleteRange.bind(1, last)
    try deleteRange.run()
  }

  /// The rows of all enqueues that are not complete, in order.
  func ranges() throws(SQLiteError) -> [ClosedRange<Int64>] {
    var ranges: [ClosedRange<Int64>] = []
    while try selectRanges.step() {
      let (first, last) = (selectRanges.integer(0), selectRanges.integer(1))
      guard RowLayout.notificationRows.contains(last) else {
        selectRanges.reset()
        throw .damagedFile("an incomplete request ends at the row \(last)")
      }
      if RowLayout.notificationRows.contains(first), first <= last { ranges.append(first...last) }
    }
    return ranges
  }
}
