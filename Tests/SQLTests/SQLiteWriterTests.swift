import Clock
import Testing

@testable import SQL

/// Transactions of the connection that writes, and rows that are inserted together.
@Suite struct SQLiteWriterTests {
  private let writer: SQLiteWriter

  init() throws {
    let connection = try SQLiteConnection(path: ":memory:")
    try connection.execute("CREATE TABLE t (a INTEGER, b BLOB, c BLOB, z INTEGER); CREATE TABLE p (n)")
    writer = try SQLiteWriter(connection, probe: "INSERT INTO p VALUES (1)")
  }

  private func count() throws -> Int64? { try writer.run("SELECT count(*) FROM t").value }

  @Test func beginsWithTheFirstStatementThatWrites() throws {
    #expect(try count() == 0)
    #expect(!writer.isOpen)
    try writer.send("INSERT INTO t (a) VALUES ($1)", [.integer(1)])
    #expect(writer.isOpen && writer.connection.isInTransaction)
    try writer.commit()
    #expect(!writer.isOpen && !writer.connection.isInTransaction)
    #expect(try count() == 1)
  }

  @Test func takesBackWhatHasFailed() throws {
    try writer.send("INSERT INTO t (a) VALUES ($1)", [.integer(1)])
    let error = writer.rollBack(after: DatabaseError(message: "no"), isCommitting: true)
    #expect(!error.isOutcomeUnknown)
    #expect(!writer.isOpen && !writer.connection.isInTransaction)
    #expect(try count() == 0)
    // What is left of the transaction in the log was overwritten.
    #expect(try writer.run("SELECT count(*) FROM p").value == 1)
  }

  @Test(arguments: [0, 1, 7, 8, 9, 30]) func insertsRowsInTheirOrder(_ count: Int) throws {
    let insert = try SQLiteInsert(
      writer.connection, SQLInsertion(into: "t", [("a", .bigint), ("b", .bytea), ("c", .uuid)], zeros: ["z"]))
    try insert.insert(count) { row, statement, after throws(DatabaseError) in
      let id = UUIDv7(high: 7, low: UInt64(row))
      try statement.bind([.integer(Int64(row)), .text(row == 3 ? nil : "\(row)"), .uuid(id)], after: after)
    }
    let found = try writer.run("SELECT a, b, c, z FROM t ORDER BY rowid")
    #expect(found.rows.map { $0.integer(0) } == (0..<count).map(Int64.init))
    #expect(found.rows.map { $0.text(1) } == (0..<count).map { $0 == 3 ? nil : "\($0)" })
    #expect(found.rows.map { $0.uuid(2)?.low } == (0..<count).map(UInt64.init))
    #expect(found.rows.allSatisfy { !$0.isNull(3) && $0.integer(3) == 0 })
  }

  @Test func turnsRowsIntoColumns() {
    let id = UUIDv7(high: 1, low: 2)
    let columns = SQLValue.columns(of: [
      [.integer(1), .text("a"), .bytes([1]), .uuid(id)], [.integer(nil), .text(nil), .bytes(nil), .uuid(id)],
    ])
    #expect(columns.count == 4)
    guard case .integers([1, nil]) = columns[0], case .texts(["a", nil]) = columns[1],
      case .blobs([[1], nil]) = columns[2], case .uuids([id, id]) = columns[3]
    else {
      Issue.record("\(columns)")
      return
    }
    #expect(SQLValue.columns(of: []).isEmpty)
  }
}
