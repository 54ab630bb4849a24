/// Statements that a connection sends together: the server answers all of them in one round trip, and skips
/// those after one that fails.
struct PostgresBatch {
  struct Statement {
    let sql: String
    let values: [PostgresValue]
  }

  private(set) var statements: [Statement] = []

  var isEmpty: Bool { statements.isEmpty }

  /// Adds a statement; returns its place among the results.
  @discardableResult
  mutating func add(_ sql: String, _ values: [PostgresValue] = []) -> Int {
    add(Statement(sql: sql, values: values))
  }

  @discardableResult
  mutating func add(_ statement: Statement) -> Int {
    statements.append(statement)
    return statements.count - 1
  }
}
