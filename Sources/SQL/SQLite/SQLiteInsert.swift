/// Inserts rows into a table, several with one statement: each INSERT opens the table and all of its indexes,
/// which is a third of what a row costs.
package final class SQLiteInsert {
  private static let rowsAtOnce = 8

  private let columnCount: Int
  private let several: SQLiteStatement
  private let one: SQLiteStatement

  package init(_ connection: SQLiteConnection, _ insertion: SQLInsertion) throws(DatabaseError) {
    columnCount = insertion.columnCount
    several = try connection.prepare(insertion.values(rows: Self.rowsAtOnce))
    one = try connection.prepare(insertion.values(rows: 1))
  }

  /// Inserts `count` rows. `bind` binds the values of a row to a statement, after the parameters of others.
  package func insert(
    _ count: Int, _ bind: (_ row: Int, SQLiteStatement, _ after: Int) throws(DatabaseError) -> Void
  ) throws(DatabaseError) {
    var next = 0
    while next < count {
      let rows = count - next >= Self.rowsAtOnce ? Self.rowsAtOnce : 1
      let statement = rows == 1 ? one : several
      for row in 0..<rows { try bind(next + row, statement, row * columnCount) }
      try statement.run()
      next += rows
    }
  }
}
