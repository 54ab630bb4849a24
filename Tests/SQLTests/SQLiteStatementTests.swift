import Clock
import Testing

@testable import SQL

/// What is bound is what SQLite reads, whatever its length.
@Suite struct SQLiteStatementTests {
  private let connection: SQLiteConnection

  init() throws { connection = try SQLiteConnection(path: ":memory:") }

  @Test(arguments: [0, 1, 16, 4_096, 70_000])
  func valuesOfEachLengthAreBoundWhole(_ count: Int) throws {
    let text = String(repeating: "ä", count: count / 2) + String(repeating: "a", count: count % 2)
    let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
    let statement = try connection.prepare("SELECT $1, $2, $3, typeof($2)")
    try statement.bind(1, text)
    try statement.bind(2, bytes)
    try statement.bind(3, UUIDv7(high: 1, low: UInt64(count)))
    #expect(try statement.step())
    #expect(statement.text(0) == text)
    #expect(statement.blob(1) == bytes)
    #expect(statement.uuid(2) == UUIDv7(high: 1, low: UInt64(count)))
    // An empty value is not NULL.
    #expect(statement.text(3) == "blob")
  }

  @Test func aValueStaysUntilItsParameterIsBoundAnew() throws {
    let statement = try connection.prepare("SELECT $1, $2")
    func rows(_ first: String?, _ second: String?) throws -> [String?] {
      if let first { try statement.bind(1, first) }
      if let second { try statement.bind(2, second) }
      defer { statement.reset() }
      return try statement.step() ? [statement.text(0), statement.text(1)] : []
    }
    let long = String(repeating: "x", count: 1_000)
    #expect(try rows("a", "b") == ["a", "b"])
    #expect(try rows("c", nil) == ["c", "b"])
    #expect(try rows(nil, long) == ["c", long])
    #expect(try rows(nil, "d") == ["c", "d"])
    try statement.bind(1, nil as String?)
    #expect(try rows(nil, nil) == [nil, "d"])
  }

  @Test(arguments: [-1, 0, 3])
  func aParameterThatIsNotThereIsAnError(_ index: Int) throws {
    let statement = try connection.prepare("SELECT $1, $2")
    #expect(throws: DatabaseError.self) { try statement.bind(index, "a") }
    #expect(throws: DatabaseError.self) { try statement.bind(index, [1] as [UInt8]) }
    let none = try connection.prepare("SELECT 1")
    #expect(throws: DatabaseError.self) { try none.bind(1, "a") }
  }

  /// SQLite itself numbers parameters with names in the order in which they appear.
  @Test func aParameterHasTheNumberInItsName() throws {
    let statement = try connection.prepare("SELECT $2, $1, $3, $1")
    try statement.bind(1, "a")
    try statement.bind(2, 7)
    try statement.bind(3, "c")
    #expect(try statement.step())
    #expect([statement.text(1), statement.text(2), statement.text(3)] == ["a", "c", "a"])
    #expect(statement.integer(0) == 7)
  }

  @Test func anArrayIsATable() throws {
    let result = try connection.run(
      "SELECT value FROM json_each($1) ORDER BY key", [.integers([3, nil, -9_223_372_036_854_775_808])])
    #expect(result.rows.map { $0.optionalInteger(0) } == [3, nil, .min])
    #expect(throws: DatabaseError.self) { try connection.run("SELECT $1", [.blobs([[1]])]) }
  }
}
